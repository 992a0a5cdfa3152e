import { instant, type Instant } from '../values/dates.ts';

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

/** Returns the time in a private note, such as `synced 2025-03-03T15:00:07Z`; null if a user removed it. */
export function syncedAtOf(privateNote: string | null): Instant | null {
  const [, at] = /\bsynced (\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ)/.exec(privateNote ?? '') ?? [];
  return at === undefined || Number.isNaN(Date.parse(at)) ? null : instant(at);
}

/** Returns which document of its source this is, from a note that ends in `document 2`; 1 without it. */
export const generationOf = (privateNote: string | null): number =>
  Number(/ · document (\d{1,6})\b/.exec(privateNote ?? '')?.[1] ?? 1);

/**
 * Whether two notes name the same PSA document. The note of a voided document begins with a void text, so it never
 * matches.
 */
export const isSameOrigin = (one: string | null, other: string | null): boolean => {
  const origin = originOf(one);
  return origin !== null && origin === originOf(other);
};
