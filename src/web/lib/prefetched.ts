/** Responses that the page requested before the application ran, by URL; `scripts/vite/loaded-prefetched.ts` stores them. */
interface Prefetched {
  /** The token of the requests. */
  readonly token: string;
  readonly answers: Record<string, Promise<Response>>;
}

declare global {
  interface Window {
    prefetched?: Prefetched;
  }
}

/** Responses that are still unused this long after the page was requested are too old. */
const freshMs = 15_000;

/**
 * Returns a prefetched response once; null if there is none, or if it may be outdated.
 *
 * @param token of the current session.
 * @param sincePageMs milliseconds since the page was requested.
 */
export function takePrefetched(
  address: string,
  token: string | null,
  sincePageMs: number = performance.now(),
): Promise<Response> | null {
  const { prefetched } = window;
  if (prefetched === undefined) return null;
  if (prefetched.token !== token || sincePageMs > freshMs) {
    clearPrefetched();
    return null;
  }
  const answer = prefetched.answers[address];
  delete prefetched.answers[address];
  return answer ?? null;
}

/** Returns true if a prefetched response is still unused. */
export const hasPrefetched = (): boolean => Object.keys(window.prefetched?.answers ?? {}).length > 0;

/** Removes the unused responses, because a change makes them outdated. */
export function clearPrefetched(): void {
  delete window.prefetched;
}
