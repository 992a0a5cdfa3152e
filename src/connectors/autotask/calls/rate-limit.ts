import { ServiceError } from '#core/service-error.ts';
import type { CallLimits, RateLimiter } from '../../rate-limiter.ts';
import { limitReached } from '../errors.ts';
import type { Zone } from '../zone.ts';
import type { Send, ZonedCall } from './call.ts';

/** Concurrent calls per tracking code and endpoint (autotask reference section 3). */
const callsAtOnce = 3;
/** Calls in quick succession are counted together, at most as many as leave within a second. */
const countedTogether = 10;
/** Maximum calls by us, of the 10,000 an hour that all integrations of a database share. */
const callsAnHour = 8_000;

const limitsOf = (zone: Zone, entity: string, stopping: AbortSignal | undefined): CallLimits => ({
  windows: [{ key: `psa:hour:${zone.databaseId}`, calls: callsAnHour, perSeconds: 3_600 }],
  permitKey: `psa:${zone.databaseId}:${entity}`,
  permits: callsAtOnce,
  together: countedTogether,
  stopping,
});

/** Middleware: applies the published limits of the database, and pauses all calls when the service asks to wait. */
export const withRateLimit =
  (limiter: RateLimiter, next: Send<ZonedCall>, stopping?: AbortSignal): Send<ZonedCall> =>
  async (call) => {
    const limits = limitsOf(call.zone, call.path.split('/')[0] ?? '', stopping);
    try {
      return await limiter.run(
        limits,
        () => next(call),
        (waitMs) => limitReached(call.operation, waitMs),
      );
    } catch (error) {
      if (error instanceof ServiceError && error.about.waitMs !== undefined)
        await limiter.pause(limits, error.about.waitMs);
      throw error;
    }
  };
