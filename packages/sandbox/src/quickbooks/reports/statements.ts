import { type Exact, sum, zero } from '../amounts.ts';
import type { Company } from '../company.ts';
import { type Doc, textAt } from '../doc.ts';
import { fault } from '../faults.ts';
import {
  chartOfAccounts,
  isProfitAndLoss,
  type LedgerEntry,
  ledgerEntries,
  naturalAmount,
  partyName,
} from './entries.ts';
import {
  basisOf,
  blanks,
  type Cell,
  dataRow,
  filterHeader,
  money,
  periodOf,
  type ReportBody,
  type ReportQuery,
  section,
  text,
} from './report.ts';
import { balancesAt } from './trial-balance.ts';

/** How a profit and loss report is split into columns: the column of an entry, and its title. */
interface Split {
  readonly title: string;
  readonly key: string;
  readonly holds: (entry: LedgerEntry) => boolean;
}

const total: Split = { title: 'Total', key: 'total', holds: () => true };

function splitsBy(
  entries: readonly LedgerEntry[],
  keyOf: (entry: LedgerEntry) => string | undefined,
  title: (key: string | undefined) => string,
): Split[] {
  const keys = [...new Set(entries.map((entry) => keyOf(entry)))];
  const made = keys.map((key): Split => ({
    title: title(key),
    key: key ?? '',
    holds: (entry) => keyOf(entry) === key,
  }));
  return [...made.sort((a, b) => (a.key === '' ? 1 : b.key === '' ? -1 : a.title < b.title ? -1 : 1)), total];
}

/** Returns the columns for `summarize_column_by`. @throws ServiceFault 2170 for an unknown value */
function splitsOf(
  query: ReportQuery,
  entries: readonly LedgerEntry[],
): { readonly by: string; readonly splits: Split[] } {
  const { company, param } = query;
  const by = param('summarize_column_by') ?? 'Total';
  const name = (entity: string, none: string) => (id: string | undefined) =>
    id === undefined ? none : (textAt(company.find(entity, id)?.body, 'FullyQualifiedName') ?? id);
  switch (by) {
    case 'Total':
      return { by, splits: [total] };
    case 'Month':
      return {
        by,
        splits: splitsBy(
          entries,
          ({ transaction }) => transaction.date.slice(0, 7),
          (key) => key ?? '',
        ),
      };
    case 'Classes':
      return { by, splits: splitsBy(entries, ({ classId }) => classId, name('Class', 'Not Specified')) };
    case 'Departments':
      return { by, splits: splitsBy(entries, ({ departmentId }) => departmentId, name('Department', 'Not Specified')) };
    case 'Customers':
      return {
        by,
        splits: splitsBy(
          entries,
          ({ party, customerId }) => customerId ?? (party?.type === 'Customer' ? party.id : undefined),
          (id) => partyName(company, 'Customer', id) ?? 'Not Specified',
        ),
      };
    default:
      throw fault.badEnum(by, 'summarize_column_by');
  }
}

const profitSections = [
  ['Income', 'Income', 'Income', 1],
  ['COGS', 'Cost of Goods Sold', 'Cost of Goods Sold', -1],
  ['Expenses', 'Expenses', 'Expense', -1],
  ['OtherIncome', 'Other Income', 'Other Income', 1],
  ['OtherExpenses', 'Other Expenses', 'Other Expense', -1],
] as const;

/** ProfitAndLoss: income and costs of the period by account, with the subtotals between them. */
export function profitAndLoss(query: ReportQuery): ReportBody {
  const { company } = query;
  const basis = basisOf(query);
  const period = periodOf(query, 'this fiscal year-to-date');
  const entries = ledgerEntries(query, { from: period.from, to: period.to }).filter(({ accountId }) =>
    isProfitAndLoss(company.find('Account', accountId)),
  );
  const { by, splits } = splitsOf(query, entries);
  const byAccount = Map.groupBy(entries, ({ accountId }) => accountId ?? '');
  const amounts = new Map<string, readonly Exact[]>();
  const rows = profitSections.map(([group, title, type, sign]) => {
    const accounts = chartOfAccounts(company)
      .filter(({ body }) => textAt(body, 'AccountType') === type)
      .flatMap((account) => {
        const own = byAccount.get(account.id) ?? [];
        const cells = splits.map(({ holds }) =>
          naturalAmount(account, sum(own.filter((entry) => holds(entry)).map(({ home }) => home))),
        );
        return own.length === 0 ? [] : [{ account, cells }];
      });
    const totals = splits.map((_, at) => sum(accounts.map(({ cells }) => cells[at] ?? zero)));
    amounts.set(
      group,
      totals.map((amount) => amount.times(sign)),
    );
    return section({
      head: [text(title), ...blanks(splits.length)],
      rows: accounts.map(({ account, cells }) =>
        dataRow([text(textAt(account.body, 'FullyQualifiedName'), account.id), ...cells.map((each) => money(each))]),
      ),
      summary: [text(`Total ${title}`), ...totals.map((each) => money(each))],
      group,
    });
  });
  const result = (group: string, title: string, ...of: readonly string[]): Doc => {
    const cells = splits.map((_, at) => money(sum(of.map((name) => amounts.get(name)?.[at] ?? zero))));
    return section({ group, summary: [text(title), ...cells] });
  };
  const [income, cogs, expenses, otherIncome, otherExpenses] = rows;
  return {
    header: { ...period.header, ...basis, ...filterHeader(query), SummarizeColumnsBy: by },
    options: [['AccountingStandard', 'GAAP']],
    columns: [
      { title: '', type: 'Account', key: 'account' },
      ...splits.map(({ title, key }) => ({ title, type: 'Money', key })),
    ],
    rows:
      entries.length === 0
        ? []
        : [
            income ?? {},
            cogs ?? {},
            result('GrossProfit', 'Gross Profit', 'Income', 'COGS'),
            expenses ?? {},
            result('NetOperatingIncome', 'Net Operating Income', 'Income', 'COGS', 'Expenses'),
            otherIncome ?? {},
            otherExpenses ?? {},
            result('NetOtherIncome', 'Net Other Income', 'OtherIncome', 'OtherExpenses'),
            result('NetIncome', 'Net Income', 'Income', 'COGS', 'Expenses', 'OtherIncome', 'OtherExpenses'),
          ],
  };
}

