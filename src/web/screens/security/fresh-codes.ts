import { useSyncExternalStore } from 'react';
import { currentSession } from '../../lib/current-session.ts';

/** Recovery codes that were made just now, in memory only: the session changes with them, and the frame around them may. */
interface Fresh {
  readonly username: string;
  readonly codes: readonly string[];
}

let fresh: Fresh | null = null;
const listeners = new Set<() => void>();

/** Keeps the codes until the person says that they have them; `null` forgets them. */
export function showCodes(codes: readonly string[] | null): void {
  fresh = codes === null ? null : { username: currentSession()?.claims.username ?? '', codes };
  for (const listener of listeners) listener();
}

/** The codes to show to whoever is signed in now; null when there are none. */
export const useFreshCodes = (): readonly string[] | null =>
  useSyncExternalStore(subscribe, () =>
    fresh?.username === currentSession()?.claims.username ? (fresh?.codes ?? null) : null,
  );

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
