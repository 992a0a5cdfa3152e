/** Reads values of unknown shape, e.g. from a token or from a document of QuickBooks. */

export const asRecord = (value: unknown): Readonly<Record<string, unknown>> | null =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : null;

/** Returns a text, or a number as text; null for anything else and for an empty text. */
export const asText = (value: unknown): string | null =>
  typeof value === 'number' || (typeof value === 'string' && value !== '') ? String(value) : null;
