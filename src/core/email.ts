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
export const isAccountingEmail = (text: string): boolean =>
  text.length <= maxQuickBooksEmailLength &&
  text.split(',').every((part) => isEmail(part.trim()) && dotShape.test(part.trim()));

/**
 * Returns the addresses in a text in the form that QuickBooks accepts: `Ann <ap@x.example>,` is `ap@x.example`. Several
 * are joined by commas as long as they fit. Null if the text contains no valid address.
 */
export function repairEmail(text: string): string | null {
  const isQuoted = /^['‘’]|['‘’]$/.test(text.trim());
  if (!isQuoted && isAccountingEmail(text.trim())) return text.trim();
  const addresses = text
    .split(/[\s,;<>()[\]"“”]+/u)
    .map((part) => withoutPunctuation(part.replace(/^mailto:/i, '').split('?', 1)[0] ?? ''))
    .filter((part) => isAccountingEmail(part));
  const unique = [...new Map(addresses.map((one) => [one.toLowerCase(), one])).values()];
  return unique.reduce<string | null>((joined, one) => {
    const next = joined === null ? one : `${joined}, ${one}`;
    return next.length <= maxQuickBooksEmailLength ? next : joined;
  }, null);
}

/** Marks that people write around an address. */
const around: ReadonlySet<string> = new Set(["'", '‘', '’', '.', ':']);

function withoutPunctuation(text: string): string {
  let [from, to] = [0, text.length];
  while (from < to && around.has(text.charAt(from))) from += 1;
  while (to > from && around.has(text.charAt(to - 1))) to -= 1;
  return text.slice(from, to);
}

/** Whether the text is one email address. */
export const isEmail = (text: string): boolean => text.length <= maxEmailLength && emailShape.test(text);
