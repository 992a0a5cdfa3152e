import { format, isNegative, isZero, minus, plus, sum, zero, type Decimal } from '../values/decimal.ts';
import type { DocumentRow } from './completeness.ts';
import { homeLines } from './home-amounts.ts';
import { accountOf, salesTypes, signed, tieOut, type TieOut, type TieOutFacts } from './tie-out.ts';

interface Side {
  readonly label: string;
  readonly document: string;
  readonly posted: Decimal;
  readonly now: Decimal;
}

/**
 * Compares the PSA's lines, as they were posted, with QuickBooks' lines by account and class. It finds moved money even
 * if no total changed. Each row names the documents that moved money. Empty if no sales line was posted.
 *
 * @returns amounts in the home currency; they need not be equal, because users decide on the documents that differ
 */
export function salesLinesPsa(facts: TieOutFacts, rows: readonly DocumentRow[]): TieOut[] {
  const sides = rows.flatMap((row) => sidesOf(facts, row));
  if (sides.length === 0) return [];
  const labels = Map.groupBy(sides, ({ label }) => label);
  const all = [...labels]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([label, own]) => {
      const note = movedText(own);
      return {
        label,
        left: sum(own.map(({ posted }) => posted)),
        right: sum(own.map(({ now }) => now)),
        ...(note === '' ? {} : { note }),
      };
    });
  return [
    tieOut(
      {
        name: 'sales_lines_psa',
        label: `Sales lines by account and class, ${facts.psaLabel} against QuickBooks`,
        leftLabel: `Lines of ${facts.psaLabel} as posted`,
        rightLabel: 'Lines in QuickBooks now',
        mustBeZero: false,
        rows: all,
      },
      sum(all.map(({ left }) => left)),
      sum(all.map(({ right }) => right)),
    ),
  ];
}

/** Returns the lines of one document on both sides; none if it has no posted lines or adds nothing to the month. */
function sidesOf(facts: TieOutFacts, { accounting, posted, accountingAmount, findings }: DocumentRow): Side[] {
  if (accounting === null || posted === undefined || !salesTypes.has(accounting.type) || accounting.isVoided) return [];
  if (isZero(accountingAmount) || findings.some((finding) => finding.class === 'duplicate')) return [];
  const toAccount = accountOf(facts);
  const accounts = new Map(facts.lists.accounts.map(({ id, fullyQualifiedName }) => [id, fullyQualifiedName]));
  const classes = new Map(facts.lists.classes.map(({ id, fullyQualifiedName }) => [id, fullyQualifiedName]));
  const labelOf = (line: (typeof accounting.lines)[number]): string => {
    const id = toAccount(line);
    const account = id === null ? 'Without an account' : (accounts.get(id) ?? `Account ${id}`);
    return line.classId === null || line.classId === ''
      ? account
      : `${account} · ${classes.get(line.classId) ?? `Class ${line.classId}`}`;
  };
  const itemAccounts = new Map(accounting.lines.map(({ itemId, itemAccountId }) => [itemId, itemAccountId]));
  const itemAccountOf = (itemId: string | null) => {
    const itemAccountId = itemId === null ? undefined : itemAccounts.get(itemId);
    return itemAccountId === undefined ? {} : { itemAccountId };
  };
  const sent = posted.map((line, index) => ({
    ...line,
    // The item may have another account for later sales.
    ...itemAccountOf(line.itemId),
    // If the request left the account to the item, use the account of the posted line.
    accountId: line.accountId ?? (line.itemId === null ? (accounting.lines[index]?.accountId ?? null) : null),
    description: null,
    unitPrice: null,
    partyId: null,
  }));
  const document = `${accounting.type === 'CreditMemo' ? 'Credit memo' : 'Invoice'} ${accounting.number ?? accounting.id}`;
  return [
    ...homeLines({ ...accounting, lines: sent }).map((line) => ({
      label: labelOf(line),
      document,
      posted: signed(accounting, line.amount),
      now: zero,
    })),
    ...homeLines(accounting).map((line) => ({
      label: labelOf(line),
      document,
      posted: zero,
      now: signed(accounting, line.amount),
    })),
  ];
}

/** Returns the documents whose amounts differ: `Invoice AT-1 -100.00, Invoice AT-2 +20.00`. */
function movedText(sides: readonly Side[]): string {
  return [...Map.groupBy(sides, ({ document }) => document)]
    .flatMap(([document, own]) => {
      const moved = own.reduce((total, { posted, now }) => plus(total, minus(now, posted)), zero);
      return isZero(moved) ? [] : [`${document} ${isNegative(moved) ? '' : '+'}${format(moved)}`];
    })
    .join(', ');
}
