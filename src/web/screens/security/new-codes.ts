import { useSyncExternalStore } from 'react';
import { currentSession } from '../../data/current-session.ts';

/** New recovery codes. They exist only in memory, outside the component, because the session changes with them. */
export interface NewCodes {
  readonly codes: readonly string[];
  /** True if they replace earlier codes; false after the first setup. */
  readonly areReplacing: boolean;
}

let newCodes: (NewCodes & { readonly username: string }) | null = null;
const listeners = new Set<() => void>();

/** Stores the codes until the user confirms saving them; `null` removes them. */
export function showCodes(codes: NewCodes | null): void {
  newCodes = codes === null ? null : { ...codes, username: currentSession()?.claims.username ?? '' };
  for (const listener of listeners) listener();
}

/** The new codes of the logged-in user; null without any. */
export const useNewCodes = (): NewCodes | null =>
  useSyncExternalStore(subscribe, () => (newCodes?.username === currentSession()?.claims.username ? newCodes : null));

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
