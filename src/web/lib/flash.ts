import { useSyncExternalStore } from 'react';

/** One message of the message bar. `error` is red, `message` blue. */
export interface Flash {
  readonly id: number;
  readonly kind: 'error' | 'message';
  readonly text: string;
  /** A second line, e.g. the response of a service; null without one. */
  readonly detail: string | null;
}

/** How long a message is shown by default (screens reference 1.9). */
export const flashMs = 5_000;

/** How long “Saved changes.” is shown (specification 1, section 8). */
export const savedMs = 3_000;

/** Maximum number of messages shown at once; a new one replaces the oldest. */
const maxFlashes = 3;

let flashes: readonly Flash[] = [];
let count = 0;
const listeners = new Set<() => void>();

/** The messages in the bar, oldest first. */
export const useFlashes = (): readonly Flash[] => useSyncExternalStore(subscribe, () => flashes);

/**
 * Shows a message that disappears automatically. Later messages and calls do not shorten its time.
 *
 * @param forMs display time; 2, 3 or 5 seconds are used.
 */
export function showMessage(text: string, forMs = flashMs): void {
  const id = add({ kind: 'message', text, detail: null });
  setTimeout(() => dismissFlash(id), forMs);
}

/** Shows an error until the user dismisses it, starts another action, or leaves the page. */
export function showError(text: string, detail: string | null = null): void {
  clearErrors();
  add({ kind: 'error', text, detail });
}

/** Removes one message. */
export function dismissFlash(id: number): void {
  set(flashes.filter((flash) => flash.id !== id));
}

/** Removes errors before an action; messages disappear when their time is over. */
export function clearErrors(): void {
  set(flashes.filter(({ kind }) => kind !== 'error'));
}

/** Clears the bar when the user opens another page. */
export function clearFlashes(): void {
  set([]);
}

function add(flash: Omit<Flash, 'id'>): number {
  count += 1;
  const others = flashes.filter(({ kind, text }) => kind !== flash.kind || text !== flash.text);
  set([...others, { ...flash, id: count }].slice(-maxFlashes));
  return count;
}

function set(next: readonly Flash[]): void {
  if (next.length === 0 && flashes.length === 0) return;
  flashes = next;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
