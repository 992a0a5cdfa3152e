import type { Item, Vendor } from '#core/documents/reference-data.ts';
import type { DocumentDecision } from '#core/planning/decision.ts';
import { planExpenseReport } from '#core/planning/plan-expense-report.ts';
import { planPurchaseOrder, type PurchaseOrderFacts } from '#core/planning/plan-purchase-order.ts';
import {
  accounting,
  expenseMappings,
  expenseReport,
  mapping,
  mappings,
  orderFactsFor,
  psa,
  purchaseOrder,
  reportFactsFor,
} from './sample-world.ts';

/** Differences from the sample data. */
export interface PurchaseGiven {
  readonly about: string;
  readonly order?: Parameters<typeof purchaseOrder>[0];
  readonly report?: Parameters<typeof expenseReport>[0];
  readonly settings?: Partial<PurchaseOrderFacts['settings']>;
  readonly preferences?: Partial<PurchaseOrderFacts['accounting']['preferences']>;
  readonly modules?: Partial<PurchaseOrderFacts['psa']['modules']>;
  /** Country of QuickBooks and home currency of both services, for a tenant outside the US. */
  readonly abroad?: { readonly country: string; readonly currency: string };
  /** QuickBooks' tax codes; default: the sample data's. */
  readonly taxCodes?: PurchaseOrderFacts['accounting']['taxCodes'];
  readonly mappings?: readonly (readonly [Parameters<typeof mapping>[0], string, string])[];
  /** Replace QuickBooks records with the same id. */
  readonly vendors?: readonly (Partial<Vendor> & { readonly id: string })[];
  readonly contracts?: PurchaseOrderFacts['psa']['contracts'];
  readonly withoutItems?: readonly string[];
  readonly moreItems?: readonly Item[];
  readonly numberTakenBy?: PurchaseOrderFacts['numberTakenBy'];
}

/** Facts shared by all purchases. */
const worldOf = (given: PurchaseGiven) => ({
  mappings: [...mappings, ...(given.mappings ?? []).map(([namespace, from, to]) => mapping(namespace, from, to))],
  psa: {
    ...psa,
    contracts: given.contracts ?? psa.contracts,
    modules: { ...psa.modules, ...given.modules },
    currencies: psa.currencies.map((one) =>
      one.isInternal && given.abroad !== undefined ? { ...one, code: given.abroad.currency } : one,
    ),
  },
  accounting: {
    ...accounting,
    company: { ...accounting.company, country: given.abroad?.country ?? accounting.company.country },
    taxCodes: given.taxCodes ?? accounting.taxCodes,
    preferences: {
      ...accounting.preferences,
      homeCurrency: given.abroad?.currency ?? accounting.preferences.homeCurrency,
      ...given.preferences,
    },
    vendors: accounting.vendors.map((vendor) => ({ ...vendor, ...given.vendors?.find(({ id }) => id === vendor.id) })),
    items: [
      ...accounting.items.filter(({ id }) => !(given.withoutItems ?? []).includes(id)),
      ...(given.moreItems ?? []),
    ],
  },
});

/** Returns the facts of a purchase order. */
export function orderFactsOf(given: PurchaseGiven) {
  const order = purchaseOrder(given.order ?? {});
  const facts = orderFactsFor(order, { ...worldOf(given), numberTakenBy: given.numberTakenBy ?? null });
  return { ...facts, settings: { ...facts.settings, ...given.settings } };
}

/** Returns the facts of an expense report. */
export function reportFactsOf(given: PurchaseGiven) {
  const world = worldOf(given);
  const withCategories = given.mappings === undefined ? [...world.mappings, ...expenseMappings] : world.mappings;
  const facts = reportFactsFor(expenseReport(given.report ?? {}), { ...world, mappings: withCategories });
  return { ...facts, settings: { ...facts.settings, ...given.settings } };
}

/** Decides a case, by its kind. */
export const decidePurchase: Readonly<Record<string, (given: PurchaseGiven) => DocumentDecision<string>>> = {
  'purchase-order': (given) => planPurchaseOrder(orderFactsOf(given)),
  'expense-report': (given) => planExpenseReport(reportFactsOf(given)),
};
