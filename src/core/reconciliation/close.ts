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
import { shortHash } from '../values/text.ts';
import { holds, type TieOut, type TieOutFacts } from './tie-out.ts';
import { tieOuts } from './tie-outs.ts';

/** Facts for the proof of a month. */
export interface CloseFacts {
  readonly month: Month;
  readonly homeCurrency: string;
  readonly kinds: readonly CompletenessFacts[];
  readonly tieOuts: TieOutFacts;
  readonly closedThrough: CalendarDate | null;
}

/** The state of a month that is signed. */
export interface Proof {
  readonly month: Month;
  readonly homeCurrency: string;
  readonly rows: readonly DocumentRow[];
  readonly bridges: readonly Bridge[];
  readonly tieOuts: readonly TieOut[];
  /** The day through which the books were closed; absent in proofs of earlier versions. */
  readonly closedThrough?: CalendarDate | null;
}

type ProvedRows = Pick<Proof, 'rows' | 'closedThrough'>;

/** Numbers of one currency, shown at the top of the screen. */
export interface CurrencyTotals {
  readonly currency: string;
  readonly psaTotal: Decimal;
  readonly accountingTotal: Decimal;
  readonly difference: Decimal;
  readonly explained: Decimal;
  /**
   * Unexplained amount of the documents. For the home currency, it includes unexplained differences from QuickBooks'
   * own reports.
   */
  readonly unexplained: Decimal;
}

/** Proves a month. The function is pure: the same facts give the same proof. */
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

/** Returns the currencies of a proof. The home currency comes first and is always included. */
export function currenciesOf({ bridges, homeCurrency }: Pick<Proof, 'bridges' | 'homeCurrency'>): readonly string[] {
  const others = bridges.map(({ currency }) => currency).filter((currency) => currency !== homeCurrency);
  return [homeCurrency, ...[...new Set(others)].sort()];
}

/** Returns the three numbers for sales documents, separately for each currency. */
export function totalsOf(proof: Pick<Proof, 'bridges' | 'homeCurrency'>): readonly CurrencyTotals[] {
  return currenciesOf(proof).map((currency) => {
    const bridge = proof.bridges.find((one) => one.kind === 'invoice' && one.currency === currency);
    return {
      currency,
      psaTotal: bridge?.psaTotal ?? zero,
      accountingTotal: bridge?.accountingTotal ?? zero,
      difference: bridge?.difference ?? zero,
      explained: bridge?.explained ?? zero,
      unexplained: sum(proof.bridges.flatMap((one) => (one.currency === currency ? [one.unexplained] : []))),
    };
  });
}

/** A reason why the month cannot be signed without an explanation. The screen shows them in this order. */
export interface Obstacle {
  readonly label: string;
  readonly currency: string;
  readonly amount: Decimal;
}

/** Returns every amount that must be 0.00 but is not. */
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
  /** Identifies the difference across proofs of the month. */
  readonly key: string;
  readonly kind: CloseKind;
  readonly class: DifferenceClass | 'unexplained';
  readonly psaId: number | null;
  readonly number: string | null;
  readonly party: string;
  readonly accounting: { readonly type: string; readonly id: string } | null;
  readonly currency: string;
  readonly amount: Decimal;
  /** Time and author of the last change of the QuickBooks document, if known. */
  readonly since: Instant | null;
  readonly by: string | null;
  readonly actions: readonly ExceptionAction[];
}

/** A difference that appeared after its document was posted. */
export type ChangedSince = Pick<Exception, 'key' | 'currency' | 'amount'>;

/** Differences that only a person or another program can cause after a document was posted. */
const caused: ReadonlySet<Exception['class']> = new Set([
  'deleted_in_accounting',
  'voided_in_accounting',
  'voided_in_psa',
  'void_taken_back',
  'entered_again',
  'duplicate',
  'possible_duplicate',
  'date_edited',
  'dated_elsewhere_in_psa',
  'edited_in_accounting',
  'discounted_in_accounting',
  'edited_in_psa',
  'currency_differs',
  'accounting_made_by_us',
  'customer_differs',
  'number_differs',
  'date_differs',
  'due_differs',
  'item_differs',
  'account_differs',
  'amounts_moved',
  'rate_differs',
  'class_differs',
  'location_differs',
  'tax_code_differs',
  'tax_moved',
]);

