import { closeState } from '#core/reconciliation/close.ts';
import { monthOf, monthsThrough, nextMonth, previousMonth, type Month } from '#core/reconciliation/month.ts';
import { Refusal } from '#core/refusal.ts';
import { dateIn } from '#core/values/dates.ts';
import { inParallel } from '#core/in-parallel.ts';
import type { App, TenantContext } from '../context.ts';
import { bothActive } from '../settings/readiness.ts';
import { beginPreparation, endPreparation } from './prepare.ts';
import { listCarried } from './read.ts';

/** Maximum clients handled in one run; the next run handles the others. */
const clientsAtOnce = 20;
/**
 * Number of signed months that are proved again, newest first. Older months rarely change and can be prepared manually.
 */
const signedMonths = 3;
/** Number of months that are searched for signed ones. */
const knownMonths = 12;

/** Actor of an automatic proof. */
const automatically = { username: 'automatic' } as const;

/**
 * Proves the open months of every client that is due, so that changes after posting are known the next morning. The
 * sync cycles already record changes that the services report; this finds the rest. Called by the worker at intervals.
 */
export async function proveOpenMonths(app: App, signal: AbortSignal): Promise<void> {
  for (const tenantId of await app.store.takeTenantsToProve(app.clock.now(), clientsAtOnce)) {
    if (signal.aborted) return;
    await proveMonthsOf(app, app.forTenant(tenantId)).catch((error: unknown) =>
      app.logger.error({ tenantId, err: error }, 'the open months of a client could not be proved'),
    );
  }
}

/**
 * Proves the present month, the previous one, all months not proved since an outage, those with carried differences, and
 * the newest signed ones of one client; about 26 calls each.
 */
export async function proveMonthsOf(app: App, context: TenantContext): Promise<void> {
  if (!bothActive(await context.store.listConnections())) return;
  for (const month of await openMonths(context)) {
    try {
      await beginPreparation(context, month);
    } catch (error) {
      // Another process is preparing this month.
      if (error instanceof Refusal) continue;
      throw error;
    }
    await endPreparation(context, month, automatically, app.config.version);
  }
}

async function openMonths({ store, clock }: TenantContext): Promise<readonly Month[]> {
  const [{ timeZone }, proofs] = await inParallel([store.readTenant(), store.listCloses({ months: knownMonths })]);
  const byMonth = Map.groupBy(proofs, ({ month }) => month);
  const signatures = await store.listSignatures([...byMonth.keys()]);
  const signed = [...byMonth]
    .filter(([, own]) => ['signed', 'changed'].includes(closeState(own, signatures)))
    .map(([month]) => month)
    .toSorted()
    .slice(-signedMonths);
  const current = monthOf(dateIn(clock.now(), timeZone));
  // The newest proof predates the outage that kept later months from being proved.
  const newest = [...byMonth.keys()].toSorted().at(-1) ?? current;
  const since = monthsThrough(newest, current).slice(-knownMonths);
  const carried = (await listCarried({ store }, nextMonth(current))).map(({ month }) => month);
  return [...new Set([current, previousMonth(current), ...since, ...carried, ...signed])];
}
