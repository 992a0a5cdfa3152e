/** Returns a value of a response as text for people. */
export const shown = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value ?? null));
