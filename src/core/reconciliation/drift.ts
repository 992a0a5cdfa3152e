import type { InvoiceHead } from '../documents/invoice.ts';
import { asBilled } from '../documents/billed-sum.ts';
import type { SalesState } from '../documents/sales-state.ts';
import type { AccountingDocument } from '../documents/accounting-document.ts';
import { isPurchase, problem, type Problem } from '../problems.ts';
import { compareFingerprints, type Fingerprint } from './fingerprint.ts';
import { ofType } from './signed.ts';
import { nameOfSales } from '../planning/messages.ts';
import { dateIn, dayText, isCalendarDate } from '../values/dates.ts';
import {
  absolute,
  compare,
  decimal,
  equals,
  format,
  isDecimal,
  isNegative,
  isPositive,
  isZero,
  minus,
  plus,
  sum,
  type Decimal,
} from '../values/decimal.ts';
import type { PsaMenus } from '../ports/psa.ts';

/**
 * Ways in which the two sides of a posted document can differ later (domain reference 15):
 *
 * - `missing_in_accounting`, `voided_in_accounting`: deleted or voided in QuickBooks, but not in the PSA
 * - `changed_in_accounting`, `changed_in_psa`: its total changed
 * - `renumbered_in_accounting`: its number changed
 * - `edited_in_accounting`: another field changed in QuickBooks, at the same total: see {@link editsOf}
 * - `total_differs`: QuickBooks computed another total at posting, and it still differs
 * - `not_mailed`: the email to the customer was not sent
 * - `received_in_psa`, `canceled_in_psa`: status of an order in the PSA, which is not sent to QuickBooks
 */
export const driftKinds = [
  'missing_in_accounting',
  'voided_in_accounting',
  'changed_in_accounting',
  'changed_in_psa',
  'renumbered_in_accounting',
  'edited_in_accounting',
  'total_differs',
  'not_mailed',
  'received_in_psa',
  'canceled_in_psa',
] as const;
export type DriftKind = (typeof driftKinds)[number];

/** Returns whether a difference comes from the PSA's status of an order. */
export const isSetByPsa = (kind: DriftKind): boolean => kind === 'received_in_psa' || kind === 'canceled_in_psa';

/** One difference between both sides, and its fix. */
export interface Drift {
  readonly kind: DriftKind;
  /** The document in addition to the invoice's that it is about. Undefined means the invoice's. */
  readonly role?: OtherRole;
  readonly problem: Problem;
}

/** What a posting in addition to the one of an invoice does. */
export type OtherRole = 'reversal' | 'difference' | 'payment';

/** A posting in addition to the one of an invoice, and its document in QuickBooks now. */
export interface OtherPosting {
  readonly role: OtherRole;
  readonly link: Pick<DriftFacts['link'], 'id' | 'number' | 'total' | 'psaTotal'>;
  /** Null if it no longer exists. */
  readonly document: Pick<AccountingDocument, 'type' | 'number' | 'total' | 'isVoided' | 'changedAt'> | null;
  /** Changes in QuickBooks other than its total. */
  readonly edits: readonly Edit[];
}

/** A document that bills a difference of an invoice and is not voided. */
export interface BilledDifference {
  readonly document: SalesState;
  /** Its total when it was posted; null: unknown. */
  readonly total: Decimal | null;
  /** The difference from Autotask's total when it was posted, signed; null: unknown. */
  readonly psaTotal: Decimal | null;
}

/** A posting, and the current state of both sides. */
export interface DriftFacts {
  readonly link: {
    readonly id: string;
    readonly number: string | null;
    /** Total in QuickBooks at that time. */
    readonly total: Decimal | null;
    /** Total in the PSA at that time. */
    readonly psaTotal: Decimal | null;
  };
  readonly invoice: Pick<InvoiceHead, 'id' | 'total' | 'isVoided'>;
  /** Null if it no longer exists. */
  readonly document: SalesState | null;
  /** Documents that bill its differences, oldest first. Undefined if there are none. */
  readonly differences?: readonly BilledDifference[];
  /** The PSA's totals are in another currency than the documents. Undefined means false. */
  readonly isConverted?: boolean;
  /** Other documents that were posted for the invoice. Undefined if there are none. */
  readonly others?: readonly OtherPosting[];
  /** Changes in QuickBooks that do not change the total. Undefined if none are known. */
  readonly edits?: readonly Edit[];
  readonly psaLabel: string;
  readonly psaMenus: PsaMenus;
  /** Time zone for dates in messages. Undefined means UTC. */
  readonly timeZone?: string;
}

/** Returns the problem that one amount changed. */
const changed = (at: string, about: { psa: string; what: string; number: string }, before: Decimal, now: Decimal) =>
  problem('CHANGED_SINCE', { ...about, at, before: format(before), now: format(now) });

