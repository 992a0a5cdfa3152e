/** The “QuickBooks” pages for people: documents, customers, the ledger, the trial balance. */
import type { PageView } from '../kit/definition.ts';
import { html, type Html } from '../kit/html.ts';
import { pageMoney, pageTable, type TableCell } from '../kit/tables.ts';
import { sum } from './amounts.ts';
import type { Company } from './company.ts';
import { type Doc, docAt, listAt, refAt, textAt } from './doc.ts';
import { documentHtml } from './document.ts';
import { type EntityKind, kindOf } from './entities.ts';
import { generalLedger, type PostedTransaction, postTransaction } from './ledger/ledger.ts';
import { booksOf } from './ledger/books.ts';
import type { SettledPosting } from './ledger/posting.ts';
import { partyName, transactionLabel } from './reports/entries.ts';
import { runReport } from './reports/run-report.ts';
import { reportsPage } from './reports-page.ts';
import { compareIds, type Entry } from './table.ts';

const shownRows = 25;
const ledgerRows = 400;

/** The permanent address of a record's page. */
export function pageOf(company: Company, entity: string, id: string): string {
  return `/__sandbox?entity=${entity}&id=${encodeURIComponent(id)}&realmId=${company.realmId}`;
}

const amount = (value: unknown): TableCell => ({ text: typeof value === 'number' ? pageMoney(value) : '' });

/** Returns the state of a document in words for people. */
function stateOf(company: Company, kind: EntityKind, body: Doc): TableCell {
  const { name } = kind;
  if ((textAt(body, 'PrivateNote') ?? '').startsWith('Voided')) return { text: 'Voided', tone: 'bad' };
  if (name === 'PurchaseOrder') return { text: textAt(body, 'POStatus') ?? '' };
  if (name === 'Payment')
    return Number(body['UnappliedAmt'] ?? 0) > 0 ? { text: 'Not all applied', tone: 'soft' } : { text: 'Applied' };
  if (body['Balance'] === 0) return { text: name === 'CreditMemo' ? 'Applied' : 'Paid', tone: 'good' };
  const isOverdue = (textAt(body, 'DueDate') ?? '9999') < company.today();
  return isOverdue ? { text: 'Overdue', tone: 'bad' } : { text: 'Open' };
}

function documentRow(company: Company, kind: EntityKind, { id, body }: Entry): TableCell[] {
  const href = pageOf(company, kind.name, id);
  const isSales = body['CustomerRef'] !== undefined;
  const partyId = refAt(body, isSales ? 'CustomerRef' : 'VendorRef');
  const party = isSales ? 'Customer' : 'Vendor';
  const number = textAt(body, 'DocNumber') ?? textAt(body, 'PaymentRefNum') ?? `no number (${id})`;
  const sign = kind.name === 'CreditMemo' ? -1 : 1;
  const signed = (value: unknown) => (typeof value === 'number' ? value * sign : value);
  return [
    { text: textAt(body, 'TxnDate') ?? '' },
    { text: kind.label },
    { text: number, href },
    {
      text: partyName(company, party, partyId) ?? '',
      href: partyId === undefined ? undefined : pageOf(company, party, partyId),
    },
    { text: textAt(body, 'DueDate') ?? '' },
    amount(signed(body['TotalAmt'])),
    amount(signed(body['Balance'])),
    stateOf(company, kind, body),
  ];
}

/** Renders the latest documents of some entities in one table. */
function documents(company: Company, title: string, names: readonly string[], none: string, partyId?: string): Html {
  const kinds = names.map((name) => kindOf(name));
  const isOf = ({ body }: Entry) =>
    partyId === undefined || refAt(body, 'CustomerRef') === partyId || refAt(body, 'VendorRef') === partyId;
  const all = kinds.flatMap((kind) =>
    [...company.table(kind.name).all()].filter(isOf).map((entry) => ({ kind, entry })),
  );
  all.sort((a, b) => {
    const [dateA, dateB] = [textAt(a.entry.body, 'TxnDate') ?? '', textAt(b.entry.body, 'TxnDate') ?? ''];
    return dateA === dateB ? compareIds(b.entry.id, a.entry.id) : dateA < dateB ? 1 : -1;
  });
  const first = names[0] ?? '';
  return pageTable({
    title: `${title} (${all.length})`,
    columns: [
      { title: 'Date' },
      { title: 'Type' },
      { title: 'No.' },
      { title: names.some((name) => ['Bill', 'PurchaseOrder'].includes(name)) ? 'Vendor' : 'Customer' },
      { title: 'Due' },
      { title: 'Amount', isAmount: true },
      { title: 'Balance', isAmount: true },
      { title: 'Status' },
    ],
    rows: all.slice(0, shownRows).map(({ kind, entry }) => documentRow(company, kind, entry)),
    none,
    more:
      all.length > shownRows
        ? { text: `All ${all.length}`, href: `/__sandbox?entity=${first}&realmId=${company.realmId}` }
        : undefined,
  });
}

