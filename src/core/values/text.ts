/**
 * Normalizes a name for comparison: Unicode NFKC, white space trimmed and collapsed, case ignored (domain reference 5.5).
 */
export const normalized = (name: string): string => collapsed(name.normalize('NFKC')).toLowerCase();

/** Trims a text and replaces each run of white space with one space. */
export const collapsed = (text: string): string => text.replace(/\s+/g, ' ').trim();

/** Truncates a text to a maximum length without splitting a surrogate pair. */
export function truncate(text: string, maxLength: number, ellipsis = ''): string {
  if (text.length <= maxLength) return text;
  const start = text.slice(0, maxLength - ellipsis.length);
  return `${/[\uD800-\uDBFF]$/.test(start) ? start.slice(0, -1) : start}${ellipsis}`;
}

/** Removes all trailing copies of a character. A pattern such as `0+$` takes quadratic time on hostile text. */
export function withoutTrailing(text: string, character: string): string {
  let end = text.length;
  while (end > 0 && text[end - 1] === character) end -= 1;
  return text.slice(0, end);
}

/** Names that QuickBooks accepts: no colon, tab or line break, 100 characters (domain reference 2.2 and 5.5). */
export const cleanName = (name: string): string =>
  truncate(collapsed(name.replaceAll(':', ' ')), maxNameLength).trimEnd();

/** Maximum length of a name that Tallybridge gives a record in QuickBooks. */
export const maxNameLength = 100;

/** Returns the trimmed text; null if it is missing or blank. */
export function textOrNull(text: string | null | undefined): string | null {
  const trimmed = text?.trim() ?? '';
  return trimmed === '' ? null : trimmed;
}

/** `1 item`, `2 items`. */
export const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;

/** Returns the FNV-1a hash of the text, a whole number below 2^32. */
export function shortHash(text: string): number {
  let value = 0x811c9dc5;
  for (const character of text) value = Math.imul(value ^ (character.codePointAt(0) ?? 0), 0x01000193) >>> 0;
  return value;
}

/** Returns the labels of chosen keys as one text, e.g. `Failed documents, Failed runs`. */
export const listText = (keys: unknown, labels: Readonly<Record<string, string>> = {}): string => {
  const chosen: readonly unknown[] = Array.isArray(keys) ? keys : [];
  return chosen.length === 0 ? 'none' : chosen.map((key) => labels[String(key)] ?? String(key)).join(', ');
};

/** Returns the error's text in one line, without its stack. */
export const messageOf = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error)).slice(0, 500);
