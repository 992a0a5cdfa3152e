import { isCdcDue } from '#core/documents/accounting-change.ts';
import { inParallel } from '#core/in-parallel.ts';
import type { Posting } from '#core/records/postings.ts';
import { driftOfPurchase, isGone, isSetByPsa, type Drift } from '#core/reconciliation/drift.ts';
import { fingerprintOf } from '#core/reconciliation/fingerprint.ts';
import { ofDocument, type Problem, type ProblemDocument } from '#core/problems.ts';
import { unlessReadsAreBlocked } from '#core/service-error.ts';
import { psaNames } from '#core/ports/psa.ts';
import { readCdc } from '../../connections/cached-lists.ts';
import { reasonOf, suppressionOfProblems } from '../suppression.ts';
import { comparer, readEdits } from './edits.ts';
import type { AttemptRequest, Decision, KnownDocument, Searcher } from './kind.ts';

type PurchaseKind = 'purchase_order' | 'expense_report';

/** QuickBooks record of each kind. */
const recordOf = { purchase_order: 'purchase_order', expense_report: 'bill' } as const;

/** Maximum changes handled together; the next search handles the others. */
const changesAtOnce = 1_000;

/** One of our orders or reports, and how its documents differ from the posted ones. */
interface Compared {
  readonly posting: Posting;
  /** QuickBooks ids of its documents. */
  readonly ids: readonly string[];
  readonly drift: readonly Drift[];
  /** Whether all its documents are deleted. */
  readonly isDeleted: boolean;
  /** Whether its order is closed in QuickBooks; false for a report. */
  readonly isClosed: boolean;
}

/**
 * Compares our orders or bills in QuickBooks with what was posted; none without one. Makes no call if none was posted,
 * and returns none while reads are blocked. Documents that QuickBooks cannot read are left out.
 *
 * @param onUnreadable receives those documents
 */
export async function comparePurchases(
  run: Searcher,
  kind: PurchaseKind,
  psaIds: readonly number[],
  onUnreadable: (id: string) => void = () => undefined,
): Promise<ReadonlyMap<number, Compared>> {
  if (psaIds.length === 0) return new Map();
  const postings = await run.context.store.listPostings(kind, psaIds);
  const linked = [...new Map(postings.map((posting) => [posting.psaId, posting])).values()].flatMap((posting) =>
    isInAccounting(posting) && posting.targetType !== null && posting.targetId !== null
      ? [{ posting, type: posting.targetType, id: posting.targetId }]
      : [],
  );
  if (linked.length === 0) return new Map();
  // A report with a bill for each month.
  const earlier =
    kind === 'expense_report'
      ? await run.context.store.listEarlierBills({ psaIds: linked.map(({ posting }) => posting.psaId) })
      : [];
  const unreadable = new Set<string>();
  const documents = await unlessReadsAreBlocked(
    run.accounting.readDocuments([...linked, ...earlier.map(({ id }) => ({ type: 'Bill', id }))], ({ id }) =>
      unreadable.add(id),
    ),
    null,
  );
  if (documents === null) return new Map();
  for (const id of unreadable) onUnreadable(id);
  const readable = linked.filter(({ id }) => !unreadable.has(id));
  const found = readable.map(({ posting, type, id }) => ({
    posting,
    document: documents.find((one) => one.type === type && one.id === id) ?? null,
  }));
  const edits = await readEdits(
    run,
    kind,
    found.flatMap(({ posting: { psaId }, document }) =>
      document === null ? [] : [{ ...document, psaId, fingerprint: fingerprintOf(document) }],
    ),
  );
  const names = psaNames(run.psa);
  const driftOfEarlier = new Map<number, readonly Drift[]>();
  const compare = comparer(run);
  for (const { psaId, fingerprint, ...link } of earlier.filter(({ id }) => !unreadable.has(id))) {
    const document = documents.find(({ type, id }) => type === 'Bill' && id === link.id) ?? null;
    const changes = document === null ? [] : await compare(fingerprint, fingerprintOf(document), document.party);
    const drift = driftOfPurchase({ kind, link, document, edits: changes, ...names });
    driftOfEarlier.set(psaId, [...(driftOfEarlier.get(psaId) ?? []), ...drift]);
  }
  return new Map(
    found.map(({ posting, document }) => {
      const { psaId, targetId, number, total } = posting;
      const link = { id: targetId ?? '', number, total };
      const last = driftOfPurchase({ kind, link, document, edits: edits.get(psaId) ?? [], ...names });
      const ids = earlier.flatMap((one) => (one.psaId === psaId ? [one.id] : []));
      const drift = [...(driftOfEarlier.get(psaId) ?? []), ...last];
      const isDeleted = drift.filter((one) => isGone(one)).length > ids.length;
      const isClosed = document?.isOpen === false;
      return [psaId, { posting, ids: [...ids, ...(targetId === null ? [] : [targetId])], drift, isDeleted, isClosed }];
    }),
  );
}

/**
 * Finds our orders or bills that QuickBooks reported as changed, and records in the ledger how they differ.
 *
 * @returns PSA ids of those whose difference was not logged yet, or was reverted
 */
