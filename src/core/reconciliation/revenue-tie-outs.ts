import type { AccountingDocument } from '../documents/accounting-document.ts';
import type { LedgerEntry } from '../documents/accounting-report.ts';
import type { Account } from '../documents/reference-data.ts';
import { isZero, minus, negate, plus, sum, zero, type Decimal } from '../values/decimal.ts';
import { counted } from '../values/text.ts';
import { keyOf, type DocumentRow } from './completeness.ts';
import { homeLines } from './home-amounts.ts';
import {
  accountOf,
  entryRow,
  ledgerType,
  ledgerOf,
  ofTypes,
  salesEntryTypes,
  salesTypes,
  signed,
  tieOut,
  type TieOut,
  type TieOutFacts,
  type TieOutRow,
} from './tie-out.ts';

/** Returns whether a user entered the document in QuickBooks: it has no source in the PSA, and we did not post it. */
const isTyped = ({ psa, extra, findings }: DocumentRow): boolean =>
  psa === null && extra === undefined && !findings.some((finding) => finding.class === 'accounting_made_by_us');

/** @param rows documents of the month; those without a source in the PSA are listed separately */
export function customerSales(facts: TieOutFacts, rows: readonly DocumentRow[]): TieOut {
  const { documents, reports } = facts;
  const sales = ofTypes(documents, ...salesTypes);
  const netOf = (document: AccountingDocument) =>
    signed(document, sum(homeLines(document).map(({ amount }) => amount)));
  const net = sum(sales.map(netOf));
  const typed = new Set(
    rows.flatMap((row) =>
      row.accounting !== null && isTyped(row) ? [keyOf(row.accounting.type, row.accounting.id)] : [],
    ),
  );
  const [byHand, ours] = partition(sales, ({ type, id }) => typed.has(keyOf(type, id)));
  const revenue = facts.lists.accounts.filter(({ classification }) => classification === 'Revenue');
  const entries = ledgerOf(facts, revenue).flatMap((account) => account.entries);
  const others = countedAsSales(facts, entries, minus(reports.customer_sales.total, net));
  return tieOut(
    {
      name: 'customer_sales',
      label: 'Sales',
      leftLabel: 'Documents of the month, without tax',
      rightLabel: 'Report “Sales by Customer”',
      mustBeZero: true,
      rows: [
        { label: counted(ours.length, 'sales document'), left: sum(ours.map(netOf)), right: null },
        ...byHand.map((document) => ({
          ...entryRow({
            ...document,
            type: ledgerType(document.type),
            partyName: document.party.name,
            amount: netOf(document),
          }),
          note: 'Entered in QuickBooks',
        })),
        ...others.map(entryRow),
      ],
    },
    plus(net, sum(others.map(({ amount }) => amount))),
    reports.customer_sales.total,
  );
}

/**
 * Returns the entries without a sales document that the report counts as sales. It counts only entries with a customer;
 * which types, depends on the company, so the first choice that gives the report's total is used: none, journal entries, or
 * all.
 *
 * @param rest the report's total without sales documents
 */
function countedAsSales(
  { lists }: TieOutFacts,
  entries: readonly LedgerEntry[],
  rest: Decimal,
): readonly LedgerEntry[] {
  const customers = new Set(lists.customers.map(({ displayName }) => displayName));
  const isCustomer = (name: string | null): boolean =>
    name !== null && (customers.has(name) || customers.has(name.split(':').at(-1) ?? name));
  const all = entries.filter(({ type, partyName }) => !salesEntryTypes.has(type) && isCustomer(partyName));
  const choices = [[], all.filter(({ type }) => type === 'Journal Entry'), all];
  return choices.find((choice) => isZero(minus(sum(choice.map(({ amount }) => amount)), rest))) ?? all;
}

/** Compares revenue from sales with the general ledger, account by account. */
export const revenueByAccount = (facts: TieOutFacts): TieOut =>
  activity(facts, revenueAccounts(facts), {
    name: 'revenue_by_account',
    label: 'Revenue by account',
    leftLabel: 'Lines of sales documents, and other entries',
    documents: ofTypes(facts.documents, ...salesTypes),
    entryTypes: salesEntryTypes,
  });

/** Returns income accounts, and all other accounts on sales lines, such as an account for prepayments. */
function revenueAccounts(facts: TieOutFacts): Account[] {
  const toAccount = accountOf(facts);
  const hit = new Set(
    ofTypes(facts.documents, ...salesTypes).flatMap(({ lines }) => lines.flatMap((line) => toAccount(line) ?? [])),
  );
  return facts.lists.accounts.filter(({ id, classification }) => classification === 'Revenue' || hit.has(id));
}

const partition = <Item>(items: readonly Item[], is: (item: Item) => boolean): readonly [Item[], Item[]] => [
  items.filter((item) => is(item)),
  items.filter((item) => !is(item)),
];

/**
 * Returns a separate row for an entry without a sales document, such as a deposit or a journal entry, so entries do not
 * net each other.
 */
