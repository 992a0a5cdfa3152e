import type { AccountingLists } from '#core/documents/reference-data.ts';
import * as bill from '#core/planning/plan-expense-report.ts';
import { describeDocument as describeInvoice } from '#core/planning/invoice-content.ts';
import { planInvoice } from '#core/planning/plan-invoice.ts';
import * as payment from '#core/planning/plan-payment.ts';
import * as order from '#core/planning/plan-purchase-order.ts';
import type { ViewedDocument } from '#core/planning/plan-view.ts';
import { planVoid } from '#core/planning/plan-void.ts';
import type { Plan } from '#core/planning/plan.ts';
import { factsOfInvoice, type InvoiceGiven } from './invoice-given.ts';
import { orderFactsOf, reportFactsOf, type PurchaseGiven } from './purchase-given.ts';
import { accounting } from './sample-world.ts';
import { paymentFactsOf, voidFactsOf, type SettlementGiven } from './settlement-given.ts';

/** The decision on a golden case, its document, and the QuickBooks data. */
export interface GoldenDecision {
  readonly decision: { readonly outcome: string; readonly plan?: Plan };
  readonly about: ViewedDocument;
  readonly accounting: AccountingLists;
}

const byKind: Readonly<Record<string, (given: unknown) => GoldenDecision>> = {
  invoice(given) {
    const facts = factsOfInvoice(given as InvoiceGiven);
    return { decision: planInvoice(facts), about: describeInvoice(facts), accounting: facts.accounting };
  },
  'purchase-order'(given) {
    const facts = orderFactsOf(given as PurchaseGiven);
    return {
      decision: order.planPurchaseOrder(facts),
      about: order.describeDocument(facts),
      accounting: facts.accounting,
    };
  },
  'expense-report'(given) {
    const facts = reportFactsOf(given as PurchaseGiven);
    return {
      decision: bill.planExpenseReport(facts),
      about: bill.describeDocument(facts),
      accounting: facts.accounting,
    };
  },
  payment(given) {
    const facts = paymentFactsOf(given as SettlementGiven);
    return { decision: payment.planPayment(facts), about: payment.describeDocument(facts), accounting };
  },
  void(given) {
    const facts = voidFactsOf(given as SettlementGiven);
    const [document] = facts.documents;
    return {
      decision: planVoid(facts),
      about: {
        party: facts.company?.name ?? null,
        number: facts.invoice.number,
        on: document?.datedOn ?? null,
        amount: document?.total ?? facts.invoice.total,
        currency: document?.currency ?? null,
      },
      accounting: facts.accounting,
    };
  },
};

/** Kinds of documents with golden cases, equal to their folder names. */
export const goldenKinds: readonly string[] = Object.keys(byKind);

/**
 * Decides a golden case from its `given.json`.
 *
 * @throws Error for an unknown kind.
 */
export function decideGolden(kind: string, given: unknown): GoldenDecision {
  const decide = byKind[kind];
  if (decide === undefined) throw new Error(`unknown kind ${kind}`);
  return decide(given);
}
