import { amountAt, cents, type Exact, sum, zero } from '../amounts.ts';
import type { Company } from '../company.ts';
import { type Doc, docAt, isTrue, listAt, refAt, textAt } from '../doc.ts';
import { fault } from '../faults.ts';
import { journalPostings } from '../ledger/general.ts';
import { daysBetween } from '../times.ts';
import { compareIds } from '../table.ts';
import { dueDateOf, partyName, transactionLabel } from './entries.ts';
import {
  blanks,
  type Cell,
  type Column,
  dataRow,
  dateParam,
  filterHeader,
  idsParam,
  money,
  numberParam,
  type ReportBody,
  type ReportQuery,
  section,
  text,
} from './report.ts';

/** Receivables of customers or payables to vendors. */
export type AgingSide = 'receivable' | 'payable';

const sides = {
  receivable: {
    party: 'Customer',
    member: 'CustomerRef',
    accountType: 'Accounts Receivable',
    owed: 'Invoice',
    credit: 'CreditMemo',
    payment: 'Payment',
    filter: 'customer',
    nameColumn: ['cust_name', 'Customer'],
  },
  payable: {
    party: 'Vendor',
    member: 'VendorRef',
    accountType: 'Accounts Payable',
    owed: 'Bill',
    credit: 'VendorCredit',
    payment: 'BillPayment',
    filter: 'vendor',
    nameColumn: ['vend_name', 'Vendor'],
  },
} as const;

/** One open transaction on a day. Amounts above zero are owed. */
interface OpenItem {
  readonly entity: string;
  readonly id: string;
  readonly body: Doc;
  readonly partyId: string;
  readonly dueDate: string;
  readonly amount: Exact;
  readonly open: Exact;
  readonly homeAmount: Exact;
  readonly homeOpen: Exact;
  readonly currency: string;
  readonly rate: Exact;
}

/**
 * Returns the amounts that payments up to a day take off each document, by `{entity} {id}`, and each payment's
 * unapplied rest.
 */
function applications(company: Company, side: AgingSide, date: string | undefined) {
  const { payment, credit } = sides[side];
  const taken = new Map<string, Exact>();
  const unapplied: { readonly id: string; readonly body: Doc; readonly amount: Exact }[] = [];
  for (const { id, body } of company.table(payment).all()) {
    if (date !== undefined && (textAt(body, 'TxnDate') ?? '') > date) continue;
    let needed: Exact = zero;
    for (const line of listAt(body, 'Line')) {
      const [link] = listAt(line, 'LinkedTxn');
      const [type, target] = [textAt(link, 'TxnType') ?? '', textAt(link, 'TxnId') ?? ''];
      const amount = amountAt(line, 'Amount') ?? zero;
      const targetDate = textAt(company.find(type, target)?.body, 'TxnDate') ?? '';
      // A payment dated before its invoice is an open item until the invoice's day.
      if (date !== undefined && targetDate > date) continue;
      needed = needed.plus(type === credit ? amount.negated() : amount);
      taken.set(`${type} ${target}`, (taken.get(`${type} ${target}`) ?? zero).plus(amount));
    }
    const rest = (amountAt(body, 'TotalAmt') ?? zero).minus(needed);
    if (!rest.isZero()) unapplied.push({ id, body, amount: rest });
  }
  return { taken, unapplied };
}

/** Transactions whose lines may post to receivables or payables, in addition to the documents of each side. */
const directEntities = ['JournalEntry', 'Deposit', 'Purchase'] as const;
type DirectEntity = (typeof directEntities)[number];

/** Returns the lines of an expense on accounts, with its payee. */
function expensePostings(body: Doc) {
  const payee = docAt(body, 'EntityRef');
  const [type, partyId] = [textAt(payee, 'type') ?? 'Vendor', textAt(payee, 'value')];
  return listAt(body, 'Line').flatMap((line) => {
    const accountId = refAt(docAt(line, 'AccountBasedExpenseLineDetail'), 'AccountRef');
    const amount = amountAt(line, 'Amount') ?? zero;
    return accountId === undefined || partyId === undefined
      ? []
      : [{ accountId, amount: isTrue(body, 'Credit') ? amount.negated() : amount, party: { type, id: partyId } }];
  });
}

