import type { DocumentViewReply, SourceReply } from '#contract/planned.ts';
import { equals, decimal, negate } from '#core/values/decimal.ts';
import { normalized } from '#core/values/text.ts';
import { formatAmount, formatDate } from '../../data/format.ts';

type AccountingLine = DocumentViewReply['lines'][number];
type SourceLine = SourceReply['lines'][number];

/** One value of a document in both services. */
export interface ComparedFact {
  readonly label: string;
  readonly psa: string | null;
  readonly accounting: string | null;
  /** Why the values differ; null if they are the same. */
  readonly why: string | null;
}

/** A PSA line and the matching planned line; null if there is no match. */
export interface ComparedLine {
  readonly psa: SourceLine | null;
  readonly accounting: AccountingLine | null;
  readonly why: string | null;
}

/** Why the tax or the total differs; null if it is the same. */
export interface ComparedAmounts {
  readonly tax: string | null;
  readonly total: string | null;
}

const isSame = (a: string | null, b: string | null): boolean =>
  a === b || (a !== null && b !== null && equals(decimal(a), decimal(b)));

/** Returns the PSA’s amounts with the sign that QuickBooks uses, where a credit memo is positive. */
function withAccountingSign(source: SourceReply, form: DocumentViewReply['form']): SourceReply {
  if (form !== 'credit_memo') return source;
  const reversed = (amount: string) => negate(decimal(amount));
  return {
    ...source,
    lines: source.lines.map((line) => ({
      ...line,
      unit_price: line.unit_price === null ? null : reversed(line.unit_price),
      amount: reversed(line.amount),
    })),
    tax: reversed(source.tax),
    total: reversed(source.total),
  };
}

/**
 * Compares customer or vendor, number, dates and terms.
 *
 * @param posted the document as it was posted, if both services were read since; a value that changed since then has that
 *   as its reason
 */
export function compareFacts(
  document: DocumentViewReply,
  accounting: string,
  posted: DocumentViewReply | null = null,
): readonly ComparedFact[] {
  const { source } = document;
  const day = (on: string | null) => (on === null ? null : formatDate(on));
  const fact = (
    label: string,
    psa: string | null,
    value: string | null,
    reason: string,
    was: string | null = null,
  ): ComparedFact => ({
    label,
    psa,
    accounting: value,
    why:
      was !== null && was !== value
        ? `Changed in ${accounting} after posting; was ${was}`
        : source === null || psa === value || (psa === null && label === 'Number')
          ? null
          : reason,
  });
  const isSale = document.form === 'invoice' || document.form === 'credit_memo';
  const party =
    source === null || source.party === document.party ? 'same' : `Mapped or matched to this name in ${accounting}`;
  const due =
    document.form === 'credit_memo'
      ? 'Credit memos have no due date'
      : document.terms === null
        ? 'Set by your settings'
        : `${accounting} calculates it from the terms`;
  return [
    fact(
      isSale || document.form === 'void' ? 'Customer' : document.form === 'payment' ? 'From' : 'Vendor',
      source?.party ?? null,
      document.party,
      party,
      posted?.party,
    ),
    fact(
      'Number',
      source?.number ?? null,
      document.number ?? `assigned by ${accounting}`,
      document.number === null || (posted !== null && posted.number === null)
        ? `Numbered by ${accounting}`
        : 'Numbered by your settings',
      posted?.number,
    ),
    fact(
      'Date',
      day(source?.date ?? null),
      day(document.date),
      'Moved because the books are closed for that day',
      day(posted?.date ?? null),
    ),
    ...(document.terms === null ? [] : [{ label: 'Terms', psa: null, accounting: document.terms, why: null }]),
    ...(document.due === null && (source?.due ?? null) === null
      ? []
      : [
          fact(
            'Due',
            day(source?.due ?? null),
            day(document.due) ?? (document.terms === null ? null : `by ${document.terms}`),
            due,
            day(posted?.due ?? null),
          ),
        ]),
  ];
}