/**
 * Returns the drift of an invoice and its documents since they were posted. The document of an invoice that is voided in
 * the PSA has none, because the void sync handles it.
 */
export function driftOf(facts: DriftFacts): readonly Drift[] {
  return [...driftOfInvoice(facts), ...driftOfOthers(facts)];
}

function driftOfInvoice(facts: DriftFacts): readonly Drift[] {
  const { link, invoice, document, differences = [], edits = [], psaLabel: psa, psaMenus: menus, timeZone } = facts;
  const number = document?.number ?? link.number ?? link.id;
  // A negative invoice of the PSA is a credit memo in QuickBooks.
  const what = isNegative(link.psaTotal ?? invoice.total) ? 'Credit memo' : 'Invoice';
  const about = { psa, what, number };
  if (invoice.isVoided) return [];
  if (document === null)
    return [{ kind: 'missing_in_accounting', problem: problem('MISSING_IN_BOOKS', { ...about, menus }) }];
  const wasMoney = link.total === null || !isZero(link.total);
  if (document.isVoided || (isZero(document.total) && wasMoney))
    return [
      {
        kind: 'voided_in_accounting',
        problem: problem('VOIDED_IN_BOOKS', { ...about, menus, on: dateIn(document.changedAt, timeZone ?? 'UTC') }),
      },
    ];
  const found: Drift[] = [];
  // If both totals are equal again, the change was already posted or billed.
  const isResolved = isSameTotal(document, differences, invoice.total);
  const inAccounting = isResolved ? null : changedInAccounting(about, link, document, differences);
  if (inAccounting !== null) found.push({ kind: 'changed_in_accounting', problem: inAccounting });
  const isUnknown = facts.isConverted === true && differences.length > 0;
  const psaTotal = isUnknown ? null : psaTotalThen(link, document, differences);
  const isMissing = facts.others?.some((posting) => isMissedDifference(posting, facts)) === true;
  if (psaTotal !== null && !equals(invoice.total, psaTotal) && !isResolved && !isMissing)
    found.push({ kind: 'changed_in_psa', problem: changed(psa, about, psaTotal, invoice.total) });
  return [...found, ...fieldsChanged(about, link, document, edits)];
}

const isGoneDocument = ({ document }: OtherPosting): boolean => document === null || document.isVoided;

/** Returns whether a difference document is gone, and the totals still differ because of it. */
const isMissedDifference = (posting: OtherPosting, { document, differences = [], invoice }: DriftFacts): boolean =>
  posting.role === 'difference' &&
  isGoneDocument(posting) &&
  !invoice.isVoided &&
  document !== null &&
  !document.isVoided &&
  !isSameTotal(document, differences, invoice.total);

/** Returns how the other documents of an invoice changed since they were posted. */
function driftOfOthers(facts: DriftFacts): readonly Drift[] {
  const { others = [], invoice, document } = facts;
  const isLive = document !== null && !document.isVoided;
  return others.flatMap((posting): Drift[] => {
    const isGone = isGoneDocument(posting);
    switch (posting.role) {
      case 'reversal':
        if (!isLive) return [];
        if (!invoice.isVoided) return isGone ? [] : [takenBack(facts, posting)];
        return driftOfOther(facts, posting);
      case 'difference':
        // A changed total is compared together with the invoice.
        if (invoice.isVoided || !isLive) return [];
        if (isGone) return isMissedDifference(posting, facts) ? driftOfOther(facts, posting) : [];
        return driftOfOther(facts, { ...posting, link: { ...posting.link, total: null } });
      default:
        // An open invoice has a problem of its own that names the payment.
        return invoice.isVoided || !isLive || isGone || isPositive(document.balance)
          ? []
          : driftOfOther(facts, posting);
    }
  });
}

const whatIs = { reversal: 'Credit memo', payment: 'Payment' } as const;

const aboutOther = ({ psaLabel: psa }: DriftFacts, { role, link, document }: OtherPosting) => ({
  psa,
  what:
    role === 'difference'
      ? nameOfSales(document?.type ?? (isLower(link.psaTotal) ? 'CreditMemo' : 'Invoice'))
      : whatIs[role],
  number: document?.number ?? link.number ?? link.id,
});

const isLower = (amount: Decimal | null): boolean => amount !== null && isNegative(amount);

