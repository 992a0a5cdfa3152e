import type { AccountingDocument } from '../documents/accounting-document.ts';
import { compare, absolute, isZero, minus, negate, plus, sum, zero, type Decimal } from '../values/decimal.ts';
import type { CalendarDate } from '../values/dates.ts';
import { taxTolerance } from '../planning/tax.ts';
import { roundingOf } from '../planning/verify.ts';
import { differenceClassNames, type DifferenceClass } from './difference-classes.ts';
import { compareFingerprints, fingerprintOf, type FingerprintChange } from './fingerprint.ts';
import { isName } from '../planning/link-differences.ts';
import { billedFor, differenceOf, extraRow, isReversed } from './extra-documents.ts';
import type {
  CloseKind,
  PsaDocument,
  PostedDocument,
  CompletenessFacts,
  Finding,
  DocumentRow,
  Bridge,
  ExtraDocument,
} from './completeness-facts.ts';
import { monthOf, type Month } from './month.ts';
import { ofType, signedTax, signedTotal } from './signed.ts';

export { closeKinds } from './completeness-facts.ts';
export type {
  CloseKind,
  PsaDocument,
  PostedDocument,
  CompletenessFacts,
  DocumentRow,
  Bridge,
} from './completeness-facts.ts';

/** Nouns for the source of a posting in its private note. */
const nouns = {
  invoice: 'invoice',
  purchase_order: 'purchase order',
  expense_report: 'expense report',
  payment: 'invoice',
} as const satisfies Record<CloseKind, string>;

/** Returns the key of a source, or of the part that one bill covers. */
export const sourceKey = (id: number, part: string | undefined): string =>
  part === undefined ? `${id}` : `${id} ${part}`;

/** Returns the key of a QuickBooks document. */
export const keyOf = (type: string, id: string): string => `${type} ${id}`;

/**
 * Compares every document of a month.
 *
 * Invariants:
 *
 * - Each source and each document is in one row, or in two if their currencies differ.
 * - For each row and bridge, the difference equals its findings plus the unexplained amount, without any tolerance.
 * - Amounts moved between months add up to 0 over both months.
 */
export function proveCompleteness(facts: CompletenessFacts): {
  readonly rows: readonly DocumentRow[];
  readonly bridges: readonly Bridge[];
} {
  const documents = new Map(facts.documents.map((document) => [keyOf(document.type, document.id), document]));
  const lookups = lookupsOf(facts);
  const posted = Map.groupBy(facts.postings, ({ psaId, part }) => sourceKey(psaId, part));
  const taken = new Set([...facts.postings, ...facts.extras].map(({ type, id }) => keyOf(type, id)));
  const rows = facts.sources.flatMap((source) => {
    const own = posted.get(sourceKey(source.id, source.part)) ?? [];
    const lost = own.length === 0 ? notRecorded(source, taken, lookups) : null;
    if (lost !== null) {
      taken.add(keyOf(lost.type, lost.id));
      return pairRows(source, lost, null, facts).map(withNotRecorded);
    }
    const keys = [...new Set(own.map(({ type, id }) => keyOf(type, id)))];
    const found = keys.flatMap((key) => documents.get(key) ?? []);
    // The last document that is not voided belongs to the source. The others are duplicates, unless they were voided.
    const current = found.findLast(({ isVoided }) => !isVoided) ?? found.at(-1) ?? null;
    const others = found.filter((document) => document !== current && !document.isVoided);
    const copy = current === null || current.isVoided ? enteredAgain(source, own.at(-1), taken, facts) : null;
    if (copy !== null) {
      taken.add(keyOf(copy.type, copy.id));
      return [enteredAgainRow(source, copy, facts)];
    }
    const posting = own.findLast(({ type, id }) => current === null || (type === current.type && id === current.id));
    return [
      ...pairRows(source, current, posting ?? null, facts),
      ...others.map((document) => duplicateRow(source, document, facts)),
    ];
  });
  const extras = facts.extras.flatMap((document) => extraRowOf(document, facts));
  const strays = facts.documents.filter(
    (document) => !taken.has(keyOf(document.type, document.id)) && isOf(facts.month, document) && !document.isVoided,
  );
  const all = [...rows, ...extras, ...strays.map((document) => strayRow(document, facts, lookups))];
  return { rows: all, bridges: bridgesOf(facts.kind, all) };
}

