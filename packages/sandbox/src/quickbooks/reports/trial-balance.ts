import { type Exact, sum, zero } from '../amounts.ts';
import type { Company } from '../company.ts';
import { type Doc, textAt } from '../doc.ts';
import { chartOfAccounts, isProfitAndLoss, ledgerEntries, parentOf } from './entries.ts';
import {
  basisOf,
  type Cell,
  dataRow,
  filterHeader,
  fiscalYearStart,
  isModernized,
  money,
  moneyOrBlank,
  periodOf,
  type ReportBody,
  type ReportQuery,
  section,
  text,
} from './report.ts';

/** Balances of all accounts at the end of a day, in home currency, debits above zero. */
export interface Balances {
  /** By account id; profit and loss accounts start at the beginning of the fiscal year. */
  readonly byAccount: ReadonlyMap<string, Exact>;
  /** Profit (below zero) or loss of earlier years, which belongs to retained earnings. */
  readonly priorYears: Exact;
}

/** Computes the balances from the ledger with the filters of the query. */
export function balancesAt(query: ReportQuery, date: string): Balances {
  const { company } = query;
  const yearStart = fiscalYearStart(company, date);
  const byAccount = new Map<string, Exact>();
  let priorYears: Exact = zero;
  for (const { accountId = '', home, transaction } of ledgerEntries(query, { to: date })) {
    if (transaction.date < yearStart && isProfitAndLoss(company.find('Account', accountId)))
      priorYears = priorYears.plus(home);
    else byAccount.set(accountId, (byAccount.get(accountId) ?? zero).plus(home));
  }
  return { byAccount, priorYears };
}

const debit = (total: Exact) => (total.isPositive() ? total : zero);
const credit = (total: Exact) => (total.isNegative() ? total.negated() : zero);

/** Returns the rows of the modernized service: sub-accounts below their parents, with their own names. */
function nested(company: Company, rows: readonly { readonly id: string; readonly total: Exact }[]): Doc[] {
  const totals = new Map(rows.map(({ id, total }) => [id, total]));
  const listed = new Set(totals.keys());
  for (const id of totals.keys())
    for (let parent = parentOf(company.find('Account', id)); parent !== undefined;) {
      listed.add(parent);
      parent = parentOf(company.find('Account', parent));
    }
  const byParent = Map.groupBy([...listed], (id) => parentOf(company.find('Account', id)));
  const allIn = (id: string): Exact[] => [totals.get(id) ?? zero, ...(byParent.get(id) ?? []).flatMap(allIn)];
  const cells = (label: Cell, of: readonly Exact[]): Cell[] => [
    label,
    money(sum(of.map(debit))),
    money(sum(of.map(credit))),
  ];
  const rowOf = (id: string): Doc => {
    const name = textAt(company.find('Account', id)?.body, 'Name') ?? id;
    const own = cells(text(name, id), [totals.get(id) ?? zero]);
    const children = byParent.get(id);
    if (children === undefined) return dataRow(own, { isTyped: false });
    return section({
      head: own,
      rows: children.map((child) => rowOf(child)),
      summary: cells(text(`Total for ${name}`), allIn(id)),
    });
  };
  return (byParent.get(undefined) ?? []).map((id) => rowOf(id));
}

/**
 * TrialBalance: every account with its balance on the last day, in its column. Income and expenses start at the
 * beginning of the fiscal year; earlier amounts are in retained earnings.
 */
export function trialBalance(query: ReportQuery): ReportBody {
  const basis = basisOf(query);
  const period = periodOf(query, 'this month-to-date');
  const { byAccount, priorYears } = balancesAt(query, period.to);
  const rows = chartOfAccounts(query.company).flatMap(({ id, body }) => {
    const isRetained = textAt(body, 'AccountSubType') === 'RetainedEarnings';
    const total = (byAccount.get(id) ?? zero).plus(isRetained ? priorYears : zero);
    return total.isZero() ? [] : [{ id, name: textAt(body, 'FullyQualifiedName'), total }];
  });
  const data = isModernized(query.company)
    ? nested(query.company, rows)
    : rows.map(({ id, name, total }) =>
        dataRow([text(name, id), moneyOrBlank(debit(total)), moneyOrBlank(credit(total))], { isTyped: false }),
      );
  const summary = [
    text('TOTAL'),
    money(sum(rows.map(({ total }) => debit(total)))),
    money(sum(rows.map(({ total }) => credit(total)))),
  ];
  return {
    header: { ...period.header, ...basis, ...filterHeader(query) },
    columns: [
      { title: '', type: 'Account' },
      { title: 'Debit', type: 'Money' },
      { title: 'Credit', type: 'Money' },
    ],
    rows: [...data, section({ group: 'GrandTotal', summary })],
  };
}
