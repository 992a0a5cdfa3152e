import { matchesSearch } from '#core/documents/invoice-search.ts';
import type { InvoiceHead } from '#core/documents/invoice.ts';
import { inParallel } from '#core/in-parallel.ts';
import { followsInvoice, kinds, type Kind } from '#core/kinds.ts';
import type { InvoiceSearch } from '#core/ports/psa.ts';
import type { Draft } from '#core/records/drafts.ts';
import type { NewJob } from '#core/records/jobs.ts';
import type { CycleResult } from '#core/records/tenant-sessions.ts';
import { isRecentStop } from '#core/stopped-jobs.ts';
import { cycleOrder, isAutomatic, nextSyncAt } from '#core/schedule.ts';
import {
  endsWithoutAction,
  isReadBlock,
  needsAction,
  ServiceError,
  stopsOneKind,
  type ServiceFailure,
} from '#core/service-error.ts';
import type { Settings } from '#core/settings/definitions.ts';
import type { Problem } from '#core/problems.ts';
import type { TenantContext } from '../../context.ts';
import { missingSettings, settingsFacts } from '../../settings/readiness.ts';
import { isUnchanged, fingerprintUntil, fingerprintOf } from '../fingerprint.ts';
import { findFlow } from '../kinds/registry.ts';
import type { Candidates, KindFlow } from '../kinds/kind.ts';
import { loadShared } from './load-shared.ts';
import { currentPosting } from '../document/decide.ts';
import { suppressionOf, suppressionOfDefect, suppressionOfDraft } from '../suppression.ts';
import { type Run, RunStopped, type Stop } from '../run.ts';
import { readFacts } from './open-attempts.ts';
import { isDefect, isStop, noteConnection, remainingFailure, stopCode, stopSentence } from '../stop.ts';

/** Runs the queued jobs. Returns what stopped the last one. */
type RunJobs = (run: Run) => Promise<Stop | null>;

/**
 * Runs one scheduled cycle for one tenant (domain reference 11.1), for each enabled kind in turn. Documents that are
 * found become a job like a user's. If there are none, only the time of the search is saved.
 *
 * @param runJobs runs the jobs for found documents.
 * @returns the result of the cycle, to be saved with the end of the session.
 * @throws LeaseLost when another worker has taken over.
 */
export async function runCycle(run: Run, runJobs: RunJobs): Promise<CycleResult> {
  const { context, session } = run;
  const remaining = session.needsAction ? await remainingFailure(run) : null;
  if (remaining !== null) return cycleEnd(context, [], session.consecutiveFailures + 1, waitsForAction(remaining));
  const flows = automaticFlows(run, cycleOrder);
  const { polled, failure } = await runFlows(run, runJobs, flows, scanInvoices(run, flows));
  if (failure === null) return cycleEnd(context, polled, 0);
  // Documents that could not be synced are found again by the next cycle.
  const about = failure instanceof ServiceError ? failure.about : null;
  // The service rejects all our calls, so retrying soon is pointless.
  const isRefusal = about?.next === 'reconnect' || about?.next === 'stop_run';
  return cycleEnd(
    context,
    polled,
    isRefusal ? session.consecutiveFailures + 1 : 0,
    about !== null && waitsForAction(about),
  );
}

/** Returns true if retrying before the next day is pointless. */
const waitsForAction = (about: ServiceFailure): boolean => needsAction(about) && !endsWithoutAction(about);

/**
 * Handles changes that QuickBooks reported by notification, without reading anything else from the PSA.
 *
 * @returns what stopped it.
 */
export async function runNotifiedChanges(run: Run, runJobs: RunJobs): Promise<Stop | null> {
  const { failure } = await runFlows(run, runJobs, automaticFlows(run, ['payment']), () => Promise.resolve(null));
  return failure;
}

const automaticFlows = ({ context, session }: Run, wanted: readonly Kind[]): readonly KindFlow<unknown>[] =>
  wanted
    .filter((kind) => isAutomatic(kind, session.settings, context.schedule))
    .flatMap((kind) => findFlow(kind) ?? []);

/** Searches and syncs one kind after the other, until a service cannot be used. */
async function runFlows(
  run: Run,
  runJobs: RunJobs,
  flows: readonly KindFlow<unknown>[],
  invoices: (flow: KindFlow<unknown>) => Promise<Seen | null>,
): Promise<{ readonly polled: CycleResult['polled']; readonly failure: Stop | null }> {
  const { context } = run;
  const polled: CycleResult['polled'][number][] = [];
  for (const flow of flows) {
    const { kind } = flow;
    run.signal.throwIfAborted();
    try {
      const { failure, fingerprint } = await syncKind(run, runJobs, flow, await invoices(flow));
      if (failure === null) polled.push({ kind, at: context.clock.now(), fingerprint });
      else if (stopsAll(failure)) return { polled, failure };
    } catch (error) {
      if (isStop(error)) {
        await noteConnection(run, error);
        await noteStop(run, kind, { code: stopCode(error), message: stopSentence(run, error) });
        if (stopsAll(error)) return { polled, failure: error };
      } else if (isDefect(error) && !run.signal.aborted) {
        // A bug in one kind must not stop the other kinds.
        context.logger.error({ kind, error }, 'a defect stopped the search for documents');
        await noteStop(run, kind, { code: 'DEFECT', message: defectSentence(kind) });
      } else throw error;
    }
  }
  return { polled, failure: null };
}

