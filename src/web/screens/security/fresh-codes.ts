import { useSyncExternalStore } from 'react';
import { currentSession } from '../../lib/current-session.ts';

/** Recovery codes that were made just now, in memory only: the session changes with them, and the frame around them may. */
export interface FreshCodes {
  readonly codes: readonly string[];
  /** They stand in for earlier ones; otherwise the second step was set up with them. */
  readonly areReplacing: boolean;
}

let fresh: (FreshCodes & { readonly username: string }) | null = null;
const listeners = new Set<() => void>();

/** Keeps the codes until the person says that they have them; `null` forgets them. */
export function showCodes(codes: FreshCodes | null): void {
  fresh = codes === null ? null : { ...codes, username: currentSession()?.claims.username ?? '' };
  for (const listener of listeners) listener();
}

/** The codes to show to whoever is signed in now; null when there are none. */
export const useFreshCodes = (): FreshCodes | null =>
  useSyncExternalStore(subscribe, () => (fresh?.username === currentSession()?.claims.username ? fresh : null));

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