/**
 * Matches the lines of both services: first by amount and description, then by amount, then in order if the same number of
 * lines remains on both sides.
 */
export function compareLines(
  document: DocumentViewReply,
  psaName: string,
  accountingName = '',
  posted: DocumentViewReply | null = null,
): readonly ComparedLine[] {
  const changed = (line: AccountingLine): string | null =>
    posted === null || posted.lines.some((one) => isSameLine(one, line))
      ? null
      : `Changed in ${accountingName} after posting`;
  if (document.source === null)
    return document.lines.map((line) => ({ psa: null, accounting: line, why: changed(line) }));
  const { lines: psaLines } = document.source;
  const { lines } = withAccountingSign(document.source, document.form);
  // Lines are compared with the sign of QuickBooks and shown with the sign of the PSA.
  const withPsaSign = (line: SourceLine) => psaLines[lines.indexOf(line)] ?? line;
  const matches = new Map<AccountingLine, SourceLine>();
  const unmatched = new Set(lines);
  const match = (line: AccountingLine, found: SourceLine | undefined) => {
    if (found === undefined) return;
    matches.set(line, found);
    unmatched.delete(found);
  };
  const open = () => document.lines.filter((line) => !matches.has(line));
  const sameAmount = (line: AccountingLine) => [...unmatched].filter(({ amount }) => isSame(amount, line.amount));
  for (const line of document.lines)
    match(
      line,
      sameAmount(line).find(({ description }) => description !== '' && line.description.includes(description)),
    );
  for (const line of open()) match(line, sameAmount(line)[0]);
  const rest = open();
  if (rest.length === unmatched.size) for (const line of rest) match(line, [...unmatched][0]);
  return [
    ...document.lines.map((line) => {
      const psa = matches.get(line) ?? null;
      return { psa: psa && withPsaSign(psa), accounting: line, why: changed(line) ?? lineReason(psa, line, psaName) };
    }),
    ...[...unmatched].map((psa) => ({
      psa: withPsaSign(psa),
      accounting: null,
      why: 'No separate line: grouped, or left out by your settings',
    })),
  ];
}

/** Whether a line has the description and the amounts of another. Its names may be unknown, so they are not compared. */
export const isSameLine = (a: AccountingLine, b: AccountingLine): boolean =>
  normalized(a.description) === normalized(b.description) && isSame(a.amount, b.amount);

function lineReason(psa: SourceLine | null, line: AccountingLine, psaName: string): string | null {
  if (psa === null) return `Not in ${psaName}: a grouped line, or one that corrects the total`;
  if (!isSame(psa.amount, line.amount)) return 'Different amount';
  if (line.quantity === null || psa.quantity === null) return null;
  return isSame(psa.quantity, line.quantity) && isSame(psa.unit_price, line.unit_price)
    ? null
    : 'Quantity and price changed to match the billed amount';
}

/** Compares tax and total. @param posted as for {@link compareFacts}, with the name of the PSA */
export function compareAmounts(
  document: DocumentViewReply,
  accounting: string,
  posted: DocumentViewReply | null = null,
  psaName = '',
): ComparedAmounts {
  const changed =
    posted !== null && posted.tax_known && !isSame(posted.total, document.total)
      ? `Changed in ${accounting} after posting; was ${formatAmount(posted.total)}`
      : null;
  if (document.source === null) return { tax: null, total: changed };
  const source = withAccountingSign(document.source, document.form);
  const tax = !document.tax_known
    ? `${accounting} decides the tax`
    : isSame(source.tax, document.tax)
      ? null
      : `Calculated with ${accounting} tax rates`;
  if (isSame(source.total, document.total)) return { tax, total: changed };
  const before = posted?.source?.total ?? null;
  const changedInPsa =
    before !== null && !isSame(before, document.source.total)
      ? `Changed in ${psaName} after posting; was ${formatAmount(before)}`
      : null;
  return { tax, total: changed ?? changedInPsa ?? 'Sum of lines and tax' };
}
