import { ServiceError } from '#core/service-error.ts';
import type { CallLimits, RateLimiter, RateLimits } from '../../rate-limiter.ts';
import { limitReached } from '../errors.ts';
import type { Zone } from '../zone.ts';
import type { Send, ZonedCall } from './call.ts';

/**
 * Published: 3 concurrent calls per tracking code and endpoint, and 10,000 calls an hour that all integrations of a
 * database share (autotask reference section 3). A worker needs all three threads. A call that the service refuses
 * because a user's call runs as well is repeated after a second.
 */
const worker = { concurrent: 3, callsAnHour: 7_500 };
const api = { concurrent: 1, callsAnHour: 500 };

const limitsOf = ({ isApi }: RateLimits, zone: Zone, entity: string, stopping: AbortSignal | undefined): CallLimits => {
  const { concurrent, callsAnHour } = isApi ? api : worker;
  return {
    windows: [{ key: `psa:hour:${zone.databaseId}`, calls: callsAnHour, perSeconds: 3_600 }],
    permitKey: `psa:${zone.databaseId}:${entity}`,
    permits: concurrent,
    stopping,
  };
};

/** Middleware: applies the published limits of the database, and pauses all calls when the service asks to wait. */
export const withRateLimit =
  (rateLimits: RateLimits, limiter: RateLimiter, next: Send<ZonedCall>, stopping?: AbortSignal): Send<ZonedCall> =>
  async (call) => {
    const limits = limitsOf(rateLimits, call.zone, call.path.split('/')[0] ?? '', stopping);
    try {
      return await limiter.run(
        limits,
        () => next(call),
        (waitMs) => limitReached(call.operation, waitMs),
      );
    } catch (error) {
      if (error instanceof ServiceError && error.about.waitMs !== undefined) limiter.pause(limits, error.about.waitMs);
      throw error;
    }
  };
