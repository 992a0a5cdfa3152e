/** Responses that the page requested before the application ran, by URL; `scripts/vite/loaded-ahead.ts` stores them. */
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
  const ahead = window.prefetched;
  if (ahead === undefined) return null;
  if (ahead.token !== token || sincePageMs > freshMs) {
    forgetPrefetched();
    return null;
  }
  const answer = ahead.answers[address];
  delete ahead.answers[address];
  return answer ?? null;
}

/** Returns true if a prefetched response is still unused. */
export const hasPrefetched = (): boolean => Object.keys(window.prefetched?.answers ?? {}).length > 0;

/** Drops the unused responses, because a change makes them outdated. */
export function forgetPrefetched(): void {
  delete window.prefetched;
}
