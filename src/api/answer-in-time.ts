import type { FastifyReply, FastifyRequest } from 'fastify';
import { stillReadingHeader } from '#contract/define.ts';
import type { Principal } from '#flows/access/principal.ts';
import type { App, Patience } from '#flows/context.ts';
import { patienceMs } from '#flows/patience.ts';
import { Refusal } from '#core/refusal.ts';
import { setTimeout as delay } from 'node:timers/promises';

/** Maximum number of responses per client that a process works on after their requests ended. */
const maxUnderWay = 20;

/** Works on the response to a read request, and stops waiting when a connected service is slow. */
export type AnswerInTime = <T>(
  exchange: { readonly request: FastifyRequest; readonly reply: FastifyReply },
  about: { readonly principal: Principal | null; readonly patience: Patience | undefined },
  work: () => Promise<T>,
) => Promise<T>;

/**
 * Answers a request after two seconds at most, even if a connected service is slow. The work continues in the
 * background, and the same request, sent again, gets its result.
 *
 * @param withinMs how long a request waits, in milliseconds.
 */
export function createAnswerInTime({ descriptors, logger }: App, withinMs = patienceMs): AnswerInTime {
  const underWay = new Map<string, { readonly clientId: string; readonly work: Promise<unknown> }>();
  const tooSlow = (): Refusal =>
    new Refusal(
      'overloaded',
      'service_unavailable',
      `${descriptors.psa.label} or ${descriptors.accounting.shortLabel} is slow right now. Please try again in a moment.`,
    );
  return async ({ request, reply }, { principal, patience }, work) => {
    const clientId = principal?.client?.id;
    if (principal === null || clientId === undefined || patience === undefined) return work();
    const { method, url, body } = request;
    const key = [principal.userId, clientId, method, url, JSON.stringify(body ?? null)].join(' ');
    const known = underWay.get(key);
    const answer = (known?.work as ReturnType<typeof work> | undefined) ?? work();
    // Give up only on a connected service: the database has its own time limits.
    const isLate = await Promise.race([
      answer.then(() => false),
      delay(withinMs, undefined, { ref: false }).then(() => patience.hasCalled || known !== undefined),
    ]);
    if (!isLate) return answer;
    if (known === undefined) {
      const own = [...underWay.values()].filter((one) => one.clientId === clientId).length;
      if (own < maxUnderWay) {
        underWay.set(key, { clientId, work: answer });
        answer
          .catch((error: unknown) =>
            logger.warn({ err: error, route: request.routeOptions.url }, 'a late answer failed'),
          )
          // Keep the result for the repeated request.
          .finally(() => void delay(10_000, undefined, { ref: false }).then(() => underWay.delete(key)));
      } else answer.catch(() => undefined);
    }
    void reply.header(stillReadingHeader, 'yes');
    throw tooSlow();
  };
}