/** Returns the differences that appeared after posting, which are reported to users automatically. */
export const changedSincePosting = (proof: ProvedRows): readonly ChangedSince[] =>
  exceptionsOf(proof).flatMap(({ class: of, key, currency, amount }) =>
    caused.has(of) ? [{ key, currency, amount }] : [],
  );

/** Reasons why automatic syncs ignore a document. */
export const leftOutReasons = ['age', 'start', 'status'] as const;
export type LeftOutReason = (typeof leftOutReasons)[number];

/** A document of the PSA that automatic syncs ignore. */
export interface LeftOut {
  readonly key: string;
  readonly kind: 'invoice' | 'purchase_order' | 'expense_report' | 'payment';
  readonly psaId: number;
  readonly because: LeftOutReason;
  readonly currency: string;
  /** Signed total in the PSA; for a payment, the open amount in QuickBooks. */
  readonly amount: Decimal;
}

const reasonsOfLeftOut: Readonly<Partial<Record<DifferenceClass, LeftOutReason>>> = {
  missing_outside_age: 'age',
  missing_before_start: 'start',
  missing_not_posting: 'status',
};

/**
 * Returns the documents of a month that are excluded by age, start date or status. No other message reports them.
 *
 * @param paidFrom first paid date that is posted as a payment automatically; null: none is
 */
export const leftOutOf = ({ rows }: Pick<ProvedRows, 'rows'>, paidFrom: CalendarDate | null): readonly LeftOut[] =>
  rows.flatMap((row): LeftOut[] => {
    const { kind, currency, psa, accounting, findings } = row;
    if (psa === null) return [];
    const document = { key: rowKey(row), psaId: psa.id, currency };
    const because = findings.flatMap((finding) => reasonsOfLeftOut[finding.class] ?? [])[0];
    if (because !== undefined) return [{ ...document, kind, because, amount: psa.total }];
    const paidOn = psa.paidOn ?? null;
    const isUnpaid =
      kind === 'invoice' && accounting !== null && !accounting.isVoided && compare(accounting.balance, zero) > 0;
    if (!isUnpaid || paidFrom === null || paidOn === null || paidOn >= paidFrom) return [];
    return [{ ...document, kind: 'payment', because: 'age', amount: accounting.balance }];
  });

/** Normal differences that need no action. */
const ordinary: ReadonlySet<DifferenceClass> = new Set([
  'zero_skipped',
  'credited_later',
  'closed_in_accounting',
  'credit_of_void',
  'difference_billed',
  'difference_document',
  'sales_receipt',
  'refund_receipt',
  'received_in_accounting',
  'vendor_document',
  'accounting_unmapped',
]);

/**
 * Returns a key that identifies a row across proofs: by its source, or by its QuickBooks document if it has no source.
 */
export const rowKey = ({ kind, currency, psa, accounting, findings, extra }: DocumentRow): string => {
  if (extra !== undefined) return `${kind} ${extra.type} ${extra.id} ${currency}`;
  const isSecond = psa === null || findings.some((finding) => finding.class === 'duplicate');
  return isSecond
    ? `${kind} ${accounting?.type} ${accounting?.id} ${currency}`
    : `${kind} ${sourceKey(psa.id, psa.part)} ${currency}`;
};

/** Returns one exception per difference, the largest amounts first. */
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
  const { kind, psa, accounting, currency, extra } = row;
  return {
    key: [rowKey(row), of, ...valuesOf(row, of)].join(' '),
    kind,
    class: of,
    psaId: psa?.id ?? extra?.psaId ?? null,
    number: accounting?.number ?? psa?.number ?? extra?.number ?? null,
    party: psa?.party.name ?? extra?.party ?? accounting?.party.name ?? '',
    accounting: accounting === null ? null : { type: accounting.type, id: accounting.id },
    currency,
    amount,
    ...changeInAccounting(row, of),
    actions: [...(of === 'unexplained' ? [] : actionsOf(row, of, closedThrough)), 'accept', 'carry'],
  };
}