const isOf = (month: Month, { datedOn }: { readonly datedOn: CalendarDate }): boolean => monthOf(datedOn) === month;
const currencyOf = (document: AccountingDocument, { homeCurrency }: CompletenessFacts): string =>
  document.currency ?? homeCurrency;

/** Returns a row with the given findings. Findings of 0 are omitted. The rest of the difference is unexplained. */
function rowOf(
  facts: CompletenessFacts,
  row: Pick<DocumentRow, 'currency' | 'psa' | 'accounting' | 'psaAmount' | 'accountingAmount' | 'posted' | 'extra'>,
  moving: readonly Finding[],
  details: readonly DifferenceClass[] = [],
  changes: readonly FingerprintChange[] = [],
): DocumentRow {
  const difference = minus(row.accountingAmount, row.psaAmount);
  const findings = [
    ...moving.filter(({ amount }) => !isZero(amount)),
    ...details.map((of) => ({ class: of, amount: zero })),
  ];
  const unexplained = minus(difference, sum(findings.map(({ amount }) => amount)));
  return { kind: facts.kind, ...row, difference, findings, unexplained, changes };
}

/** Returns the rows of a source and its document: one row, or one in each currency. */
function pairRows(
  source: PsaDocument,
  document: AccountingDocument | null,
  posting: PostedDocument | null,
  facts: CompletenessFacts,
): DocumentRow[] {
  const isHere = isOf(facts.month, source);
  const psaAmount = isHere && !source.isVoided ? source.total : zero;
  const lines = posting?.fingerprint?.lines;
  const own = { currency: source.currency, psa: source, psaAmount, ...(lines === undefined ? {} : { posted: lines }) };
  if (document === null) {
    if (!isHere) return [];
    const of = posting === null ? source.ifMissing : 'deleted_in_accounting';
    const isPosted = posting !== null || source.isPostedAtZero === true;
    // The open invoice names a payment that only applied credits.
    const isShown = isZero(source.total) && !source.isVoided && facts.kind !== 'payment';
    const details: DifferenceClass[] = isShown ? [isPosted ? of : 'zero_skipped'] : [];
    return [
      rowOf(
        facts,
        { ...own, accounting: null, accountingAmount: zero },
        [{ class: of, amount: negate(psaAmount) }],
        // A document that is voided on one side and deleted on the other agrees.
        details,
      ),
    ];
  }
  const isThere = isOf(facts.month, document);
  if (!isHere && !isThere) return [];
  const accountingAmount = isThere ? signedTotal(document) : zero;
  const currency = currencyOf(document, facts);
  if (currency !== source.currency) {
    const inAccounting = { currency, psa: source, accounting: document, psaAmount: zero, accountingAmount };
    return [
      ...(isHere
        ? [
            rowOf(facts, { ...own, accounting: document, accountingAmount: zero }, [
              { class: 'currency_differs', amount: negate(psaAmount) },
            ]),
          ]
        : []),
      ...(isThere ? [rowOf(facts, inAccounting, [{ class: 'currency_differs', amount: accountingAmount }])] : []),
    ];
  }
  if (!isHere)
    return [
      rowOf(facts, { ...own, accounting: document, accountingAmount }, [
        { class: 'dated_elsewhere_in_psa', amount: accountingAmount },
      ]),
    ];
  const changes =
    posting?.fingerprint === undefined || posting.fingerprint === null
      ? []
      : compareFingerprints(posting.fingerprint, fingerprintOf(document));
  const moved: Finding[] = isThere
    ? []
    : [{ class: wasMovedByUs(document) ? 'date_moved' : 'date_edited', amount: negate(signedTotal(document)) }];
  return [
    rowOf(
      facts,
      { ...own, accounting: document, accountingAmount },
      [...withDifference(amountFindings(source, document, posting, facts), differenceOf(source, facts)), ...moved],
      detailsOf(source, document, posting, changes, isThere, facts),
      changes,
    ),
  ];
}

