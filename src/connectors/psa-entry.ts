import type { Clock } from '#core/ports/clock.ts';
import type { Logger } from '#core/ports/logger.ts';
import type { Psa, PsaDescriptor } from '#core/ports/psa.ts';
import type { RateLimits } from '#core/ports/rate-limits.ts';
import type { PsaCredentials } from '#core/tenant.ts';
import type { CallRecord } from './http-client.ts';

/** Parts that a PSA connector is made of. */
export interface PsaParts {
  readonly credentials: PsaCredentials;
  /** IANA name of the zone in which the PSA dates documents. */
  readonly timeZone: string;
  /** Address of the service, and the code by which the product names itself to it. */
  readonly service: { readonly url: string; readonly integrationCode: string };
  /** `host:port` of services that may stand in a private network. */
  readonly allowedHosts: readonly string[];
  readonly rateLimits: RateLimits;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Waits out a pause. */
  readonly sleep: (milliseconds: number) => Promise<unknown>;
  /** Listener for every outside call, for metrics. */
  readonly onCall?: ((call: CallRecord) => void) | undefined;
  /** Whether something may still be changed, asked right before the first byte leaves; default: it may. */
  readonly mayWrite?: (() => boolean) | undefined;
}

/** A PSA that the product can be connected to: how it is described, and how its connector is made. */
export interface PsaEntry {
  readonly descriptor: PsaDescriptor;
  create(parts: PsaParts): Psa;
}
