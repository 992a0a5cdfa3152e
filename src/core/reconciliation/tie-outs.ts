import type { BooksDocument } from '../documents/books-document.ts';
import type { BooksTaxes, LedgerAccount, LedgerEntry, ReportContents } from '../documents/books-report.ts';
import type { Account, BooksReferenceData } from '../documents/reference-data.ts';
import { daysBetween, type CalendarDate } from '../values/dates.ts';
import { isPositive, isZero, minus, negate, plus, sum, zero, type Decimal } from '../values/decimal.ts';
import type { DocumentRow } from './completeness.ts';
import { homeAmount as home, homeLines } from './home-amounts.ts';
import { taxByAgency, taxByRegion } from './tax-tie-outs.ts';

/** What is compared with QuickBooks' own reports. */
export const tieOutNames = [
  'customer_sales',
  'receivables_ageing',
  'receivables_movement',
  'receivables_psa',
  'revenue_by_account',
  'revenue_by_class',
  'sales_tax',
  'sales_tax_by_agency',
  'sales_tax_by_region',
  'payables_ageing',
  'employee_payables',
  'employee_advances',
  'undeposited_funds',
  'prepayments',
  'open_orders',
  'received_not_billed',
  'unbilled',
  'foreign_currency',
] as const;
export type TieOutName = (typeof tieOutNames)[number];

/** One line of a tie-out; a side that does not apply is null. */
export interface TieOutRow {
  readonly label: string;
  readonly left: Decimal | null;
  readonly right: Decimal | null;
  readonly note?: string;
}

/** Two amounts that have to be the same, in the home currency, and what they are made of. */
export interface TieOut {
  readonly name: TieOutName;
  readonly label: string;
  readonly leftLabel: string;
  readonly rightLabel: string;
  readonly left: Decimal;
  readonly right: Decimal;
  /** Left minus right. */
  readonly difference: Decimal;
  /** False: a list for a person to read; its difference says nothing by itself. */
  readonly mustBeZero: boolean;
  readonly rows: readonly TieOutRow[];
}

export interface TieOutFacts {
  readonly through: CalendarDate;
  readonly homeCurrency: string;
  readonly psaLabel: string;
  readonly lists: Pick<BooksReferenceData, 'accounts' | 'classes' | 'items'>;
  /** Every document of the books that is dated in the month. */
  readonly documents: readonly BooksDocument[];
  readonly reports: { readonly [Name in keyof ReportContents]: ReportContents[Name] };
  /**
   * What the PSA shows as unpaid at the end of the month, in the home currency, by the customer who pays: a sub-customer
   * stands with the customer it belongs to.
   */
  readonly psaOpen: readonly { readonly customer: string; readonly amount: Decimal }[];
  readonly openOrders: readonly {
    readonly label: string;
    readonly psa: Decimal | null;
    readonly books: Decimal | null;
  }[];
  /** What had arrived of orders by the end of the month, and what bills of the books took over of it, in the home currency. */
  readonly received: readonly { readonly label: string; readonly received: Decimal; readonly billed: Decimal }[];
  /** Approved in the PSA up to the end of the month and on no invoice; null when the PSA does not let us see it. */
  readonly unbilled: { readonly count: number; readonly amount: Decimal } | null;
  readonly taxes: BooksTaxes;
  /** What clients have paid in advance, in the home currency; null while no account of blocks and retainers is chosen. */
  readonly prepaid: {
    readonly accountId: string;
    /** False when the PSA does not let us see what is left of blocks and retainers. */
    readonly isVisible: boolean;
    /** What the account stood at before the first entry that was read. */
    readonly opening: Decimal;
    readonly contracts: readonly {
      readonly label: string;
      /** Sold and not used; null when the PSA knows no block and no retainer of the contract. */
      readonly psa: Decimal | null;
      readonly books: Decimal | null;
    }[];
    /** Entries of the account that no contract is known of. */
    readonly others: readonly LedgerEntry[];
  } | null;
  /** Account of cash advances, when one is set. */
  readonly advanceAccountId: string | null;
}

