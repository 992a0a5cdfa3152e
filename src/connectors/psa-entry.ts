import type { Clock } from '#core/ports/clock.ts';
import type { Logger } from '#core/ports/logger.ts';
import type { Psa, PsaDescriptor } from '#core/ports/psa.ts';
import type { RateLimits } from './rate-limiter.ts';
import type { PsaCredentials } from '#core/tenant.ts';
import type { CallRecord } from './http-client.ts';

/** Parts for creating a PSA connector. */
export interface PsaParts {
  readonly credentials: PsaCredentials;
  /** IANA name of the time zone in which the PSA dates documents. */
  readonly timeZone: string;
  /** Address of the service, and the code that identifies the product to it. */
  readonly service: { readonly url: string; readonly integrationCode: string };
  /** `host:port` of services that may be in a private network. */
  readonly allowedHosts: readonly string[];
  readonly rateLimits: RateLimits;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Waits for a pause. */
  readonly sleep: (milliseconds: number) => Promise<unknown>;
  /** Listener for every outgoing call, for metrics. */
  readonly onCall?: ((call: CallRecord) => void) | undefined;
  /** Aborted when the process stops. */
  readonly stopping?: AbortSignal | undefined;
  /** Returns whether writes are still allowed, checked right before the first byte is sent; default: true. */
  readonly mayWrite?: (() => boolean) | undefined;
  /** Calls end a pause that the service requested, because a user asked for them. */
  readonly endsPause?: boolean | undefined;
}

/** A PSA that the product supports: its descriptor, and how to create its connector. */
export interface PsaEntry {
  readonly descriptor: PsaDescriptor;
  create(parts: PsaParts): Psa;
}
