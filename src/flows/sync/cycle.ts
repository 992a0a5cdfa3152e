import { kinds, type Kind } from '#core/kinds.ts';
import type { CycleEnd, Turn } from '#core/ports/store.ts';
import { cycleOrder, isAutomatic, nextSyncAt } from '#core/schedule.ts';
import { needsAction, ServiceError } from '#core/service-error.ts';
import { validateSettings } from '#core/settings/validate.ts';
import type { TenantContext } from '../context.ts';
import { settingsFacts } from '../settings/facts.ts';
import { findFlow } from './kinds/registry.ts';
import type { KindFlow } from './kinds/kind.ts';
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
export async function runCycle(run: Run, { settings, setbacks, needsAction: wasInTrouble }: Turn): Promise<CycleEnd> {
  const { context } = run;
  const polled: { kind: Kind; at: CycleEnd['polled'][number]['at'] }[] = [];
  if (wasInTrouble && !(await hasRecovered(run))) return cycleEnd(context, polled, setbacks + 1, true);
  for (const kind of cycleOrder) {
    const flow = findFlow(kind);
    if (flow === undefined || !isAutomatic(kind, settings, context.schedule)) continue;
    run.signal.throwIfAborted();
    const began = context.clock.now();
    let failure: ServiceError | null;
    try {
      failure = await syncKind(run, flow, settings);
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      context.logger.warn({ kind, ...error.about }, 'a service stopped the cycle');
      await noteConnection(run, error);
      failure = error;
    }
    // What a service refuses to one kind it may well do for the others.
    if (failure?.about.next === 'refuse') continue;
    // A service that cannot be used ends the cycle; what it could not do is found again by the next one.
    if (failure !== null)
      return cycleEnd(context, polled, isRefusal(failure) ? setbacks + 1 : 0, needsAction(failure.about));
    polled.push({ kind, at: flow.pollsFrom === 'start' ? began : context.clock.now() });
  }
  return cycleEnd(context, polled, 0);
}

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

/** Finds and runs what is eligible of one kind; answers what stopped it. */
async function syncKind(run: Run, flow: KindFlow<unknown>, settings: Turn['settings']): Promise<ServiceError | null> {
  const { context } = run;
  const { store } = context;
  const found = await flow.findCandidates(run, settings, { force: false, startOn: settings.sync_start_date });
  if (found.length === 0) return null;
  const busy = new Set(await store.listBusy(flow.kind));
  const psaIds = await withoutRepeats(
    run,
    flow,
    found.filter((id) => !busy.has(id)),
  );
  if (psaIds.length === 0 || !(await areSettingsValid(context, settings))) return null;
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
  return runQueued(run);
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
async function areSettingsValid(context: TenantContext, settings: Turn['settings']): Promise<boolean> {
  const [psa, accounting] = await Promise.all([context.psa(), context.accounting()]);
  const deployment = { descriptors: { psa: psa.describe, accounting: accounting.describe }, config: context.schedule };
  return validateSettings(settings, await settingsFacts(deployment, context)).length === 0;
}
