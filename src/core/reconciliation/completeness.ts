import type { BooksDocument } from '../documents/books-document.ts';
import { compare, absolute, isZero, minus, negate, plus, sum, zero, type Decimal } from '../values/decimal.ts';
import type { CalendarDate } from '../values/dates.ts';
import { roundingLimit } from '../planning/rounding-limit.ts';
import { differenceClassNames, type DifferenceClass, type MissingClass } from './difference-classes.ts';
import {
  compareFingerprints,
  fingerprintOf,
  type Fingerprint,
  type FingerprintChange,
  type FingerprintLine,
} from './fingerprint.ts';
import { monthOf, type Month } from './month.ts';
import { ofType, signedTax, signedTotal } from './signed.ts';

/** Kinds of documents whose completeness a month proves; voids are classes of invoices. */
export const closeKinds = ['invoice', 'purchase_order', 'expense_report', 'payment'] as const;
export type CloseKind = (typeof closeKinds)[number];

/** A document of the PSA. Amounts have the sign of what the customer owes; those of a void are what it came to before. */
export interface PsaDocument {
  readonly id: number;
  /** Month of this bill, where a report has a bill for each month; absent for a document that is posted whole. */
  readonly part?: string;
  readonly number: string;
  readonly party: { readonly id: number; readonly name: string };
  readonly datedOn: CalendarDate;
  readonly dueOn: CalendarDate | null;
  readonly currency: string;
  readonly total: Decimal;
  readonly tax: Decimal;
  /** The region that it was taxed for; absent or empty when it names none. */
  readonly taxRegion?: string | null;
  /** Sum of its lines without tax; null while they were not read. */
  readonly linesNet: Decimal | null;
  readonly isVoided: boolean;
  /** Whether the PSA shows it as paid; absent where that means nothing, such as of an order. */
  readonly isPaid?: boolean;
  /** Day on which the PSA shows it as paid. */
  readonly paidOn?: CalendarDate | null;
  /** Whether the payment sync can pay it in QuickBooks, and can mark it as paid in the PSA; absent if it has no payments. */
  readonly paymentSync?: { readonly toBooks: boolean; readonly toPsa: boolean };
  /** Whether it is held, and not posted, while QuickBooks is closed for its date; absent where that does not apply. */
  readonly isHeldWhenClosed?: boolean;
  /** Whether something of an order is still expected. */
  readonly isOpen?: boolean;
  /** The record of the books that its party is mapped to, as far as one is. */
  readonly mappedPartyId: string | null;
  /** Customers below that one: a document of theirs is its own, because a parent pays for its children. */
  readonly childPartyIds?: readonly string[];
  /** Why it is not in the books, should it not be. */
  readonly ifMissing: MissingClass;
}

/** A document that the ledger of postings has, as it was posted. Oldest first; the last of a source counts. */
export interface PostedDocument {
  readonly psaId: number;
  readonly part?: string;
  /** The bill of a split report that QuickBooks no longer has. */
  readonly isGone?: boolean;
  readonly type: string;
  readonly id: string;
  readonly number: string | null;
  /** Total as the books answered it then, unsigned. */
  readonly total: Decimal | null;
  readonly tax: Decimal | null;
  /** Total as the PSA said it then. */
  readonly psaTotal: Decimal | null;
  readonly psaTax: Decimal | null;
  readonly fingerprint: Fingerprint | null;
  /** Whether QuickBooks computed the due day itself, from a term; absent: as far as the fingerprint has none. */
  readonly isDueByTerm?: boolean;
}

