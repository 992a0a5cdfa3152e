import { createHash } from 'node:crypto';
import { approvalOf, type ApprovalObstacle, type ApprovalStep } from '#core/approval.ts';
import { inParallel } from '#core/in-parallel.ts';
import { documentName, kinds, type Kind } from '#core/kinds.ts';
import type { Actor } from '#core/records/audit.ts';
import type { Draft, DraftState } from '#core/records/drafts.ts';
import type { Job, NewJob } from '#core/records/jobs.ts';
import { Refusal } from '#core/refusal.ts';
import { cycleOrder } from '#core/schedule.ts';
import { assert } from '#core/values/assert.ts';
import { counted } from '#core/values/text.ts';
import type { TenantContext } from '../context.ts';
import { readiness } from '../settings/readiness.ts';
import { changedSetup, readRun } from './read.ts';

/** The whole run as it was displayed, or some of its drafts. */
export type ChosenDrafts = { readonly run: string } | { readonly ids: readonly string[] };

/** Result of an approval. */
export interface Approved {
  readonly jobs: readonly Job[];
  readonly posting: number;
  /** Number of drafts that wait for a second person. */
  readonly first: number;
}

/** Returns the user name of the real person, also during a masquerade. */
const personOf = ({ username, masquerader }: Actor): string => masquerader ?? username;

/**
 * Approves drafts: queues jobs that post exactly these plans. Approves all of them or none.
 *
 * @throws Refusal `not_found` (404); `run_changed` (409) when another person has decided about one of them, or the run
 *   changed since it was displayed; `four_eyes` (409) when the person may not approve one of them; `not_connected` or
 *   `settings_invalid` while no sync can run.
 */
export async function approveDrafts(context: TenantContext, actor: Actor, chosen: ChosenDrafts): Promise<Approved> {
  const { store, clock } = context;
  const drafts = await chosenOf(context, actor, chosen);
  const ready = await readiness(
    context,
    drafts.map(({ kind }) => kind),
  );
  if (!ready.isReady) throw new Refusal('conflict', ready.code, ready.message);
  const stepOfDraft = await approverOf(context, actor);
  const steps = drafts.map((draft) => ({ draft, step: stepOfDraft(draft) }));
  const refused = steps.flatMap(({ draft, step }) => (step.is === 'refused' ? [{ draft, why: step.why }] : []));
  const [worst] = refused;
  if (worst !== undefined) throw new Refusal('conflict', 'four_eyes', obstacleMessages[worst.why](refused.length));
  const final = steps.flatMap(({ draft, step }) => (step.is === 'final' ? [draft] : []));
  const first = steps.flatMap(({ draft, step }) => (step.is === 'first' ? [draft.id] : []));
  const at = clock.now();
  const jobs = await store.approveDrafts({
    actor,
    at,
    final: final.map(({ id }) => id),
    first,
    jobs: releasesOf(final, actor, at),
  });
  if (jobs === null)
    throw await whyNot(
      context,
      actor,
      drafts.map(({ id }) => id),
    );
  return { jobs, posting: final.length, first: first.length };
}

/** Returns a function that tells the effect of an approval by this person on a draft, with the present settings. */
export async function approverOf(context: TenantContext, actor: Actor): Promise<(draft: Draft) => ApprovalStep> {
  const by = personOf(actor);
  const [settings, hasChangedSetup] = await inParallel([context.store.readSettings(), changedSetup(context, by)]);
  return (draft) => stepOf(draft, { by, hasChangedSetup }, settings);
}

const stepOf = (
  { about, homeCurrency, preparedBy, firstApprovedBy }: Draft,
  who: { readonly by: string; readonly hasChangedSetup: boolean },
  settings: Parameters<typeof approvalOf>[2],
): ApprovalStep =>
  approvalOf(
    { amount: about.amount, currency: about.currency, homeCurrency, preparedBy, firstApprovedBy },
    who,
    settings,
  );

