import type { Company } from '#core/documents/party.ts';
import type { PurchaseOrder } from '#core/documents/purchase-order.ts';
import { isOrderEligible, syncedOrderReference, thresholdOf } from '#core/planning/eligibility.ts';
import { purchaseOrderMessages } from '#core/planning/messages.ts';
import { planPurchaseOrder } from '#core/planning/plan-purchase-order.ts';
import { verify } from '#core/planning/verify.ts';
import type { NumberedDocument } from '#core/ports/accounting.ts';
import { usesPsaNumber } from '#core/settings/definitions.ts';
import { errorMark } from '#core/sync-status.ts';
import type { KindFlow } from './kind.ts';

/** What one purchase order adds to the facts that a job shares. */
export interface PurchaseOrderRead {
  readonly order: PurchaseOrder;
  readonly vendor: Company | null;
  readonly forCompany: Company | null;
  /** Purchase orders of the books that carry the order's number, our own among them. */
  readonly numbered: readonly NumberedDocument[];
}

/** Purchase orders: from the PSA to the books, by the rules of domain reference 9. */
export const purchaseOrderFlow: KindFlow<PurchaseOrderRead> = {
  kind: 'purchase_order',
  name: (psaId) => `Purchase order ${psaId}`,

  async findCandidates(run, settings, { force, startOn }) {
    const from = thresholdOf(run.context.clock.now(), run.tenant.timeZone, settings.po_max_age_days, startOn);
    const found = await run.psa.findPurchaseOrders({ createdFrom: from });
    return found
      .filter((order) => isOrderEligible(order, { from, force }))
      .map((order) => order.id)
      .sort((a, b) => a - b);
  },

  async gather(run, { settings }, psaIds) {
    const orders = await run.psa.readPurchaseOrders(psaIds);
    const companyIds = orders.flatMap(({ vendorId, forCompanyId }) => [
      vendorId,
      ...(forCompanyId === null ? [] : [forCompanyId]),
    ]);
    const companies = await run.psa.readCompanies([...new Set(companyIds)]);
    const byId = new Map(companies.map((company) => [company.id, company]));
    const numbers = usesPsaNumber(settings.po_numbering_option)
      ? orders.map(({ number }) => number).filter((number) => number !== '')
      : [];
    const numbered = Map.groupBy(
      numbers.length === 0 ? [] : await run.accounting.findNumbered([...new Set(numbers)], 'purchase_orders'),
      ({ number }) => number,
    );
    return new Map(
      orders.map((order) => [
        order.id,
        {
          order,
          vendor: byId.get(order.vendorId) ?? null,
          forCompany: order.forCompanyId === null ? null : (byId.get(order.forCompanyId) ?? null),
          numbered: numbered.get(order.number) ?? [],
        },
      ]),
    );
  },

  decide(run, shared, read, wish, posting) {
    const { order, vendor, forCompany, numbered } = read;
    const told = syncedOrderReference(order);
    const known =
      posting === null ? told : purchaseOrderFlow.referenceOf({ number: posting.number, id: posting.targetId ?? '' });
    if (known !== null && !wish.force)
      return posting !== null && told !== known
        ? { outcome: 'relink', posting, notes: [] }
        : {
            outcome: 'skip',
            message: purchaseOrderMessages.alreadySynced(known),
            isRemembered: false,
            notes: [],
          };
    const own = wish.force ? null : posting;
    const decision = planPurchaseOrder({
      order,
      vendor,
      forCompany,
      settings: shared.settings,
      mappings: shared.mappings,
      psa: shared.psa,
      books: shared.books,
      numberTakenBy: numbered.find(({ id }) => id !== own?.targetId) ?? null,
      psaLabel: run.psa.describe.label,
      now: run.context.clock.now(),
      mode: wish.mode,
      trigger: wish.trigger,
    });
    if (decision.outcome !== 'plan') return decision;
    const mark = errorMark('purchase_order', { reference: order.externalNumber }, false);
    return { outcome: 'plan', plan: decision.plan, mark };
  },

  psaTotal: (_facts, plan) => plan.expected.subtotal,
  verify: (run, plan, posted) => verify(plan, posted, run.psa.describe.label),
  referenceOf: ({ number, id }) => number ?? id,
  writeBack: (run, psaId, reference) => run.psa.writePurchaseOrder(psaId, { externalNumber: reference.number }),
  writeMark: (run, psaId, mark) => run.psa.writePurchaseOrder(psaId, { externalNumber: mark }),
  successMessage: (psaId, _plan, reference) => purchaseOrderMessages.created(psaId, reference.number),
  testMessage: (psaId, plan) => purchaseOrderMessages.wouldBeCreated(psaId, plan),
  info: (psaId, posted) => ({ at_po_id: psaId, qbo_po_number: posted.number, qbo_po_id: posted.id }),
};