export interface CompletenessFacts {
  readonly kind: CloseKind;
  readonly month: Month;
  /** Documents of the PSA dated in the month, and those of other months whose document is dated in it. */
  readonly sources: readonly PsaDocument[];
  readonly postings: readonly PostedDocument[];
  /** Documents of the books dated in the month, and those of other months that stand for a source of this one. */
  readonly documents: readonly BooksDocument[];
  /** Credit memos of ours that take back an invoice which was voided in a later month. */
  readonly credits: readonly { readonly psaId: number; readonly id: string }[];
  /** Documents of ours that bill what an invoice comes to more or less since it was posted. */
  readonly differences: readonly { readonly psaId: number; readonly type: string; readonly id: string }[];
  readonly mappedPartyIds: ReadonlySet<string>;
  /** Sources, named by the notes of documents, that have a document in our ledger; their other documents are copies. */
  readonly originals?: ReadonlySet<number>;
  readonly homeCurrency: string;
  readonly psaLabel: string;
}

export interface Finding {
  readonly class: DifferenceClass;
  /** Amount that it adds to the books over the PSA; 0 for what changes no total. */
  readonly amount: Decimal;
}

/** One document of the month, with both sides of it in one currency. */
export interface DocumentRow {
  readonly kind: CloseKind;
  readonly currency: string;
  readonly psa: PsaDocument | null;
  readonly books: BooksDocument | null;
  /** The PSA's amount in this month and this currency. */
  readonly psaAmount: Decimal;
  readonly booksAmount: Decimal;
  /** Books minus PSA. */
  readonly difference: Decimal;
  /** Each class at most once; empty when both sides agree. */
  readonly findings: readonly Finding[];
  /** The difference less its findings. */
  readonly unexplained: Decimal;
  readonly changes: readonly FingerprintChange[];
  /** The PSA's lines as they were posted; absent where it was not posted, or its body says no lines. */
  readonly posted?: readonly FingerprintLine[];
}

/** The totals of one kind in one currency; `psaTotal` plus the classes plus `unexplained` is `booksTotal`. */
export interface Bridge {
  readonly kind: CloseKind;
  readonly currency: string;
  readonly psaCount: number;
  readonly psaTotal: Decimal;
  readonly booksCount: number;
  readonly booksTotal: Decimal;
  readonly booksTax: Decimal;
  readonly difference: Decimal;
  readonly explained: Decimal;
  readonly unexplained: Decimal;
  readonly matched: number;
  readonly classes: readonly { readonly class: DifferenceClass; readonly count: number; readonly amount: Decimal }[];
}

/** Nouns that name a posting's source in its private note. */
const nouns = {
  invoice: 'invoice',
  purchase_order: 'purchase order',
  expense_report: 'expense report',
  payment: 'invoice',
} as const satisfies Record<CloseKind, string>;

/** Names a source, or the part of it that one bill covers. */
export const sourceKey = (id: number, part: string | undefined): string =>
  part === undefined ? `${id}` : `${id} ${part}`;

/** Names a document of the books. */
export const keyOf = (type: string, id: string): string => `${type} ${id}`;

/**
 * Compares every document of a month.
 *
 * Invariants: each source and each document stands in one row, or in two when their currencies differ; of each row and
 * each bridge the difference is the sum of its findings and what is unexplained, without any tolerance; what was moved
 * from one month to another adds up to 0 over both.
 */
export function proveCompleteness(facts: CompletenessFacts): {
  readonly rows: readonly DocumentRow[];
  readonly bridges: readonly Bridge[];
} {
  const documents = new Map(facts.documents.map((one) => [keyOf(one.type, one.id), one]));
  const posted = Map.groupBy(facts.postings, ({ psaId, part }) => sourceKey(psaId, part));
  const taken = new Set<string>();
  const rows = facts.sources.flatMap((source) => {
    const own = posted.get(sourceKey(source.id, source.part)) ?? [];
    const keys = [...new Set(own.map(({ type, id }) => keyOf(type, id)))];
    for (const key of keys) taken.add(key);
    const found = keys.flatMap((key) => documents.get(key) ?? []);
    // Of several the last one stands for the source; the others are there once too often, unless they were voided.
    const standing = found.findLast(({ isVoided }) => !isVoided) ?? found.at(-1) ?? null;
    const others = found.filter((one) => one !== standing && !one.isVoided);
    const posting = own.findLast(({ type, id }) => standing === null || (type === standing.type && id === standing.id));
    return [
      ...pairRows(source, standing, posting ?? null, facts),
      ...others.map((one) => duplicateRow(source, one, facts)),
    ];
  });
  const strays = facts.documents.filter(
    (one) => !taken.has(keyOf(one.type, one.id)) && isOf(facts.month, one) && !one.isVoided,
  );
  const all = [...rows, ...strays.map((one) => strayRow(one, facts))];
  return { rows: all, bridges: bridgesOf(facts.kind, all) };
}