/** Returns the lines of a journal entry, a deposit or an expense, with their parties. */
const directPostings = (entity: DirectEntity, id: string, body: Doc) =>
  entity === 'JournalEntry'
    ? journalPostings({ entity, id, body })
    : entity === 'Purchase'
      ? expensePostings(body)
      : listAt(body, 'Line').flatMap((line) => {
          const detail = docAt(line, 'DepositLineDetail');
          const [owner, accountId] = [docAt(detail, 'Entity'), refAt(detail, 'AccountRef')];
          const [type, partyId] = [textAt(owner, 'type'), textAt(owner, 'value')];
          const amount = (amountAt(line, 'Amount') ?? zero).negated();
          return accountId === undefined || type === undefined || partyId === undefined
            ? []
            : [{ accountId, amount, party: { type, id: partyId } }];
        });

/** Returns the lines on the side's accounts, which remain open: no payment can be applied to them here. */
function directItems(company: Company, side: AgingSide, date: string | undefined, entity: DirectEntity): OpenItem[] {
  const { party, accountType } = sides[side];
  return [...company.table(entity).all()].flatMap(({ id, body }) => {
    if (date !== undefined && (textAt(body, 'TxnDate') ?? '') > date) return [];
    return directPostings(entity, id, body).flatMap((posting) => {
      const type = textAt(company.find('Account', posting.accountId)?.body, 'AccountType');
      if (type !== accountType || posting.party?.type !== party) return [];
      const amount = side === 'receivable' ? posting.amount : posting.amount.negated();
      return [openItem(company, { entity, id, body, partyId: posting.party.id, amount, open: amount })];
    });
  });
}

function openItem(
  company: Company,
  item: Pick<OpenItem, 'entity' | 'id' | 'body' | 'partyId' | 'amount' | 'open'>,
): OpenItem {
  const currency = refAt(item.body, 'CurrencyRef') ?? company.preferences.homeCurrency;
  const rate = amountAt(item.body, 'ExchangeRate') ?? zero.plus(1);
  return {
    ...item,
    dueDate: dueDateOf(item.body),
    currency,
    rate,
    homeAmount: cents(item.amount.times(rate)),
    // Cleared amounts were deducted in home currency as rounded sums, so the open part is the rest of the total.
    homeOpen: cents(item.amount.times(rate)).minus(cents(item.amount.minus(item.open).times(rate))),
  };
}

/** Returns everything that is open on a day (undefined: now), by date and id. */
function openItems(company: Company, side: AgingSide, date: string | undefined): OpenItem[] {
  const { owed, credit, payment, member } = sides[side];
  const { taken, unapplied } = applications(company, side, date);
  const documents = [owed, credit].flatMap((entity) =>
    [...company.table(entity).all()].flatMap(({ id, body }) => {
      if (date !== undefined && (textAt(body, 'TxnDate') ?? '') > date) return [];
      const sign = entity === credit ? -1 : 1;
      const amount = (amountAt(body, 'TotalAmt') ?? zero).times(sign);
      const open = amount.minus((taken.get(`${entity} ${id}`) ?? zero).times(sign));
      if (open.isZero()) return [];
      return [openItem(company, { entity, id, body, partyId: refAt(body, member) ?? '', amount, open })];
    }),
  );
  const payments = unapplied.map(({ id, body, amount }) => {
    const open = amount.negated();
    const total = (amountAt(body, 'TotalAmt') ?? zero).negated();
    const item = openItem(company, {
      entity: payment,
      id,
      body,
      partyId: refAt(body, member) ?? '',
      amount: total,
      open,
    });
    return { ...item, homeOpen: cents(open.times(item.rate)) };
  });
  const direct = directEntities.flatMap((entity) => directItems(company, side, date, entity));
  return [...documents, ...payments, ...direct].sort((a, b) =>
    a.dueDate === b.dueDate ? compareIds(a.id, b.id) : a.dueDate < b.dueDate ? -1 : 1,
  );
}