/** Returns whether the posting date was moved out of a closed period, according to the note (domain reference 5.8). */
export const wasMovedByUs = ({ privateNote }: AccountingDocument): boolean =>
  (privateNote ?? '').includes('Original date ');

/** Returns why the totals of document and source differ. Their months do not matter. */
function amountFindings(
  source: PsaDocument,
  document: AccountingDocument,
  posting: PostedDocument | null,
  facts: CompletenessFacts,
): Finding[] {
  if (source.isVoided && document.isVoided) return [];
  if (source.isVoided) return [{ class: classOfVoided(source, document, facts), amount: signedTotal(document) }];
  if (document.isVoided) return [{ class: 'voided_in_accounting', amount: negate(source.total) }];
  const found: Finding[] = [];
  const now = { total: signedTotal(document), tax: signedTax(document) };
  const then = {
    total: isPresent(posting?.total) ? ofType(document.type, posting.total) : now.total,
    tax: isPresent(posting?.tax) ? ofType(document.type, posting.tax) : now.tax,
    psaTotal: posting?.psaTotal ?? source.total,
  };
  const edited = minus(now.total, then.total);
  const discount = discountOf(document, posting, edited);
  found.push(
    { class: 'edited_in_accounting', amount: minus(edited, discount) },
    { class: 'discounted_in_accounting', amount: discount },
    { class: 'edited_in_psa', amount: minus(then.psaTotal, source.total) },
  );
  // A difference that already existed at posting is not a later change.
  const atPosting = minus(then.total, then.psaTotal);
  if (isZero(atPosting)) return found;
  const isSamePsa = isZero(minus(then.psaTotal, source.total));
  const psaTax = posting?.psaTax ?? (isSamePsa ? source.tax : null);
  if (psaTax === null)
    return isRoundingOfTax(atPosting, document) ? [...found, { class: 'rounding', amount: atPosting }] : found;
  const tax = minus(then.tax, psaTax);
  const net = minus(atPosting, tax);
  const isRounded = isRoundingOfTax(tax, document);
  const roundedTax = isRounded ? tax : zero;
  if (!isRounded) found.push({ class: 'tax_differs', amount: tax });
  if (isZero(net)) return [...found, { class: 'rounding', amount: roundedTax }];
  // The lines of that time are not known any more.
  const isOfLines = !isSamePsa && compare(absolute(net), roundingOf(document.lines.length)) <= 0;
  if (isOfLines) return [...found, { class: 'rounding', amount: plus(roundedTax, net) }];
  if (source.linesNet === null || !isSamePsa) return [...found, { class: 'rounding', amount: roundedTax }];
  const header = minus(source.linesNet, minus(source.total, source.tax));
  const accountingLines = sum(document.lines.map(({ amount }) => ofType(document.type, amount)));
  // Use the lines as posted: later edits already have a finding.
  const editedNet = minus(minus(now.total, now.tax), minus(then.total, then.tax));
  const lines = minus(minus(accountingLines, editedNet), source.linesNet);
  const isRounding = source.linesAddUp === true;
  return [
    ...found,
    { class: 'rounding', amount: plus(roundedTax, isRounding ? header : zero) },
    { class: 'header_differs', amount: isRounding ? zero : header },
    { class: 'lines_differ', amount: lines },
  ];
}

/** Returns what became of a document whose source was voided, or whose order was canceled. */
function classOfVoided({ id }: PsaDocument, { isOpen }: AccountingDocument, facts: CompletenessFacts): DifferenceClass {
  // QuickBooks does not void an order. A closed one expects no goods.
  if (isOpen === false) return 'closed_in_accounting';
  return isReversed(id, facts) ? 'credited_later' : 'voided_in_psa';
}

