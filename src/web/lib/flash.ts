import { useSyncExternalStore } from 'react';

/** One message of the bar. `error` is red, `message` blue. */
export interface Flash {
  /** Rises with each one, so that the same text twice is noticed. */
  readonly id: number;
  readonly kind: 'error' | 'message';
  readonly text: string;
  /** More of the same event, e.g. what a service answered; null when there is no more. */
  readonly detail: string | null;
}

/** How long a flash stays unless it is told otherwise (screens reference 1.9). */
export const flashMs = 5_000;

let flash: Flash | null = null;
let count = 0;
let timer: ReturnType<typeof setTimeout> | undefined;
const listeners = new Set<() => void>();

/** The message that the bar shows now, for components; null when it shows none. */
export const useFlash = (): Flash | null => useSyncExternalStore(subscribe, () => flash);

/**
 * Shows a message that clears itself.
 *
 * @param forMs how long; 2, 3 or 5 seconds are in use.
 */
export function showMessage(text: string, forMs = flashMs): void {
  set({ kind: 'message', text, detail: null });
  timer = setTimeout(clearFlash, forMs);
}

/** Shows an error until it is dismissed, another takes its place, or the person goes elsewhere. */
export function showError(text: string, detail: string | null = null): void {
  set({ kind: 'error', text, detail });
}

/** Empties the bar: on navigation, before an action, by the cross. */
export function clearFlash(): void {
  set(null);
}

function set(next: Omit<Flash, 'id'> | null): void {
  clearTimeout(timer);
  count += 1;
  flash = next === null ? null : { ...next, id: count };
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