interface Aging {
  readonly date: string;
  readonly items: readonly (OpenItem & { readonly pastDue: number; readonly bucket: number })[];
  /** Names of the buckets, current first. */
  readonly buckets: readonly string[];
  readonly header: Doc;
}

/** Reads the parameters and sorts the open items into buckets. */
function aging(query: ReportQuery, side: AgingSide): Aging {
  const { company, param } = query;
  const method = param('aging_method') ?? 'Report_Date';
  if (method !== 'Report_Date' && method !== 'Current') throw fault.badEnum(method, 'aging_method');
  const date = dateParam(query, 'report_date') ?? company.today();
  const days = numberParam(query, 'aging_period', 30, 1);
  const periods = numberParam(query, 'num_periods', 4, 1);
  const least = numberParam(query, 'past_due', 0, 0);
  const parties = idsParam(query, sides[side].filter);
  const departments = idsParam(query, 'department');
  const terms = idsParam(query, 'term');
  const [dueFrom, dueTo] = [dateParam(query, 'start_duedate'), dateParam(query, 'end_duedate')];
  const ageFrom = method === 'Current' ? company.today() : date;
  const items = openItems(company, side, method === 'Current' ? undefined : date)
    .map((item) => {
      const pastDue = daysBetween(item.dueDate, ageFrom);
      const bucket = pastDue <= 0 ? 0 : Math.min(periods, Math.ceil(pastDue / days));
      return { ...item, pastDue, bucket };
    })
    .filter(
      ({ partyId, body, dueDate, pastDue }) =>
        (parties === undefined || parties.has(partyId)) &&
        (departments === undefined || departments.has(refAt(body, 'DepartmentRef') ?? '')) &&
        (terms === undefined || terms.has(refAt(body, 'SalesTermRef') ?? '')) &&
        (dueFrom === undefined || dueDate >= dueFrom) &&
        (dueTo === undefined || dueDate <= dueTo) &&
        pastDue >= (least === 0 ? -Infinity : least),
    );
  const buckets = Array.from({ length: periods + 1 }, (_, at) =>
    at === 0
      ? 'Current'
      : at === periods
        ? `${(at - 1) * days + 1} or more days past due`
        : `${(at - 1) * days + 1} - ${at * days} days past due`,
  );
  return { date, items, buckets, header: { EndPeriod: date, ...filterHeader(query) } };
}

interface DetailColumn extends Column {
  readonly key: string;
  readonly isStandard: boolean;
  readonly cell: (item: Aging['items'][number]) => Cell;
  readonly amount?: (item: Aging['items'][number]) => Exact;
}

/** Returns every column of the detail, in a fixed order. */
function detailColumns(company: Company, side: AgingSide): DetailColumn[] {
  const { party, nameColumn } = sides[side];
  const { isMultiCurrency, tracksDepartments } = company.preferences;
  const neg = side === 'payable' ? 'neg_' : '';
  const column = (key: string, title: string, isStandard: boolean, cell: DetailColumn['cell']): DetailColumn => ({
    key,
    title,
    type: key,
    isStandard,
    cell,
  });
  const amount = (key: string, title: string, isStandard: boolean, of: (item: OpenItem) => Exact): DetailColumn => ({
    ...column(key, title, isStandard, (item) => money(of(item))),
    amount: of,
  });
  const named = (entity: string, id: string | undefined) =>
    text(textAt(company.find(entity, id)?.body, entity === 'Term' ? 'Name' : 'FullyQualifiedName'), id);
  return [
    column('tx_date', 'Date', true, ({ body }) => text(textAt(body, 'TxnDate'))),
    column('txn_type', 'Transaction Type', true, (item) => text(transactionLabel(item), item.id)),
    column('doc_num', 'No.', true, ({ body }) => text(textAt(body, 'DocNumber') ?? textAt(body, 'PaymentRefNum'))),
    column(nameColumn[0], nameColumn[1], true, ({ partyId }) => text(partyName(company, party, partyId), partyId)),
    column('dept_name', 'Location', tracksDepartments, ({ body }) => named('Department', refAt(body, 'DepartmentRef'))),
    column('term_name', 'Terms', false, ({ body }) => named('Term', refAt(body, 'SalesTermRef'))),
    column('memo', 'Memo/Description', false, ({ body }) => text(textAt(body, 'PrivateNote'))),
    column('due_date', 'Due Date', true, ({ dueDate }) => text(dueDate)),
    column('past_due', 'Past Due', side === 'payable', ({ pastDue }) => text(String(pastDue))),
    ...(isMultiCurrency
      ? [
          column('currency', 'Currency', false, ({ currency }) => text(currency)),
          column('exch_rate', 'Exchange Rate', false, ({ rate }) => text(rate.toString())),
          amount(`${neg}foreign_amount`, 'Foreign Amount', false, (item) => item.amount),
          amount(`${neg}foreign_open_bal`, 'Foreign Open Balance', false, (item) => item.open),
          amount(`subt_${neg}home_amount`, 'Amount', true, (item) => item.homeAmount),
          amount(`subt_${neg}home_open_bal`, 'Open Balance', true, (item) => item.homeOpen),
        ]
      : [
          amount(`subt_${neg}amount`, 'Amount', true, (item) => item.amount),
          amount(`subt_${neg}open_bal`, 'Open Balance', true, (item) => item.open),
        ]),
  ];
}