/**
 * Returns the part of an edit that is a discount, which we never post. If no other line changed, the tax changed with the
 * discount.
 */
function discountOf(document: AccountingDocument, posting: PostedDocument | null, edited: Decimal): Decimal {
  const discounts = document.lines.filter(({ isDiscount }) => isDiscount === true);
  const discount = ofType(document.type, sumOf(discounts));
  if (isZero(edited) || isZero(discount)) return zero;
  const posted = posting?.fingerprint?.lines;
  const lines = document.lines.filter((line) => !discounts.includes(line));
  return posted !== undefined && isZero(minus(sumOf(posted), sumOf(lines))) ? edited : discount;
}

/** Returns the amount that the customer still owes for an invoice and its difference documents. */
const balanceOf = (source: PsaDocument, document: AccountingDocument, facts: CompletenessFacts): Decimal =>
  sum([document, ...billedFor(source, facts)].map(({ type, balance }) => ofType(type, balance)));

/** Classes that a billed difference offsets, in this order. */
const madeGood = [
  'edited_in_psa',
  'edited_in_accounting',
  'discounted_in_accounting',
  'lines_differ',
  'header_differs',
  'tax_differs',
  'rounding',
] as const;

/**
 * Offsets findings against the amount of the billed differences. A remaining amount is a later change of the source, or
 * rounding.
 */
function withDifference(found: readonly Finding[], billed: Decimal): readonly Finding[] {
  if (isZero(billed)) return found;
  const rest = new Map<DifferenceClass, Decimal>(found.map((finding) => [finding.class, finding.amount]));
  let left = billed;
  for (const name of madeGood) {
    const amount = rest.get(name) ?? zero;
    if (isZero(amount) || isZero(left) || compare(amount, zero) > 0 === compare(left, zero) > 0) continue;
    const size = compare(absolute(amount), absolute(left)) <= 0 ? negate(amount) : left;
    rest.set(name, plus(amount, size));
    left = minus(left, size);
  }
  const over = compare(absolute(left), taxTolerance) <= 0 ? 'rounding' : 'edited_in_psa';
  rest.set(over, plus(rest.get(over) ?? zero, left));
  return [
    ...[...rest].map(([name, amount]) => ({ class: name, amount })),
    { class: 'difference_billed', amount: negate(billed) },
  ];
}

const isPresent = <T>(value: T | null | undefined): value is T => value !== null && value !== undefined;
/** Returns whether a difference of the tax is only what the taxed lines can round to, as for posting. */
function isRoundingOfTax(amount: Decimal, { lines }: AccountingDocument): boolean {
  const taxed = lines.filter(({ taxCode }) => taxCode !== 'NON');
  return [taxTolerance, roundingOf(taxed.length)].some((limit) => compare(absolute(amount), limit) <= 0);
}

/** Returns whether a document's customer, or sub-customer, has the name of the PSA's company. */
const isNamed = ({ party }: AccountingDocument, source: PsaDocument): boolean =>
  isName(party.name, source.party.name) || isName(party.name?.split(':').at(-1), source.party.name);

/** Returns whether the PSA shows another number than the posted one, which may be cut or have a suffix. */
const isRenumbered = ({ number, isNumberWritten }: PsaDocument, posted: string): boolean =>
  isNumberWritten === true && number !== '' && !posted.startsWith(number) && !number.startsWith(posted);

