/** A value of a form field in the API. */
export type FieldValue = boolean | number | string | readonly string[] | null;
export type FieldValues = Readonly<Record<string, FieldValue>>;

/** Edited fields by key: the saved value when the edit began, and the new one. */
export type Edits = Readonly<Record<string, { readonly base: FieldValue; readonly value: FieldValue }>>;

const isSame = (a: unknown, b: unknown): boolean => JSON.stringify(a ?? null) === JSON.stringify(b ?? null);

/** Returns only the fields whose values differ. */
export const changesOf = (saved: FieldValues, draft: FieldValues): Record<string, FieldValue> =>
  Object.fromEntries(Object.entries(draft).filter(([key, value]) => !isSame(value, saved[key])));

/** Adds an edit. A field that has its first value again is not edited. */
export function withEdit(edits: Edits, saved: FieldValues, key: string, value: FieldValue): Edits {
  const base = edits[key]?.base ?? saved[key] ?? null;
  return isSame(base, value) ? without(edits, key) : { ...edits, [key]: { base, value } };
}

export const without = <Value>(known: Readonly<Record<string, Value>>, key: string): Readonly<Record<string, Value>> =>
  Object.fromEntries(Object.entries(known).filter(([name]) => name !== key));

/** Returns the keys of edited fields that another user has saved with a different value since the edit began. */
export const conflictsOf = (saved: FieldValues, edits: Edits): readonly string[] =>
  Object.entries(edits)
    .filter(([key, { base, value }]) => !isSame(saved[key], base) && !isSame(saved[key], value))
    .map(([key]) => key);

/** Returns the edits to send: the new values, and the values that the user saw. */
export const toSend = (
  saved: FieldValues,
  edits: Edits,
  related: readonly string[] = [],
): { readonly changes: FieldValues; readonly was: FieldValues } => ({
  changes: Object.fromEntries(Object.entries(edits).map(([key, { value }]) => [key, value])),
  was: {
    ...Object.fromEntries(related.map((key) => [key, saved[key] ?? null])),
    ...Object.fromEntries(Object.entries(edits).map(([key, { base }]) => [key, base])),
  },
});

/**
 * Returns the request that reverts a save.
 *
 * @param sent the values that were sent, with those that the user saw in `was`
 * @param stored the values after the save; if another user changed one meanwhile, the server rejects the request
 */
export function undoOf(
  sent: { readonly was?: Readonly<Record<string, FieldValue | undefined>> | undefined } | undefined,
  stored: FieldValues,
): { readonly was: FieldValues } {
  const { was = {}, ...values } = { was: undefined, ...sent };
  const keys = Object.keys(values);
  const pick = (from: Readonly<Record<string, FieldValue | undefined>>): FieldValues =>
    Object.fromEntries(keys.map((key) => [key, from[key] ?? null]));
  return { ...pick(was), was: pick(stored) };
}
