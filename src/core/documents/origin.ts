/** Name of a document of the PSA in the private note of what is made for it, e.g. `Autotask invoice 48213`. */
export const originText = (
  psaLabel: string,
  noun: 'invoice' | 'purchase order' | 'expense report',
  id: number,
): string => `${psaLabel} ${noun} ${id}`;

/**
 * Origin of a document of ours by its private note, e.g. `Autotask invoice 48213`: the part that is the same whenever
 * it is written. Null when the note names no document of a PSA.
 */
export const originOf = (privateNote: string | null): string | null =>
  /^.{1,60}? (?:invoice|purchase order|expense report) \d+(?!\d)/.exec(privateNote?.trim() ?? '')?.[0] ?? null;

/**
 * Whether two notes name the same document of the PSA. The note of a voided document says so in front, and names none.
 */
export const isSameOrigin = (one: string | null, other: string | null): boolean => {
  const origin = originOf(one);
  return origin !== null && origin === originOf(other);
};