function driftOfOther(facts: DriftFacts, posting: OtherPosting): Drift[] {
  const { role, link, document, edits } = posting;
  const about = aboutOther(facts, posting);
  if (document === null || document.isVoided)
    return [
      {
        kind: document === null ? 'missing_in_accounting' : 'voided_in_accounting',
        role,
        problem: problem('EXTRA_GONE', {
          ...about,
          invoice: facts.document?.number ?? facts.link.number ?? facts.link.id,
          role,
          isVoided: document !== null,
        }),
      },
    ];
  const isAsPosted = link.total === null || equals(document.total, link.total);
  return [
    ...(isAsPosted || link.total === null
      ? []
      : [
          {
            kind: 'changed_in_accounting',
            role,
            problem: changed('QuickBooks', about, link.total, document.total),
          } as const,
        ]),
    // Its number is not compared: QuickBooks may have assigned it after posting.
    ...fieldsChanged(about, { number: null, total: link.total }, document, edits).map((found) => ({ ...found, role })),
  ];
}

/** Returns the problem of a credit memo whose invoice is not voided any more. */
const takenBack = (facts: DriftFacts, posting: OtherPosting): Drift => ({
  kind: 'changed_in_psa',
  role: 'reversal',
  problem: problem('VOID_TAKEN_BACK', {
    psa: facts.psaLabel,
    number: facts.document?.number ?? facts.link.number ?? facts.link.id,
    memo: posting.document?.number ?? posting.link.number ?? posting.link.id,
    amount: format(posting.document?.total ?? posting.link.total ?? facts.invoice.total),
  }),
});

/** An order or a bill that was posted, and what QuickBooks has now. */
export interface PurchaseDriftFacts {
  readonly kind: 'purchase_order' | 'expense_report';
  readonly link: Pick<DriftFacts['link'], 'id' | 'number' | 'total'>;
  /** Null if it no longer exists. */
  readonly document: Pick<AccountingDocument, 'number' | 'total'> | null;
  readonly edits: readonly Edit[];
  readonly psaLabel: string;
  readonly psaMenus: PsaMenus;
}

/** Returns how an order or a bill was changed in QuickBooks since it was posted. */
export function driftOfPurchase({
  kind,
  link,
  document,
  edits,
  psaLabel: psa,
  psaMenus: menus,
}: PurchaseDriftFacts): readonly Drift[] {
  const what = kind === 'purchase_order' ? 'Purchase order' : 'Bill';
  const about = { psa, what, number: document?.number ?? link.number ?? link.id };
  if (document === null)
    return [{ kind: 'missing_in_accounting', problem: problem('MISSING_IN_BOOKS', { ...about, menus }) }];
  const isAsPosted = link.total === null || equals(document.total, link.total);
  return [
    ...(isAsPosted || link.total === null
      ? []
      : [
          { kind: 'changed_in_accounting', problem: changed('QuickBooks', about, link.total, document.total) } as const,
        ]),
    ...fieldsChanged(about, link, document, edits),
  ];
}

/** Returns the changes of a document in QuickBooks other than its total. */
function fieldsChanged(
  about: Parameters<typeof changed>[1],
  link: Pick<DriftFacts['link'], 'number' | 'total'>,
  document: { readonly number: string | null; readonly total: Decimal },
  edits: readonly Edit[],
): readonly Drift[] {
  const found: Drift[] = [];
  if (link.number !== null && document.number !== null && document.number !== link.number)
    found.push({
      kind: 'renumbered_in_accounting',
      problem: problem('RENUMBERED_IN_BOOKS', { ...about, number: link.number, now: document.number }),
    });
  // A changed total already reports changed amounts.
  const isAsPosted = link.total === null || equals(document.total, link.total);
  const edited = edits.filter(({ field }) => isAsPosted || !amountFields.has(field));
  if (edited.length > 0)
    found.push({
      kind: 'edited_in_accounting',
      problem: problem('EDITED_IN_BOOKS', { ...about, changes: changesText(edited, about.what) }),
    });
  return found;
}

/** Returns whether an invoice and its difference documents add up to the PSA's total. */
function isSameTotal(document: SalesState, differences: readonly BilledDifference[], psaTotal: Decimal): boolean {
  if (differences.length === 0) return equals(document.total, absolute(psaTotal));
  const billed = asBilled(
    document,
    differences.map((difference) => difference.document),
  );
  return equals(ofType(document.type, billed.total), psaTotal);
}

/**
 * Returns the problem of the first document whose total in QuickBooks changed since it was posted; null: none changed.
 */
function changedInAccounting(
  about: Parameters<typeof changed>[1],
  link: DriftFacts['link'],
  document: SalesState,
  differences: readonly BilledDifference[],
): Problem | null {
  const billed = differences.map((difference) => ({
    before: difference.total,
    now: difference.document.total,
    said: {
      ...about,
      what: nameOfSales(difference.document.type),
      number: difference.document.number ?? difference.document.id,
    },
  }));
  const all = [{ before: link.total, now: document.total, said: about }, ...billed];
  for (const { before, now, said: of } of all)
    if (before !== null && !equals(now, before)) return changed('QuickBooks', of, before, now);
  return null;
}

