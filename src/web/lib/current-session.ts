import { useSyncExternalStore } from 'react';
import { clearStorage, loadSession, type Session, tokenKey } from './session.ts';

/** Is told of every change; `why` is a sentence for the person whose session ended without their doing. */
export type SessionListener = (why: string | null) => void;

let session: Session | null = loadSession(localStorage, Date.now());
const listeners = new Set<SessionListener>();

/** The session of the person who is signed in now; null when nobody is. */
export const currentSession = (): Session | null => session;

/** The session, for components; null when nobody is signed in. They follow every change, also one of another tab. */
export const useSession = (): Session | null => useSyncExternalStore(subscribe, currentSession);

/**
 * Starts a session with a new token (login, single sign-on, masquerade): what was stored for the one before is removed.
 *
 * @returns false when the token cannot be read or is over; the session is ended then.
 */
export function startSession(token: string): boolean {
  clearStorage(localStorage);
  localStorage.setItem(tokenKey, token);
  reload();
  return session !== null;
}

/** Forgets the token and all that was stored with it. Telling the server is the caller's part. */
export function endSession(why: string | null = null): void {
  clearStorage(localStorage);
  reload(why);
}

/** Calls back after every change of the session; answers the way to stop. */
export function onSessionChange(listener: SessionListener): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function reload(why: string | null = null): void {
  session = loadSession(localStorage, Date.now());
  for (const listener of listeners) listener(why);
}

function subscribe(listener: () => void): () => void {
  return onSessionChange(listener);
}

// Signing out in one tab signs out in all of them; `key` is null when the whole storage was cleared.
window.addEventListener('storage', (event) => {
  if (event.key === tokenKey || event.key === null) reload();
});
