import { useSyncExternalStore } from 'react';
import { clearStorage, loadSession, type Session, tokenKey } from './session.ts';

/** Called after every change; `why` is a message for a user whose session ended unexpectedly. */
export type SessionListener = (why: string | null) => void;

let session: Session | null = loadSession(localStorage, Date.now());
const listeners = new Set<SessionListener>();

/** The current session; null if no user is logged in. */
export const currentSession = (): Session | null => session;

/**
 * The current session for components; null if no user is logged in. Components rerender after every change, also in
 * another tab.
 */
export const useSession = (): Session | null => useSyncExternalStore(subscribe, currentSession);

/**
 * Starts a session with a new token (login, single sign-on, masquerade) and removes the stored data of the previous
 * session.
 *
 * @returns false if the token is unreadable or expired; the session has then ended.
 */
export function startSession(token: string): boolean {
  clearStorage(localStorage);
  localStorage.setItem(tokenKey, token);
  reload();
  return session !== null;
}

/** Removes the token and its stored data. The caller must log out on the server. */
export function endSession(why: string | null = null): void {
  clearStorage(localStorage);
  reload(why);
}

/** Calls the listener after every change of the session; returns a function that stops it. */
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

// A logout in one tab logs out all tabs; `key` is null when the whole storage was cleared.
window.addEventListener('storage', (event) => {
  if (event.key === tokenKey || event.key === null) reload();
});
