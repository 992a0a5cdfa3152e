import { isSameOrigin, originText } from '#core/documents/origin.ts';
import type { Company } from '#core/documents/party.ts';
import type { PurchaseOrder, PurchaseOrderHead, PurchaseOrderStatus } from '#core/documents/purchase-order.ts';
import { inParallel } from '#core/in-parallel.ts';
import { isOrdered, isOrderEligible, syncedOrderReference, thresholdOf } from '#core/planning/eligibility.ts';
import { differencesOfOrderLink } from '#core/planning/link-differences.ts';
import { isNumberedByAccounting, lacksNumber } from '#core/planning/document-fields.ts';
import { alreadySynced, purchaseOrderMessages } from '#core/planning/messages.ts';
import { describeDocument, planPurchaseOrder } from '#core/planning/plan-purchase-order.ts';
import type { NumberedDocument } from '#core/ports/accounting.ts';
import type { Posting } from '#core/records/postings.ts';
import { problem, type Problem } from '#core/problems.ts';
import { isSetByPsa, type Drift, type DriftKind } from '#core/reconciliation/drift.ts';
import { unlessReadsAreBlocked } from '#core/service-error.ts';
import { usesPsaNumber } from '#core/settings/definitions.ts';
import { errorMark } from '#core/sync-status.ts';
import { isUnchanged, fingerprintOf } from '../fingerprint.ts';
import { relinkOrSkip } from './already-synced.ts';
import {
  changedPurchase,
  comparePurchases,
  isWithdrawnAndClosed,
  newlyChanged,
  withdrawnPurchase,
} from './changed-purchases.ts';
import { type KindFlow, referenceOfPosting, type Searcher, unlessGone } from './kind.ts';
import { suppressionOfProblems } from '../suppression.ts';
import { refuseWithoutNumber } from './missing.ts';

/** Facts of one purchase order, in addition to those that a job shares. */
export interface PurchaseOrderRead {
  readonly order: PurchaseOrder;
  readonly vendor: Company | null;
  readonly forCompany: Company | null;
  /** QuickBooks purchase orders with the order's number, including ours. */
  readonly numbered: readonly NumberedDocument[];
  /** How its document was changed in QuickBooks. */
  readonly drift: readonly Drift[];
  readonly isDeleted: boolean;
  readonly isClosed: boolean;
}

/** Purchase orders: posted from the PSA to QuickBooks, by the rules of domain reference 9. */
export const purchaseOrderFlow: KindFlow<PurchaseOrderRead> = {
  kind: 'purchase_order',

  async findCandidates(run, settings, { force, startOn }) {
    const from = thresholdOf(run.context.clock.now(), run.tenant.timeZone, settings.po_max_age_days, startOn);
    const watchedFrom = thresholdOf(run.context.clock.now(), run.tenant.timeZone, watchedDays);
    const found = await run.psa.findPurchaseOrders({ createdFrom: from < watchedFrom ? from : watchedFrom });
    const eligible = found.filter((order) => isOrderEligible(order, { from, force })).map(({ id }) => id);
    const changed = force ? [] : await newlyChanged(run, 'purchase_order');
    const fingerprint = fingerprintOf(run, settings, [found, changed]);
    const canceled = force || isUnchanged(run, 'purchase_order', fingerprint) ? [] : await newlyCanceled(run, found);
    const ids = [...new Set([...eligible, ...canceled, ...changed])].sort((a, b) => a - b);
    return { ids, isSettled: true, fingerprint };
  },

  async gather(run, settings, psaIds) {
    const orders = await run.psa.readPurchaseOrders(psaIds);
    const companyIds = orders.flatMap(({ vendorId, forCompanyId }) => [
      vendorId,
      ...(forCompanyId === null ? [] : [forCompanyId]),
    ]);
    const numbers = usesPsaNumber(settings.po_numbering_option)
      ? orders.map(({ number }) => number).filter((number) => number !== '')
      : [];
    const [companies, sameNumbers, compared] = await inParallel([
      run.psa.readCompanies([...new Set(companyIds)]),
      unlessReadsAreBlocked(run.accounting.findNumbered([...new Set(numbers)], 'purchase_orders'), []),
      comparePurchases(run, 'purchase_order', psaIds),
    ]);
    const byId = new Map(companies.map((company) => [company.id, company]));
    const numbered = Map.groupBy(sameNumbers, ({ number }) => number);
    return new Map(
      orders.map((order) => [
        order.id,
        {
          order,
          vendor: byId.get(order.vendorId) ?? null,
          forCompany: order.forCompanyId === null ? null : (byId.get(order.forCompanyId) ?? null),
          numbered: numbered.get(order.number) ?? [],
          drift: compared.get(order.id)?.drift ?? [],
          isDeleted: compared.get(order.id)?.isDeleted ?? false,
          isClosed: compared.get(order.id)?.isClosed ?? false,
        },
      ]),
    );
  },

  decide(run, shared, read, request, { posting, gone, current }) {
    const { order, vendor, forCompany, numbered } = read;
    const posted = posting ?? gone;
    if (order.status === 'canceled' && posted !== null && !request.force) {
      const settled = read.isDeleted || posting === null ? 'deleted' : read.isClosed ? 'closed' : null;
      const reference = posted.number ?? posted.targetId ?? '';
      const message = purchaseOrderMessages.settled(reference, settled ?? 'closed', run.psa.describe.label);
      return withdrawnPurchase(posted, canceled(run, posted), settled, message);
    }
    const reference = syncedOrderReference(order);
    const about = describeDocument({ order, vendor, psa: shared.psa, accounting: shared.accounting });
    const changed = changedPurchase(run, { kind: 'purchase_order', about, drift: read.drift }, request, {
      posting,
      gone: reference === null ? null : gone,
    });
    if (changed !== null) return changed;
    const psaReference = unlessGone('purchase_order', reference, gone);
    const known = posting === null ? psaReference : referenceOfPosting('purchase_order', posting);
    const isUnnumbered = posting !== null && lacksNumber({ type: posting.targetType, number: posting.number });
    if (isUnnumbered && psaReference !== known && !request.force)
      return refuseWithoutNumber(run, { kind: 'purchase_order', psaId: order.id }, posting);
    if (known !== null && !request.force) return relinkOrSkip(posting, known, psaReference);
    const own = request.force ? null : (posting?.targetId ?? current?.document.id ?? null);
    const origin = originText(run.psa.describe.label, 'purchase order', order.id);
    const isUnknown = !request.force && posting === null && gone === null;
    const taken = numbered.find(
      ({ id, privateNote }) => id !== own && !(isUnknown && isSameOrigin(privateNote, origin)),
    );
    const decision = planPurchaseOrder({
      order,
      vendor,
      forCompany,
      settings: shared.settings,
      mappings: shared.mappings,
      psa: shared.psa,
      accounting: shared.accounting,
      numberTakenBy: taken ?? null,
      psaLabel: run.psa.describe.label,
      now: run.context.clock.now(),
      mode: request.mode,
      trigger: request.trigger,
      generation: request.generation,
    });
    if (decision.outcome !== 'plan') return decision;
    const mark = errorMark('purchase_order', { reference: order.externalNumber }, false);
    return { outcome: 'plan', plan: decision.plan, mark };
  },

  psaTotal: (_facts, plan) => plan.expected.subtotal,

  // Documents with the order's number have already been read.
  mayBeInAccounting: ({ settings }, { numbered }) =>
    isNumberedByAccounting('purchase_order', settings) || numbered.length > 0,

  describe: ({ psa, accounting }, { order, vendor }) => describeDocument({ order, vendor, psa, accounting }),

  findDifferences: (psaLabel, { accounting, mappings, psa }, { order, vendor }, document, postedTotal) =>
    differencesOfOrderLink({
      order,
      vendor,
      about: describeDocument({ order, vendor, psa, accounting }),
      document,
      postedTotal,
      accounting,
      mappings,
      psaLabel,
    }),

  statusField: {
    read: async (run, _settings, ids) =>
      new Map(
        (await run.psa.findPurchaseOrders({ ids })).map((head) => {
          const reference = syncedOrderReference(head);
          const stale = isOrdered(head) ? null : purchaseOrderMessages.notSubmitted(run.psa.describe.label);
          return [head.id, { reference, stale, alreadySynced: reference === null ? null : alreadySynced(reference) }];
        }),
      ),
    write: (psa, psaId, externalNumber) => psa.writePurchaseOrder(psaId, { externalNumber }),
  },
};

