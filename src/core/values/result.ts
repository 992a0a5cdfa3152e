/** The outcome of a decision: a value, or everything that stands against it. */
export type Result<T, E> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly problems: readonly E[] };

export const ok = <T>(value: T): { readonly ok: true; readonly value: T } => ({ ok: true, value });

export const refuse = <E>(problems: readonly E[]): { readonly ok: false; readonly problems: readonly E[] } => ({
  ok: false,
  problems,
});
