import { setTimeout as delay } from 'node:timers/promises';
import { ServiceError } from '#core/service-error.ts';
import type { Patience, TenantContext } from './context.ts';

/** Milliseconds that a user's request waits for a connected service. */
export const patienceMs = 2_000;
/** The rest of the time is for reading stored data if the service has not responded. */
const shareOfService = 0.6;

/** Starts the wait of a request. @param ms how long the user waits for a service, in milliseconds. */
export const newPatience = (ms = patienceMs): Patience => ({
  isOver: delay(ms * shareOfService, undefined, { ref: false }),
  hasCalled: false,
});

interface Reading {
  readonly value: Promise<unknown>;
  /** A request was answered with stored data meanwhile. */
  isLate: boolean;
}

/** Readings in progress, by tenant and name, so that the same data is not read twice at once. */
const readings = new Map<string, Map<string, Reading>>();

/** When the last late reading of a tenant ended, in milliseconds of the process. */
const lateEnds = new Map<string, number>();

/**
 * Returns whether requests of the tenant are answered with stored data because a reading takes too long. Still true for
 * some time after its end, since a request that began before may have taken what was stored.
 */
export function isStillReading(tenantId: string): boolean {
  if ([...(readings.get(tenantId)?.values() ?? [])].some(({ isLate }) => isLate)) return true;
  const endedAt = lateEnds.get(tenantId);
  if (endedAt === undefined) return false;
  if (performance.now() - endedAt < patienceMs) return true;
  lateEnds.delete(tenantId);
  return false;
}

/**
 * Reads from a connected service for a user. If that takes too long, returns the stored value while the reading
 * continues; the next request gets its result.
 *
 * @param name of the value; parallel requests for it share one reading.
 * @param stored returns the fallback value; null if none was ever stored.
 * @throws ServiceError of the service, or that it is slow if nothing is stored.
 */
export async function readInTime<T>(
  context: Pick<TenantContext, 'tenantId' | 'patience' | 'logger'>,
  { name, service }: { readonly name: string; readonly service: 'psa' | 'accounting' },
  read: () => Promise<T>,
  stored: () => Promise<T | null>,
): Promise<T> {
  const { patience } = context;
  if (patience === undefined) return read();
  const reading = readings.get(context.tenantId)?.get(name) ?? begin(name, read, context);
  const isLate = Symbol('late');
  const first = await Promise.race([reading.value, patience.isOver.then(() => isLate)]);
  if (first !== isLate) return first as T;
  reading.isLate = true;
  const known = await stored();
  if (known === null) throw slow(service, name);
  return known;
}

function begin<T>(
  name: string,
  read: () => Promise<T>,
  { tenantId, logger }: Pick<TenantContext, 'tenantId' | 'logger'>,
): Reading {
  const ofTenant = readings.get(tenantId) ?? new Map<string, Reading>();
  readings.set(tenantId, ofTenant);
  const value = read().finally(() => {
    ofTenant.delete(name);
    if (reading.isLate) lateEnds.set(tenantId, performance.now());
    if (ofTenant.size === 0) readings.delete(tenantId);
  });
  const reading: Reading = { value, isLate: false };
  ofTenant.set(name, reading);
  // The request may already have been answered by then.
  value.catch((error: unknown) =>
    logger.warn(error instanceof ServiceError ? { ...error.about } : { err: error }, 'a reading for a screen failed'),
  );
  return reading;
}

const slow = (service: 'psa' | 'accounting', operation: string): ServiceError =>
  new ServiceError({
    service,
    operation,
    outcome: 'unknown',
    next: 'try_again',
    code: service === 'psa' ? 'PSA_UNAVAILABLE' : 'QBO_UNAVAILABLE',
    detail: service === 'psa' ? 'The PSA is slower than usual.' : 'QuickBooks is slower than usual.',
  });