/**
 * Returns true if a stop of one kind also stops the others. A service that rejects one kind may accept the others, and
 * a problem of all documents of one kind need not affect them.
 */
const stopsAll = (stop: Stop): boolean =>
  stop instanceof ServiceError
    ? stop.about.next !== 'refuse' && !stopsOneKind(stop.about)
    : stop.problem.code === settingsInvalidCode;

/** Logs a cycle that stopped before it had a job as a failed job, once a day while the cause is the same. */
async function noteStop(
  { context, lease }: Run,
  kind: Kind,
  stop: { readonly code: string; readonly message: string },
): Promise<void> {
  const { store, clock } = context;
  const newest = (await store.listNewestJobs()).find((job) => job.kind === kind);
  const isNoted = newest?.stopCode === stop.code && isRecentStop(newest, clock.now());
  if (!isNoted) await store.addStoppedJob(lease, automaticJob(context, kind, null), stop);
}

const defectSentence = (kind: Kind): string =>
  `${kinds[kind].plural} could not be searched because of a defect in Tallybridge; support finds it in the server log. The other documents are synced.`;

/** Invoices of the PSA that one kind searches; `fingerprint` changes when any of them does. */
interface Seen {
  readonly heads: readonly InvoiceHead[];
  readonly fingerprint: string;
}

/** Reads the invoices for all these kinds with one call to the PSA. Each kind gets its own matches. */
function scanInvoices(
  run: Run,
  flows: readonly KindFlow<unknown>[],
): (flow: KindFlow<unknown>) => Promise<Seen | null> {
  const { session } = run;
  const searches = new Map(
    flows.flatMap((flow): [Kind, InvoiceSearch][] => {
      const search = flow.invoiceSearch?.(run, session.settings, automatic(session)) ?? null;
      return search === null ? [] : [[flow.kind, search]];
    }),
  );
  const [first, ...more] = searches.values();
  let pendingHeads: Promise<readonly InvoiceHead[]> | undefined;
  return async ({ kind }) => {
    const own = searches.get(kind);
    if (first === undefined || own === undefined) return null;
    const heads = (await (pendingHeads ??= run.psa.findInvoices(first, ...more))).filter((head) =>
      matchesSearch(head, own),
    );
    // The search depends only on these heads and on our own data.
    return { heads, fingerprint: fingerprintOf(run, session.settings, heads) };
  };
}

const automatic = ({ settings, gap }: Run['session']) => ({ force: false, startOn: settings.sync_start_date, gap });

/** Returns the end of a cycle with the time of the next one. */
export function cycleEnd(
  context: TenantContext,
  polled: CycleResult['polled'],
  consecutiveFailures: number,
  isActionNeeded = false,
): CycleResult {
  const { tenantId, clock, schedule } = context;
  const { intervalMinutes } = schedule;
  const next = nextSyncAt({
    now: clock.now(),
    tenantId,
    intervalMinutes,
    consecutiveFailures,
    needsAction: isActionNeeded,
    random: Math.random(),
  });
  return { polled, nextSyncAt: next, consecutiveFailures };
}

/**
 * Finds and syncs the eligible documents of one kind.
 *
 * @returns what stopped it, and the fingerprint of the search if there is nothing to do until it changes.
 * @throws Stop what stopped it before there was a job.
 */
async function syncKind(
  run: Run,
  runJobs: RunJobs,
  flow: KindFlow<unknown>,
  seen: Seen | null,
): Promise<{ readonly failure: Stop | null; readonly fingerprint: string | null }> {
  const { context, session } = run;
  const { store } = context;
  const { settings } = session;
  const stopped = run.stoppedKinds.get(flow.kind);
  if (stopped !== undefined) throw stopped;
  if (followsInvoice(flow.kind)) await run.afterAdoption();
  const candidates = await candidatesOf(run, flow, seen);
  const looked = candidates.fingerprint ?? seen?.fingerprint ?? null;
  const isSame = looked !== null && isUnchanged(run, flow.kind, looked);
  // Unchanged invoices may still need work because QuickBooks changed. For the other kinds, the PSA's data is enough.
  const eligible = isSame && candidates.fingerprint !== undefined ? [] : candidates.ids;
  // Documents that wait for approval are included even if the search no longer finds them, because they were voided or
  // synced.
  const found =
    isSame || !settings.require_approval
      ? eligible
      : [...new Set([...eligible, ...(await store.listDraftedIds(flow.kind))])].sort((a, b) => a - b);
  // The outcome of an unfinished attempt is not known yet.
  const conclusive = candidates.isSettled && !session.hasUnfinished ? looked : null;
  if (found.length === 0)
    return {
      failure: null,
      fingerprint: isSame && conclusive !== null ? (session.fingerprints[flow.kind] ?? null) : conclusive,
    };
  const busy = new Set(await store.listBusy(flow.kind));
  const free = found.filter((id) => !busy.has(id));
  const psaIds = await withoutRepeats(run, flow, free);
  if (psaIds.length === 0)
    return {
      failure: null,
      fingerprint: conclusive === null || free.length < found.length ? null : fingerprintUntil(run, conclusive),
    };
  const missing = await whatSettingsLack(context, settings, flow.kind);
  if (missing !== null) throw new RunStopped(settingsInvalid(missing));
  await store.addJob(automaticJob(context, flow.kind, psaIds));
  return { failure: await runJobs(run), fingerprint: null };
}