/** Returns the differences of a document that change no total. */
function detailsOf(
  source: PsaDocument,
  document: AccountingDocument,
  posting: PostedDocument | null,
  changes: readonly FingerprintChange[],
  isThere: boolean,
  facts: CompletenessFacts,
): DifferenceClass[] {
  if (source.isVoided || document.isVoided) return [];
  const changed = new Set(changes.map(({ field }) => field));
  const isMoved =
    changed.has('amount') &&
    (isZero(minus(sumOf(posting?.fingerprint?.lines ?? []), sumOf(document.lines))) ||
      (isPresent(posting?.total) && isZero(minus(document.total, posting.total))));
  const isOwed = document.type === 'Invoice' && !isZero(document.total);
  const has: Partial<Record<DifferenceClass, boolean>> = {
    // A document that a user corrected in QuickBooks agrees with the PSA, although it is not as it was posted.
    customer_differs:
      (changed.has('customer') && document.party.id !== source.mappedPartyId) ||
      (source.mappedPartyId === null
        ? source.isCustomerUnmapped === true && posting !== null && !isNamed(document, source)
        : // A parent may pay for its sub-customer.
          facts.kind !== 'payment' && !isPartyOf(source, document.party.id)),
    number_differs:
      isPresent(posting?.number) && (document.number !== posting.number || isRenumbered(source, posting.number)),
    date_differs:
      isThere && document.datedOn !== source.datedOn && (changed.has('date') || isRedated(source, document, posting)),
    due_differs: (changed.has('due') && document.dueOn !== source.dueOn) || isDueElsewhere(source, document, posting),
    item_differs: changed.has('item') || changed.has('lines'),
    account_differs: changed.has('account') || changed.has('item_account'),
    // A changed total already has an amount finding. At the same total, the amount moved between lines, or to the tax.
    amounts_moved: isMoved,
    // With other totals, the difference has its own finding.
    tax_differs:
      !isMoved &&
      isZero(minus(signedTotal(document), source.total)) &&
      !isRoundingOfTax(minus(signedTax(document), source.tax), document),
    rate_differs: changed.has('rate'),
    class_differs: changed.has('class'),
    location_differs: changed.has('location'),
    // The tax code of the document is part of a moved tax.
    tax_code_differs: changes.some(({ field, line }) => field === 'tax_code' && (line !== null || !changed.has('tax'))),
    tax_moved: changed.has('tax'),
    paid_differs: isOwed && isPaidOnOneSide(source, document, facts),
  };
  return differenceClassNames.filter((of) => has[of] === true);
}

const sumOf = (lines: readonly { readonly amount: Decimal }[]): Decimal => sum(lines.map(({ amount }) => amount));

/**
 * Returns whether only one side had an invoice as paid at the end of the month, although the sync copies paid states. Both
 * must have it as open or paid on one side today as well: a later payment of the other side settled the difference.
 */
function isPaidOnOneSide(source: PsaDocument, document: AccountingDocument, facts: CompletenessFacts): boolean {
  const { paidOn = null, isPaid, paymentSync } = source;
  if (isPaid === undefined || paymentSync === undefined) return false;
  const { asOf, openKeys } = facts;
  const wasPaid = isPaid && (asOf === undefined || paidOn === null || paidOn <= asOf);
  const isClear = compare(balanceOf(source, document, facts), zero) <= 0;
  const all = [document, ...billedFor(source, facts)].filter(({ datedOn }) => asOf === undefined || datedOn <= asOf);
  const wasClear =
    openKeys === undefined
      ? isClear
      : all.every(({ type, id }) => type !== 'Invoice' || !openKeys.has(keyOf(type, id)));
  return wasPaid !== wasClear && isPaid !== isClear;
}

const isPartyOf = ({ mappedPartyId, childPartyIds }: PsaDocument, id: string): boolean =>
  id === mappedPartyId || childPartyIds?.includes(id) === true;

/** Returns whether the PSA's date changed since the document was posted with it. */
const isRedated = (source: PsaDocument, document: AccountingDocument, posting: PostedDocument | null): boolean =>
  (document.type === 'Invoice' || document.type === 'CreditMemo') &&
  isPresent(posting?.fingerprint) &&
  posting.fingerprint.datedOn !== source.datedOn &&
  !wasMovedByUs(document);

/** Returns whether the due date differs between the sides and was not sent with the posting, because a term sets it. */
const isDueElsewhere = (source: PsaDocument, document: AccountingDocument, posting: PostedDocument | null): boolean =>
  document.type === 'Invoice' &&
  (posting?.isDueByTerm ?? (posting?.fingerprint?.dueOn ?? null) === null) &&
  source.dueOn !== null &&
  document.dueOn !== source.dueOn;

