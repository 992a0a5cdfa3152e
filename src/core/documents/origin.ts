/**
 * Returns the name of a PSA document for the private note of its QuickBooks document, e.g. `Autotask invoice 48213`.
 */
export const originText = (
  psaLabel: string,
  noun: 'invoice' | 'purchase order' | 'expense report',
  id: number,
): string => `${psaLabel} ${noun} ${id}`;

/**
 * Extracts the PSA document from a private note, e.g. `Autotask invoice 48213`, without the variable part after it.
 * Null when the note does not begin with one.
 */
export const originOf = (privateNote: string | null): string | null =>
  /^.{1,60}? (?:invoice|purchase order|expense report) \d+/.exec(privateNote?.trim() ?? '')?.[0] ?? null;

/**
 * Whether two notes name the same PSA document. The note of a voided document begins with a void text, so it never
 * matches.
 */
export const isSameOrigin = (one: string | null, other: string | null): boolean => {
  const origin = originOf(one);
  return origin !== null && origin === originOf(other);
};