/**
 * Returns the values that a difference without an amount is about, so that a decision about it ends when they change.
 */
function valuesOf({ psa, accounting, changes }: DocumentRow, of: Exception['class']): readonly string[] {
  switch (of) {
    case 'customer_differs':
      return [accounting?.party.id ?? ''];
    case 'number_differs':
      return [accounting?.number ?? ''];
    case 'date_differs':
      return [psa?.datedOn ?? '', accounting?.datedOn ?? ''];
    case 'due_differs':
      return [psa?.dueOn ?? '', accounting?.dueOn ?? ''];
    case 'paid_differs':
      return [psa?.paidOn ?? '', accounting?.balance ?? ''];
    default: {
      const values = changes.filter(({ field }) => editOfDetail[of]?.includes(field) === true);
      return values.length === 0 ? [] : [shortHash(JSON.stringify(values)).toString(36)];
    }
  }
}

/** Differences that come from a change in QuickBooks. */
const madeInAccounting: ReadonlySet<Exception['class']> = new Set([
  'voided_in_accounting',
  'duplicate',
  'possible_duplicate',
  'date_edited',
  'edited_in_accounting',
  'discounted_in_accounting',
  'accounting_by_hand',
  'number_differs',
]);

/** Differences that Autotask or a mapping may also cause, with the fields that show an edit in QuickBooks. */
const editOfDetail: Readonly<Partial<Record<Exception['class'], readonly FingerprintField[]>>> = {
  customer_differs: ['customer'],
  date_differs: ['date'],
  due_differs: ['due'],
  item_differs: ['item', 'lines'],
  account_differs: ['account', 'item_account'],
  amounts_moved: ['amount'],
  rate_differs: ['rate'],
  class_differs: ['class'],
  location_differs: ['location'],
  tax_code_differs: ['tax_code'],
  tax_moved: ['tax'],
};

/**
 * Returns when and by whom the document was changed in QuickBooks; null values for differences that have other causes.
 * QuickBooks provides no list of users, so a user without a name stays unnamed.
 */
export function changeInAccounting(
  { accounting, changes }: DocumentRow,
  of: Exception['class'],
): Pick<Exception, 'since' | 'by'> {
  const isEdit = changes.some(({ field }) => editOfDetail[of]?.includes(field) === true);
  const isPaidThere = of === 'paid_differs' && accounting !== null && isZero(accounting.balance);
  if (accounting === null || !(madeInAccounting.has(of) || isEdit || isPaidThere)) return { since: null, by: null };
  return { since: accounting.changedAt, by: accounting.changedBy };
}

/** Change of one document between two proofs of the same month. */
export interface CloseChange {
  readonly key: string;
  readonly kind: CloseKind | 'tie_out';
  readonly label: string;
  readonly currency: string;
  readonly before: { readonly psaAmount: Decimal; readonly accountingAmount: Decimal } | null;
  readonly after: { readonly psaAmount: Decimal; readonly accountingAmount: Decimal } | null;
  /** The changed facts, as texts that are clear on their own. */
  readonly details: readonly string[];
}

/**
 * Returns every document and tie-out that changed in the later proof, in its order; empty for an unchanged month.
 *
 * @param names names of the records that lines refer to
 */
export const changesBetween = (before: Proof, after: Proof, names = noNames): readonly CloseChange[] => [
  ...changedRows(before, after, names),
  ...changedTieOuts(before, after),
];

/** Returns the signed content as text. Later payments and lists for information do not change it. */
export const contentText = ({ month, rows, tieOuts: ties }: Proof): string =>
  JSON.stringify([
    month,
    rows
      .map((row) => [rowKey(row), row.psaAmount, row.accountingAmount, [...membersOf(row)]] as const)
      .sort(([a], [b]) => (a < b ? -1 : 1)),
    ties.flatMap(({ name, left, right, mustBeZero }) => (mustBeZero ? [[name, left, right]] : [])),
  ]);

