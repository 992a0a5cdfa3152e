import { isSought } from '#core/documents/invoice-search.ts';
import type { InvoiceHead } from '#core/documents/invoice.ts';
import { inParallel } from '#core/in-parallel.ts';
import { kinds, type Kind } from '#core/kinds.ts';
import type { InvoiceSearch } from '#core/ports/psa.ts';
import type { CycleEnd } from '#core/ports/turns.ts';
import { cycleOrder, isAutomatic, nextSyncAt } from '#core/schedule.ts';
import { needsAction, ServiceError } from '#core/service-error.ts';
import type { Settings } from '#core/settings/definitions.ts';
import { validateSettings } from '#core/settings/validate.ts';
import type { TenantContext } from '../context.ts';
import { settingsFacts } from '../settings/facts.ts';
import { isAtRest, restingUntil, sightOf } from './at-rest.ts';
import { findFlow } from './kinds/registry.ts';
import type { Candidates, KindFlow } from './kinds/kind.ts';
import { loadShared, hasRecovered, noteConnection, postingFor, runQueued } from './run-job.ts';
import { saidOf } from './refuse.ts';
import type { Run } from './run.ts';

/**
 * One cycle of the schedule for one tenant (domain reference 11.1): kind after kind, as far as they are switched on.
 * What is found becomes a job like a person's; when nothing is found, nothing is saved but that it was looked for.
 *
 * @returns how the cycle ended, to be saved with the end of the turn.
 * @throws LeaseLost when another worker has taken over.
 */
export async function runCycle(run: Run): Promise<CycleEnd> {
  const { context, turn } = run;
  if (turn.needsAction && !(await hasRecovered(run))) return cycleEnd(context, [], turn.setbacks + 1, true);
  const flows = automaticFlows(run, cycleOrder);
  const { polled, failure } = await runFlows(run, flows, scanInvoices(run, flows));
  if (failure === null) return cycleEnd(context, polled, 0);
  // What a service could not do is found again by the next cycle.
  return cycleEnd(context, polled, isRefusal(failure) ? turn.setbacks + 1 : 0, needsAction(failure.about));
}

/**
 * Looks at once for what follows from what the books have told, without asking the PSA for anything else.
 *
 * @returns what stopped it.
 */
export async function runNotices(run: Run): Promise<ServiceError | null> {
  const { failure } = await runFlows(run, automaticFlows(run, ['payment']), () => Promise.resolve(null));
  return failure;
}

const automaticFlows = ({ context, turn }: Run, wanted: readonly Kind[]): readonly KindFlow<unknown>[] =>
  wanted.filter((kind) => isAutomatic(kind, turn.settings, context.schedule)).flatMap((kind) => findFlow(kind) ?? []);

/** Looks for documents of one kind after the other, until a service cannot be used. */
async function runFlows(
  run: Run,
  flows: readonly KindFlow<unknown>[],
  invoices: (flow: KindFlow<unknown>) => Promise<Seen | null>,
): Promise<{ readonly polled: CycleEnd['polled']; readonly failure: ServiceError | null }> {
  const { context } = run;
  const polled: CycleEnd['polled'][number][] = [];
  for (const flow of flows) {
    const { kind } = flow;
    run.signal.throwIfAborted();
    try {
      const { failure, settled } = await syncKind(run, flow, await invoices(flow));
      if (failure === null) polled.push({ kind, at: context.clock.now(), settled });
      // What a service refuses to one kind it may well do for the others.
      else if (failure.about.next !== 'refuse') return { polled, failure };
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      context.logger.warn({ kind, ...error.about }, 'a service stopped the cycle');
      await noteConnection(run, error);
      if (error.about.next !== 'refuse') return { polled, failure: error };
    }
  }
  return { polled, failure: null };
}

/** What the PSA holds of the invoices that one kind looks among; `sight` is the same as long as all of it is. */
interface Seen {
  readonly heads: readonly InvoiceHead[];
  readonly sight: string;
}

/** Asks the PSA once for the invoices that all these kinds look among; each gets what is its own. */
function scanInvoices(
  run: Run,
  flows: readonly KindFlow<unknown>[],
): (flow: KindFlow<unknown>) => Promise<Seen | null> {
  const { turn } = run;
  const sought = new Map(
    flows.flatMap((flow): [Kind, InvoiceSearch][] => {
      const search = flow.invoicesSought?.(run, turn.settings, automatic(turn.settings)) ?? null;
      return search === null ? [] : [[flow.kind, search]];
    }),
  );
  const [first, ...more] = sought.values();
  let asked: Promise<readonly InvoiceHead[]> | undefined;
  return async ({ kind }) => {
    const own = sought.get(kind);
    if (first === undefined || own === undefined) return null;
    const heads = (await (asked ??= run.psa.findInvoices(first, ...more))).filter((head) => isSought(head, own));
    // What is decided by a search alone follows from these, and from what only we change.
    return { heads, sight: sightOf(run, turn.settings, heads) };
  };
}

