import { createHash } from 'node:crypto';
import { withoutPlaces, withPlaces } from './addresses.ts';
import { toNumber } from './amounts.ts';
import { type Company, booksUser, currencyRef } from './company.ts';
import { type Doc, type Json, isDoc, listAt, textAt } from './doc.ts';
import type { EntityKind } from './entities.ts';
import { accountBalance } from './ledger/ledger.ts';
import type { Entry } from './table.ts';
import { pacificTime } from './times.ts';

/** How to look up the name of a reference: the entity and its name member. Other references have only a value. */
const named: Readonly<Record<string, readonly [entity: string, member: string]>> = {
  CustomerRef: ['Customer', 'FullyQualifiedName'],
  ShipTo: ['Customer', 'FullyQualifiedName'],
  VendorRef: ['Vendor', 'DisplayName'],
  EmployeeRef: ['Employee', 'DisplayName'],
  ItemRef: ['Item', 'Name'],
  GroupItemRef: ['Item', 'Name'],
  ItemAccountRef: ['Account', 'FullyQualifiedName'],
  AccountRef: ['Account', 'FullyQualifiedName'],
  APAccountRef: ['Account', 'FullyQualifiedName'],
  IncomeAccountRef: ['Account', 'FullyQualifiedName'],
  ExpenseAccountRef: ['Account', 'FullyQualifiedName'],
  AssetAccountRef: ['Account', 'FullyQualifiedName'],
  BankAccountRef: ['Account', 'FullyQualifiedName'],
  CCAccountRef: ['Account', 'FullyQualifiedName'],
  DiscountAccountRef: ['Account', 'FullyQualifiedName'],
  DepositToAccountRef: ['Account', 'FullyQualifiedName'],
  FromAccountRef: ['Account', 'FullyQualifiedName'],
  ToAccountRef: ['Account', 'FullyQualifiedName'],
  ClassRef: ['Class', 'FullyQualifiedName'],
  DepartmentRef: ['Department', 'FullyQualifiedName'],
  SalesTermRef: ['Term', 'Name'],
  TermRef: ['Term', 'Name'],
};

/** Forms whose item lines are returned without their posting account. */
const purchases: ReadonlySet<string> = new Set(['PurchaseOrder', 'Bill', 'VendorCredit', 'Purchase']);

function withNames(company: Company, doc: Doc, entity: string): Doc {
  const copy: Doc = {};
  for (const [member, value] of Object.entries(doc)) {
    if (member === 'ItemAccountRef' && purchases.has(entity)) continue;
    if (Array.isArray(value))
      copy[member] = value.map((item): Json => (isDoc(item) ? withNames(company, item, entity) : item));
    else if (!isDoc(value)) copy[member] = value;
    else if (member === 'CurrencyRef') copy[member] = currencyRef(textAt(value, 'value') ?? '');
    else {
      // Payment responses have only the deposit account's id (quickbooks reference 5.5).
      const how =
        entity === 'Payment' && member === 'DepositToAccountRef'
          ? undefined
          : entity === 'TaxCode' && member === 'TaxRateRef'
            ? (['TaxRate', 'Name'] as const)
            : named[member];
      const id = how === undefined ? undefined : textAt(value, 'value');
      const name = how === undefined ? undefined : textAt(company.find(how[0], id)?.body, how[1]);
      copy[member] =
        id === undefined ? withNames(company, value, entity) : name === undefined ? { value: id } : { value: id, name };
    }
  }
  return copy;
}

/** Returns a name and its value in CompanyInfo; switches override the stored value. */
function currentValue({ behaviour }: Company, stored: Doc): Doc {
  switch (textAt(stored, 'Name')) {
    case 'SubscriptionStatus':
      return { ...stored, Value: behaviour.get('subscription_status') };
    case 'OfferingSku':
      return { ...stored, Value: `QuickBooks Online ${behaviour.get('plan')}` };
    default:
      return stored;
  }
}

/** Computes members at read time, per entity. */
function derived(company: Company, kind: EntityKind, entry: Entry): Doc {
  switch (kind.name) {
    case 'Customer':
      return {
        Balance: toNumber(company.balanceOf('Customer', entry.id)),
        BalanceWithJobs: toNumber(company.balanceWithJobs(entry.id)),
      };
    case 'Vendor':
      return { Balance: toNumber(company.balanceOf('Vendor', entry.id)) };
    case 'Account': {
      const balance = toNumber(accountBalance(company, entry));
      return { CurrentBalance: balance, CurrentBalanceWithSubAccounts: balance };
    }
    case 'CompanyInfo':
      return { NameValue: listAt(entry.body, 'NameValue').map((one) => currentValue(company, one)) };
    default:
      return {};
  }
}