const salesTypes: ReadonlySet<string> = new Set(['Invoice', 'CreditMemo', 'SalesReceipt', 'RefundReceipt']);
/** How the general ledger spells what the API calls by one word. */
const ledgerType = (type: string): string => type.replace(/(?<=[a-z])(?=[A-Z])/g, ' ');
const salesEntryTypes: ReadonlySet<string> = new Set([...salesTypes].map(ledgerType));
/** Days after which money that nobody took to the bank is told. */
const oldDepositDays = 5;

const signOf = ({ type }: BooksDocument): -1 | 1 =>
  type === 'CreditMemo' || type === 'RefundReceipt' || type === 'VendorCredit' ? -1 : 1;
const signed = (document: BooksDocument, amount: Decimal): Decimal =>
  signOf(document) === -1 ? negate(amount) : amount;
const ofTypes = (documents: readonly BooksDocument[], ...types: readonly string[]): BooksDocument[] =>
  documents.filter(({ type, isVoided }) => !isVoided && types.includes(type));

const tieOut = (
  of: Pick<TieOut, 'name' | 'label' | 'leftLabel' | 'rightLabel' | 'mustBeZero' | 'rows'>,
  left: Decimal,
  right: Decimal,
): TieOut => ({ ...of, left, right, difference: minus(left, right) });

/** Whether both sides agree, in the sum and in each of its rows. */
export const holds = ({ mustBeZero, difference, rows }: TieOut): boolean =>
  !mustBeZero ||
  (isZero(difference) &&
    rows.every(({ left, right }) => left === null || right === null || isZero(minus(left, right))));

/** All tie-outs of a month, in the order of {@link tieOutNames}; `rows` are its documents, both sides of each. */
export function tieOuts(facts: TieOutFacts, rows: readonly DocumentRow[]): readonly TieOut[] {
  return [
    customerSales(facts),
    receivablesAgeing(facts),
    receivablesMovement(facts),
    receivablesPsa(facts),
    activity(facts, revenueAccounts(facts), {
      name: 'revenue_by_account',
      label: 'Revenue by account',
      leftLabel: 'Lines of sales documents, and other entries',
      documents: facts.documents.filter(({ type, isVoided }) => salesTypes.has(type) && !isVoided),
      entryTypes: salesEntryTypes,
    }),
    revenueByClass(facts),
    salesTax(facts),
    ...taxByAgency(ofTypes(facts.documents, ...salesTypes), facts.taxes),
    ...taxByRegion(rows, facts.psaLabel),
    payablesAgeing(facts),
    employeePayables(facts),
    ...(facts.advanceAccountId === null ? [] : [employeeAdvances(facts, facts.advanceAccountId)]),
    undepositedFunds(facts),
    ...prepayments(facts),
    openOrders(facts),
    ...receivedNotBilled(facts),
    ...(facts.unbilled === null ? [] : [unbilled(facts.unbilled)]),
    ...foreignCurrency(facts),
  ];
}

const accountsOf = (facts: TieOutFacts, ...subTypes: readonly string[]): Account[] =>
  facts.lists.accounts.filter(({ subType }) => subTypes.includes(subType));

/** What accounts come to at the end of the month, debits positive. */
function balance({ reports }: TieOutFacts, accounts: readonly Account[]): Decimal {
  const ids = new Set(accounts.map(({ id }) => id));
  return sum(
    reports.trial_balance.flatMap(({ accountId, debit, credit }) =>
      accountId !== null && ids.has(accountId) ? [minus(debit, credit)] : [],
    ),
  );
}

const ledgerOf = ({ reports }: TieOutFacts, accounts: readonly Account[]): LedgerAccount[] => {
  const ids = new Set(accounts.map(({ id }) => id));
  return reports.general_ledger.filter(({ accountId }) => accountId !== null && ids.has(accountId));
};

const entryRow = ({ type, number, datedOn, partyName, amount }: LedgerEntry): TieOutRow => ({
  label: [type, number, partyName, datedOn].filter((part) => part !== null && part !== '').join(' · '),
  left: amount,
  right: null,
});

/** The income account that a line of a sale goes to. */
const accountOf = (facts: TieOutFacts) => {
  const items = new Map(facts.lists.items.map(({ id, incomeAccountId }) => [id, incomeAccountId]));
  return (line: BooksDocument['lines'][number]): string | null =>
    line.accountId ?? (line.itemId === null ? null : (items.get(line.itemId) ?? null));
};

