import { dayText, isCalendarDate, type CalendarDate, type Instant } from '../values/dates.ts';
import { compare, isZero, sum, zero, negate, type Decimal } from '../values/decimal.ts';
import {
  proveCompleteness,
  sourceKey,
  type Bridge,
  type CloseKind,
  type CompletenessFacts,
  type DocumentRow,
} from './completeness.ts';
import type { DifferenceClass } from './difference-classes.ts';
import type { FingerprintField } from './fingerprint.ts';
import { actionsOf, type ExceptionAction } from './exception-actions.ts';
import type { Month } from './month.ts';
import { nameIn, noNames, type RecordNames } from './record-names.ts';
import { holds, type TieOut, type TieOutFacts } from './tie-out.ts';
import { tieOuts } from './tie-outs.ts';

/** Facts that a month is proved from. */
export interface CloseFacts {
  readonly month: Month;
  readonly homeCurrency: string;
  readonly kinds: readonly CompletenessFacts[];
  readonly tieOuts: TieOutFacts;
  readonly closedThrough: CalendarDate | null;
}

/** A month as it was found: what a sign-off is about. */
export interface Proof {
  readonly month: Month;
  readonly homeCurrency: string;
  readonly rows: readonly DocumentRow[];
  readonly bridges: readonly Bridge[];
  readonly tieOuts: readonly TieOut[];
  /** Through which day the books were closed; absent in proofs of earlier versions. */
  readonly closedThrough?: CalendarDate | null;
}

type ProvedRows = Pick<Proof, 'rows' | 'closedThrough'>;

/** The numbers of one currency that the head of the screen shows. */
export interface CurrencyTotals {
  readonly currency: string;
  readonly psaTotal: Decimal;
  readonly booksTotal: Decimal;
  readonly difference: Decimal;
  readonly explained: Decimal;
  /** Unexplained amount of the documents, and in the home currency of what QuickBooks' own reports say besides. */
  readonly unexplained: Decimal;
}

/** Proves a month: pure, the same facts give the same proof. */
export function tieOut(facts: CloseFacts): Proof {
  const found = facts.kinds.map((kind) => proveCompleteness(kind));
  const rows = found.flatMap((one) => one.rows);
  return {
    month: facts.month,
    homeCurrency: facts.homeCurrency,
    rows,
    bridges: found.flatMap(({ bridges }) => bridges),
    tieOuts: tieOuts(facts.tieOuts, rows),
    closedThrough: facts.closedThrough,
  };
}

/** The currencies of a proof, the home currency first; it is there even when nothing was found. */
export function currenciesOf({ bridges, homeCurrency }: Pick<Proof, 'bridges' | 'homeCurrency'>): readonly string[] {
  const others = bridges.map(({ currency }) => currency).filter((currency) => currency !== homeCurrency);
  return [homeCurrency, ...[...new Set(others)].sort()];
}

/** The three numbers by currency: sales documents, each currency by itself. */
export function totalsOf(proof: Pick<Proof, 'bridges' | 'homeCurrency'>): readonly CurrencyTotals[] {
  return currenciesOf(proof).map((currency) => {
    const bridge = proof.bridges.find((one) => one.kind === 'invoice' && one.currency === currency);
    return {
      currency,
      psaTotal: bridge?.psaTotal ?? zero,
      booksTotal: bridge?.booksTotal ?? zero,
      difference: bridge?.difference ?? zero,
      explained: bridge?.explained ?? zero,
      unexplained: sum(proof.bridges.flatMap((one) => (one.currency === currency ? [one.unexplained] : []))),
    };
  });
}

/** An obstacle to signing without a reason. Obstacles are shown in their order. */
export interface Obstacle {
  readonly label: string;
  readonly currency: string;
  readonly amount: Decimal;
}