const otherRow = (of: string, entry: LedgerEntry, amount = entry.amount): TieOutRow => ({
  label: `${of} · ${entryRow(entry).label}`,
  left: amount,
  right: amount,
  note: 'Entered in QuickBooks',
});

const isDebitAccount = ({ classification }: Account): boolean =>
  classification === 'Asset' || classification === 'Expense';

/** Compares document lines by account, and entries of other types, with the activity of those accounts. */
export function activity(
  facts: TieOutFacts,
  accounts: readonly Account[],
  of: Pick<TieOut, 'name' | 'label' | 'leftLabel'> & {
    readonly documents: readonly AccountingDocument[];
    readonly entryTypes: ReadonlySet<string>;
  },
): TieOut {
  const toAccount = accountOf(facts);
  const ledger = new Map(ledgerOf(facts, accounts).map((account) => [account.accountId, account.entries]));
  const lines = of.documents.flatMap((document) =>
    homeLines(document).map((line) => ({ account: toAccount(line), amount: signed(document, line.amount) })),
  );
  const rows = accounts.flatMap((account): TieOutRow[] => {
    const turn = isDebitAccount(account) ? negate : (amount: Decimal) => amount;
    const ours = turn(sum(lines.flatMap((line) => (line.account === account.id ? [line.amount] : []))));
    const entries = ledger.get(account.id) ?? [];
    const [posted, others] = partition(entries, ({ type }) => of.entryTypes.has(type));
    if (isZero(ours) && entries.length === 0) return [];
    return [
      { label: account.fullyQualifiedName, left: ours, right: sum(posted.map(({ amount }) => amount)) },
      ...others.map((entry) => otherRow(account.fullyQualifiedName, entry)),
    ];
  });
  return tieOut(
    { name: of.name, label: of.label, leftLabel: of.leftLabel, rightLabel: 'General ledger', mustBeZero: true, rows },
    sum(rows.map(({ left }) => left ?? zero)),
    sum(rows.map(({ right }) => right ?? zero)),
  );
}

const withoutClass = 'Without a class';

/**
 * Compares revenue from sales by class with the classes in the general ledger, for the same accounts. If the ledger has
 * no classes, this is a list with one side.
 */
export function revenueByClass(facts: TieOutFacts): TieOut {
  const names = new Map(facts.lists.classes.map(({ id, fullyQualifiedName }) => [id, fullyQualifiedName]));
  const lines = ofTypes(facts.documents, ...salesTypes).flatMap((document) =>
    homeLines(document).map(({ classId, amount }) => ({
      label: classId === null ? withoutClass : (names.get(classId) ?? `Class ${classId}`),
      amount: signed(document, amount),
    })),
  );
  const entries = creditsByClass(facts);
  const own = Map.groupBy(lines, ({ label }) => label);
  const theirs = Map.groupBy(entries ?? [], ({ label }) => label);
  const rows = [...new Set([...own.keys(), ...theirs.keys()])].sort().flatMap((label): TieOutRow[] => {
    const [sales, others] = partition(theirs.get(label) ?? [], ({ entry }) => salesEntryTypes.has(entry.type));
    return [
      {
        label,
        left: sum((own.get(label) ?? []).map(({ amount }) => amount)),
        right: entries === null ? null : sum(sales.map(({ amount }) => amount)),
      },
      ...others.map(({ entry, amount }) => otherRow(label, entry, amount)),
    ];
  });
  const left = sum(rows.map((row) => row.left ?? zero));
  return tieOut(
    {
      name: 'revenue_by_class',
      label: 'Revenue by class',
      leftLabel: entries === null ? 'Lines of sales documents' : 'Lines of sales documents, and other entries',
      rightLabel: entries === null ? 'QuickBooks reports no classes' : 'General ledger',
      mustBeZero: entries !== null,
      rows,
    },
    left,
    entries === null ? left : sum(entries.map(({ amount }) => amount)),
  );
}

/** Returns the entries of the accounts on sales lines, credits positive; null if the ledger has no classes. */
function creditsByClass(
  facts: TieOutFacts,
): readonly { readonly label: string; readonly entry: LedgerEntry; readonly amount: Decimal }[] | null {
  const accounts = revenueAccounts(facts);
  const debitAccounts = new Set(accounts.filter((account) => isDebitAccount(account)).map(({ id }) => id));
  const found = ledgerOf(facts, accounts).flatMap(({ accountId, entries }) =>
    entries.map((entry) => ({ entry, isDebit: accountId !== null && debitAccounts.has(accountId) })),
  );
  if (found.every(({ entry }) => entry.className === undefined)) return null;
  return found.map(({ entry, isDebit }) => ({
    label:
      entry.className === undefined || entry.className === null || entry.className === ''
        ? withoutClass
        : entry.className,
    entry,
    amount: isDebit ? negate(entry.amount) : entry.amount,
  }));
}