function customers(company: Company): Html {
  const all = [...company.table('Customer').all()].filter(({ body }) => body['Active'] !== false);
  const rows = all
    .map((entry) => ({ entry, balance: company.balanceOf('Customer', entry.id).toNumber() }))
    .sort((a, b) => b.balance - a.balance || compareIds(a.entry.id, b.entry.id));
  return pageTable({
    title: `Customers (${all.length})`,
    columns: [{ title: 'Name' }, { title: 'Email' }, { title: 'Currency' }, { title: 'Open balance', isAmount: true }],
    rows: rows.slice(0, shownRows).map(({ entry: { id, body }, balance }) => {
      return [
        { text: textAt(body, 'FullyQualifiedName') ?? id, href: pageOf(company, 'Customer', id) },
        { text: textAt(docAt(body, 'PrimaryEmailAddr'), 'Address') ?? '' },
        { text: refAt(body, 'CurrencyRef') ?? '' },
        { text: pageMoney(balance) },
      ];
    }),
    none: 'No customers yet.',
    more:
      all.length > shownRows
        ? { text: `All ${all.length}`, href: `/__sandbox?entity=Customer&realmId=${company.realmId}` }
        : undefined,
  });
}

/** Links to the other companies of the sandbox. */
function companyLinks(company: Company, all: readonly Company[], view: string): Html {
  return html`<p class="companies">
    ${all.map(
      (each) =>
        html`<a href="/__sandbox?view=${view}&realmId=${each.realmId}" ${each === company && html`aria-current="page"`}
          >${each.name}</a
        > `,
    )}
  </p>`;
}

/** Returns the party's name of an entry: the agency of a tax, otherwise the customer or vendor; empty without one. */
function nameOf(company: Company, { party, agencyId }: SettledPosting): string {
  const agency = textAt(company.find('TaxAgency', agencyId)?.body, 'DisplayName');
  return agency ?? (party === undefined ? '' : (partyName(company, party.type, party.id) ?? ''));
}

const sideOf = (posting: SettledPosting, isDebit: boolean): string =>
  posting.home.isPositive() === isDebit ? pageMoney(posting.home.abs().toNumber()) : '';

/** Renders the debits and credits of transactions, in home currency. */
function entriesTable(
  company: Company,
  title: string,
  transactions: readonly PostedTransaction[],
  isWhole: boolean,
): Html {
  const rows = transactions.flatMap((transaction) =>
    transaction.postings.map((posting): TableCell[] => [
      ...(isWhole
        ? [
            { text: transaction.date },
            {
              text: `${transactionLabel(transaction)} ${transaction.number ?? transaction.id}`,
              href: pageOf(company, transaction.entity, transaction.id),
            },
          ]
        : []),
      {
        text: textAt(company.find('Account', posting.accountId)?.body, 'FullyQualifiedName') ?? 'none',
        href: posting.accountId === undefined ? undefined : pageOf(company, 'Account', posting.accountId),
      },
      { text: nameOf(company, posting) },
      { text: textAt(company.find('Class', posting.classId)?.body, 'FullyQualifiedName') ?? '' },
      { text: sideOf(posting, true) },
      { text: sideOf(posting, false) },
    ]),
  );
  const all = transactions.flatMap(({ postings }) => postings.map(({ home }) => home));
  const debit = pageMoney(sum(all.filter((home) => home.isPositive())).toNumber());
  const credit = pageMoney(
    sum(all.filter((home) => home.isNegative()))
      .abs()
      .toNumber(),
  );
  return pageTable({
    title,
    columns: [
      ...(isWhole ? [{ title: 'Date' }, { title: 'Transaction' }] : []),
      { title: 'Account' },
      { title: 'Name' },
      { title: 'Class' },
      { title: 'Debit', isAmount: true },
      { title: 'Credit', isAmount: true },
    ],
    rows,
    totals: [
      ...(isWhole ? [{ text: '' }, { text: '' }] : []),
      { text: 'Total' },
      { text: '' },
      { text: '' },
      { text: debit },
      { text: credit },
    ],
    none: 'Nothing is posted: it was voided, or documents of this kind never post.',
  });
}