/** Lists every amount that is not 0.00 and has to be. */
export function obstaclesOf({ bridges, tieOuts: ties, homeCurrency }: Proof): readonly Obstacle[] {
  return [
    ...bridges.flatMap(({ kind, currency, unexplained }) =>
      isZero(unexplained) ? [] : [{ label: kindLabels[kind], currency, amount: unexplained }],
    ),
    ...ties.flatMap((one) =>
      holds(one) ? [] : [{ label: one.label, currency: homeCurrency, amount: one.difference }],
    ),
  ];
}

export const kindLabels = {
  invoice: 'Invoices and credit memos',
  purchase_order: 'Purchase orders',
  expense_report: 'Expense reports and bills',
  payment: 'Payments',
} as const satisfies Record<CloseKind, string>;

/** One difference of one document. */
export interface Exception {
  /** Names it from one look at the month to the next. */
  readonly key: string;
  readonly kind: CloseKind;
  readonly class: DifferenceClass | 'unexplained';
  readonly psaId: number | null;
  readonly number: string | null;
  readonly party: string;
  readonly books: { readonly type: string; readonly id: string } | null;
  readonly currency: string;
  readonly amount: Decimal;
  /** Last change of the document of the books, and its author, as far as it is known. */
  readonly since: Instant | null;
  readonly by: string | null;
  readonly actions: readonly ExceptionAction[];
}

/** A difference that came up after its document was posted. */
export type ChangedSince = Pick<Exception, 'key' | 'currency' | 'amount'>;

/** Differences that only a person, or another program, can have caused after a document was posted. */
const caused: ReadonlySet<Exception['class']> = new Set([
  'deleted_in_books',
  'voided_in_books',
  'voided_in_psa',
  'duplicate',
  'possible_duplicate',
  'date_edited',
  'dated_elsewhere_in_psa',
  'edited_in_books',
  'edited_in_psa',
  'currency_differs',
  'books_made_by_us',
  'customer_differs',
  'number_differs',
  'date_differs',
  'due_differs',
  'item_differs',
  'account_differs',
  'amounts_moved',
  'rate_differs',
  'class_differs',
  'tax_code_differs',
]);

/** Differences of a month that came up after posting: what somebody should hear of without asking. */
export const changedSincePosting = (proof: ProvedRows): readonly ChangedSince[] =>
  exceptionsOf(proof).flatMap(({ class: of, key, currency, amount }) =>
    caused.has(of) ? [{ key, currency, amount }] : [],
  );

/** Reasons for which no automatic sync takes a document up by itself. */
export const leftOutReasons = ['age', 'start', 'status'] as const;
export type LeftOutReason = (typeof leftOutReasons)[number];

/** A document of the PSA that no automatic sync takes up by itself. */
export interface LeftOut {
  readonly key: string;
  readonly kind: 'invoice' | 'purchase_order' | 'expense_report' | 'payment';
  readonly psaId: number;
  readonly because: LeftOutReason;
  readonly currency: string;
  /** Total in the PSA, signed; of a payment the open amount in the books. */
  readonly amount: Decimal;
}

const reasonsOfLeftOut: Readonly<Partial<Record<DifferenceClass, LeftOutReason>>> = {
  missing_outside_age: 'age',
  missing_before_start: 'start',
  missing_not_posting: 'status',
};

/**
 * Documents of a month that a window, a start date or a status keeps out: what nobody hears of otherwise.
 *
 * @param paidFrom the first day whose paid dates become payments by themselves; null while none do.
 */
export const leftOutOf = ({ rows }: Pick<ProvedRows, 'rows'>, paidFrom: CalendarDate | null): readonly LeftOut[] =>
  rows.flatMap((row): LeftOut[] => {
    const { kind, currency, psa, books, findings } = row;
    if (psa === null) return [];
    const document = { key: rowKey(row), psaId: psa.id, currency };
    const because = findings.flatMap((one) => reasonsOfLeftOut[one.class] ?? [])[0];
    if (because !== undefined) return [{ ...document, kind, because, amount: psa.total }];
    const paidOn = psa.paidOn ?? null;
    const isUnpaid = kind === 'invoice' && books !== null && !books.isVoided && compare(books.balance, zero) > 0;
    if (!isUnpaid || paidFrom === null || paidOn === null || paidOn >= paidFrom) return [];
    return [{ ...document, kind: 'payment', because: 'age', amount: books.balance }];
  });

