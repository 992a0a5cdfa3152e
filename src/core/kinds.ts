/** The kinds of documents that sync. Routes, menus, jobs, logs and the worker read this table. */
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
  /** A change of an invoice's total after it was posted; syncs only when a person asks. */
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

/** Kinds with a separate screen, where users can clear the sync status in the PSA. */
export const submittableKinds = ['invoice', 'purchase_order', 'expense_report'] as const;
export type SubmittableKind = (typeof submittableKinds)[number];

/** Maximum number of documents in one job when a user selects them. */
export const maxChosenDocuments = 10_000;

export const kindNames = Object.keys(kinds) as readonly Kind[];

/** Builds a table with an entry for each kind. */
export const byKind = <Value>(valueOf: (kind: Kind) => Value): Record<Kind, Value> =>
  Object.fromEntries(kindNames.map((kind) => [kind, valueOf(kind)])) as Record<Kind, Value>;

/** Kinds that the schedule or a person searches for. */
export type SearchedKind = Exclude<Kind, 'difference'>;
export const searchedKinds: readonly SearchedKind[] = kindNames.filter((kind) => kind !== 'difference');

/** Whether documents of a kind need an invoice that was posted and is in the ledger. */
export const followsInvoice = (kind: Kind): boolean => kind === 'payment' || kind === 'void' || kind === 'difference';

/** Returns the name of the PSA's document for messages, for example `Invoice 48213`. */
export const documentName = (kind: Kind, psaId: number): string =>
  `${kinds[followsInvoice(kind) ? 'invoice' : kind].label} ${psaId}`;

/** `test` does everything except writing; `live` writes (domain reference 5.3). */
export type Mode = 'test' | 'live';

/** Origin of a job: a person or the schedule. */
export type Trigger = 'manual' | 'automatic';