const automaticJob = ({ clock }: TenantContext, kind: Kind, psaIds: readonly number[] | null): NewJob => ({
  kind,
  mode: 'live',
  force: false,
  trigger: 'automatic',
  logLevel: kinds[kind].logLevel,
  psaIds,
  submittedBy: null,
  createdAt: clock.now(),
  sameAs: `automatic|${kind}`,
});

/** Returns eligible documents. Invoices that have not changed since there was nothing to do are not evaluated again. */
function candidatesOf(run: Run, flow: KindFlow<unknown>, seen: Seen | null): Promise<Candidates> {
  const { session } = run;
  const isKnown = seen !== null && isUnchanged(run, flow.kind, seen.fingerprint);
  return flow.findCandidates(run, session.settings, automatic(session), isKnown ? null : (seen?.heads ?? null));
}

/** Returns true if an unchanged plan would only wait again, because it is not approved or was rejected. */
const waitsStill = (draft: Draft | undefined, settings: Settings): boolean =>
  draft?.state === 'rejected' || (draft?.state === 'waiting' && settings.require_approval);

/**
 * Omits documents with nothing new: still held, or rejected for the same reason as before.
 *
 * @throws RunStopped when the problem of one of them still affects all documents.
 */
async function withoutRepeats(
  run: Run,
  flow: KindFlow<unknown>,
  psaIds: readonly number[],
): Promise<readonly number[]> {
  const { store } = run.context;
  const suppressions = await store.listSuppressions(flow.kind, psaIds);
  if (suppressions.size === 0) return psaIds;
  const ids = [...suppressions.keys()];
  const drafts = await store.listNewestDrafts(flow.kind, ids);
  const shared = await loadShared(run, null);
  const facts = readFacts(run, flow, () => Promise.resolve(shared.settings), ids);
  const postings = new Map((await store.listPostings(flow.kind, ids)).map((posting) => [posting.psaId, posting]));
  const repeated = new Set<number>();
  const request = { force: false, mode: 'live', trigger: 'automatic', generation: 1 } as const;
  for (const id of ids) {
    const suppressed = suppressions.get(id);
    try {
      const read = await facts.of(id);
      if (read === undefined) continue;
      const known = await currentPosting(run, flow, postings.get(id) ?? null, request);
      const decision = flow.decide(run, shared, read, request, known);
      if (decision.outcome === 'plan' && waitsStill(drafts.get(id), run.session.settings)) {
        if (suppressed === suppressionOfDraft(decision.plan, shared.accounting)) repeated.add(id);
        continue;
      }
      if (suppressionOf(run, decision) !== suppressed) continue;
      const against = decision.outcome === 'refuse' && decision.problems.find((one) => one.treatment === 'stops_run');
      if (against) throw new RunStopped(against);
    } catch (error) {
      // What is needed to decide again cannot be read, so it still waits.
      if (isReadBlock(error)) {
        repeated.add(id);
        continue;
      }
      if (!isDefect(error)) throw error;
      // The same bug was already logged. A different one is logged by the document's own attempt.
      if (suppressionOfDefect(error) !== suppressed) continue;
    }
    repeated.add(id);
  }
  return psaIds.filter((id) => !repeated.has(id));
}

/**
 * Returns what is missing in the settings. First uses cached lists of any age without a call, because the following job
 * re-reads them. Re-reads the lists only if something is missing, because without a job a fix would not be noticed.
 *
 * @throws ServiceError when a service does not respond; this stops the run and is not a settings problem.
 */
async function whatSettingsLack(context: TenantContext, settings: Settings, kind: Kind): Promise<string | null> {
  const [psa, accounting] = await inParallel([context.psa(), context.accounting()]);
  const deployment = { descriptors: { psa: psa.describe, accounting: accounting.describe }, config: context.schedule };
  const lists = { cachedForSeconds: Number.POSITIVE_INFINITY };
  const missing = missingSettings(settings, await settingsFacts(deployment, context, { lists }), kind);
  return missing === null
    ? null
    : missingSettings(settings, await settingsFacts(deployment, context, { refresh: true, fallback: 'none' }), kind);
}

const settingsInvalidCode = 'SETTINGS_INVALID';

/** The message already contains the fix. */
const settingsInvalid = (message: string): Problem => ({
  code: settingsInvalidCode,
  treatment: 'stops_run',
  message,
  remedy: null,
  screen: '/settings',
});