/** Ordinary business that stands in a bridge and asks nobody to do anything. */
const ordinary: ReadonlySet<DifferenceClass> = new Set([
  'zero_skipped',
  'credited_later',
  'credit_of_void',
  'difference_billed',
  'difference_document',
  'sales_receipt',
  'refund_receipt',
  'received_in_books',
  'vendor_document',
  'books_unmapped',
]);

/** Names a row from one proof to the next: by its source where one stands behind it. */
export const rowKey = ({ kind, currency, psa, books, findings }: DocumentRow): string => {
  const isSecond = psa === null || findings.some((one) => one.class === 'duplicate');
  return isSecond
    ? `${kind} ${books?.type} ${books?.id} ${currency}`
    : `${kind} ${sourceKey(psa.id, psa.part)} ${currency}`;
};

/** One row per difference, the largest amounts first. */
export function exceptionsOf({ rows, closedThrough = null }: ProvedRows): readonly Exception[] {
  const all = rows.flatMap((row) => [
    ...row.findings.flatMap(({ class: of, amount }) =>
      ordinary.has(of) ? [] : [exceptionOf(row, of, amount, closedThrough)],
    ),
    ...(isZero(row.unexplained) ? [] : [exceptionOf(row, 'unexplained', row.unexplained, closedThrough)]),
  ]);
  const size = ({ amount }: Exception) => Math.abs(Number(amount));
  return all.sort((a, b) => size(b) - size(a));
}

function exceptionOf(
  row: DocumentRow,
  of: Exception['class'],
  amount: Decimal,
  closedThrough: CalendarDate | null,
): Exception {
  const { kind, psa, books, currency } = row;
  return {
    key: `${rowKey(row)} ${of}`,
    kind,
    class: of,
    psaId: psa?.id ?? null,
    number: books?.number ?? psa?.number ?? null,
    party: psa?.party.name ?? books?.party.name ?? '',
    books: books === null ? null : { type: books.type, id: books.id },
    currency,
    amount,
    ...changeInBooks(row, of),
    actions: [...(of === 'unexplained' ? [] : actionsOf(row, of, closedThrough)), 'accept', 'carry'],
  };
}

/** Differences that come from a change in QuickBooks. */
const madeInBooks: ReadonlySet<Exception['class']> = new Set([
  'voided_in_books',
  'duplicate',
  'possible_duplicate',
  'date_edited',
  'edited_in_books',
  'books_by_hand',
  'number_differs',
]);

/** Details that may also come from Autotask or a mapping, by the change that shows that QuickBooks was edited. */
const editOfDetail: Readonly<Partial<Record<Exception['class'], readonly FingerprintField[]>>> = {
  customer_differs: ['customer'],
  date_differs: ['date'],
  due_differs: ['due'],
  item_differs: ['item', 'lines'],
  account_differs: ['account'],
  amounts_moved: ['amount'],
  rate_differs: ['rate'],
  class_differs: ['class'],
  tax_code_differs: ['tax_code'],
};

/**
 * Returns when, and by whom, the document was changed in QuickBooks; nothing for a difference that does not come from
 * there. QuickBooks has no list of its users, so a user without a name stays unnamed.
 */
export function changeInBooks(
  { books, changes }: DocumentRow,
  of: Exception['class'],
): Pick<Exception, 'since' | 'by'> {
  const isEdit = changes.some(({ field }) => editOfDetail[of]?.includes(field) === true);
  const isPaidThere = of === 'paid_differs' && books !== null && isZero(books.balance);
  if (books === null || !(madeInBooks.has(of) || isEdit || isPaidThere)) return { since: null, by: null };
  return { since: books.changedAt, by: books.changedBy };
}

