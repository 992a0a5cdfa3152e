import type { InvoiceHead } from '../documents/invoice.ts';
import type { SalesState } from '../documents/sales-state.ts';
import {
  absolute,
  compare,
  decimal,
  equals,
  isZero,
  minus,
  negate,
  plus,
  sum,
  zero,
  type Decimal,
} from '../values/decimal.ts';

/**
 * What became of an invoice on both sides (domain reference 15), strongest first: of several that are true the first
 * counts.
 *
 * - `duplicate`: a second live document of one invoice
 * - `only_in_books`: made by us for an invoice that is not there, or by hand for a customer that a company is mapped to
 * - `missing_in_books`: never synced, or its document was deleted
 * - `voided_on_one_side`
 * - `amount_differs`: without tax
 * - `tax_differs`: the amounts agree, the tax does not
 * - `paid_state_differs`: a paid date on the one side, something open on the other, or the other way round
 * - `matched`
 */
export const reconciliationClasses = [
  'duplicate',
  'only_in_books',
  'missing_in_books',
  'voided_on_one_side',
  'amount_differs',
  'tax_differs',
  'paid_state_differs',
  'matched',
] as const;
export type ReconciliationClass = (typeof reconciliationClasses)[number];

/** Everything that a reconciliation of invoices compares. */
export interface InvoiceReconciliationFacts {
  /** The invoices of the period in the PSA, voided ones among them. */
  readonly invoices: readonly InvoiceHead[];
  /** Documents that the ledger has for them, oldest first: the last of an invoice is the one that counts. */
  readonly postings: readonly { readonly psaId: number; readonly targetType: string; readonly targetId: string }[];
  /** Those documents as they are now, and everything else of the period in the books. */
  readonly documents: readonly SalesState[];
  /** Documents of the period that the ledger has for invoices of other periods. */
  readonly elsewhere: ReadonlySet<string>;
  /** Customers that companies are mapped to, and no others, are looked at for documents made by hand. */
  readonly mappedCustomers: ReadonlySet<string>;
  /** ISO 4217 of an invoice that has no document, by its company. */
  readonly currencyOf: (companyId: number) => string;
  readonly homeCurrency: string;
  readonly psaLabel: string;
}

/** One invoice, or one document without an invoice. Amounts include tax; those of credit memos are negative. */
export interface ReconciledRow {
  readonly class: ReconciliationClass;
  readonly psaId: number | null;
  readonly document: { readonly type: string; readonly id: string; readonly number: string | null } | null;
  readonly currency: string;
  readonly psaTotal: Decimal;
  readonly booksTotal: Decimal;
  /** Books minus PSA. */
  readonly difference: Decimal;
}

/** Totals of one currency; the difference is the sum of the classes' differences. */
export interface ReconciledTotals {
  readonly currency: string;
  readonly psaTotal: Decimal;
  readonly booksTotal: Decimal;
  readonly difference: Decimal;
  readonly byClass: Readonly<
    Partial<Record<ReconciliationClass, { readonly count: number; readonly difference: Decimal }>>
  >;
}

/** Totals may differ by a cent without anyone asking why. */
const tolerance = decimal('0.01');

/**
 * Compares invoices and their documents.
 *
 * Invariants: each invoice stands in exactly one row, and so does each document; the difference of a currency is the
 * sum of the differences of its classes.
 */
export function reconcileInvoices(facts: InvoiceReconciliationFacts): {
  readonly rows: readonly ReconciledRow[];
  readonly totals: readonly ReconciledTotals[];
} {
  const documents = new Map(facts.documents.map((document) => [keyOf(document.type, document.id), document]));
  const linked = Map.groupBy(facts.postings, ({ psaId }) => psaId);
  const taken = new Set(facts.elsewhere);
  const rows = facts.invoices.flatMap((invoice) => {
    const keys = [...new Set((linked.get(invoice.id) ?? []).map((one) => keyOf(one.targetType, one.targetId)))];
    for (const key of keys) taken.add(key);
    const live = keys.flatMap((key) => documents.get(key) ?? []);
    // Of several the last one stands for the invoice; the others are there once too often, unless they were voided.
    const standing = live.findLast(({ isVoided }) => !isVoided) ?? live.at(-1) ?? null;
    const others = live.filter((document) => document !== standing && !document.isVoided);
    return [
      ofInvoice(invoice, standing, facts),
      ...others.map((document) => rowOf('duplicate', { psaId: invoice.id, document, psaTotal: zero }, facts)),
    ];
  });
  const strays = facts.documents.filter(
    (document) => !taken.has(keyOf(document.type, document.id)) && !document.isVoided && isOurs(document, facts),
  );
  const all = [
    ...rows,
    ...strays.map((document) => rowOf('only_in_books', { psaId: null, document, psaTotal: zero }, facts)),
  ];
  return { rows: all, totals: totalsOf(all) };
}