function customerSales(facts: TieOutFacts): TieOut {
  const { documents, reports } = facts;
  const sales = ofTypes(documents, ...salesTypes);
  const net = sum(sales.map((one) => signed(one, sum(homeLines(one).map(({ amount }) => amount)))));
  const revenue = facts.lists.accounts.filter(({ classification }) => classification === 'Revenue');
  // A journal entry that names a customer is a sale in that report as well.
  const others = ledgerOf(facts, revenue)
    .flatMap(({ entries }) => entries)
    .filter(({ type, partyName }) => !salesEntryTypes.has(type) && partyName !== null);
  return tieOut(
    {
      name: 'customer_sales',
      label: 'Sales',
      leftLabel: 'Documents of the month, without tax',
      rightLabel: 'Report “Sales by Customer”',
      mustBeZero: true,
      rows: [{ label: `${sales.length} sales documents`, left: net, right: null }, ...others.map(entryRow)],
    },
    plus(net, sum(others.map(({ amount }) => amount))),
    reports.customer_sales.total,
  );
}

const receivable = (facts: TieOutFacts): Account[] => accountsOf(facts, 'AccountsReceivable');

const receivablesAgeing = (facts: TieOutFacts): TieOut =>
  tieOut(
    {
      name: 'receivables_ageing',
      label: 'Accounts receivable',
      leftLabel: 'Report “A/R Ageing Detail”',
      rightLabel: 'Trial balance',
      mustBeZero: true,
      rows: [],
    },
    facts.reports.aged_receivables.total,
    balance(facts, receivable(facts)),
  );

function receivablesMovement(facts: TieOutFacts): TieOut {
  const { documents } = facts;
  const accounts = receivable(facts);
  const ledger = ledgerOf(facts, accounts);
  const ids = new Set(accounts.map(({ id }) => id));
  const total = (type: string) => sum(ofTypes(documents, type).map((one) => home(one, one.total)));
  const journal = sum(
    ofTypes(documents, 'JournalEntry').flatMap((one) =>
      one.lines.flatMap(({ accountId, amount }) =>
        accountId !== null && ids.has(accountId) ? [home(one, amount)] : [],
      ),
    ),
  );
  const entries = ledger.flatMap((account) => account.entries);
  // A payment in a foreign currency clears its invoice at the invoice's rate; the ledger tells the difference.
  const foreign = new Map(
    ofTypes(documents, 'Payment').flatMap((one) =>
      one.currency === null || one.currency === facts.homeCurrency ? [] : [[one.id, home(one, one.total)] as const],
    ),
  );
  const exchange = sum(
    entries.flatMap(({ type, id, amount }) =>
      type === 'Payment' && id !== null && foreign.has(id) ? [plus(amount, foreign.get(id) ?? zero)] : [],
    ),
  );
  const own = new Set(['Invoice', 'Credit Memo', 'Payment', 'Journal Entry']);
  const others = entries.filter(({ type }) => !own.has(type));
  const rows: TieOutRow[] = [
    { label: 'Balance before the month', left: sum(ledger.map(({ opening }) => opening)), right: null },
    { label: 'Invoices', left: total('Invoice'), right: null },
    { label: 'Credit memos', left: negate(total('CreditMemo')), right: null },
    { label: 'Payments', left: negate(total('Payment')), right: null },
    { label: 'Journal entries', left: journal, right: null },
    ...(isZero(exchange) ? [] : [{ label: 'Exchange differences of payments', left: exchange, right: null }]),
    ...others.map(entryRow),
  ];
  return tieOut(
    {
      name: 'receivables_movement',
      label: 'Accounts receivable, movement',
      leftLabel: 'Opening balance and documents of the month',
      rightLabel: 'Trial balance',
      mustBeZero: true,
      rows,
    },
    sum(rows.map(({ left }) => left ?? zero)),
    balance(facts, accounts),
  );
}

/** Who pays: the first customer of a name such as `Acme Dental:North branch`, which the books give a sub-customer. */
const payerOf = (fullName: string): string => fullName.split(':', 1)[0] ?? fullName;