/** Change of one document between two proofs of the same month. */
export interface CloseChange {
  readonly key: string;
  readonly kind: CloseKind | 'tie_out';
  readonly label: string;
  readonly currency: string;
  readonly before: { readonly psaAmount: Decimal; readonly booksAmount: Decimal } | null;
  readonly after: { readonly psaAmount: Decimal; readonly booksAmount: Decimal } | null;
  /** The changed facts, in words that stand for themselves. */
  readonly details: readonly string[];
}

/**
 * Every document and tie-out that is another one in the later proof, in its order; an unchanged month has none.
 *
 * @param names of the records that lines refer to
 */
export const changesBetween = (before: Proof, after: Proof, names = noNames): readonly CloseChange[] => [
  ...changedRows(before, after, names),
  ...changedTieOuts(before, after),
];

/**
 * Returns what a signature is about as text. Later payments, and lists for information, leave a signed month unchanged.
 */
export const contentText = ({ month, rows, tieOuts: ties }: Proof): string =>
  JSON.stringify([
    month,
    rows
      .map((row) => [rowKey(row), row.psaAmount, row.booksAmount, [...membersOf(row)]] as const)
      .sort(([a], [b]) => (a < b ? -1 : 1)),
    ties.flatMap(({ name, left, right, mustBeZero }) => (mustBeZero ? [[name, left, right]] : [])),
  ]);

function changedTieOuts(before: Proof, after: Proof): CloseChange[] {
  const was = new Map(before.tieOuts.map((one) => [one.name, one]));
  return after.tieOuts.flatMap((now) => {
    const old = was.get(now.name);
    if (!now.mustBeZero || old === undefined || (old.left === now.left && old.right === now.right)) return [];
    const sides = ({ left, right }: TieOut) => ({ psaAmount: left, booksAmount: right });
    return [
      {
        key: `tie_out ${now.name}`,
        kind: 'tie_out' as const,
        label: now.label,
        currency: after.homeCurrency,
        before: sides(old),
        after: sides(now),
        details: [
          ...(old.left === now.left ? [] : [`${now.leftLabel}: ${old.left} → ${now.left}`]),
          ...(old.right === now.right ? [] : [`${now.rightLabel}: ${old.right} → ${now.right}`]),
        ],
      },
    ];
  });
}

function changedRows(before: Proof, after: Proof, names: RecordNames): CloseChange[] {
  const was = new Map(before.rows.map((row) => [rowKey(row), row]));
  const is = new Map(after.rows.map((row) => [rowKey(row), row]));
  return [...new Set([...is.keys(), ...was.keys()])].flatMap((key) => {
    const [old, now] = [was.get(key), is.get(key)];
    const row = now ?? old;
    if (row === undefined) return [];
    const details =
      old === undefined
        ? ['new in the month']
        : now === undefined
          ? ['gone from the month']
          : changesOfRow(old, now, names);
    if (details.length === 0) return [];
    return [
      {
        key,
        kind: row.kind,
        label: [row.books?.number ?? row.psa?.number, row.psa?.party.name ?? row.books?.party.name]
          .filter((part) => part !== undefined && part !== null && part !== '')
          .join(' · '),
        currency: row.currency,
        before: old === undefined ? null : amountsOf(old),
        after: now === undefined ? null : amountsOf(now),
        details,
      },
    ];
  });
}

const amountsOf = ({ psaAmount, booksAmount }: DocumentRow) => ({ psaAmount, booksAmount });

