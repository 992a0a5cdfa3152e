import { closeState } from '#core/reconciliation/close.ts';
import { monthOf, monthsThrough, previousMonth, type Month } from '#core/reconciliation/month.ts';
import { Refusal } from '#core/refusal.ts';
import { dateIn } from '#core/values/dates.ts';
import { inParallel } from '#core/in-parallel.ts';
import type { App, TenantContext } from '../context.ts';
import { bothActive } from '../settings/facts.ts';
import { beginPreparation, endPreparation } from './prepare.ts';

/** Clients that are taken up in one go; the others come next time. */
const clientsAtOnce = 20;
/** Signed months that are looked at again, the newest ones; older ones change rarely, and can be prepared by hand. */
const signedMonths = 3;
/** Months whose proofs are looked through for signed ones. */
const knownMonths = 12;

/** Author of a proof that nobody asked for. */
const automatically = { username: 'automatic' } as const;

/**
 * Proves the open months of every client whose turn it is, so that what was changed after posting is known by the next
 * morning without anybody asking. Changes that the services tell are noticed by the cycles already; this finds the
 * rest. Asked for by the worker again and again.
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
 * Proves this month, the last one, those that nobody has proved since an outage, and the newest signed ones of one client;
 * about 26 calls each.
 */
export async function proveMonthsOf(app: App, context: TenantContext): Promise<void> {
  if (!bothActive(await context.store.listConnections())) return;
  for (const month of await openMonths(context)) {
    try {
      await beginPreparation(context, month);
    } catch (error) {
      // Somebody is preparing it just now.
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
  // The newest proof that there is was made before whatever kept the later months from being proved.
  const newest = [...byMonth.keys()].toSorted().at(-1) ?? current;
  const since = monthsThrough(newest, current).slice(-knownMonths);
  return [...new Set([current, previousMonth(current), ...since, ...signed])];
}
