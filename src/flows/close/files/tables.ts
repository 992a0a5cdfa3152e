import type { AccountingLine } from '#core/documents/accounting-document.ts';
import type { CloseContent, CloseDecision } from '#core/records/closes.ts';
import { changeInAccounting, rowKey } from '#core/reconciliation/close.ts';
import type { DocumentRow } from '#core/reconciliation/completeness.ts';
import { signedTotal } from '#core/reconciliation/signed.ts';
import { differenceClasses } from '#core/reconciliation/difference-classes.ts';
import { nameIn, noNames, valueIn, type RecordNames } from '#core/reconciliation/record-names.ts';
import type { FingerprintLine } from '#core/reconciliation/fingerprint.ts';
import { csvRow } from '#core/values/csv.ts';
import { divide, isZero, minus, round2, times } from '#core/values/decimal.ts';

/** Decisions by the key of their difference. */
export type Decisions = ReadonlyMap<string, CloseDecision>;

const rowColumns = [
  'kind',
  'psa_id',
  'psa_number',
  'company_id',
  'company',
  'invoice_date',
  'due',
  'currency',
  'rate',
  'psa_net',
  'psa_tax',
  'psa_total',
  'qbo_type',
  'qbo_id',
  'qbo_number',
  'qbo_date',
  'qbo_customer',
  'qbo_net',
  'qbo_tax',
  'qbo_total',
  'qbo_home_total',
  'balance',
  'paid_on',
  'counted_psa',
  'counted_qbo',
  'classes_of_difference',
  'difference',
  'unexplained',
  'explanation',
  'by',
  'at',
] as const;

/** Returns all documents of a month as CSV, one record each. */
export function* rowsCsv({ proof }: CloseContent, decisions: Decisions): Generator<string> {
  yield csvRow([...rowColumns]);
  for (const row of proof.rows) yield csvRow(recordOf(row, decisions));
}

function recordOf(row: DocumentRow, decisions: Decisions): (string | number | null)[] {
  const { psa, accounting } = row;
  const key = rowKey(row);
  const decided = [
    ...row.findings.map((finding) => decisions.get(`${key} ${finding.class}`)),
    decisions.get(`${key} unexplained`),
  ].filter((one) => one !== undefined);
  const changed = row.findings
    .map((finding) => changeInAccounting(row, finding.class))
    .find(({ since }) => since !== null);
  return [
    row.kind,
    psa?.id ?? null,
    psa?.number ?? null,
    psa?.party.id ?? null,
    psa?.party.name ?? null,
    psa?.datedOn ?? null,
    psa?.dueOn ?? null,
    row.currency,
    accounting?.exchangeRate ?? null,
    psa === null ? null : minus(psa.total, psa.tax),
    psa?.tax ?? null,
    psa?.total ?? null,
    accounting?.type ?? null,
    accounting?.id ?? null,
    accounting?.number ?? null,
    accounting?.datedOn ?? null,
    accounting === null ? null : (accounting.party.name ?? accounting.party.id),
    accounting === null ? null : minus(accounting.total, accounting.tax),
    accounting?.tax ?? null,
    accounting?.total ?? null,
    accounting === null ? null : round2(times(signedTotal(accounting), accounting.exchangeRate)),
    accounting?.balance ?? null,
    psa?.paidOn ?? null,
    row.psaAmount,
    row.accountingAmount,
    row.findings.map((finding) => finding.class).join(' '),
    row.difference,
    row.unexplained,
    [
      ...row.findings.map((finding) =>
        isZero(finding.amount)
          ? differenceClasses[finding.class].label
          : `${differenceClasses[finding.class].label} ${finding.amount}`,
      ),
      ...decided.map(({ decision, reason }) => `${decision === 'accept' ? 'Accepted' : 'Carried'}: ${reason}`),
    ].join('; '),
    decided.map(({ by }) => by).join('; ') || (changed?.by ?? null),
    decided.map(({ at }) => at).join('; ') || (changed?.since ?? null),
  ];
}

const lineColumns = [
  'kind',
  'psa_id',
  'qbo_type',
  'qbo_id',
  'line',
  'description',
  'psa_item',
  'psa_account',
  'psa_class',
  'psa_tax_code',
  'psa_qty',
  'psa_price',
  'psa_amount',
  'qbo_item',
  'qbo_account',
  'qbo_class',
  'qbo_tax_code',
  'qbo_qty',
  'qbo_price',
  'qbo_amount',
  'changed_since_posting',
] as const;

/**
 * Returns all lines of both sides as CSV: the PSA's as posted, in QuickBooks' terms, beside QuickBooks' present lines.
 * A line that exists on one side only leaves the other side empty.
 */
export function* linesCsv({ proof, setup: { names = noNames } }: CloseContent): Generator<string> {
  yield csvRow([...lineColumns]);
  for (const row of proof.rows) {
    const [posted, current] = [row.posted ?? [], row.accounting?.lines ?? []];
    for (let index = 0; index < Math.max(posted.length, current.length); index += 1)
      yield csvRow(lineRecord(row, { posted: posted[index], current: current[index] }, index + 1, names));
  }
}

/** Returns a price derived from the amount, because a fingerprint line has none; null without a quantity. */
const priceOf = ({ quantity, amount }: FingerprintLine): string | null =>
  quantity === null || isZero(quantity) ? null : divide(amount, quantity, 5);

const sideOf = (line: FingerprintLine | undefined, price: string | null, names: RecordNames): (string | null)[] =>
  line === undefined
    ? [null, null, null, null, null, null, null]
    : [
        nameIn(names, 'item', line.itemId),
        nameIn(names, 'account', line.accountId),
        nameIn(names, 'class', line.classId),
        line.taxCode,
        line.quantity,
        price,
        line.amount,
      ];

function lineRecord(
  { kind, psa, accounting, changes }: DocumentRow,
  { posted, current }: { readonly posted: FingerprintLine | undefined; readonly current: AccountingLine | undefined },
  place: number,
  names: RecordNames,
): (string | number | null)[] {
  return [
    kind,
    psa?.id ?? null,
    accounting?.type ?? null,
    accounting?.id ?? null,
    place,
    current?.description ?? null,
    ...sideOf(posted, posted === undefined ? null : priceOf(posted), names),
    ...sideOf(current, current?.unitPrice ?? null, names),
    changes
      .filter((change) => change.line === place)
      .map(
        ({ field, before, after }) => `${field}: ${valueIn(names, field, before)} -> ${valueIn(names, field, after)}`,
      )
      .join('; '),
  ];
}