/** Names a document of the books. */
export const keyOf = (type: string, id: string): string => `${type} ${id}`;

const isOurs = (
  { privateNote, customer }: SalesState,
  { psaLabel, mappedCustomers }: InvoiceReconciliationFacts,
): boolean => (privateNote ?? '').includes(`${psaLabel} invoice `) || mappedCustomers.has(customer.id);

/** What a document adds to what customers owe. */
const signed = ({ type, isVoided, total }: SalesState): Decimal =>
  isVoided ? zero : type === 'CreditMemo' ? negate(total) : total;

function ofInvoice(
  invoice: InvoiceHead,
  document: SalesState | null,
  facts: InvoiceReconciliationFacts,
): ReconciledRow {
  const psaTotal = invoice.isVoided ? zero : invoice.total;
  return rowOf(
    classOf(invoice, document),
    { psaId: invoice.id, companyId: invoice.companyId, document, psaTotal },
    facts,
  );
}

function classOf(invoice: InvoiceHead, document: SalesState | null): ReconciliationClass {
  // What comes to nothing, or was voided, needs no document.
  if (document === null) return invoice.isVoided || isZero(invoice.total) ? 'matched' : 'missing_in_books';
  if (document.isVoided !== invoice.isVoided) return 'voided_on_one_side';
  if (invoice.isVoided) return 'matched';
  const sign = (amount: Decimal) => (document.type === 'CreditMemo' ? negate(amount) : amount);
  const net = minus(sign(document.total), sign(document.tax));
  if (isApart(net, minus(invoice.total, invoice.tax))) return 'amount_differs';
  if (isApart(sign(document.total), invoice.total)) return 'tax_differs';
  const isPaid = document.type === 'Invoice' && !isZero(document.total) && isZero(document.balance);
  const isOwed = document.type === 'Invoice' && !isZero(document.total);
  return isOwed && isPaid !== (invoice.paidOn !== null) ? 'paid_state_differs' : 'matched';
}

const isApart = (a: Decimal, b: Decimal): boolean => compare(absolute(minus(a, b)), tolerance) > 0;

function rowOf(
  of: ReconciliationClass,
  {
    psaId,
    companyId,
    document,
    psaTotal,
  }: {
    readonly psaId: number | null;
    readonly companyId?: number;
    readonly document: SalesState | null;
    readonly psaTotal: Decimal;
  },
  { currencyOf, homeCurrency }: InvoiceReconciliationFacts,
): ReconciledRow {
  const booksTotal = document === null ? zero : signed(document);
  return {
    class: of,
    psaId,
    document: document === null ? null : { type: document.type, id: document.id, number: document.number },
    currency:
      document?.currency ?? (companyId === undefined || document !== null ? homeCurrency : currencyOf(companyId)),
    psaTotal,
    booksTotal,
    difference: minus(booksTotal, psaTotal),
  };
}

function totalsOf(rows: readonly ReconciledRow[]): ReconciledTotals[] {
  return [...Map.groupBy(rows, ({ currency }) => currency)]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([currency, own]) => {
      const psaTotal = sum(own.map((row) => row.psaTotal));
      const booksTotal = sum(own.map((row) => row.booksTotal));
      const byClass: Partial<Record<ReconciliationClass, { readonly count: number; readonly difference: Decimal }>> =
        {};
      for (const { class: of, difference } of own) {
        const { count, difference: before } = byClass[of] ?? { count: 0, difference: zero };
        byClass[of] = { count: count + 1, difference: plus(before, difference) };
      }
      return { currency, psaTotal, booksTotal, difference: minus(booksTotal, psaTotal), byClass };
    });
}

/** True when nothing is left to be looked at. */
export const agrees = (rows: readonly ReconciledRow[]): boolean =>
  rows.every((row) => row.class === 'matched' && equals(row.psaTotal, row.booksTotal));
