import { createHash } from 'node:crypto';
import { hasChangedSetup, isOverLimit, setupActions } from '#core/approval.ts';
import { summarize, type RunSummary } from '#core/approval-run.ts';
import { inParallel } from '#core/in-parallel.ts';
import type { Draft, PostedSum } from '#core/records/drafts.ts';
import { Refusal } from '#core/refusal.ts';
import { addDays, calendarDate, dateIn } from '#core/values/dates.ts';
import type { TenantContext } from '../context.ts';

/** Maximum drafts of a run. Further drafts are approved in later runs; the oldest come first. */
export const maxDrafts = 5_000;
/** Number of a person's newest changes and approvals that are checked. */
const maxEvents = 200;

/** Drafts that wait for approval, for the person who opens the screen. */
export interface ApprovalRun {
  /** Waiting drafts, oldest first. */
  readonly waiting: readonly Draft[];
  /** Approved drafts that are not posted yet. */
  readonly approved: readonly Draft[];
  readonly summary: RunSummary;
  /** Number of waiting drafts that need two approvers because of their amount. */
  readonly needTwo: number;
  /** Fingerprint of this set of drafts. */
  readonly fingerprint: string;
}

/** Reads the whole run that waits for approval. */
export async function readRun(context: TenantContext): Promise<ApprovalRun> {
  const { store } = context;
  const [open, settings] = await inParallel([store.listOpenDrafts(maxDrafts), store.readSettings()]);
  const waiting = open.filter(({ state }) => state === 'waiting');
  const lastMonth = waiting.length === 0 ? [] : await readLastMonth(context);
  return {
    waiting,
    approved: open.filter(({ state }) => state === 'approved'),
    summary: summarize(waiting, lastMonth),
    needTwo: waiting.filter(({ about, homeCurrency }) => isOverLimit({ ...about, homeCurrency }, settings)).length,
    fingerprint: fingerprintOf(waiting),
  };
}

/** Sums what was posted in the previous month, by party. */
export async function readLastMonth({ store, clock }: TenantContext): Promise<readonly PostedSum[]> {
  const { timeZone } = await store.readTenant();
  const thisMonth = `${dateIn(clock.now(), timeZone).slice(0, 7)}-01`;
  const through = addDays(calendarDate(thisMonth), -1);
  return store.sumPosted({ from: calendarDate(`${through.slice(0, 7)}-01`), through });
}

const fingerprintOf = (drafts: readonly Draft[]): string =>
  createHash('sha256')
    .update(drafts.map(({ id }) => id).join())
    .digest('base64url');

/**
 * Returns whether a person changed settings or mappings, and no other person has approved a run since.
 *
 * @param by the real person, also during a masquerade
 */
export async function changedSetup({ store }: TenantContext, by: string): Promise<boolean> {
  const newest = { page: 1, pageSize: maxEvents } as const;
  const [changes, approvals] = await inParallel([
    store.listAudit({ ...newest, person: by, actions: setupActions }),
    store.listAudit({ ...newest, actions: ['drafts.approved'] }),
  ]);
  const eventsOf = ({ events }: typeof changes) =>
    events.map(({ at, actor }) => ({ at, by: actor.masquerader ?? actor.username }));
  return hasChangedSetup(by, eventsOf(changes), eventsOf(approvals));
}

/** Returns a page of the drafts that are waiting or not posted yet. @param page counted from 1 */
export async function listDrafts(
  { store }: TenantContext,
  { page, pageSize }: { readonly page: number; readonly pageSize: number },
): Promise<{ readonly drafts: readonly Draft[]; readonly waiting: number; readonly total: number }> {
  const [drafts, { waiting, approved }] = await inParallel([
    store.listOpenDrafts(pageSize, (page - 1) * pageSize),
    store.countOpenDrafts(),
  ]);
  return { drafts, waiting, total: waiting + approved };
}

/**
 * Reads one draft.
 *
 * @throws Refusal `not_found` (404).
 */
export async function readDraft({ store }: TenantContext, id: string): Promise<Draft> {
  const draft = await store.readDraft(id);
  if (draft === null) throw new Refusal('not_found', 'not_found', 'Draft not found.');
  return draft;
}
