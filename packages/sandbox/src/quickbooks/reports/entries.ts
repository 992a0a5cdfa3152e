import type { Exact } from '../amounts.ts';
import type { Company } from '../company.ts';
import { docAt, refAt, textAt } from '../doc.ts';
import { generalLedger, type LedgerRange, type PostedTransaction } from '../ledger/ledger.ts';
import type { SettledPosting } from '../ledger/posting.ts';
import type { Entry } from '../table.ts';
import { idsParam, type ReportQuery } from './report.ts';

/** One posting with its transaction. */
export interface LedgerEntry extends SettledPosting {
  readonly transaction: PostedTransaction;
}

/** Returns a filter for the parameters `customer`, `vendor`, `item`, `class` and `department`. */
function filterOf(query: ReportQuery): (entry: LedgerEntry) => boolean {
  const [customers, vendors, items] = [idsParam(query, 'customer'), idsParam(query, 'vendor'), idsParam(query, 'item')];
  const [classes, departments] = [idsParam(query, 'class'), idsParam(query, 'department')];
  const has = (ids: ReadonlySet<string> | undefined, id: string | undefined) =>
    ids === undefined || (id !== undefined && ids.has(id));
  return ({ party, customerId, itemId, classId, departmentId }) =>
    has(customers, party?.type === 'Customer' ? party.id : customerId) &&
    has(vendors, party?.type === 'Vendor' ? party.id : undefined) &&
    has(items, itemId) &&
    has(classes, classId) &&
    has(departments, departmentId);
}

/** Returns the entries of a period that match the filters of the query. */
export function ledgerEntries(query: ReportQuery, range: LedgerRange): LedgerEntry[] {
  const passes = filterOf(query);
  return generalLedger(query.company, range).flatMap((transaction) =>
    transaction.postings.map((posting) => ({ ...posting, transaction })).filter(passes),
  );
}

/** The types of accounts in the order of the chart of accounts. */
export const accountTypeOrder = [
  'Bank',
  'Accounts Receivable',
  'Other Current Asset',
  'Fixed Asset',
  'Other Asset',
  'Accounts Payable',
  'Credit Card',
  'Other Current Liability',
  'Long Term Liability',
  'Equity',
  'Income',
  'Cost of Goods Sold',
  'Expense',
  'Other Income',
  'Other Expense',
] as const;

/** Returns whether an account belongs to profit and loss, which restarts each fiscal year. */
export function isProfitAndLoss(account: Entry | undefined): boolean {
  const classification = textAt(account?.body, 'Classification');
  return classification === 'Revenue' || classification === 'Expense';
}

/** Converts debits above zero to the account's normal side: credits for liabilities and income. */
export function naturalAmount(account: Entry | undefined, amount: Exact): Exact {
  const classification = textAt(account?.body, 'Classification');
  return classification === 'Asset' || classification === 'Expense' ? amount : amount.negated();
}

/** Returns the company's accounts in the order of the chart of accounts: by type, then by name. */
export function chartOfAccounts(company: Company): Entry[] {
  const rank = (entry: Entry) => accountTypeOrder.findIndex((type) => type === textAt(entry.body, 'AccountType')) + 100;
  const name = (entry: Entry) => textAt(entry.body, 'FullyQualifiedName') ?? '';
  return [...company.table('Account').all()].sort(
    (a, b) => rank(a) - rank(b) || (name(a) < name(b) ? -1 : name(a) > name(b) ? 1 : 0),
  );
}

/** Returns the name of a transaction's type in reports. */
export function transactionLabel(transaction: {
  readonly entity: string;
  readonly body: PostedTransaction['body'];
}): string {
  const { entity, body } = transaction;
  switch (entity) {
    case 'CreditMemo':
      return 'Credit Memo';
    case 'SalesReceipt':
      return 'Sales Receipt';
    case 'RefundReceipt':
      return 'Refund';
    case 'VendorCredit':
      return 'Vendor Credit';
    case 'JournalEntry':
      return 'Journal Entry';
    case 'BillPayment':
      return textAt(body, 'PayType') === 'CreditCard' ? 'Bill Payment (Credit Card)' : 'Bill Payment (Check)';
    case 'Purchase':
      if (body['Credit'] === true) return 'Credit Card Credit';
      return textAt(body, 'PaymentType') === 'Check' ? 'Check' : 'Expense';
    default:
      return entity;
  }
}

/** Returns the name of a customer, vendor or employee. */
export function partyName(company: Company, type: string, id: string | undefined): string | undefined {
  return textAt(company.find(type, id)?.body, type === 'Customer' ? 'FullyQualifiedName' : 'DisplayName');
}

/** Returns the memo of an entry: the line's text, otherwise the transaction's note. */
export function memoOf({ description, transaction }: LedgerEntry): string | undefined {
  return (
    description ?? textAt(transaction.body, 'PrivateNote') ?? textAt(docAt(transaction.body, 'CustomerMemo'), 'value')
  );
}

/** Returns the due date of a document, or its own date when it has none. */
export function dueDateOf(body: PostedTransaction['body']): string {
  return textAt(body, 'DueDate') ?? textAt(body, 'TxnDate') ?? '';
}

/** Returns the parent of an account or a customer. */
export const parentOf = (entry: Entry | undefined): string | undefined => refAt(entry?.body, 'ParentRef');
