import { type Exact, sum, zero } from '../amounts.ts';
import type { Company } from '../company.ts';
import { type Doc, textAt } from '../doc.ts';
import type { Entry } from '../table.ts';
import {
  chartOfAccounts,
  isProfitAndLoss,
  type LedgerEntry,
  ledgerEntries,
  memoOf,
  naturalAmount,
  parentOf,
  partyName,
  transactionLabel,
} from './entries.ts';
import {
  basisOf,
  type Cell,
  type Column,
  dataRow,
  filterHeader,
  idsParam,
  isModernized,
  money,
  moneyOrBlank,
  periodOf,
  type ReportBody,
  type ReportQuery,
  section,
  text,
} from './report.ts';

/** One line of the ledger as a row: amounts are on the account's normal side. */
interface Line {
  readonly entry: LedgerEntry;
  readonly account: Entry;
  readonly amount: Exact;
  readonly balance: Exact;
}

interface LineColumn extends Column {
  readonly key: string;
  readonly isStandard: boolean;
  readonly cell: (line: Line) => Cell;
  readonly amount?: (line: Line) => Exact;
}

const isDebit = (amount: Exact) => amount.isPositive();

/** Returns every column of ledger details and transaction lists, in order. */
function lineColumns(company: Company): LineColumn[] {
  const { isMultiCurrency, tracksDepartments, tracksClassPerLine, tracksClassPerTransaction } = company.preferences;
  const column = (key: string, title: string, isStandard: boolean, cell: LineColumn['cell']): LineColumn => ({
    key,
    title,
    type: key,
    isStandard,
    cell,
  });
  const amount = (key: string, title: string, isStandard: boolean, of: (line: Line) => Exact): LineColumn => ({
    ...column(key, title, isStandard, (line) => moneyOrBlank(of(line))),
    amount: of,
  });
  const named = (entity: string, member: string, id: string | undefined) =>
    text(textAt(company.find(entity, id)?.body, member), id);
  const party = ({ entry }: Line, type: string) =>
    entry.party?.type === type ? text(partyName(company, type, entry.party.id), entry.party.id) : text('');
  const home = isMultiCurrency ? 'home_' : '';
  // Only one of the two sets of amount columns has values, by the company's setting (observed).
  const other = isMultiCurrency ? '' : 'home_';
  const debit = ({ entry }: Line) => (isDebit(entry.home) ? entry.home : zero);
  const credit = ({ entry }: Line) => (isDebit(entry.home) ? zero : entry.home.negated());
  return [
    column('account_name', 'Account', false, ({ account }) =>
      text(textAt(account.body, 'FullyQualifiedName'), account.id),
    ),
    column('tx_date', 'Date', true, ({ entry }) => text(entry.transaction.date)),
    column('txn_type', 'Transaction Type', true, ({ entry }) =>
      text(transactionLabel(entry.transaction), entry.transaction.id),
    ),
    column('doc_num', 'No.', true, ({ entry }) => text(entry.transaction.number)),
    column('name', 'Name', true, ({ entry }) =>
      entry.party === undefined ? text('') : text(partyName(company, entry.party.type, entry.party.id), entry.party.id),
    ),
    column('cust_name', 'Customer', false, (line) =>
      line.entry.customerId === undefined
        ? party(line, 'Customer')
        : text(partyName(company, 'Customer', line.entry.customerId), line.entry.customerId),
    ),
    column('vend_name', 'Vendor', false, (line) => party(line, 'Vendor')),
    column('emp_name', 'Employee', false, (line) => party(line, 'Employee')),
    column('dept_name', 'Location', tracksDepartments, ({ entry }) =>
      named('Department', 'FullyQualifiedName', entry.departmentId),
    ),
    column('klass_name', 'Class', tracksClassPerLine || tracksClassPerTransaction, ({ entry }) =>
      named('Class', 'FullyQualifiedName', entry.classId),
    ),
    column('item_name', 'Product/Service', false, ({ entry }) => named('Item', 'Name', entry.itemId)),
    column('memo', 'Memo/Description', true, ({ entry }) => text(memoOf(entry))),
    column('split_acc', 'Split', true, ({ entry }) => splitOf(company, entry)),
    column('currency', 'Currency', false, ({ entry }) => text(isMultiCurrency ? entry.transaction.currency : '')),
    column('exch_rate', 'Exchange Rate', false, ({ entry }) => text(isMultiCurrency ? entry.transaction.rate : '')),
    amount(`debt_${home}amt`, 'Debit', false, debit),
    amount(`credit_${home}amt`, 'Credit', false, credit),
    amount('nat_foreign_amount', 'Foreign Amount', false, ({ entry, account }) =>
      isMultiCurrency ? naturalAmount(account, entry.amount) : zero,
    ),
    amount(`subt_nat_${home}amount`, 'Amount', true, (line) => line.amount),
    column(`rbal_nat_${home}amount`, 'Balance', true, ({ balance }) => money(balance)),
    ...[`debt_${other}amt`, `credit_${other}amt`, `subt_nat_${other}amount`, `rbal_nat_${other}amount`].map((key) =>
      column(key, 'Amount', false, () => text('')),
    ),
  ];
}

/** Returns the other account of a transaction, or `-Split-` when there are several. */
function splitOf(company: Company, { transaction, accountId }: LedgerEntry): Cell {
  const others = new Set(transaction.postings.map((posting) => posting.accountId));
  others.delete(accountId);
  const [only] = others;
  if (others.size !== 1 || transaction.postings.length !== 2) return text('-Split-');
  return text(textAt(company.find('Account', only)?.body, 'FullyQualifiedName'), only);
}

interface AccountLines {
  readonly account: Entry;
  readonly opening: Exact;
  readonly lines: readonly Line[];
}

