import { setTimeout as delay } from 'node:timers/promises';
import type { PsaCredentials } from '#core/tenant.ts';
import { epochMs } from '#core/values/dates.ts';
import type { Egress } from '../http-client.ts';
import { createRateLimiter, type RateLimits } from '../rate-limiter.ts';
import { withRetry } from '../retry.ts';
import type { ApiCall } from './calls/call.ts';
import { withQuotaThrottle } from './calls/quota-throttle.ts';
import { withRateLimit } from './calls/rate-limit.ts';
import { sendSigned } from './calls/send.ts';
import { withSignInBreaker } from './calls/sign-in.ts';
import { withZoneDiscovery } from './calls/zone-discovery.ts';
import type { JsonRecord } from './errors.ts';
import type { ZoneFinder } from './zone.ts';

export interface AutotaskApi {
  /** Makes a call that may be repeated: a read, or a write of a fixed value. */
  call(call: ApiCall): Promise<JsonRecord>;
  databaseId(): Promise<string>;
}

export interface ApiOptions {
  readonly credentials: PsaCredentials;
  readonly integrationCode: string;
  readonly zones: ZoneFinder;
  readonly rateLimits: RateLimits;
  readonly egress: Egress;
  readonly timeoutMs: number;
  /** Calls end a pause that the service requested. */
  readonly endsPause?: boolean | undefined;
  readonly sleep?: ((ms: number) => Promise<unknown>) | undefined;
}

/** Creates the API as one function. A call passes these layers from first to last; each is a separate file. */
export function autotaskApi(options: ApiOptions): AutotaskApi {
  const { zones, rateLimits, egress, sleep = delay } = options;
  const nowMs = () => epochMs(egress.now());
  const limiter = createRateLimiter(rateLimits, { nowMs, sleep, endsPause: options.endsPause });
  const call = withRetry(
    sleep,
    withQuotaThrottle(
      { zones, rateLimits, now: egress.now, sleep },
      withSignInBreaker(
        withZoneDiscovery(zones, withRateLimit(rateLimits, limiter, sendSigned(options), egress.stopping)),
      ),
    ),
  );
  return { call, databaseId: async () => (await zones.find()).databaseId };
}