/** AgedReceivableDetail and AgedPayableDetail: one row per open transaction, oldest bucket first. */
export function agingDetail(query: ReportQuery, side: AgingSide): ReportBody {
  const { date, items, buckets, header } = aging(query, side);
  const wanted = idsParam(query, 'columns');
  const columns = detailColumns(query.company, side).filter(({ key, isStandard }) => wanted?.has(key) ?? isStandard);
  const totals = (label: string, of: Aging['items']): Cell[] =>
    columns.map(({ amount }, at) =>
      at === 0 ? text(label) : amount === undefined ? text('') : money(sum(of.map((item) => amount(item)))),
    );
  const sections = buckets
    .map((name, bucket) => ({ name, inside: items.filter((item) => item.bucket === bucket) }))
    .filter(({ inside }) => inside.length > 0)
    .reverse()
    .map(({ name, inside }) =>
      section({
        head: [text(name), ...blanks(columns.length - 1)],
        rows: inside.map((item) => dataRow(columns.map(({ cell }) => cell(item)))),
        summary: totals(`Total for ${name}`, inside),
      }),
    );
  return {
    header,
    options: [['report_date', date]],
    columns,
    rows: items.length === 0 ? [] : [...sections, section({ group: 'GrandTotal', summary: totals('TOTAL', items) })],
  };
}

/** AgedReceivables and AgedPayables: one row per customer or vendor, one column per bucket, in home currency. */
export function agingSummary(query: ReportQuery, side: AgingSide): ReportBody {
  const { date, items, buckets, header } = aging(query, side);
  const { party } = sides[side];
  const cells = (of: Aging['items']): Cell[] => [
    ...buckets.map((_, bucket) =>
      money(sum(of.filter((item) => item.bucket === bucket).map(({ homeOpen }) => homeOpen))),
    ),
    money(sum(of.map(({ homeOpen }) => homeOpen))),
  ];
  const rows = [...new Set(items.map(({ partyId }) => partyId))]
    .map((id) => ({ id, name: partyName(query.company, party, id) ?? id }))
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .map(({ id, name }) =>
      dataRow([text(name, id), ...cells(items.filter(({ partyId }) => partyId === id))], { isTyped: false }),
    );
  const short = (name: string) => name.replace(' days past due', '').replace(' or more', ' and over');
  return {
    header: { ReportBasis: 'Accrual', ...header, SummarizeColumnsBy: 'Total' },
    options: [['report_date', date]],
    columns: [
      { title: '', type: party },
      ...buckets.map((name) => ({ title: short(name), type: 'Money' })),
      { title: 'Total', type: 'Money' },
    ],
    rows:
      rows.length === 0 ? [] : [...rows, section({ group: 'GrandTotal', summary: [text('TOTAL'), ...cells(items)] })],
  };
}