function receivablesPsa(facts: TieOutFacts): TieOut {
  const { psaOpen, psaLabel, reports } = facts;
  const books = Map.groupBy(reports.aged_receivables.documents, ({ partyName }) => payerOf(partyName));
  const psa = Map.groupBy(psaOpen, ({ customer }) => customer);
  const rows = [...new Set([...books.keys(), ...psa.keys()])].sort().map((label) => ({
    label,
    left: sum((psa.get(label) ?? []).map(({ amount }) => amount)),
    right: sum((books.get(label) ?? []).map(({ open }) => open)),
  }));
  return tieOut(
    {
      name: 'receivables_psa',
      label: `Open invoices, ${psaLabel} against QuickBooks`,
      leftLabel: `Without a paid date in ${psaLabel}`,
      rightLabel: 'Open in QuickBooks',
      mustBeZero: false,
      rows: rows.filter(({ left, right }) => !isZero(minus(left, right))),
    },
    sum(rows.map(({ left }) => left)),
    sum(rows.map(({ right }) => right)),
  );
}

/** Income accounts, and every other account that a line of a sale went to, such as one of prepayments. */
function revenueAccounts(facts: TieOutFacts): Account[] {
  const toAccount = accountOf(facts);
  const hit = new Set(
    ofTypes(facts.documents, ...salesTypes).flatMap(({ lines }) => lines.flatMap((line) => toAccount(line) ?? [])),
  );
  return facts.lists.accounts.filter(({ id, classification }) => classification === 'Revenue' || hit.has(id));
}

/** The lines of documents by account, and entries of other types, against the activity of those accounts. */
function activity(
  facts: TieOutFacts,
  accounts: readonly Account[],
  of: Pick<TieOut, 'name' | 'label' | 'leftLabel'> & {
    readonly documents: readonly BooksDocument[];
    readonly entryTypes: ReadonlySet<string>;
    /** Lines that are debits add to an account of costs or assets, and take from one of revenue. */
    readonly isDebit?: boolean;
  },
): TieOut {
  const toAccount = accountOf(facts);
  const ledger = new Map(ledgerOf(facts, accounts).map((one) => [one.accountId, one.entries]));
  const lines = of.documents.flatMap((document) =>
    homeLines(document).map((line) => ({ account: toAccount(line), amount: signed(document, line.amount) })),
  );
  const rows = accounts.flatMap((account): TieOutRow[] => {
    const isDebitAccount = account.classification === 'Asset' || account.classification === 'Expense';
    const turn = isDebitAccount === (of.isDebit ?? false) ? (amount: Decimal) => amount : negate;
    const ours = turn(sum(lines.flatMap((line) => (line.account === account.id ? [line.amount] : []))));
    const entries = ledger.get(account.id) ?? [];
    const others = sum(entries.flatMap(({ type, amount }) => (of.entryTypes.has(type) ? [] : [amount])));
    const right = sum(entries.map(({ amount }) => amount));
    if (isZero(ours) && entries.length === 0) return [];
    return [
      {
        label: account.fullyQualifiedName,
        left: plus(ours, others),
        right,
        ...(isZero(others) ? {} : { note: `Other entries ${others}` }),
      },
    ];
  });
  return tieOut(
    { name: of.name, label: of.label, leftLabel: of.leftLabel, rightLabel: 'General ledger', mustBeZero: true, rows },
    sum(rows.map(({ left }) => left ?? zero)),
    sum(rows.map(({ right }) => right ?? zero)),
  );
}

function revenueByClass(facts: TieOutFacts): TieOut {
  const names = new Map(facts.lists.classes.map(({ id, fullyQualifiedName }) => [id, fullyQualifiedName]));
  const lines = ofTypes(facts.documents, ...salesTypes).flatMap((document) =>
    homeLines(document).map(({ classId, amount }) => ({
      label: classId === null ? 'Without a class' : (names.get(classId) ?? classId),
      amount: signed(document, amount),
    })),
  );
  const rows = [...Map.groupBy(lines, ({ label }) => label)]
    .map(([label, own]) => ({ label, left: sum(own.map(({ amount }) => amount)), right: null }))
    .sort((a, b) => (a.label < b.label ? -1 : 1));
  const total = sum(lines.map(({ amount }) => amount));
  return tieOut(
    {
      name: 'revenue_by_class',
      label: 'Revenue by class',
      leftLabel: 'Lines of sales documents',
      rightLabel: 'Sum of the classes',
      mustBeZero: false,
      rows,
    },
    total,
    sum(rows.map(({ left }) => left)),
  );
}