/**
 * Returns the problem of an order that was canceled after it was synced: its QuickBooks document is not canceled
 * automatically.
 */
const canceled = (run: Searcher, { number, targetId }: Posting): Problem =>
  problem('ORDER_CANCELED', { psa: run.psa.describe.label, number: number ?? targetId ?? '' });

/** Days after its creation for which an order is watched for receipts and cancellations. */
const watchedDays = 90;

/**
 * Records in the ledger the later state of our orders in the PSA: receipts and cancellations are not sent (domain
 * reference 9.4). An order that is no longer canceled needs no attention.
 *
 * @returns canceled orders that were not logged yet, and logged ones that are no longer canceled
 */
async function newlyCanceled(run: Searcher, found: readonly PurchaseOrderHead[]): Promise<readonly number[]> {
  const { store } = run.context;
  const ids = found.map(({ id }) => id);
  if (ids.length === 0) return [];
  const fates = new Map(found.map(({ id, status }) => [id, driftByStatus[status] ?? null]));
  const [postings, suppressions] = await inParallel([
    store.listPostings('purchase_order', ids),
    store.listSuppressions('purchase_order', ids),
  ]);
  const synced = postings.filter(({ status }) => status === 'synced' || status === 'unconfirmed');
  await store.saveDrift(
    synced.flatMap((posting) => {
      const others = posting.drift.filter((one) => !isSetByPsa(one));
      const fate = fates.get(posting.psaId) ?? null;
      const drift = fate === null ? others : [fate, ...others];
      return posting.drift.join() === drift.join() ? [] : [{ id: posting.id, drift }];
    }),
  );
  const isCanceled = ({ psaId }: Posting) => fates.get(psaId) === 'canceled_in_psa';
  const isLogged = (posting: Posting) =>
    suppressions.get(posting.psaId) === suppressionOfProblems([canceled(run, posting)]);
  const restored = synced.filter((posting) => !isCanceled(posting) && isLogged(posting));
  await store.clearSuppressions(
    ['purchase_order'],
    restored.map(({ psaId }) => psaId),
  );
  const unlogged = synced.filter(
    (posting) => isCanceled(posting) && !isLogged(posting) && !isWithdrawnAndClosed(suppressions.get(posting.psaId)),
  );
  return [...restored, ...unlogged].map(({ psaId }) => psaId);
}

const driftByStatus: Readonly<Partial<Record<PurchaseOrderStatus, DriftKind>>> = {
  partly_received: 'received_in_psa',
  received: 'received_in_psa',
  canceled: 'canceled_in_psa',
};