/** Returns the value of a computed member, for filters. */
export function derivedNumber(company: Company, kind: EntityKind, entry: Entry, member: string): number | undefined {
  const value = derived(company, kind, entry)[member];
  return typeof value === 'number' ? value : undefined;
}

/** Entities that omit an empty list of links; others return it (recorded). */
const unlinkedWithout: ReadonlySet<string> = new Set([
  'Bill',
  'CreditMemo',
  'Estimate',
  'SalesReceipt',
  'Payment',
  'BillPayment',
]);

const modifiedBy = new Set(['Invoice', 'Bill', 'PurchaseOrder']);

/**
 * Returns a record as in API responses: with Id, SyncToken, MetaData, computed members and the names of its references.
 */
export function render(company: Company, kind: EntityKind, entry: Entry): Doc {
  const meta: Doc = { CreateTime: pacificTime(entry.createdAt) };
  if (modifiedBy.has(kind.name)) meta['LastModifiedByRef'] = { value: booksUser.id };
  meta['LastUpdatedTime'] = pacificTime(entry.updatedAt);
  if (kind.name === 'ExchangeRate')
    return { ...entry.body, MetaData: { LastUpdatedTime: pacificTime(entry.updatedAt) } };
  if (kind.name === 'TaxCode' && !/^\d+$/.test(entry.id)) return { ...entry.body, Id: entry.id, MetaData: { ...meta } };
  const body = withNames(company, entry.body, kind.name);
  if (unlinkedWithout.has(kind.name) && Array.isArray(body['LinkedTxn']) && body['LinkedTxn'].length === 0)
    delete body['LinkedTxn'];
  const doc: Doc = {
    ...body,
    ...derived(company, kind, entry),
    domain: 'QBO',
    sparse: false,
    Id: entry.id,
    SyncToken: String(entry.syncToken),
    MetaData: meta,
  };
  if (kind.name === 'Vendor') doc['V4IDPseudonym'] = pseudonymOf(company, kind, entry);
  return company.behaviour.get('address_coordinates') ? withPlaces(doc) : doc;
}

/** Returns Intuit's pseudonym of a party: 38 characters. */
function pseudonymOf(company: Company, kind: EntityKind, entry: Entry): string {
  const hash = createHash('sha256').update(`${company.realmId} ${kind.name} ${entry.id}`).digest('hex');
  return `002098${hash.slice(0, 32)}`;
}

/**
 * Returns a record as in a read: customers and employees have a pseudonym, unlike in the response to a write (recorded
 * 2026).
 */
export function renderRead(company: Company, kind: EntityKind, entry: Entry): Doc {
  const doc = render(company, kind, entry);
  if (kind.name !== 'Customer' && kind.name !== 'Employee') return doc;
  return { ...doc, V4IDPseudonym: pseudonymOf(company, kind, entry) };
}

/**
 * Returns a record as in a query: a customer with a client's id and without its tax code, a vendor without rates of
 * zero (recorded 2020 and 2026).
 */
export function renderFound(company: Company, kind: EntityKind, entry: Entry): Doc {
  const doc = renderRead(company, kind, entry);
  if (kind.name === 'Customer') {
    const { DefaultTaxCodeRef: _, ...rest } = doc;
    return { ClientEntityId: '0', ...rest };
  }
  if (kind.name !== 'Vendor') return doc;
  for (const rate of ['BillRate', 'CostRate']) if (doc[rate] === 0) delete doc[rate];
  return doc;
}

/**
 * Returns the response to a create. That of an account was recorded without LastUpdatedTime; the addresses of a new
 * name have no coordinates yet.
 */
export function renderCreated(company: Company, kind: EntityKind, entry: Entry): Doc {
  const doc = render(company, kind, entry);
  if (kind.name === 'Account') return { ...doc, MetaData: { CreateTime: pacificTime(entry.createdAt) } };
  return kind.name === 'Customer' || kind.name === 'Vendor' ? withoutPlaces(doc) : doc;
}