function salesTax(facts: TieOutFacts): TieOut {
  const taxed = ofTypes(facts.documents, ...salesTypes);
  const own = sum(taxed.map((one) => signed(one, home(one, one.tax))));
  const ledger = ledgerOf(facts, accountsOf(facts, 'GlobalTaxPayable', 'SalesTaxPayable', 'GlobalTaxSuspense'));
  const entries = ledger.flatMap((account) => account.entries);
  const others = entries.filter(({ type }) => !salesEntryTypes.has(type));
  return tieOut(
    {
      name: 'sales_tax',
      label: 'Sales tax',
      leftLabel: 'Tax of sales documents, and other entries',
      rightLabel: 'Activity of Sales Tax Payable',
      mustBeZero: true,
      rows: [
        { label: `Tax of ${taxed.length} sales documents`, left: own, right: null },
        ...others.map(entryRow),
        ...ledger.map(({ name, entries: all }) => ({
          label: name,
          left: null,
          right: sum(all.map(({ amount }) => amount)),
        })),
      ],
    },
    plus(own, sum(others.map(({ amount }) => amount))),
    sum(entries.map(({ amount }) => amount)),
  );
}

const payablesAgeing = (facts: TieOutFacts): TieOut =>
  tieOut(
    {
      name: 'payables_ageing',
      label: 'Accounts payable',
      leftLabel: 'Report “A/P Ageing Detail”',
      rightLabel: 'Trial balance',
      mustBeZero: true,
      rows: [],
    },
    facts.reports.aged_payables.total,
    negate(balance(facts, accountsOf(facts, 'AccountsPayable'))),
  );

/** Employees are vendors whose names begin with `v-`. */
const isEmployee = (name: string | null): boolean => /^v-/i.test(name ?? '');

function employeePayables(facts: TieOutFacts): TieOut {
  const bills = ofTypes(facts.documents, 'Bill').filter(({ party }) => isEmployee(party.name));
  const open = facts.reports.aged_payables.documents.filter(({ partyName }) => isEmployee(partyName));
  const names = [...new Set([...bills.map(({ party }) => party.name ?? ''), ...open.map((one) => one.partyName)])];
  const rows = names.sort().map((label) => ({
    label,
    left: sum(bills.flatMap((one) => (one.party.name === label ? [home(one, one.balance)] : []))),
    right: sum(open.flatMap((one) => (one.partyName === label ? [one.open] : []))),
  }));
  return tieOut(
    {
      name: 'employee_payables',
      label: 'Owed to employees',
      leftLabel: 'Open on bills of this month',
      rightLabel: 'Open at the end of the month',
      mustBeZero: false,
      rows,
    },
    sum(rows.map(({ left }) => left)),
    sum(rows.map(({ right }) => right)),
  );
}

const employeeAdvances = (facts: TieOutFacts, accountId: string): TieOut =>
  activity(
    facts,
    facts.lists.accounts.filter(({ id }) => id === accountId),
    {
      name: 'employee_advances',
      label: 'Employee advances',
      leftLabel: 'Deducted on bills, and other entries',
      documents: ofTypes(facts.documents, 'Bill'),
      entryTypes: new Set(['Bill']),
      isDebit: true,
    },
  );

function undepositedFunds(facts: TieOutFacts): TieOut {
  const waiting = ofTypes(facts.documents, 'Payment').filter(
    (one) => !isZero(one.total) && one.isOpen !== false && !one.links.some(({ type }) => type === 'Deposit'),
  );
  const old = waiting.filter(({ datedOn }) => daysBetween(datedOn, facts.through) > oldDepositDays);
  return tieOut(
    {
      name: 'undeposited_funds',
      label: 'Undeposited funds',
      leftLabel: 'Payments of this month that no deposit names',
      rightLabel: 'Trial balance',
      mustBeZero: false,
      rows: old.map((one) => ({
        label: [one.party.name, one.number, one.datedOn].filter((part) => part !== null).join(' · '),
        left: home(one, one.total),
        right: null,
        note: `${daysBetween(one.datedOn, facts.through)} days`,
      })),
    },
    sum(waiting.map((one) => home(one, one.total))),
    balance(facts, accountsOf(facts, 'UndepositedFunds')),
  );
}

