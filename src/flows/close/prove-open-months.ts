import { closeState } from '#core/reconciliation/close.ts';
import { monthOf, monthsThrough, nextMonth, previousMonth, type Month } from '#core/reconciliation/month.ts';
import { isReadBlock, ServiceError } from '#core/service-error.ts';
import { Refusal } from '#core/refusal.ts';
import { dateIn } from '#core/values/dates.ts';
import { createSemaphore, inParallel } from '#core/in-parallel.ts';
import type { App, TenantContext } from '../context.ts';
import { loadCachedLists } from '../connections/cached-lists.ts';
import { loadPsaReference } from '../connections/reference-data.ts';
import { bothActive } from '../settings/readiness.ts';
import { listChangedMonths } from './changed-months.ts';
import { listsMaxAgeSeconds } from './shared.ts';
import { beginPreparation, endPreparation, maxAtOnce } from './prepare.ts';
import { listCarried } from './read.ts';

/** Maximum clients taken in one run; the next run takes others. */
const clientsPerRun = 20;
/** Clients whose months are proved at the same time, so that hundreds are done in a night. */
const clientsAtOnce = 3;
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
  const permits = createSemaphore(clientsAtOnce);
  const { proofHour } = app.config;
  const taken = await app.store.takeTenantsToProve(app.clock.now(), { limit: clientsPerRun, fromHour: proofHour });
  await inParallel(
    taken.map((tenantId) =>
      permits(async () => {
        if (signal.aborted) return;
        await proveMonthsOf(app, app.forTenant(tenantId)).catch((error: unknown) =>
          // Until Intuit answers reads again, there is nothing to fix.
          isReadBlock(error)
            ? app.logger.info({ tenantId }, 'the open months of a client wait until QuickBooks can be read')
            : app.logger.error({ tenantId, err: error }, 'the open months of a client could not be proved'),
        );
      }),
    ),
  );
}

/**
 * Proves the present month, the previous one, all months not proved since an outage, those with carried differences, and
 * the newest signed ones of one client, two at a time. Months that nothing concerns that changed since their last proof
 * are not read; the others take about 26 metered calls each.
 */
export async function proveMonthsOf(app: App, context: TenantContext): Promise<void> {
  if (!bothActive(await context.store.listConnections())) return;
  const { version } = app.config;
  const open = await openMonths(context);
  const months = await listChangedMonths(context, open, version).catch((error: unknown) => {
    // The preparation of each month records why it fails.
    if (error instanceof ServiceError && !isReadBlock(error)) return open;
    throw error;
  });
  if (months.length === 0) return;
  // The months share these lists, so they are read once, before the months are read side by side.
  // A failure is recorded by each month.
  await inParallel([
    loadPsaReference(context, { maxAgeSeconds: listsMaxAgeSeconds }),
    loadCachedLists(context, { maxAgeSeconds: listsMaxAgeSeconds }),
  ]).catch(() => undefined);
  const permits = createSemaphore(maxAtOnce);
  await inParallel(
    months.map((month) =>
      permits(async () => {
        try {
          await beginPreparation(context, month);
        } catch (error) {
          // Another process is preparing this month.
          if (error instanceof Refusal) return;
          throw error;
        }
        await endPreparation(context, month, automatically, version);
      }),
    ),
  );
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
