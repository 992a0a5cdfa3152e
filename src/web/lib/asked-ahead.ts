/** Answers that the page has asked for before the program ran, by address; `scripts/vite/loaded-ahead.ts` puts them there. */
interface AskedAhead {
  /** The token that they were asked with. */
  readonly token: string;
  readonly answers: Record<string, Promise<Response>>;
}

declare global {
  interface Window {
    askedAhead?: AskedAhead;
  }
}

/** An answer that nobody has taken so long after the page was asked for is too old to be shown. */
const freshMs = 15_000;

/**
 * The answer to a question that the page has asked ahead, once; null where none was asked, or it may be out of date.
 *
 * @param token of the session that asks now.
 * @param sincePageMs milliseconds since the page was asked for.
 */
export function takeAskedAhead(
  address: string,
  token: string | null,
  sincePageMs: number = performance.now(),
): Promise<Response> | null {
  const ahead = window.askedAhead;
  if (ahead === undefined) return null;
  if (ahead.token !== token || sincePageMs > freshMs) {
    forgetAskedAhead();
    return null;
  }
  const answer = ahead.answers[address];
  delete ahead.answers[address];
  return answer ?? null;
}

/** Whether the page has asked something ahead that nobody has taken yet. */
export const hasAskedAhead = (): boolean => Object.keys(window.askedAhead?.answers ?? {}).length > 0;

/** Lets go of the answers that nobody has taken: something is about to be changed. */
export function forgetAskedAhead(): void {
  delete window.askedAhead;
}