const automatic = (settings: Settings) => ({ force: false, startOn: settings.sync_start_date });

/** The end of a cycle, with the time of the next. */
export function cycleEnd(
  context: TenantContext,
  polled: CycleEnd['polled'],
  setbacks: number,
  isActionNeeded = false,
): CycleEnd {
  const { tenantId, clock, schedule } = context;
  const { intervalMinutes } = schedule;
  const next = nextSyncAt({
    now: clock.now(),
    tenantId,
    intervalMinutes,
    setbacks,
    needsAction: isActionNeeded,
    random: Math.random(),
  });
  return { polled, nextSyncAt: next, setbacks };
}

/** The service will not have us, now or at all: asking again soon changes nothing. */
const isRefusal = ({ about }: ServiceError): boolean => about.next === 'reconnect' || about.next === 'stop_run';

/**
 * Finds and runs what is eligible of one kind.
 *
 * @returns what stopped it, and what was seen when there is nothing to do until that changes.
 */
async function syncKind(
  run: Run,
  flow: KindFlow<unknown>,
  seen: Seen | null,
): Promise<{ readonly failure: ServiceError | null; readonly settled: string | null }> {
  const { context, turn } = run;
  const { store } = context;
  const { settings } = turn;
  const candidates = await candidatesOf(run, flow, seen);
  const looked = candidates.sight ?? seen?.sight ?? null;
  const isSame = looked !== null && isAtRest(run, flow.kind, looked);
  // What is seen among invoices may be the same while the books have changed; orders are told by the PSA alone.
  const found = isSame && candidates.sight !== undefined ? [] : candidates.ids;
  // What an unfinished attempt will leave behind is not known yet.
  const sight = candidates.isSettled && !turn.hasUnfinished ? looked : null;
  if (found.length === 0)
    return { failure: null, settled: isSame && sight !== null ? (turn.settled[flow.kind] ?? null) : sight };
  const busy = new Set(await store.listBusy(flow.kind));
  const free = found.filter((id) => !busy.has(id));
  const psaIds = await withoutRepeats(run, flow, free);
  if (psaIds.length === 0)
    return { failure: null, settled: sight === null || free.length < found.length ? null : restingUntil(run, sight) };
  if (!(await areSettingsValid(context, settings))) return { failure: null, settled: null };
  await store.addJob({
    kind: flow.kind,
    mode: 'live',
    force: false,
    trigger: 'automatic',
    logLevel: kinds[flow.kind].logLevel,
    psaIds,
    submittedBy: null,
    createdAt: context.clock.now(),
    sameAs: `automatic|${flow.kind}`,
  });
  return { failure: await runQueued(run), settled: null };
}

/** What is eligible; invoices that are as they were when there was nothing to do are not looked at again. */
function candidatesOf(run: Run, flow: KindFlow<unknown>, seen: Seen | null): Promise<Candidates> {
  const { turn } = run;
  const isKnown = seen !== null && isAtRest(run, flow.kind, seen.sight);
  return flow.findCandidates(run, turn.settings, automatic(turn.settings), isKnown ? null : (seen?.heads ?? null));
}

/** Leaves out documents of which nothing new could be said: still held, or refused for the same reason as before. */
async function withoutRepeats(
  run: Run,
  flow: KindFlow<unknown>,
  psaIds: readonly number[],
): Promise<readonly number[]> {
  const { store } = run.context;
  const remembered = await store.listRemembered(flow.kind, psaIds);
  if (remembered.size === 0) return psaIds;
  const ids = [...remembered.keys()];
  const shared = await loadShared(run, 'automatic');
  const facts = await flow.gather(run, shared, ids);
  const postings = new Map((await store.listPostings(flow.kind, ids)).map((posting) => [posting.psaId, posting]));
  const repeated = new Set<number>();
  const wish = { force: false, mode: 'live', trigger: 'automatic', generation: 1 } as const;
  for (const id of ids) {
    const read = facts.get(id);
    if (read === undefined) continue;
    const posting = await postingFor(run, flow, postings.get(id) ?? null, wish);
    if (saidOf(run, flow.decide(run, shared, read, wish, posting)) === remembered.get(id)) repeated.add(id);
  }
  return psaIds.filter((id) => !repeated.has(id));
}

/** Judged by the lists as they were kept: an idle tenant costs no call for it. */
async function areSettingsValid(context: TenantContext, settings: Settings): Promise<boolean> {
  const [psa, accounting] = await inParallel([context.psa(), context.accounting()]);
  const deployment = { descriptors: { psa: psa.describe, accounting: accounting.describe }, config: context.schedule };
  return validateSettings(settings, await settingsFacts(deployment, context)).length === 0;
}