function duplicateRow(source: PsaDocument, document: AccountingDocument, facts: CompletenessFacts): DocumentRow {
  const accountingAmount = isOf(facts.month, document) ? signedTotal(document) : zero;
  const row = {
    currency: currencyOf(document, facts),
    psa: source,
    accounting: document,
    psaAmount: zero,
    accountingAmount,
  };
  return rowOf(facts, row, [{ class: 'duplicate', amount: accountingAmount }]);
}

/**
 * Returns the document that a user entered in place of a deleted or voided one: same customer, type and amount in the
 * month, and of no other source.
 */
function enteredAgain(
  source: PsaDocument,
  posting: PostedDocument | undefined,
  taken: ReadonlySet<string>,
  facts: CompletenessFacts,
): AccountingDocument | null {
  if (facts.kind !== 'invoice' || posting === undefined || source.isVoided || !isOf(facts.month, source)) return null;
  const partyId = posting.fingerprint?.partyId ?? source.mappedPartyId;
  return (
    facts.documents.find(
      (document) =>
        // The cheap conditions come first: a month has thousands of documents.
        document.party.id === partyId &&
        document.type === posting.type &&
        !document.isVoided &&
        currencyOf(document, facts) === source.currency &&
        isOf(facts.month, document) &&
        isZero(minus(signedTotal(document), source.total)) &&
        !taken.has(keyOf(document.type, document.id)) &&
        notedSource(document, facts) === null,
    ) ?? null
  );
}

/** What is looked up for each document of the month. Built once, since a month has thousands of documents. */
interface Lookups {
  /** Documents that are not voided, by the source that their private note names; empty for payments. */
  readonly noted: ReadonlyMap<number | null, readonly AccountingDocument[]>;
  /** Posted documents that are not voided, by {@link resemblanceOf}. */
  readonly posted: ReadonlyMap<string, readonly AccountingDocument[]>;
  /** Sources that have a document in our ledger, so that another one that names them is a copy. */
  readonly recorded: ReadonlySet<number>;
  readonly voided: ReadonlySet<number>;
}

function lookupsOf(facts: CompletenessFacts): Lookups {
  const ours = new Set(facts.postings.map(({ type, id }) => keyOf(type, id)));
  const present = facts.documents.filter(({ isVoided }) => !isVoided);
  return {
    noted: Map.groupBy(facts.kind === 'payment' ? [] : present, (document) => notedSource(document, facts)),
    posted: Map.groupBy(
      present.filter(({ type, id }) => ours.has(keyOf(type, id))),
      resemblanceOf,
    ),
    recorded: new Set(facts.recorded?.values()),
    voided: new Set(facts.sources.filter(({ isVoided }) => isVoided).map(({ id }) => id)),
  };
}

/** Returns what a document shares with one that a user entered a second time: type, party, total and lines. */
const resemblanceOf = ({ type, party, total, lines }: AccountingDocument): string =>
  JSON.stringify([type, party.id, total, lines.map(({ itemId, accountId, amount }) => [itemId, accountId, amount])]);

/**
 * Returns the document of a source whose posting is unknown, for example after a restore from a backup: its private note
 * names the source.
 */
const notRecorded = (
  { id, part, isVoided }: PsaDocument,
  taken: ReadonlySet<string>,
  { noted }: Lookups,
): AccountingDocument | null =>
  part !== undefined || isVoided
    ? null
    : (noted.get(id)?.find((document) => !taken.has(keyOf(document.type, document.id))) ?? null);

const withNotRecorded = (row: DocumentRow): DocumentRow => ({
  ...row,
  findings: [...row.findings, { class: 'not_recorded', amount: zero }],
});

/** Returns one row for both documents: their amounts agree, but they are not linked. */
const enteredAgainRow = (source: PsaDocument, accounting: AccountingDocument, facts: CompletenessFacts): DocumentRow =>
  rowOf(
    facts,
    {
      currency: source.currency,
      psa: source,
      accounting,
      psaAmount: source.total,
      accountingAmount: signedTotal(accounting),
    },
    [],
    ['entered_again'],
  );

