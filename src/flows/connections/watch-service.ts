import type { Clock } from '#core/ports/clock.ts';
import type { TenantStore } from '#store/tenant-store.ts';
import { ServiceError } from '#core/service-error.ts';
import type { Service } from '#core/tenant.ts';
import { addSeconds } from '#core/values/dates.ts';

/** Codes of failures that affect all calls of a client and end without action by a person. */
const pausing: ReadonlySet<string> = new Set([
  'QBO_THROTTLED',
  'QBO_READS_BLOCKED',
  'QBO_UNAVAILABLE',
  'PSA_LIMIT',
  'PSA_UNAVAILABLE',
]);
/** Methods that write; they succeed while reads are blocked. */
const writes: ReadonlySet<PropertyKey> = new Set(['post', 'postBatch', 'mailInvoice']);
/** How often a process with successful calls checks for a pause that another process recorded. */
const checkEveryMs = 60_000;
const maxNames = 10_000;

/** When this process last removed or ruled out a pause, by client and service; in milliseconds. */
const checkedAt = new Map<string, number>();

/**
 * Wraps a port so that a call that fails because the service limits us or does not respond is recorded for all users of
 * the client, and the next successful call removes the record.
 */
export function watchService<T extends object>(
  port: T,
  { store, clock, service }: { readonly store: TenantStore; readonly clock: Clock; readonly service: Service },
): T {
  const name = `${store.tenantId} ${service}`;
  const failed = async (error: unknown): Promise<void> => {
    if (!(error instanceof ServiceError) || !pausing.has(error.about.code)) return;
    const { code, detail, waitMs } = error.about;
    const now = clock.now();
    const nextTryAt = waitMs === undefined ? null : addSeconds(now, Math.ceil(waitMs / 1_000));
    checkedAt.delete(name);
    checkedAt.delete(`${name} write`);
    await store.savePause({ service, nextTryAt, code, detail }, now);
  };
  const succeeded = async (isWrite: boolean): Promise<void> => {
    const checked = isWrite ? `${name} write` : name;
    const last = checkedAt.get(checked);
    if (last !== undefined && performance.now() - last < checkEveryMs) return;
    if (checkedAt.size >= maxNames) checkedAt.clear();
    checkedAt.set(checked, performance.now());
    await store.endPause(service, isWrite ? 'write' : 'read');
  };
  return new Proxy(port, {
    get(target, key, receiver): unknown {
      const member: unknown = Reflect.get(target, key, receiver);
      if (typeof member !== 'function') return member;
      return (...given: readonly unknown[]): unknown => {
        const answer: unknown = Reflect.apply(member, target, given);
        if (!(answer instanceof Promise)) return answer;
        // Saving the record never changes the call's result; the caller notices a database outage on its own.
        return answer.then(
          (value: unknown) =>
            succeeded(writes.has(key)).then(
              () => value,
              () => value,
            ),
          (error: unknown) =>
            failed(error).then(
              () => Promise.reject(error),
              () => Promise.reject(error),
            ),
        );
      };
    },
  });
}
