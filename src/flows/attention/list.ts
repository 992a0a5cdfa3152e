import { inParallel } from '#core/in-parallel.ts';
import { maxChosenDocuments } from '#core/kinds.ts';
import { groupByCause, type AttentionGroup } from '#core/attention.ts';
import { sentenceOfUnreadable } from '#core/documents/accounting-change.ts';
import { problem } from '#core/problems.ts';
import { addSeconds } from '#core/values/dates.ts';
import type { LeftOut } from '#core/reconciliation/close.ts';
import { isAutomatic } from '#core/schedule.ts';
import { isZero, sum, type Decimal } from '#core/values/decimal.ts';
import type { Month } from '#core/reconciliation/month.ts';
import { listUnreadable, type NotedUnreadable } from '../connections/unreadable-records.ts';
import type { TenantContext } from '../context.ts';

/** All documents that wait, changed or are left out, read in one transaction. */
export interface Attention {
  readonly groups: readonly AttentionGroup[];
  readonly changed: readonly ChangedMonth[];
  readonly left: readonly LeftOutGroup[];
}

/** Reads everything on the Needs attention screen. */
export const readAttention = (context: TenantContext): Promise<Attention> =>
  context.store.readInOneTransaction(async (store) => {
    const within = { ...context, store };
    const [listed, unreadable, changed, found] = await inParallel([
      listAttention(within),
      listUnreadable(within),
      listChangedSincePosting(within),
      store.listLeftOut(provedMonths),
    ]);
    const groups = withUnreadable(listed, unreadable);
    return { groups, changed, left: await groupLeftOut(within, found, groups) };
  });

/**
 * Adds the records that QuickBooks cannot return, each a cause without documents unless some wait for it, so that a user
 * fixes them before documents depend on them.
 */
function withUnreadable(
  groups: readonly AttentionGroup[],
  records: readonly NotedUnreadable[],
): readonly AttentionGroup[] {
  const added = records.flatMap(({ type, id, number }): AttentionGroup[] => {
    const detail = sentenceOfUnreadable({ type, id, number });
    const { code, message, remedy, screen, repairs = [] } = problem('QBO_UNREADABLE', { detail });
    if (groups.some((group) => group.code === code && group.message === message)) return [];
    return [
      { key: `${code} ${type} ${id ?? ''}`, state: 'needs_you', code, message, remedy, screen, repairs, documents: [] },
    ];
  });
  return [...added, ...groups];
}

/** How far back the log is searched. */
const sinceSeconds = 400 * 86_400;
/** Maximum documents in the list. The ones with the largest amounts come first. */
const maxDocuments = 2_000;

/** Lists all documents that need a fix or wait for something, by cause, from the log. */
export async function listAttention({ store, clock }: TenantContext): Promise<readonly AttentionGroup[]> {
  return groupByCause(await store.listUnresolved(addSeconds(clock.now(), -sinceSeconds), maxDocuments));
}

/** Number of months whose newest proof is checked for changes after posting. */
const provedMonths = 13;

/** Documents of one month that were changed on either side after posting. */
export interface ChangedMonth {
  readonly month: Month;
  readonly count: number;
  /** By how much QuickBooks' total exceeds the PSA's because of these changes, by currency. */
  readonly amounts: readonly { readonly currency: string; readonly amount: Decimal }[];
}

/**
 * Lists changes after posting that the newest proofs found and that were neither accepted nor synced; newest month
 * first.
 */
export async function listChangedSincePosting({ store }: TenantContext): Promise<readonly ChangedMonth[]> {
  return (await store.listChangedSince(provedMonths)).map(({ month, changes }) => ({
    month,
    count: changes.length,
    amounts: [...Map.groupBy(changes, ({ currency }) => currency)]
      .map(([currency, own]) => ({ currency, amount: sum(own.map(({ amount }) => amount)) }))
      .filter(({ amount }) => !isZero(amount)),
  }));
}

/** Documents of one kind that automatic syncs skip, for one reason. */
export interface LeftOutGroup extends Pick<LeftOut, 'kind' | 'because'> {
  readonly count: number;
  readonly amounts: readonly { readonly currency: string; readonly amount: Decimal }[];
  /** PSA ids of the first documents: as many as can be synced at once. */
  readonly psaIds: readonly number[];
}

/**
 * Groups documents that a window, a start date or a status excludes from the enabled automatic syncs, according to the
 * newest proofs. Omits documents that were synced or tried since.
 *
 * @param found everything the newest proofs list.
 * @param groups result of {@link listAttention}; its documents are omitted.
 */
async function groupLeftOut(
  { store, schedule }: TenantContext,
  found: Awaited<ReturnType<TenantContext['store']['listLeftOut']>>,
  groups: readonly AttentionGroup[],
): Promise<readonly LeftOutGroup[]> {
  if (found.length === 0) return [];
  const settings = await store.readSettings();
  const listed = new Set(groups.flatMap(({ documents }) => documents.map(({ type, psaId }) => `${type} ${psaId}`)));
  const left: LeftOutGroup[] = [];
  for (const [kind, own] of Map.groupBy(found, (one) => one.kind)) {
    if (!isAutomatic(kind, settings, schedule)) continue;
    const postings = await store.listPostings(
      kind,
      own.map(({ psaId }) => psaId),
    );
    const posted = new Set(postings.filter(({ targetId }) => targetId !== null).map(({ psaId }) => psaId));
    const open = own.filter(({ psaId }) => !posted.has(psaId) && !listed.has(`${kind} ${psaId}`));
    for (const [because, some] of Map.groupBy(open, (one) => one.because))
      left.push({
        kind,
        because,
        count: some.length,
        amounts: [...Map.groupBy(some, ({ currency }) => currency)]
          .map(([currency, of]) => ({ currency, amount: sum(of.map(({ amount }) => amount)) }))
          .toSorted((a, b) => (a.currency < b.currency ? -1 : 1)),
        psaIds: some
          .map(({ psaId }) => psaId)
          .toSorted((a, b) => a - b)
          .slice(0, maxChosenDocuments),
      });
  }
  return left;
}