const obstacleMessages: Readonly<Record<ApprovalObstacle, (count: number) => string>> = {
  changed_setup: () =>
    'You changed settings or mappings since another user last approved a run, so another user must approve this one.',
  prepared_it: (count) =>
    `You started the run of ${counted(count, 'document')} yourself, so another user must approve it.`,
  approved_it: (count) => `You have approved ${counted(count, 'document')} already; a second person is needed.`,
};

/**
 * Rejects drafts and stores the reason with them. A rejected document is drafted again when it changes.
 *
 * @throws Refusal `not_found` (404); `run_changed` (409) when another person has decided about one of them.
 */
export async function rejectDrafts(
  context: TenantContext,
  actor: Actor,
  { ids, reason }: { readonly ids: readonly string[]; readonly reason: string },
): Promise<number> {
  const unique = [...new Set(ids)];
  const isDone = await context.store.rejectDrafts({ ids: unique, actor, at: context.clock.now(), reason });
  if (!isDone) throw await whyNot(context, actor, unique);
  return unique.length;
}

async function chosenOf(context: TenantContext, actor: Actor, chosen: ChosenDrafts): Promise<readonly Draft[]> {
  const { waiting, fingerprint } = await readRun(context);
  if ('run' in chosen) {
    if (chosen.run !== fingerprint || waiting.length === 0) throw runChanged();
    return waiting;
  }
  const ids = new Set(chosen.ids);
  const found = waiting.filter(({ id }) => ids.has(id));
  if (found.length === 0 || found.length < ids.size) throw await whyNot(context, actor, [...ids]);
  return found;
}

/** Returns why drafts cannot be approved or rejected: one of them does not exist or is not waiting anymore. */
async function whyNot({ store }: TenantContext, actor: Actor, ids: readonly string[]): Promise<Refusal> {
  let decided: Draft | null = null;
  for (const id of ids) {
    const draft = await store.readDraft(id);
    if (draft === null) return new Refusal('not_found', 'not_found', 'Draft not found.');
    if (draft.state !== 'waiting') decided ??= draft;
  }
  return decided === null ? runChanged() : decidedMeanwhile(decided, actor);
}

const decisions: Readonly<Partial<Record<DraftState, string>>> = {
  approved: 'was approved',
  posted: 'was approved',
  rejected: 'was rejected',
};

/** Names the draft, and the user who decided about it after the screen was opened. */
function decidedMeanwhile({ kind, psaId, about, state, decidedBy }: Draft, actor: Actor): Refusal {
  const party = about.party === null ? '' : ` (${about.party})`;
  const by = decidedBy === personOf(actor) ? 'you, in another window,' : (decidedBy ?? 'another user');
  const decision = decisions[state];
  const what = decision === undefined ? 'changed' : `${decision} by ${by}`;
  return new Refusal(
    'conflict',
    'run_changed',
    `${documentName(kind, psaId)}${party} ${what} after you opened it. Your decision was not saved. Check the documents again.`,
  );
}

const runChanged = (): Refusal =>
  new Refusal(
    'conflict',
    'run_changed',
    'The documents waiting for approval have changed, or another user has decided. Check them again.',
  );

/** Returns jobs that post the drafts. Documents of the same kind share a job. */
function releasesOf(drafts: readonly Draft[], actor: Actor, at: Job['createdAt']): readonly NewJob[] {
  const order: readonly Kind[] = [...cycleOrder, 'difference'];
  const inOrder = drafts.toSorted((a, b) => order.indexOf(a.kind) - order.indexOf(b.kind));
  return [...Map.groupBy(inOrder, ({ kind, force, revises }) => `${kind}|${force}|${revises === true}`).values()].map(
    (group): NewJob => {
      const [first] = group;
      assert(first !== undefined, 'a group has a first');
      const { kind, force, revises = false } = first;
      const ids = group.map(({ id }) => id).join();
      return {
        kind,
        mode: 'live',
        force,
        trigger: 'manual',
        logLevel: kinds[kind].logLevel,
        psaIds: group.map(({ psaId }) => psaId).sort((a, b) => a - b),
        submittedBy: actor,
        createdAt: at,
        sameAs: `approval|${kind}|${force}|${revises}|${createHash('sha256').update(ids).digest('hex')}`,
        approves: true,
        ...(revises && { revises }),
      };
    },
  );
}
