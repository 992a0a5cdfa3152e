import { createHash } from 'node:crypto';
import { hasChangedSetup, isOverLimit, setupActions } from '#core/approval.ts';
import { summarize, type RunSummary } from '#core/approval-run.ts';
import { inParallel } from '#core/in-parallel.ts';
import type { Draft } from '#core/ports/drafts.ts';
import { Refusal } from '#core/refusal.ts';
import { addDays, calendarDate, dateIn } from '#core/values/dates.ts';
import type { TenantContext } from '../context.ts';

/** More than this is approved in portions: the oldest come first. */
export const mostDrafts = 5_000;
/** Changes and approvals of one person that are looked through. */
const newestDeeds = 200;

/** What waits for approval, and who looks at it. */
export interface ApprovalRun {
  /** Those that wait, oldest first. */
  readonly waiting: readonly Draft[];
  /** Those that are on their way. */
  readonly approved: readonly Draft[];
  readonly summary: RunSummary;
  /** So many of those that wait are above the limit of one person. */
  readonly needTwo: number;
  /** Stands for exactly these drafts. */
  readonly fingerprint: string;
}

/** Reads the whole run that waits for approval. */
export async function readRun(context: TenantContext): Promise<ApprovalRun> {
  const { store, clock } = context;
  const [open, tenant, settings] = await inParallel([
    store.listOpenDrafts(mostDrafts),
    store.readTenant(),
    store.readSettings(),
  ]);
  const thisMonth = `${dateIn(clock.now(), tenant.timeZone).slice(0, 7)}-01`;
  const through = addDays(calendarDate(thisMonth), -1);
  const from = calendarDate(`${through.slice(0, 7)}-01`);
  const waiting = open.filter(({ state }) => state === 'waiting');
  const lastMonth = waiting.length === 0 ? [] : await store.sumPosted({ from, through });
  return {
    waiting,
    approved: open.filter(({ state }) => state === 'approved'),
    summary: summarize(waiting, lastMonth),
    needTwo: waiting.filter(({ about, homeCurrency }) => isOverLimit({ ...about, homeCurrency }, settings)).length,
    fingerprint: fingerprintOf(waiting),
  };
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