const isOf = (month: Month, { datedOn }: { readonly datedOn: CalendarDate }): boolean => monthOf(datedOn) === month;
const currencyOf = (document: BooksDocument, { homeCurrency }: CompletenessFacts): string =>
  document.currency ?? homeCurrency;

/** A row whose findings are given; findings of nothing are left out, and what they leave over is unexplained. */
function rowOf(
  facts: CompletenessFacts,
  row: Pick<DocumentRow, 'currency' | 'psa' | 'books' | 'psaAmount' | 'booksAmount' | 'posted'>,
  moving: readonly Finding[],
  details: readonly DifferenceClass[] = [],
  changes: readonly FingerprintChange[] = [],
): DocumentRow {
  const difference = minus(row.booksAmount, row.psaAmount);
  const findings = [
    ...moving.filter(({ amount }) => !isZero(amount)),
    ...details.map((of) => ({ class: of, amount: zero })),
  ];
  const unexplained = minus(difference, sum(findings.map(({ amount }) => amount)));
  return { kind: facts.kind, ...row, difference, findings, unexplained, changes };
}

/** A source and the document that stands for it: one row, or one in each currency. */
function pairRows(
  source: PsaDocument,
  document: BooksDocument | null,
  posting: PostedDocument | null,
  facts: CompletenessFacts,
): DocumentRow[] {
  const isHere = isOf(facts.month, source);
  const psaAmount = isHere && !source.isVoided ? source.total : zero;
  const lines = posting?.fingerprint?.lines;
  const own = { currency: source.currency, psa: source, psaAmount, ...(lines === undefined ? {} : { posted: lines }) };
  if (document === null) {
    if (!isHere) return [];
    const isNothing = source.isVoided || isZero(source.total);
    const of = posting === null ? source.ifMissing : 'deleted_in_books';
    const details: DifferenceClass[] = isNothing && !source.isVoided ? ['zero_skipped'] : [];
    return [
      rowOf(
        facts,
        { ...own, books: null, booksAmount: zero },
        [{ class: of, amount: negate(psaAmount) }],
        // A document that was voided on one side and deleted on the other agrees.
        details,
      ),
    ];
  }
  const isThere = isOf(facts.month, document);
  if (!isHere && !isThere) return [];
  const booksAmount = isThere ? signedTotal(document) : zero;
  const currency = currencyOf(document, facts);
  if (currency !== source.currency) {
    const inBooks = { currency, psa: source, books: document, psaAmount: zero, booksAmount };
    return [
      ...(isHere
        ? [
            rowOf(facts, { ...own, books: document, booksAmount: zero }, [
              { class: 'currency_differs', amount: negate(psaAmount) },
            ]),
          ]
        : []),
      ...(isThere ? [rowOf(facts, inBooks, [{ class: 'currency_differs', amount: booksAmount }])] : []),
    ];
  }
  if (!isHere)
    return [
      rowOf(facts, { ...own, books: document, booksAmount }, [
        { class: 'dated_elsewhere_in_psa', amount: booksAmount },
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
      { ...own, books: document, booksAmount },
      [...withDifference(amountFindings(source, document, posting, facts), differenceOf(source, facts)), ...moved],
      detailsOf(source, document, posting, changes, isThere, balanceOf(source, document, facts)),
      changes,
    ),
  ];
}

/** The posting date was moved out of closed books, and the note says so (domain reference 5.8). */
export const wasMovedByUs = ({ privateNote }: BooksDocument): boolean => (privateNote ?? '').includes('Original date ');

/** Why the document does not come to what the source comes to, whatever months they are dated in. */
function amountFindings(
  source: PsaDocument,
  document: BooksDocument,
  posting: PostedDocument | null,
  { credits }: CompletenessFacts,
): Finding[] {
  if (source.isVoided && document.isVoided) return [];
  const isCredited = credits.some(({ psaId }) => psaId === source.id);
  if (source.isVoided)
    return [{ class: isCredited ? 'credited_later' : 'voided_in_psa', amount: signedTotal(document) }];
  if (document.isVoided) return [{ class: 'voided_in_books', amount: negate(source.total) }];
  const found: Finding[] = [];
  const now = { total: signedTotal(document), tax: signedTax(document) };
  const then = {
    total: isSaid(posting?.total) ? ofType(document.type, posting.total) : now.total,
    tax: isSaid(posting?.tax) ? ofType(document.type, posting.tax) : now.tax,
    psaTotal: posting?.psaTotal ?? source.total,
  };
  found.push(
    { class: 'edited_in_books', amount: minus(now.total, then.total) },
    { class: 'edited_in_psa', amount: minus(then.psaTotal, source.total) },
  );
  // A difference of the day of posting is no change since.
  const atPosting = minus(then.total, then.psaTotal);
  if (isZero(atPosting)) return found;
  const isSamePsa = isZero(minus(then.psaTotal, source.total));
  const psaTax = posting?.psaTax ?? (isSamePsa ? source.tax : null);
  if (psaTax === null)
    return isSmall(atPosting, document.lines.length) ? [...found, { class: 'rounding', amount: atPosting }] : found;
  const tax = minus(then.tax, psaTax);
  const net = minus(atPosting, tax);
  if (isSmall(atPosting, document.lines.length) && isSmall(tax, document.lines.length))
    return [...found, { class: 'rounding', amount: atPosting }];
  found.push({ class: 'tax_differs', amount: tax });
  if (isSmall(net, document.lines.length)) return [...found, { class: 'rounding', amount: net }];
  if (source.linesNet === null || !isSamePsa) return found;
  const header = minus(source.linesNet, minus(source.total, source.tax));
  const booksLines = sum(document.lines.map(({ amount }) => ofType(document.type, amount)));
  // Lines tell what they come to now: what was edited since is told already.
  const editedNet = minus(minus(now.total, now.tax), minus(then.total, then.tax));
  const lines = minus(minus(booksLines, editedNet), source.linesNet);
  return [...found, { class: 'header_differs', amount: header }, { class: 'lines_differ', amount: lines }];
}

/** Documents that bill differences of a source, whatever months they are dated in. */
const billedFor = ({ id }: PsaDocument, { differences, documents }: CompletenessFacts): readonly BooksDocument[] => {
  const keys = new Set(differences.flatMap((one) => (one.psaId === id ? [keyOf(one.type, one.id)] : [])));
  return keys.size === 0 ? [] : documents.filter((one) => keys.has(keyOf(one.type, one.id)));
};

/** Sum of what documents of their own bill of the difference, whatever months they are dated in. */
const differenceOf = (source: PsaDocument, facts: CompletenessFacts): Decimal =>
  sum(billedFor(source, facts).map(signedTotal));

/** Amount that the customer still owes of an invoice and its difference documents. */
const balanceOf = (source: PsaDocument, document: BooksDocument, facts: CompletenessFacts): Decimal =>
  sum([document, ...billedFor(source, facts)].map(({ type, balance }) => ofType(type, balance)));

/** Classes that a billed difference makes good, in the order in which it is set against what was found. */
const madeGood = [
  'edited_in_psa',
  'edited_in_books',
  'lines_differ',
  'header_differs',
  'tax_differs',
  'rounding',
] as const;

/**
 * Sets what was billed by documents of their own against why the document does not come to what its source comes to. An
 * amount billed beyond that is a change of the source since, or a cent of tax.
 */
function withDifference(found: readonly Finding[], billed: Decimal): readonly Finding[] {
  if (isZero(billed)) return found;
  const rest = new Map<DifferenceClass, Decimal>(found.map((one) => [one.class, one.amount]));
  let left = billed;
  for (const name of madeGood) {
    const amount = rest.get(name) ?? zero;
    if (isZero(amount) || isZero(left) || compare(amount, zero) > 0 === compare(left, zero) > 0) continue;
    const size = compare(absolute(amount), absolute(left)) <= 0 ? negate(amount) : left;
    rest.set(name, plus(amount, size));
    left = minus(left, size);
  }
  const over = isSmall(left) ? 'rounding' : 'edited_in_psa';
  rest.set(over, plus(rest.get(over) ?? zero, left));
  return [
    ...[...rest].map(([name, amount]) => ({ class: name, amount })),
    { class: 'difference_billed', amount: negate(billed) },
  ];
}

const isSaid = <T>(value: T | null | undefined): value is T => value !== null && value !== undefined;
/** Whether a difference counts as rounding: the tolerance with which the document is posted. */
const isSmall = (amount: Decimal, lines = 1): boolean => compare(absolute(amount), roundingLimit(lines)) <= 0;

/** Differences of a document that change no total. */
function detailsOf(
  source: PsaDocument,
  document: BooksDocument,
  posting: PostedDocument | null,
  changes: readonly FingerprintChange[],
  isThere: boolean,
  balance: Decimal,
): DifferenceClass[] {
  if (source.isVoided || document.isVoided) return [];
  const changed = new Set(changes.map(({ field }) => field));
  const isOwed = document.type === 'Invoice' && !isZero(document.total);
  const has: Partial<Record<DifferenceClass, boolean>> = {
    customer_differs:
      changed.has('customer') || (source.mappedPartyId !== null && !isPartyOf(source, document.party.id)),
    number_differs: isSaid(posting?.number) && document.number !== posting.number,
    date_differs: changed.has('date') && isThere,
    due_differs: changed.has('due') || isDueElsewhere(source, document, posting),
    item_differs: changed.has('item') || changed.has('lines'),
    account_differs: changed.has('account'),
    // Lines that add up to another sum are told by the amount.
    amounts_moved:
      changed.has('amount') && isZero(minus(sumOf(posting?.fingerprint?.lines ?? []), sumOf(document.lines))),
    rate_differs: changed.has('rate'),
    class_differs: changed.has('class'),
    tax_code_differs: changed.has('tax_code'),
    paid_differs: source.isPaid !== undefined && isOwed && source.isPaid !== compare(balance, zero) <= 0,
  };
  return differenceClassNames.filter((of) => has[of] === true);
}

const sumOf = (lines: readonly { readonly amount: Decimal }[]): Decimal => sum(lines.map(({ amount }) => amount));

const isPartyOf = ({ mappedPartyId, childPartyIds }: PsaDocument, id: string): boolean =>
  id === mappedPartyId || childPartyIds?.includes(id) === true;

/** A due day that the posting did not carry (a term made it) and that differs between the two sides. */
const isDueElsewhere = (source: PsaDocument, document: BooksDocument, posting: PostedDocument | null): boolean =>
  document.type === 'Invoice' &&
  (posting?.isDueByTerm ?? (posting?.fingerprint?.dueOn ?? null) === null) &&
  source.dueOn !== null &&
  document.dueOn !== source.dueOn;

function duplicateRow(source: PsaDocument, document: BooksDocument, facts: CompletenessFacts): DocumentRow {
  const booksAmount = isOf(facts.month, document) ? signedTotal(document) : zero;
  const row = { currency: currencyOf(document, facts), psa: source, books: document, psaAmount: zero, booksAmount };
  return rowOf(facts, row, [{ class: 'duplicate', amount: booksAmount }]);
}

/** A document behind which no source of the PSA stands. */
function strayRow(document: BooksDocument, facts: CompletenessFacts): DocumentRow {
  const booksAmount = signedTotal(document);
  const row = { currency: currencyOf(document, facts), psa: null, books: document, psaAmount: zero, booksAmount };
  return rowOf(facts, row, [{ class: strayClass(document, facts), amount: booksAmount }]);
}

/** Returns the source of a kind that a document's private note names; null if it names none. */
export function notedSource(
  { privateNote }: BooksDocument,
  { kind, psaLabel }: Pick<CompletenessFacts, 'kind' | 'psaLabel'>,
): number | null {
  const [, before = '', after = ''] = (privateNote ?? '').split(RegExp(`(${psaLabel} ${nouns[kind]} )`), 3);
  const id = before === '' ? undefined : /^\d+(?!\d)/.exec(after)?.[0];
  return id === undefined ? null : Number(id);
}

const essence = ({ itemId, accountId, amount }: BooksDocument['lines'][number]) => [itemId, accountId, amount];

/** A document typed by a person that repeats one of ours: the same customer, type and lines in the same month. */
const isRepeated = (document: BooksDocument, { documents, postings }: CompletenessFacts): boolean => {
  const ours = new Set(postings.map(({ type, id }) => keyOf(type, id)));
  return documents.some(
    (one) =>
      ours.has(keyOf(one.type, one.id)) &&
      !one.isVoided &&
      one.type === document.type &&
      one.party.id === document.party.id &&
      isZero(minus(one.total, document.total)) &&
      JSON.stringify(one.lines.map(essence)) === JSON.stringify(document.lines.map(essence)),
  );
};

function strayClass(document: BooksDocument, facts: CompletenessFacts): DifferenceClass {
  const { type, id, party } = document;
  if (facts.differences.some((one) => one.type === type && one.id === id)) return 'difference_document';
  if (type === 'CreditMemo' && facts.credits.some((one) => one.id === id)) return 'credit_of_void';
  if (type === 'SalesReceipt') return 'sales_receipt';
  if (type === 'RefundReceipt') return 'refund_receipt';
  const source = notedSource(document, facts);
  if (source !== null) return facts.originals?.has(source) === true ? 'possible_duplicate' : 'books_made_by_us';
  if (type === 'Payment') return 'received_in_books';
  if (type === 'Bill' || type === 'PurchaseOrder') return 'vendor_document';
  if (isRepeated(document, facts)) return 'possible_duplicate';
  return facts.mappedPartyIds.has(party.id) ? 'books_by_hand' : 'books_unmapped';
}

function bridgesOf(kind: CloseKind, rows: readonly DocumentRow[]): Bridge[] {
  return [...Map.groupBy(rows, ({ currency }) => currency)]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([currency, own]) => {
      const psaTotal = sum(own.map((row) => row.psaAmount));
      const booksTotal = sum(own.map((row) => row.booksAmount));
      const findings = Map.groupBy(
        own.flatMap((row) => row.findings),
        (one) => one.class,
      );
      const classes = differenceClassNames.flatMap((of) => {
        const found = findings.get(of);
        return found === undefined
          ? []
          : [{ class: of, count: found.length, amount: sum(found.map(({ amount }) => amount)) }];
      });
      const difference = minus(booksTotal, psaTotal);
      const explained = sum(classes.map(({ amount }) => amount));
      return {
        kind,
        currency,
        psaCount: own.filter((row) => !isZero(row.psaAmount)).length,
        psaTotal,
        booksCount: own.filter((row) => !isZero(row.booksAmount)).length,
        booksTotal,
        booksTax: sum(
          own.map(({ books, booksAmount }) => (books === null || isZero(booksAmount) ? zero : signedTax(books))),
        ),
        difference,
        explained,
        unexplained: minus(difference, explained),
        matched: own.filter(({ findings: none, unexplained }) => none.length === 0 && isZero(unexplained)).length,
        classes,
      };
    });
}
