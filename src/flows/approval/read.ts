import { createHash } from 'node:crypto';
import { hasChangedSetup, isOverLimit, setupActions } from '#core/approval.ts';
import { summarize, type RunSummary } from '#core/approval-run.ts';
import { inParallel } from '#core/in-parallel.ts';
import type { Draft, PostedSum } from '#core/ports/drafts.ts';
import { Refusal } from '#core/refusal.ts';
import { addDays, calendarDate, dateIn } from '#core/values/dates.ts';
import type { TenantContext } from '../context.ts';

/** Most drafts of a run; more are approved in portions, the oldest first. */
export const mostDrafts = 5_000;
/** Changes and approvals of one person that are looked through. */
const newestDeeds = 200;

/** Drafts that wait for approval, for the person who looks at them. */
export interface ApprovalRun {
  /** Waiting drafts, oldest first. */
  readonly waiting: readonly Draft[];
  /** Approved drafts that are on their way. */
  readonly approved: readonly Draft[];
  readonly summary: RunSummary;
  /** Number of waiting drafts that are above the limit of one person. */
  readonly needTwo: number;
  /** Fingerprint of exactly these drafts. */
  readonly fingerprint: string;
}

/** Reads the whole run that waits for approval. */
export async function readRun(context: TenantContext): Promise<ApprovalRun> {
  const { store } = context;
  const [open, settings] = await inParallel([store.listOpenDrafts(mostDrafts), store.readSettings()]);
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

/** Sums of what was posted in the month before this one, by party. */
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
 * Whether a person has changed settings or mappings that nobody else has approved a run under since.
 *
 * @param by the person, whoever they act as
 */
export async function changedSetup({ store }: TenantContext, by: string): Promise<boolean> {
  const newest = { page: 1, pageSize: newestDeeds } as const;
  const [changes, approvals] = await inParallel([
    store.listAudit({ ...newest, person: by, actions: setupActions }),
    store.listAudit({ ...newest, actions: ['drafts.approved'] }),
  ]);
  const deeds = ({ events }: typeof changes) =>
    events.map(({ at, actor }) => ({ at, by: actor.masquerader ?? actor.username }));
  return hasChangedSetup(by, deeds(changes), deeds(approvals));
}

/** A page of what waits or is on its way. @param page counted from 1 */
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
  if (draft === null) throw new Refusal('not_found', 'not_found', 'There is no such draft.');
  return draft;
}