/** The members that differ, `name: before → after`. */
function changesOfRow(before: DocumentRow, after: DocumentRow, names: RecordNames): readonly string[] {
  const [was, is] = [membersOf(before), membersOf(after)];
  const [wasCalled, isCalled] = [membersOf(before, names), membersOf(after, names)];
  return [...new Set([...was.keys(), ...is.keys()])]
    .filter((member) => was.get(member) !== is.get(member))
    .map((member) => `${member}: ${textOf(wasCalled.get(member))} → ${textOf(isCalled.get(member))}`);
}

/** Only for people: the content that is signed has dates as they are stored. */
const textOf = (value = '–'): string => (isCalendarDate(value) ? dayText(value) : value);

/** @param names for who reads them; a signature is about the ids */
function membersOf({ psa, books, findings }: DocumentRow, names = noNames): ReadonlyMap<string, string> {
  const members = new Map<string, string>();
  const note = (name: string, value: string | CalendarDate | null | undefined) => {
    if (value !== null && value !== undefined && value !== '') members.set(name, value);
  };
  if (psa !== null) {
    note('PSA total', psa.total);
    note('PSA tax', psa.tax);
    note('PSA date', psa.datedOn);
    note('PSA due', psa.dueOn);
    note('PSA company', psa.party.name);
    note('PSA void', psa.isVoided ? 'yes' : 'no');
  }
  const made = findings.find((one) => one.class === 'difference_billed');
  note('Billed by documents of its own', made && negate(made.amount));
  if (books !== null) {
    note('QuickBooks document', `${books.type} ${books.id}`);
    note('QuickBooks total', books.total);
    note('QuickBooks tax', books.tax);
    note('QuickBooks date', books.datedOn);
    note('QuickBooks due', books.dueOn);
    note('QuickBooks customer', books.party.name ?? books.party.id);
    note('QuickBooks number', books.number);
    note('QuickBooks void', books.isVoided ? 'yes' : 'no');
    for (const [index, line] of books.lines.entries())
      note(
        `QuickBooks line ${index + 1}`,
        [
          nameIn(names, 'item', line.itemId),
          nameIn(names, 'account', line.accountId),
          nameIn(names, 'class', line.classId),
          line.taxCode,
          line.quantity,
          line.amount,
        ]
          .map((part) => part ?? '–')
          .join(' / '),
      );
  }
  return members;
}

/** States of a month. */
export const closeStates = ['open', 'ready', 'signed', 'changed'] as const;
export type CloseState = (typeof closeStates)[number];

/** Two people sign: who prepared the month, and who reviewed it. */
export const signatureKinds = ['preparer', 'reviewer'] as const;
export type SignatureKind = (typeof signatureKinds)[number];

export interface Signature {
  readonly closeId: string;
  readonly as: SignatureKind;
  readonly by: string;
  readonly at: Instant;
  readonly reason: string | null;
}

/** A kept proof, without its content. */
export interface CloseHead {
  readonly id: string;
  /** Hash of its content: two proofs that found the same have the same. */
  readonly sha256: string;
  readonly isProved: boolean;
  /** Differences that are not settled, accepted or carried; counted for the newest proof of a month only. */
  readonly undecided: number;
}

/**
 * State of a month by its proofs, oldest first, and their signatures. It is signed when both kinds stand under one
 * proof, and changed when a later one found something else.
 */
export function closeState(proofs: readonly CloseHead[], signatures: readonly Signature[]): CloseState {
  const newest = proofs.at(-1);
  if (newest === undefined) return 'open';
  const signed = signedProof(proofs, signatures);
  if (signed === null) return newest.isProved && newest.undecided === 0 ? 'ready' : 'open';
  return newest.sha256 === signed.sha256 ? 'signed' : 'changed';
}

/** The newest proof that both have signed; null while there is none. */
export const signedProof = <Head extends CloseHead>(
  proofs: readonly Head[],
  signatures: readonly Signature[],
): Head | null =>
  proofs.findLast(({ id }) =>
    signatureKinds.every((as) => signatures.some((one) => one.closeId === id && one.as === as)),
  ) ?? null;