/** Renders the entries of a document, shown below it; undefined for a record that is no transaction. */
function ledgerEffect(company: Company, kind: EntityKind, entry: Entry): Html | undefined {
  if (kind.kind !== 'transaction') return undefined;
  const posted = postTransaction({ entity: kind.name, id: entry.id, body: entry.body }, booksOf(company));
  const title = `Posts, in ${company.preferences.homeCurrency}`;
  return entriesTable(company, title, posted.postings.length === 0 ? [] : [posted], false);
}

/**
 * Renders a record's own page: the printed document with its entries, or the open documents of a customer or vendor.
 */
export function pageOfRecord(company: Company, kind: EntityKind, entry: Entry): Html | undefined {
  const rendered = documentHtml(company, kind, entry);
  if (rendered !== undefined)
    return html`<section class="rendered">${rendered}</section>
      ${ledgerEffect(company, kind, entry)}`;
  if (kind.name === 'Account') {
    const all = generalLedger(company).flatMap((transaction) => {
      const postings = transaction.postings.filter(({ accountId }) => accountId === entry.id);
      return postings.length === 0 ? [] : [{ ...transaction, postings }];
    });
    return entriesTable(
      company,
      textAt(entry.body, 'FullyQualifiedName') ?? '',
      all.reverse().slice(0, ledgerRows),
      true,
    );
  }
  if (kind.name !== 'Customer' && kind.name !== 'Vendor') return undefined;
  const isCustomer = kind.name === 'Customer';
  const names = isCustomer ? ['Invoice', 'CreditMemo', 'Payment'] : ['PurchaseOrder', 'Bill', 'VendorCredit'];
  return documents(company, textAt(entry.body, 'DisplayName') ?? '', names, 'No documents yet.', entry.id);
}

function trialBalanceTable(company: Company): Html {
  const today = company.today();
  const body = runReport('TrialBalance', { company, param: (name) => (name === 'end_date' ? today : undefined) });
  const rows = listAt(docAt(body, 'Rows'), 'Row');
  const cells = (row: Doc): TableCell[] =>
    [...listAt(row, 'ColData'), ...listAt(docAt(row, 'Summary'), 'ColData')].map((cell, at) => ({
      text:
        at === 0
          ? (textAt(cell, 'value') ?? '')
          : textAt(cell, 'value') === undefined
            ? ''
            : pageMoney(Number(cell['value'])),
      href: textAt(cell, 'id') === undefined ? undefined : pageOf(company, 'Account', textAt(cell, 'id') ?? ''),
    }));
  return pageTable({
    title: `Trial balance on ${today}`,
    columns: [{ title: 'Account' }, { title: 'Debit', isAmount: true }, { title: 'Credit', isAmount: true }],
    rows: rows.slice(0, -1).map((row) => cells(row)),
    totals: rows.length === 0 ? undefined : cells(rows.at(-1) ?? {}),
    none: 'Nothing is posted yet.',
  });
}

/** Returns the pages; the first one is the start page of the sandbox. */
export function quickBooksViews(
  companies: () => readonly Company[],
  chosen: (realmId: string | undefined) => Company,
): PageView[] {
  const view = (key: string, title: string, render: (company: Company, params: URLSearchParams) => Html): PageView => ({
    key,
    title,
    render(request) {
      const company = chosen(request.params.get('realmId') ?? undefined);
      return html`${companyLinks(company, companies(), key)}${render(company, request.params)}`;
    },
  });
  return [
    view(
      'documents',
      'Documents',
      (company) => html`
        ${documents(company, 'Invoices and credit memos', ['Invoice', 'CreditMemo'], 'No invoices yet.')}
        ${documents(company, 'Payments received', ['Payment'], 'No payments yet.')}
        ${documents(company, 'Purchase orders and bills', ['PurchaseOrder', 'Bill', 'VendorCredit'], 'No purchase orders or bills yet.')}
        ${customers(company)}
      `,
    ),
    view('ledger', 'General ledger', (company) => {
      const all = generalLedger(company).reverse();
      const title = `General ledger, latest first${all.length > ledgerRows ? ` (${ledgerRows} of ${all.length} transactions)` : ''}`;
      return entriesTable(company, title, all.slice(0, ledgerRows), true);
    }),
    view('trial-balance', 'Trial balance', (company) => trialBalanceTable(company)),
    view('reports', 'Reports', (company, params) => reportsPage(company, params.get('report') ?? undefined)),
  ];
}
