import { setTimeout as delay } from 'node:timers/promises';
import { hashOf, matches } from '#flows/access/secrets.ts';

/** Seconds for which one database check answers all requests. */
const readySeconds = 1;
/** A database that does not answer within this time is not ready; load balancers give up after a second or two. */
const answerWithinMs = 800;

/** Returns a readiness check that answers within a second, and whose result all callers share for a second. */
export function sharedReadiness(check: () => Promise<boolean>): () => Promise<boolean> {
  let answer: Promise<boolean> | null = null;
  let askedAt = 0;
  return () => {
    const now = performance.now();
    if (answer === null || now - askedAt >= readySeconds * 1_000) {
      answer = Promise.race([check(), delay(answerWithinMs, false, { ref: false })]);
      askedAt = now;
    }
    return answer;
  };
}

/** Returns true if a request's `Authorization` header has the bearer token. */
export const hasBearerToken = (authorization: string | undefined, token: string | undefined): boolean =>
  token !== undefined && matches(/^Bearer (\S+)$/i.exec(authorization ?? '')?.[1] ?? null, hashOf(token));