/** What is owed to clients of blocks and retainers, contract by contract; none while no account is chosen. */
function prepayments(facts: TieOutFacts): TieOut[] {
  const { prepaid, psaLabel, lists } = facts;
  if (prepaid === null) return [];
  const account = lists.accounts.filter(({ id }) => id === prepaid.accountId);
  const rows: TieOutRow[] = [
    ...prepaid.contracts.map(({ label, psa, books }) => ({ label, left: psa, right: books })),
    ...prepaid.others.map((entry) => ({ ...entryRow(entry), left: null, right: entry.amount, note: 'No contract' })),
    ...(isZero(prepaid.opening) ? [] : [{ label: 'Earlier entries', left: null, right: prepaid.opening }]),
  ];
  if (rows.length === 0) return [];
  return [
    tieOut(
      {
        name: 'prepayments',
        label: 'Customer prepayments, by contract',
        leftLabel: prepaid.isVisible ? `Left in ${psaLabel} today, sold less used` : `Not shown by ${psaLabel}`,
        rightLabel: `Balance of ${account[0]?.fullyQualifiedName ?? 'the account'}, trial balance`,
        mustBeZero: false,
        rows,
      },
      sum(prepaid.contracts.map(({ psa }) => psa ?? zero)),
      negate(balance(facts, account)),
    ),
  ];
}

const openOrders = ({ openOrders: orders, psaLabel }: TieOutFacts): TieOut =>
  tieOut(
    {
      name: 'open_orders',
      label: 'Open purchase orders',
      leftLabel: `Open in ${psaLabel}`,
      rightLabel: 'Open in QuickBooks',
      mustBeZero: false,
      rows: orders.map(({ label, psa, books }) => ({ label, left: psa, right: books })),
    },
    sum(orders.map(({ psa }) => psa ?? zero)),
    sum(orders.map(({ books }) => books ?? zero)),
  );

/** What arrived and no bill has come for: owed, though no account shows it. None while there is nothing of the kind. */
function receivedNotBilled({ received: orders, psaLabel }: TieOutFacts): TieOut[] {
  const rows = orders
    .filter(({ received, billed }) => isPositive(minus(received, billed)))
    .map(({ label, received, billed }) => ({ label, left: received, right: billed }));
  if (rows.length === 0) return [];
  return [
    tieOut(
      {
        name: 'received_not_billed',
        label: 'Received and not billed',
        leftLabel: `Received in ${psaLabel}, at cost`,
        rightLabel: 'Billed in QuickBooks; the rest is to be accrued by hand',
        mustBeZero: false,
        rows,
      },
      sum(rows.map(({ left }) => left)),
      sum(rows.map(({ right }) => right)),
    ),
  ];
}

const unbilled = ({ count, amount }: { readonly count: number; readonly amount: Decimal }): TieOut =>
  tieOut(
    {
      name: 'unbilled',
      label: 'Approved and not invoiced',
      leftLabel: count === 1 ? '1 billing item' : `${count} billing items`,
      rightLabel: 'To be accrued by hand',
      mustBeZero: false,
      rows: [],
    },
    amount,
    zero,
  );

/** One list for the currencies besides the home currency; none when there are none. */
function foreignCurrency(facts: TieOutFacts): TieOut[] {
  const foreign = ofTypes(facts.documents, 'Invoice', 'CreditMemo').filter(
    ({ currency }) => currency !== null && currency !== facts.homeCurrency,
  );
  if (foreign.length === 0) return [];
  const rows = [...Map.groupBy(foreign, ({ currency }) => currency ?? '')].map(([label, own]) => ({
    label: `${label}, in ${facts.homeCurrency}`,
    left: sum(own.map((one) => signed(one, home(one, one.total)))),
    right: null,
    note: `${label} ${sum(own.map((one) => signed(one, one.total)))}`,
  }));
  const total = sum(rows.map(({ left }) => left));
  return [
    tieOut(
      {
        name: 'foreign_currency',
        label: 'Invoiced in foreign currencies',
        leftLabel: 'At the rates of the documents',
        rightLabel: 'Sum of the currencies',
        mustBeZero: false,
        rows,
      },
      total,
      total,
    ),
  ];
}