/** Returns the row of an extra document, if it has one in the month. */
function extraRowOf(of: ExtraDocument, facts: CompletenessFacts): DocumentRow[] {
  const found = extraRow(of, facts);
  if (found === null) return [];
  const { extra, document, currency, accountingAmount, findings, details, changes } = found;
  const row = { currency, psa: null, accounting: document, psaAmount: zero, accountingAmount, extra };
  return [rowOf(facts, row, findings, details, changes)];
}

/** Returns the row of a document without a source in the PSA. */
function strayRow(document: AccountingDocument, facts: CompletenessFacts, lookups: Lookups): DocumentRow {
  const accountingAmount = signedTotal(document);
  const row = {
    currency: currencyOf(document, facts),
    psa: null,
    accounting: document,
    psaAmount: zero,
    accountingAmount,
  };
  return rowOf(facts, row, [{ class: strayClass(document, facts, lookups), amount: accountingAmount }]);
}

/** Returns the source of a kind that a document's private note names; null if it names none. */
export function notedSource(
  { privateNote }: AccountingDocument,
  { kind, psaLabel }: Pick<CompletenessFacts, 'kind' | 'psaLabel'>,
): number | null {
  const [, before = '', after = ''] = (privateNote ?? '').split(RegExp(`(${psaLabel} ${nouns[kind]} )`), 3);
  const id = before === '' ? undefined : /^\d+/.exec(after)?.[0];
  return id === undefined ? null : Number(id);
}

function strayClass(document: AccountingDocument, facts: CompletenessFacts, lookups: Lookups): DifferenceClass {
  const { type, party } = document;
  if (type === 'SalesReceipt') return 'sales_receipt';
  if (type === 'RefundReceipt') return 'refund_receipt';
  // It is the posted document itself, whose source is gone.
  if (facts.recorded?.has(keyOf(type, document.id)) === true) return 'accounting_made_by_us';
  const source = notedSource(document, facts);
  if (source !== null && lookups.voided.has(source)) return 'voided_in_psa';
  if (source !== null) return lookups.recorded.has(source) ? 'possible_duplicate' : 'accounting_made_by_us';
  if (type === 'Payment') return 'received_in_accounting';
  // Same customer, type and lines as a posted document of the month.
  if (lookups.posted.has(resemblanceOf(document))) return 'possible_duplicate';
  if (type === 'Bill' || type === 'PurchaseOrder') return 'vendor_document';
  return facts.mappedPartyIds.has(party.id) ? 'accounting_by_hand' : 'accounting_unmapped';
}

function bridgesOf(kind: CloseKind, rows: readonly DocumentRow[]): Bridge[] {
  return [...Map.groupBy(rows, ({ currency }) => currency)]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([currency, own]) => {
      const psaTotal = sum(own.map((row) => row.psaAmount));
      const accountingTotal = sum(own.map((row) => row.accountingAmount));
      const findings = Map.groupBy(
        own.flatMap((row) => row.findings),
        (finding) => finding.class,
      );
      const classes = differenceClassNames.flatMap((of) => {
        const found = findings.get(of);
        return found === undefined
          ? []
          : [{ class: of, count: found.length, amount: sum(found.map(({ amount }) => amount)) }];
      });
      const difference = minus(accountingTotal, psaTotal);
      const explained = sum(classes.map(({ amount }) => amount));
      return {
        kind,
        currency,
        psaCount: own.filter((row) => !isZero(row.psaAmount)).length,
        psaTotal,
        accountingCount: own.filter((row) => !isZero(row.accountingAmount)).length,
        accountingTotal,
        accountingTax: sum(
          own.map(({ accounting, accountingAmount }) =>
            accounting === null || isZero(accountingAmount) ? zero : signedTax(accounting),
          ),
        ),
        difference,
        explained,
        unexplained: minus(difference, explained),
        matched: own.filter(({ findings: none, unexplained }) => none.length === 0 && isZero(unexplained)).length,
        classes,
      };
    });
}
