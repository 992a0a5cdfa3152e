import { type Exact, sum, zero } from '../amounts.ts';
import { textAt } from '../doc.ts';
import { chartOfAccounts, isProfitAndLoss, ledgerEntries } from './entries.ts';
import {
  basisOf,
  dataRow,
  filterHeader,
  fiscalYearStart,
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
  /** By account id; accounts of profit and loss count from the beginning of the fiscal year. */
  readonly byAccount: ReadonlyMap<string, Exact>;
  /** Profit (below zero) or loss of the years before, which belongs to retained earnings. */
  readonly priorYears: Exact;
}

/** Works the balances out from the ledger, as the filters of the query want it. */
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

/**
 * TrialBalance: every account with what it stands at on the last day, in its column. Income and expenses count from the
 * beginning of the fiscal year, what came before is in retained earnings.
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
  const debit = (total: Exact) => (total.isPositive() ? total : zero);
  const credit = (total: Exact) => (total.isNegative() ? total.negated() : zero);
  const data = rows.map(({ id, name, total }) =>
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
