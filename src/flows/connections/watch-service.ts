import { isBlockedBeyond, readAlertPercents, readMonth, readPercent, type ReadAllowance } from '#core/metered-reads.ts';
import type { Clock } from '#core/ports/clock.ts';
import type { MeteredReads, ReadCounter } from '#core/ports/metered-reads.ts';
import { isReadRefusal, ServiceError } from '#core/service-error.ts';
import type { Service } from '#core/tenant.ts';
import { addSeconds } from '#core/values/dates.ts';
import { withoutTrailing } from '#core/values/text.ts';
import type { RootStore } from '#store/root-store.ts';
import type { TenantStore } from '#store/tenant-store.ts';
import type { App } from '../context.ts';
import { readLimitMail } from '../mail/operator-mails.ts';
import { sendMail } from '../mail/send.ts';

/** @param allowance what Intuit includes per calendar month for the whole application. */
export function createReadCounter(
  { store, clock }: { readonly store: RootStore; readonly clock: Clock },
  allowance: ReadAllowance,
): ReadCounter {
  const { calls: share } = allowance;
  const blocksAt = isBlockedBeyond(allowance) ? share : null;
  const counts = new Map<string, MeteredReads>();
  const add = ({ tenantId, month, reads }: MeteredReads): void => {
    const key = `${tenantId} ${month}`;
    counts.set(key, { tenantId, month, reads: reads + (counts.get(key)?.reads ?? 0) });
  };
  let total = { month: '', reads: 0 };
  return {
    allowance,
    meterOf: (tenantId) => ({
      count: (reads) => add({ tenantId, month: readMonth(clock.now()), reads }),
      isUsedUp: () => blocksAt !== null && total.month === readMonth(clock.now()) && total.reads >= blocksAt,
    }),
    async save() {
      const taken = [...counts.values()];
      counts.clear();
      try {
        if (taken.length > 0) await store.addMeteredReads(taken);
      } catch (error) {
        for (const one of taken) add(one);
        throw error;
      }
      if (blocksAt === null) return;
      const month = readMonth(clock.now());
      total = { month, reads: await store.countMeteredReads(month) };
    },
  };
}

/**
 * Emails the system administrators once a month for each threshold of the share that is reached. If several are reached
 * at once, emails only about the highest. Called by the workers.
 */
export async function alertAboutReads(app: App): Promise<void> {
  const { store, clock, config, logger } = app;
  const { allowance } = app.readCounter;
  const { tier, calls } = allowance;
  if (calls === null) return;
  const now = clock.now();
  const month = readMonth(now);
  const reads = await store.countMeteredReads(month);
  const percent = readPercent(reads, calls);
  const reached = readAlertPercents.filter((threshold) => percent >= threshold);
  const fresh: number[] = [];
  for (const threshold of reached)
    if (await store.claimReadAlert({ month, percent: threshold, share: calls }, now)) fresh.push(threshold);
  if (fresh.length === 0) return;
  logger.warn({ month, reads, tier, calls, percent }, 'most of the month’s metered calls to QuickBooks are used');
  await store.addDeploymentEvent({
    at: now,
    actor: 'Tallybridge',
    action: 'reads.limit_near',
    subject: month,
    detail: { reads, limit: calls, tier, percent },
  });
  for (const to of await store.listSystemAdministrators())
    await sendMail(
      app,
      readLimitMail({ to, appUrl: config.appUrl }, { now, reads, allowance: { tier, calls }, percent }),
    );
}

/** Returns the month's metered calls for the operator: the total, the share, and the clients with the most calls. */
export async function readMonthOfReads({ store, clock, readCounter }: App): Promise<{
  readonly month: string;
  readonly reads: number;
  readonly allowance: ReadAllowance;
  readonly clientsBlocked: number;
  readonly clients: readonly { readonly id: string; readonly name: string; readonly reads: number }[];
}> {
  await readCounter.save();
  const month = readMonth(clock.now());
  const clients = await store.listMeteredReads(month);
  return {
    month,
    reads: await store.countMeteredReads(month),
    allowance: readCounter.allowance,
    clientsBlocked: await store.countReadBlocks(),
    clients: clients.map(({ tenantId, client, reads }) => ({ id: tenantId, name: client, reads })),
  };
}

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

/** Reads of lists and documents. A refused search, query or single record can be caused by what was asked for. */
const isListRead = (call: string): boolean =>
  /^(read|find|list|raw)[A-Z]/.test(call) && !['readExchangeRate', 'readMailed', 'findResource'].includes(call);

/** Turns a refused read into a state of the connection, with the service's own words. */
function refusedRead(error: unknown, call: string, label: string): unknown {
  if (!(error instanceof ServiceError) || error.about.next !== 'refuse' || !isListRead(call)) return error;
  // One record is no state of the connection.
  if (error.about.code === 'QBO_UNREADABLE') return error;
  const { about } = error;
  return new ServiceError({
    ...about,
    next: 'stop_run',
    code: about.service === 'psa' ? 'PSA_READ_REFUSED' : 'QBO_READ_REFUSED',
    detail: `${label} refused to ${about.operation}: ${withoutTrailing(about.detail, '.')}.`,
  });
}

/** When this process last removed or ruled out a pause, by client and service; in milliseconds. */
const checkedAt = new Map<string, number>();
/** The read that a service refuses, by client and service. */
const refusedReads = new Map<string, string>();

/**
 * Wraps a port so that a call that fails because the service limits us or does not respond is recorded for all users of
 * the client, and the next successful call removes the record. A refused read is recorded until the same read succeeds.
 */
export function watchService<T extends { readonly describe: { readonly label: string } }>(
  port: T,
  { store, clock, service }: { readonly store: TenantStore; readonly clock: Clock; readonly service: Service },
): T {
  const name = `${store.tenantId} ${service}`;
  const failed = async (error: unknown, call: string): Promise<void> => {
    if (!(error instanceof ServiceError)) return;
    const isRefused = isReadRefusal(error.about);
    if (!isRefused && !pausing.has(error.about.code)) return;
    const { code, detail, waitMs } = error.about;
    const now = clock.now();
    const nextTryAt = waitMs === undefined ? null : addSeconds(now, Math.ceil(waitMs / 1_000));
    checkedAt.delete(name);
    checkedAt.delete(`${name} write`);
    if (isRefused) refusedReads.set(name, call);
    await store.savePause({ service, nextTryAt, code, detail, refusedRead: isRefused ? call : null }, now);
  };
  const succeeded = async (call: string): Promise<void> => {
    const isWrite = writes.has(call);
    const checked = isWrite ? `${name} write` : name;
    const last = checkedAt.get(checked);
    const isRecent = last !== undefined && performance.now() - last < checkEveryMs;
    if (isRecent && refusedReads.get(name) !== call) return;
    if (checkedAt.size >= maxNames) checkedAt.clear();
    checkedAt.set(checked, performance.now());
    const refused = await store.endPause(service, isWrite ? 'write' : 'read', call);
    if (refused === null) refusedReads.delete(name);
    else refusedReads.set(name, refused);
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
            succeeded(String(key)).then(
              () => value,
              () => value,
            ),
          (error: unknown) => {
            const shown = refusedRead(error, String(key), port.describe.label);
            const reject = () => Promise.reject(shown);
            return failed(shown, String(key)).then(reject, reject);
          },
        );
      };
    },
  });
}
