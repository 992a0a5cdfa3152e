import type { RateLimits } from '../../rate-limiter.ts';
import { ServiceError } from '#core/service-error.ts';
import type { Instant } from '#core/values/dates.ts';
import { limitReached } from '../errors.ts';
import { quotaWaitMs, usageOf, type Threshold } from '../usage.ts';
import type { ZoneFinder } from '../zone.ts';
import type { Send } from './call.ts';

/**
 * Middleware: leaves part of the hourly quota to the customer's other integrations ({@link usageOf}). Calls slow down
 * from half of it; writes wait from nine tenths.
 *
 * @throws ServiceError `PSA_LIMIT` for a write while the quota is nearly used up.
 */
export function withQuotaThrottle(
  of: {
    readonly zones: ZoneFinder;
    readonly rateLimits: RateLimits;
    readonly now: () => Instant;
    readonly sleep: (ms: number) => Promise<unknown>;
  },
  next: Send,
): Send {
  async function readThreshold(): Promise<Threshold | null> {
    try {
      const answer = await next({ operation: 'read the quota', method: 'GET', path: 'ThresholdInformation' });
      const used = Number(answer.currentTimeframeRequestCount);
      const allowed = Number(answer.externalRequestThreshold);
      return Number.isFinite(used) && Number.isFinite(allowed) ? { used, allowed } : null;
    } catch (error) {
      if (error instanceof ServiceError) return null;
      throw error;
    }
  }

  return async (call) => {
    const { databaseId } = await of.zones.find();
    const usage = usageOf(of.rateLimits, databaseId, of.now);
    const isWrite = call.method === 'PATCH';
    await usage.refreshWhenDue(isWrite, readThreshold);
    if (isWrite && usage.stopsWrites) throw limitReached(call.operation, quotaWaitMs);
    if (usage.delayMs > 0) await of.sleep(usage.delayMs);
    return next(call);
  };
}