function changedTieOuts(before: Proof, after: Proof): CloseChange[] {
  const was = new Map(before.tieOuts.map((one) => [one.name, one]));
  return after.tieOuts.flatMap((now) => {
    const old = was.get(now.name);
    if (!now.mustBeZero || old === undefined || (old.left === now.left && old.right === now.right)) return [];
    const sides = ({ left, right }: TieOut) => ({ psaAmount: left, accountingAmount: right });
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
        label: [row.accounting?.number ?? row.psa?.number, row.psa?.party.name ?? row.accounting?.party.name]
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

const amountsOf = ({ psaAmount, accountingAmount }: DocumentRow) => ({ psaAmount, accountingAmount });

/** Returns the changed fields, as `name: before → after`. */
function changesOfRow(before: DocumentRow, after: DocumentRow, names: RecordNames): readonly string[] {
  const [was, is] = [membersOf(before), membersOf(after)];
  const [wasCalled, isCalled] = [membersOf(before, names), membersOf(after, names)];
  return [...new Set([...was.keys(), ...is.keys()])]
    .filter((member) => was.get(member) !== is.get(member))
    .map((member) => `${member}: ${textOf(wasCalled.get(member))} → ${textOf(isCalled.get(member))}`);
}

/** Only for display: the signed content has dates as they are stored. */
const textOf = (value = '–'): string => (isCalendarDate(value) ? dayText(value) : value);

/** @param names names for display; the signed content has ids */
function membersOf({ psa, accounting, findings }: DocumentRow, names = noNames): ReadonlyMap<string, string> {
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
  const made = findings.find((finding) => finding.class === 'difference_billed');
  note('Billed by separate documents', made && negate(made.amount));
  if (accounting !== null) {
    note('QuickBooks document', `${accounting.type} ${accounting.id}`);
    note('QuickBooks total', accounting.total);
    note('QuickBooks tax', accounting.tax);
    note('QuickBooks date', accounting.datedOn);
    note('QuickBooks due', accounting.dueOn);
    note('QuickBooks customer', accounting.party.name ?? accounting.party.id);
    note('QuickBooks number', accounting.number);
    note('QuickBooks location', nameIn(names, 'location', accounting.locationId ?? null));
    note('QuickBooks void', accounting.isVoided ? 'yes' : 'no');
    for (const [index, line] of accounting.lines.entries())
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

/** Two people sign: the preparer and the reviewer of the month. */
export const signatureKinds = ['preparer', 'reviewer'] as const;
export type SignatureKind = (typeof signatureKinds)[number];

export interface Signature {
  readonly closeId: string;
  readonly as: SignatureKind;
  readonly by: string;
  readonly at: Instant;
  readonly reason: string | null;
}

/** A stored proof, without its content. */
export interface CloseHead {
  readonly id: string;
  /** Hash of its content. Proofs with the same findings have the same hash. */
  readonly sha256: string;
  readonly isProved: boolean;
  /** Number of differences that are not settled, accepted or carried; counted only for the newest proof of a month. */
  readonly undecided: number;
}

/**
 * Returns the state of a month from its proofs, oldest first, and their signatures. A month is signed if one proof has
 * both signatures, and changed if a later proof has other content.
 */
export function closeState(proofs: readonly CloseHead[], signatures: readonly Signature[]): CloseState {
  const newest = proofs.at(-1);
  if (newest === undefined) return 'open';
  const signed = signedProof(proofs, signatures);
  if (signed === null) return newest.isProved && newest.undecided === 0 ? 'ready' : 'open';
  return newest.sha256 === signed.sha256 ? 'signed' : 'changed';
}

/** Returns the newest proof with both signatures; null if there is none. */
export const signedProof = <Head extends CloseHead>(
  proofs: readonly Head[],
  signatures: readonly Signature[],
): Head | null =>
  proofs.findLast(({ id }) =>
    signatureKinds.every((as) => signatures.some((signature) => signature.closeId === id && signature.as === as)),
  ) ?? null;