/** Returns the invoice's total in the PSA when it, or the newest of its differences, was posted; null: unknown. */
function psaTotalThen(
  { total, psaTotal }: DriftFacts['link'],
  document: SalesState,
  differences: readonly BilledDifference[],
): Decimal | null {
  const last = differences.at(-1);
  if (last === undefined) return psaTotal;
  const before = differences
    .slice(0, -1)
    .map((difference) => ofType(difference.document.type, difference.total ?? difference.document.total));
  const posted = plus(ofType(document.type, total ?? document.total), sum(before));
  return plus(posted, last.psaTotal ?? ofType(last.document.type, last.document.total));
}

/** Fields whose change in QuickBooks is reported. Classes are not included, because users may set them there. */
const editFields = ['customer', 'date', 'due', 'currency', 'rate', 'lines', 'item', 'account', 'amount'] as const;
type EditField = (typeof editFields)[number];
const amountFields: ReadonlySet<EditField> = new Set(['lines', 'item', 'account', 'amount']);
const isEditField = (field: string): field is EditField => editFields.some((one) => one === field);

const fieldNames: Readonly<Record<EditField, string>> = {
  customer: 'customer',
  date: 'date',
  due: 'due date',
  currency: 'currency',
  rate: 'exchange rate',
  lines: 'number of lines',
  item: 'item',
  account: 'account',
  amount: 'amount',
};
/** Maximum number of changes that one message lists. */
const maxListed = 6;

/** Returns a list of changes: `customer Acme Dental → Birch Legal; line 2, amount 100.00 → 40.00`. */
function changesText(edits: readonly Edit[], what: string): string {
  const listed = edits.slice(0, maxListed).map(({ field, line, before, after }) => {
    const place = line === null ? '' : `line ${line}, `;
    const name = field === 'customer' && isPurchase(what) ? 'vendor' : fieldNames[field];
    return `${place}${name} ${valueText(field, before)} → ${valueText(field, after)}`;
  });
  const left = edits.length - listed.length;
  return [...listed, ...(left > 0 ? [`and ${left} more`] : [])].join('; ');
}

function valueText(field: EditField, value: string): string {
  if ((field === 'date' || field === 'due') && isCalendarDate(value)) return dayText(value);
  return field === 'amount' && isDecimal(value) ? format(decimal(value)) : value;
}

/** One field of a document that was changed in QuickBooks, with names instead of ids. */
export interface Edit {
  readonly field: EditField;
  /** Counted from 1; null for the document itself. */
  readonly line: number | null;
  readonly before: string;
  readonly after: string;
}

/**
 * Returns the changes of a document in QuickBooks since it was posted, except total and number, which are compared
 * separately.
 *
 * @param nameOf returns the name of a customer, item or account; its id if the name is unknown
 * @param isSameFamily returns whether two customers are projects or sub-customers of the same customer
 */
export const editsOf = (
  posted: Fingerprint,
  now: Fingerprint,
  nameOf: (of: 'customer' | 'item' | 'account', id: string) => string,
  isSameFamily: (customerId: string, otherId: string) => boolean = () => false,
): readonly Edit[] =>
  compareFingerprints(posted, now).flatMap(({ field, line, before, after }) => {
    if (!isEditField(field)) return [];
    if (field === 'customer' && before !== null && after !== null && isSameFamily(before, after)) return [];
    const isNamed = field === 'customer' || field === 'item' || field === 'account';
    const shown = (value: string | null) => (value === null ? 'none' : isNamed ? nameOf(field, value) : value);
    return [{ field, line, before: shown(before), after: shown(after) }];
  });

/**
 * Returns the problems from the day of posting that still exist. A corrected total or a later email resolves them.
 *
 * @param marked problems stored in the ledger
 * @param limit differences up to this amount count as resolved
 */
export function unresolvedMarks(
  marked: readonly DriftKind[],
  { invoice, document }: Pick<DriftFacts, 'invoice' | 'document'>,
  limit: Decimal,
): readonly DriftKind[] {
  if (document === null || document.isVoided || invoice.isVoided) return [];
  const difference = absolute(minus(document.total, absolute(invoice.total)));
  return marked.filter(
    (kind) =>
      (kind === 'total_differs' && compare(difference, limit) > 0) || (kind === 'not_mailed' && !document.isMailed),
  );
}

/** Returns whether the document of the invoice no longer exists, so nothing else can be compared. */
export const isGone = ({ kind, role }: Drift): boolean =>
  role === undefined && (kind === 'missing_in_accounting' || kind === 'voided_in_accounting');
