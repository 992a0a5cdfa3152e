/** The longest address that mail servers accept (RFC 5321). */
export const maxEmailLength = 254;

/**
 * One address and nothing around it: no list, no name before it, no line break. Whether anybody reads it, only a mail can
 * tell.
 */
export const emailShape = /^[^\s@,;:<>()[\]"\\\p{C}]+@[^\s@,;:<>()[\]"\\\p{C}]+$/u;

/** Maximum length of an email address in QuickBooks. */
const maxQuickBooksEmailLength = 100;

/** Whether QuickBooks accepts the text as an email address: one address, or several separated by commas. */
export const isBooksEmail = (text: string): boolean =>
  text.length <= maxQuickBooksEmailLength &&
  text.split(',').every((part) => isEmail(part.trim()) && /@[^@]+\.[^@.]+$/.test(part.trim()));

/** True for text that may be written to as one email address. */
export const isEmail = (text: string): boolean => text.length <= maxEmailLength && emailShape.test(text);