interface Part {
  readonly title: string;
  readonly group: string;
  /** Types of accounts, for a bottom-level section. */
  readonly types?: readonly string[];
  readonly parts?: readonly Part[];
}

const balanceSheetParts: readonly Part[] = [
  {
    title: 'ASSETS',
    group: 'TotalAssets',
    parts: [
      {
        title: 'Current Assets',
        group: 'CurrentAssets',
        parts: [
          { title: 'Bank Accounts', group: 'BankAccounts', types: ['Bank'] },
          { title: 'Accounts Receivable', group: 'AR', types: ['Accounts Receivable'] },
          { title: 'Other Current Assets', group: 'OtherCurrentAssets', types: ['Other Current Asset'] },
        ],
      },
      { title: 'Fixed Assets', group: 'FixedAssets', types: ['Fixed Asset'] },
      { title: 'Other Assets', group: 'OtherAssets', types: ['Other Asset'] },
    ],
  },
  {
    title: 'LIABILITIES AND EQUITY',
    group: 'TotalLiabilitiesAndEquity',
    parts: [
      {
        title: 'Liabilities',
        group: 'Liabilities',
        parts: [
          {
            title: 'Current Liabilities',
            group: 'CurrentLiabilities',
            parts: [
              { title: 'Accounts Payable', group: 'AP', types: ['Accounts Payable'] },
              { title: 'Credit Cards', group: 'CreditCards', types: ['Credit Card'] },
              {
                title: 'Other Current Liabilities',
                group: 'OtherCurrentLiabilities',
                types: ['Other Current Liability'],
              },
            ],
          },
          { title: 'Long-Term Liabilities', group: 'LongTermLiabilities', types: ['Long Term Liability'] },
        ],
      },
      { title: 'Equity', group: 'Equity', types: ['Equity'] },
    ],
  },
];

/** Returns the company's earnings in the fiscal year so far, and in the years before. */
function earnings(
  company: Company,
  balances: ReturnType<typeof balancesAt>,
): { readonly year: Exact; readonly prior: Exact } {
  const year = sum(
    [...balances.byAccount].flatMap(([id, amount]) => (isProfitAndLoss(company.find('Account', id)) ? [amount] : [])),
  );
  return { year: year.negated(), prior: balances.priorYears.negated() };
}

/** BalanceSheet: what the company owns and owes on the last day; the year's result is in equity as Net Income. */
export function balanceSheet(query: ReportQuery): ReportBody {
  const { company } = query;
  const basis = basisOf(query);
  const period = periodOf(query, 'this fiscal year-to-date');
  const balances = balancesAt(query, period.to);
  const { year, prior } = earnings(company, balances);
  const accounts = chartOfAccounts(company);
  const leaves = (types: readonly string[]): { readonly name: Cell; readonly amount: Exact }[] => {
    const found = accounts
      .filter(({ body }) => types.includes(textAt(body, 'AccountType') ?? ''))
      .map((account) => {
        const isRetained = textAt(account.body, 'AccountSubType') === 'RetainedEarnings';
        const own = naturalAmount(account, balances.byAccount.get(account.id) ?? zero);
        const name = text(textAt(account.body, 'FullyQualifiedName'), account.id);
        return { name, amount: isRetained ? own.plus(prior) : own };
      });
    return types.includes('Equity') ? [...found, { name: text('Net Income'), amount: year }] : found;
  };
  const build = (part: Part): { readonly row: Doc; readonly amount: Exact } | undefined => {
    const inner =
      part.types === undefined
        ? (part.parts ?? []).flatMap((each) => build(each) ?? [])
        : leaves(part.types)
            .filter(({ amount }) => !amount.isZero())
            .map(({ name, amount }) => ({ row: dataRow([name, money(amount)]), amount }));
    if (inner.length === 0) return undefined;
    const amount = sum(inner.map((each) => each.amount));
    const head = [text(part.title), ...blanks(1)];
    const word = part.title === part.title.toUpperCase() ? 'TOTAL' : 'Total';
    const summary = [text(`${word} ${part.title}`), money(amount)];
    return { row: section({ head, rows: inner.map(({ row }) => row), summary, group: part.group }), amount };
  };
  return {
    header: { ...period.header, ...basis, ...filterHeader(query), SummarizeColumnsBy: 'Total' },
    options: [['AccountingStandard', 'GAAP']],
    columns: [
      { title: '', type: 'Account', key: 'account' },
      { title: 'Total', type: 'Money', key: 'total' },
    ],
    rows: balanceSheetParts.map((part) => build(part)?.row).filter((row) => row !== undefined),
  };
}