/** Returns the lines of each account within the period, with its opening balance. */
function linesByAccount(query: ReportQuery, from: string, to: string): AccountLines[] {
  const wanted = idsParam(query, 'account');
  const types = idsParam(query, 'source_account_type');
  const entries = new Map<string, LedgerEntry[]>();
  for (const entry of ledgerEntries(query, { to })) {
    const list = entries.get(entry.accountId ?? '');
    if (list === undefined) entries.set(entry.accountId ?? '', [entry]);
    else list.push(entry);
  }
  return chartOfAccounts(query.company).flatMap((account) => {
    const type = (textAt(account.body, 'AccountType') ?? '').replaceAll(' ', '');
    if ((wanted !== undefined && !wanted.has(account.id)) || (types !== undefined && !types.has(type))) return [];
    const all = entries.get(account.id) ?? [];
    const before = all.filter(({ transaction }) => transaction.date < from);
    const opening = isProfitAndLoss(account) ? zero : naturalAmount(account, sum(before.map(({ home }) => home)));
    let balance = opening;
    const lines = all.slice(before.length).map((entry): Line => {
      const amount = naturalAmount(account, entry.home);
      balance = balance.plus(amount);
      return { entry, account, amount, balance };
    });
    return lines.length === 0 && opening.isZero() ? [] : [{ account, opening, lines }];
  });
}

/** Adds parents without lines, because the modernized service nests sub-accounts below them. */
function withParents(company: Company, found: AccountLines[]): AccountLines[] {
  if (!isModernized(company)) return found;
  const known = new Map(found.map((each) => [each.account.id, each]));
  for (const { account } of found)
    for (let parent = company.find('Account', parentOf(account)); parent !== undefined;) {
      if (!known.has(parent.id)) known.set(parent.id, { account: parent, opening: zero, lines: [] });
      parent = company.find('Account', parentOf(parent));
    }
  return [...known.values()];
}

/**
 * GeneralLedger: a section per account with its beginning balance, its lines and its total; sub-accounts within their
 * parent. Amounts are in home currency, on the account's normal side.
 */
export function generalLedgerReport(query: ReportQuery): ReportBody {
  const basis = basisOf(query);
  const period = periodOf(query, 'this month-to-date');
  const found = withParents(query.company, linesByAccount(query, period.from, period.to));
  const wanted = idsParam(query, 'columns');
  const columns = lineColumns(query.company).filter(({ key, isStandard }) => wanted?.has(key) ?? isStandard);
  const byParent = Map.groupBy(found, ({ account }) => {
    const parent = parentOf(account);
    return found.some((other) => other.account.id === parent) ? parent : undefined;
  });
  const everythingIn = (each: AccountLines): Line[] => [
    ...each.lines,
    ...(byParent.get(each.account.id) ?? []).flatMap((child) => everythingIn(child)),
  ];
  const totals = (label: string, lines: readonly Line[]): Cell[] =>
    columns.map(({ amount }, at) =>
      at === 0 ? text(label) : amount === undefined ? text('') : money(sum(lines.map((line) => amount(line)))),
    );
  const opening = ({ opening: amount }: AccountLines): Doc[] =>
    amount.isZero()
      ? []
      : [
          dataRow(
            columns.map(({ key }, at) =>
              key.startsWith('rbal_nat') && key === balanceKey
                ? money(amount)
                : text(at === 0 ? 'Beginning Balance' : ''),
            ),
          ),
        ];
  const balanceKey = query.company.preferences.isMultiCurrency ? 'rbal_nat_home_amount' : 'rbal_nat_amount';
  const accountSection = (each: AccountLines): Doc => {
    const name = textAt(each.account.body, 'Name') ?? '';
    const children = byParent.get(each.account.id) ?? [];
    return section({
      head: columns.map((_, at) => (at === 0 ? text(name, each.account.id) : text(''))),
      rows: [
        ...opening(each),
        ...each.lines.map((line) => dataRow(columns.map(({ cell }) => cell(line)))),
        ...children.map((child) => accountSection(child)),
      ],
      summary: totals(`Total for ${name}${children.length === 0 ? '' : ' with sub-accounts'}`, everythingIn(each)),
    });
  };
  return {
    header: { ...period.header, ...basis, ...filterHeader(query) },
    columns,
    rows: (byParent.get(undefined) ?? []).map((each) => accountSection(each)),
  };
}

/** TransactionList: one row per transaction of the period, its whole amount on its first account. */
export function transactionList(query: ReportQuery): ReportBody {
  const period = periodOf(query, 'this month-to-date');
  const wanted = idsParam(query, 'columns');
  const types = idsParam(query, 'transaction_type');
  const own = new Set(['account_name', 'tx_date', 'txn_type', 'doc_num', 'name', 'memo', 'split_acc']);
  const amountKey = query.company.preferences.isMultiCurrency ? 'subt_nat_home_amount' : 'subt_nat_amount';
  const columns = lineColumns(query.company).filter(
    ({ key }) => wanted?.has(key) ?? (own.has(key) || key === amountKey),
  );
  const seen = new Set<string>();
  const rows = ledgerEntries(query, { from: period.from, to: period.to }).flatMap((entry) => {
    const key = `${entry.transaction.entity} ${entry.transaction.id}`;
    const account = query.company.find('Account', entry.accountId);
    if (seen.has(key) || account === undefined || (types !== undefined && !types.has(entry.transaction.entity)))
      return [];
    seen.add(key);
    const amount = naturalAmount(account, entry.home);
    return [dataRow(columns.map(({ cell }) => cell({ entry, account, amount, balance: amount })))];
  });
  return { header: { ...period.header, ...filterHeader(query) }, columns, rows };
}
