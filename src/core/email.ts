/** Maximum length of an address that mail servers accept (RFC 5321). */
export const maxEmailLength = 254;

/**
 * Matches a single email address: no list, no display name, no line break. It does not prove that the mailbox exists.
 */
export const emailShape = /^[^\s@,;:<>()[\]"\\\p{C}]+@[^\s@,;:<>()[\]"\\\p{C}]+$/u;

/** Maximum length of an email address in QuickBooks. */
const maxQuickBooksEmailLength = 100;

/** Names and hosts have no dot at their ends and no two adjacent dots (RFC 5321); hosts have at least one dot. */
const dotShape = /^[^.@]+(\.[^.@]+)*@[^.@]+(\.[^.@]+)+$/;

/** Returns true if QuickBooks accepts the text as an email address: one address, or several separated by commas. */
export const isBooksEmail = (text: string): boolean =>
  text.length <= maxQuickBooksEmailLength &&
  text.split(',').every((part) => isEmail(part.trim()) && dotShape.test(part.trim()));

/** Whether the text is one email address. */
export const isEmail = (text: string): boolean => text.length <= maxEmailLength && emailShape.test(text);
