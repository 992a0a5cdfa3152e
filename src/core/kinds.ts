/**
 * The kinds of documents that are synchronised, written once: routes, menus, jobs, logs and the worker read this table.
 */
export const kinds = {
  invoice: { label: 'Invoice', plural: 'Invoices', segment: 'invoices', idsKey: 'invoice_ids', logLevel: 'debug' },
  purchase_order: {
    label: 'Purchase order',
    plural: 'Purchase Orders',
    segment: 'purchase-orders',
    idsKey: 'po_ids',
    logLevel: 'info',
  },
  expense_report: {
    label: 'Expense report',
    plural: 'Expense Reports',
    segment: 'expense-reports',
    idsKey: 'expense_report_ids',
    logLevel: 'info',
  },
  payment: { label: 'Payment', plural: 'Payments', segment: 'payments', idsKey: 'invoice_ids', logLevel: 'info' },
  /** The amount that an invoice comes to more or less since it was posted; asked for by a person alone. */
  difference: {
    label: 'Difference',
    plural: 'Differences',
    segment: 'differences',
    idsKey: 'invoice_ids',
    logLevel: 'info',
  },
  void: { label: 'Void', plural: 'Voids', segment: 'voids', idsKey: 'invoice_ids', logLevel: 'info' },
} as const;

export type Kind = keyof typeof kinds;

/** Kinds that have a screen of their own, whose status in the PSA can be cleared. */
export const submittableKinds = ['invoice', 'purchase_order', 'expense_report'] as const;
export type SubmittableKind = (typeof submittableKinds)[number];

/** Most documents that one job takes when they are chosen one by one. */
export const maxChosenDocuments = 10_000;

export const kindNames = Object.keys(kinds) as readonly Kind[];

/** A table of all kinds. */
export const byKind = <Value>(valueOf: (kind: Kind) => Value): Record<Kind, Value> =>
  Object.fromEntries(kindNames.map((kind) => [kind, valueOf(kind)])) as Record<Kind, Value>;

/** Kinds that are searched for, by the schedule or by a person. */
export type SearchedKind = Exclude<Kind, 'difference'>;
export const searchedKinds: readonly SearchedKind[] = kindNames.filter((kind) => kind !== 'difference');

/** Whether documents of a kind are made for an invoice that was posted: the ledger has to know it, and what was made before. */
export const followsInvoice = (kind: Kind): boolean => kind === 'payment' || kind === 'void' || kind === 'difference';

/** `test` does everything but write; `live` is the real thing (domain reference 5.3). */
export type Mode = 'test' | 'live';

/** Origin of a job: a person, or the schedule. */
export type Trigger = 'manual' | 'automatic';
