import type { ReadMeter } from '#core/ports/metered-reads.ts';
import { isReadBlock, ServiceError } from '#core/service-error.ts';
import { addSeconds, type Instant } from '#core/values/dates.ts';
import type { RateLimits } from '../../rate-limiter.ts';
import { readsBlocked } from '../errors.ts';
import type { ApiCall, Send } from './call.ts';

/** After a blocked read, further reads are refused without a call for this time, then one is tried. */
const retryAfterSeconds = 900;

/**
 * Time of the next read attempt, by the limits that all clients of this process share: Intuit blocks the reads of the
 * whole application.
 */
const blockedUntil = new WeakMap<RateLimits, Instant>();

/**
 * Middleware for reads: counts them, and makes no calls while Intuit blocks reads (App Partner Program). Intuit does
 * not document its response. Status 429 counts as the monthly block if its text names it, or if the application has used
 * up its limit by our own count.
 */
export const withReadMeter =
  <Call extends ApiCall>(
    of: {
      readonly rateLimits: RateLimits;
      readonly meter?: ReadMeter | undefined;
      readonly now: () => Instant;
      readonly endsPause: boolean;
    },
    next: Send<Call>,
  ): Send<Call> =>
  async (call) => {
    if (call.isOnce === true) return next(call);
    const until = blockedUntil.get(of.rateLimits);
    if (until !== undefined && of.now() < until && !of.endsPause) throw readsBlocked(call.operation, of.now());
    try {
      const answer = await next(call);
      blockedUntil.delete(of.rateLimits);
      of.meter?.count(call.items ?? 1);
      return answer;
    } catch (error) {
      if (!(error instanceof ServiceError) || error.about.status === undefined) throw error;
      const isUsedUp = error.about.status === 429 && of.meter?.isUsedUp() === true;
      if (!isUsedUp && !isReadBlock(error)) {
        of.meter?.count(call.items ?? 1);
        throw error;
      }
      blockedUntil.set(of.rateLimits, addSeconds(of.now(), retryAfterSeconds));
      throw readsBlocked(call.operation, of.now());
    }
  };