export async function newlyChanged(run: Searcher, kind: PurchaseKind): Promise<readonly number[]> {
  const { session, context } = run;
  const { store } = context;
  if (session === null) return [];
  const isFeedDue = isCdcDue(session.cdc, context.clock.now());
  if (!isFeedDue && !session.hasChanges) return [];
  // Another kind may have read the feed in this cycle.
  if (isFeedDue && isCdcDue(await store.readCdcState(), context.clock.now())) await readCdc(context, run.accounting);
  const noted = await store.listInbox([recordOf[kind]], changesAtOnce);
  if (noted.length === 0) return [];
  const ids = noted.map(({ id }) => id);
  const [postings, earlier] = await inParallel([
    store.findPostings(kind, ids),
    kind === 'expense_report' ? store.listEarlierBills({ ids }) : [],
  ]);
  const psaIds = [...new Set([...postings.filter((one) => isInAccounting(one)), ...earlier].map(({ psaId }) => psaId))];
  const unreadable = new Set<string>();
  const [compared, suppressions] = await inParallel([
    comparePurchases(run, kind, psaIds, (id) => unreadable.add(id)),
    store.listSuppressions(kind, psaIds),
  ]);
  const all = [...compared.values()];
  await store.saveDrift(
    all.flatMap(({ posting, drift: found }) => {
      const drift = [...posting.drift.filter((one) => isSetByPsa(one)), ...new Set(found.map((one) => one.kind))];
      return drift.join() === posting.drift.join() ? [] : [{ id: posting.id, drift }];
    }),
  );
  // A change that was reverted needs no attention any more, and is logged again if it returns.
  const agreed = all.filter(
    ({ posting, drift }) =>
      drift.length === 0 &&
      posting.drift.some((one) => !isSetByPsa(one)) &&
      !isReportedWithdrawn(suppressions.get(posting.psaId)),
  );
  await store.clearSuppressions(
    [kind],
    agreed.map(({ posting }) => posting.psaId),
  );
  const changed = all.filter(({ posting, drift, isDeleted, isClosed }) => {
    const suppression = suppressions.get(posting.psaId);
    // A user who closes a document that the PSA withdrew may change it first.
    if (isReportedWithdrawn(suppression)) return isDeleted || isClosed;
    if (isWithdrawnAndClosed(suppression)) return !isClosed;
    return drift.length > 0 && suppression !== suppressionOfProblems(drift.map(({ problem }) => problem));
  });
  const waiting = new Set([...changed.flatMap(({ ids: own }) => own), ...unreadable]);
  await store.settleInbox(noted.filter(({ id }) => !waiting.has(id)));
  return [...changed, ...agreed].map(({ posting }) => posting.psaId);
}

/**
 * Returns the decision about a posted order or bill that was changed or deleted in QuickBooks; null for any other. Only
 * a user posts a deleted one again.
 *
 * @param known `gone` only if the PSA still shows the document as synced
 */
export function changedPurchase(
  run: Pick<Searcher, 'psa'>,
  {
    kind,
    about,
    drift,
  }: { readonly kind: PurchaseKind; readonly about: ProblemDocument; readonly drift: readonly Drift[] },
  { force, revises, trigger }: AttemptRequest,
  { posting, gone }: Pick<KnownDocument, 'posting' | 'gone'>,
): Decision | null {
  if (force || revises === true) return null;
  const isDeleted = posting === null && gone !== null && trigger === 'automatic';
  const names = psaNames(run.psa);
  const found = isDeleted
    ? driftOfPurchase({ kind, link: { ...gone, id: gone.targetId ?? '' }, document: null, edits: [], ...names })
    : posting === null
      ? []
      : drift;
  if (found.length === 0) return null;
  const problems = ofDocument(
    found.map((one) => one.problem),
    about,
  );
  return { outcome: 'refuse', problems, notes: [], mark: null };
}

const isReportedWithdrawn = (suppression: string | undefined): boolean => {
  const reason = reasonOf(suppression);
  return reason === 'ORDER_CANCELED' || reason === 'REPORT_WITHDRAWN';
};

const withdrawnAndClosed = 'withdrawn_and_closed';

/** Returns whether it was logged that a canceled order is closed in QuickBooks, so nothing is left to do. */
export const isWithdrawnAndClosed = (suppression: string | undefined): boolean =>
  reasonOf(suppression) === withdrawnAndClosed;

/**
 * Returns the decision about an order or report that the PSA withdrew after it was posted: a problem until a user closes
 * or deletes the document in QuickBooks.
 *
 * @param settled how a user settled it; null: not yet
 * @param message of the skip
 */
export function withdrawnPurchase(
  { kind, psaId, targetId }: Posting,
  withdrawn: Problem,
  settled: 'closed' | 'deleted' | null,
  message: string,
): Decision {
  if (settled === null) return { outcome: 'refuse', problems: [withdrawn], notes: [], mark: null };
  const isDeleted = settled === 'deleted';
  return {
    outcome: 'skip',
    reason: isDeleted ? 'withdrawn_and_deleted' : withdrawnAndClosed,
    message,
    isLoggedOnce: true,
    notes: [],
    marks: isDeleted && targetId !== null ? { kind, psaId, targetId, status: 'deleted_in_accounting' } : null,
  };
}

const isInAccounting = ({ status }: Posting): boolean => status === 'synced' || status === 'unconfirmed';
