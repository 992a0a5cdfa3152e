/** An operation of the API on an entity. */
type Operation = 'create' | 'read' | 'query' | 'update' | 'delete' | 'void' | 'send' | 'pdf' | 'cdc' | 'batch';

/** One entity of the API: its path, operations and required members (quickbooks reference 2.1, 2.6, 5). */
export interface EntityKind {
  readonly name: string;
  /** Path segment: the name in lower case. */
  readonly resource: string;
  readonly kind: 'transaction' | 'list' | 'tax' | 'single' | 'currency' | 'attachment';
  readonly operations: ReadonlySet<Operation>;
  /** Members without which a create gets 2020. Alternatives and deeper rules are in the entity's rules. */
  readonly needs: readonly string[];
  /** Members without which a full update gets 2020, besides Id and SyncToken. */
  readonly needsOnUpdate: readonly string[];
  /** Members that a query may filter by, and sort by except for {@link unsortable}. */
  readonly filters: ReadonlySet<string>;
  /** Members that a query may filter by only. */
  readonly unsortable: ReadonlySet<string>;
  /** Additional members known from practice only; a switch enables them. */
  readonly moreFilters: ReadonlySet<string>;
  /** Whether the response to a query includes totalCount (recorded 2026). */
  readonly hasTotalCount: boolean;
  /** Member that orders a query without ORDERBY; undefined is LastUpdatedTime, latest first. */
  readonly orderedBy: string | undefined;
  /** The counter for new ids. */
  readonly counter: 'txn' | 'name' | 'vendor' | 'item' | 'account' | 'class' | 'list' | 'attachable';
  /** Name for people; also the TxnType of 6140. */
  readonly label: string;
}

const crud: readonly Operation[] = ['create', 'read', 'query', 'update', 'cdc', 'batch'];
/** Sorting by these is not documented for terms and taxes. */
const metaTimes = 'MetaData.CreateTime MetaData.LastUpdatedTime';
const times = ['Id', 'MetaData.CreateTime', 'MetaData.LastUpdatedTime'];
const words = (text: string): string[] => text.split(' ').filter((word) => word !== '');

interface Spec {
  readonly can?: string;
  readonly needs?: string;
  readonly update?: string;
  readonly filters?: string;
  readonly more?: string;
  readonly unsortable?: string;
  readonly total?: boolean;
  readonly label?: string;
}

const transaction = (name: string, spec: Spec): EntityKind => ({
  name,
  resource: name.toLowerCase(),
  kind: 'transaction',
  operations: new Set([...crud, 'delete', ...words(spec.can ?? '')] as Operation[]),
  needs: words(spec.needs ?? ''),
  needsOnUpdate: words(spec.update ?? ''),
  filters: new Set([...times, 'TxnDate', ...words(spec.filters ?? '')]),
  moreFilters: new Set(words(spec.more ?? '')),
  unsortable: new Set(words(spec.unsortable ?? '')),
  hasTotalCount: spec.total === true,
  orderedBy: undefined,
  counter: 'txn',
  label: spec.label ?? name,
});

const list = (name: string, orderedBy: string, counter: EntityKind['counter'], spec: Spec): EntityKind => ({
  name,
  resource: name.toLowerCase(),
  kind: 'list',
  operations: new Set(crud),
  needs: words(spec.needs ?? ''),
  needsOnUpdate: words(spec.update ?? ''),
  filters: new Set([...times, 'Active', ...words(spec.filters ?? '')]),
  moreFilters: new Set(words(spec.more ?? '')),
  unsortable: new Set(words(spec.unsortable ?? '')),
  hasTotalCount: false,
  orderedBy,
  counter,
  label: spec.label ?? name,
});

const other = (name: string, kind: EntityKind['kind'], operations: string, spec: Spec): EntityKind => ({
  name,
  resource: name.toLowerCase(),
  kind,
  operations: new Set(words(operations) as Operation[]),
  needs: words(spec.needs ?? ''),
  needsOnUpdate: words(spec.update ?? ''),
  filters: new Set(words(spec.filters ?? '')),
  moreFilters: new Set(words(spec.more ?? '')),
  unsortable: new Set(words(spec.unsortable ?? '')),
  hasTotalCount: false,
  orderedBy: kind === 'tax' ? 'Name' : 'Id',
  counter: kind === 'attachment' ? 'attachable' : 'list',
  label: spec.label ?? name,
});

const names = 'DisplayName GivenName MiddleName FamilyName PrintOnCheckName';

const kinds: readonly EntityKind[] = [
  transaction('Invoice', {
    can: 'void send pdf',
    needs: 'CustomerRef Line',
    filters: 'CustomerRef DocNumber DueDate Balance SalesTermRef ProjectRef',
    more: 'TotalAmt',
    total: true,
  }),
  transaction('CreditMemo', {
    can: 'void send pdf',
    needs: 'CustomerRef Line',
    update: 'CustomerRef Line',
    filters: 'CustomerRef DocNumber',
    more: 'TotalAmt',
    label: 'Credit Memo',
  }),
  transaction('Estimate', {
    can: 'send pdf',
    needs: 'CustomerRef Line',
    filters: 'CustomerRef DocNumber TxnStatus',
    more: 'TotalAmt',
  }),
  transaction('SalesReceipt', {
    can: 'void send pdf',
    needs: 'Line',
    filters: 'CustomerRef DocNumber TotalAmt',
    label: 'Sales Receipt',
  }),
  transaction('RefundReceipt', {
    can: 'send pdf',
    needs: 'Line DepositToAccountRef',
    filters: 'CustomerRef DocNumber TotalAmt',
    label: 'Refund',
  }),
  transaction('PurchaseOrder', {
    can: 'send pdf',
    needs: 'APAccountRef VendorRef Line',
    update: 'APAccountRef VendorRef Line',
    filters: 'DocNumber DueDate',
    more: 'VendorRef APAccountRef POStatus TotalAmt',
    total: true,
    label: 'Purchase Order',
  }),
  transaction('Bill', {
    needs: 'VendorRef Line',
    update: 'VendorRef',
    filters: 'VendorRef DocNumber DueDate SalesTermRef',
    more: 'APAccountRef Balance TotalAmt',
    total: true,
  }),
  transaction('VendorCredit', {
    needs: 'VendorRef Line',
    update: 'VendorRef Line',
    filters: 'VendorRef DocNumber',
    label: 'Vendor Credit',
  }),
  transaction('Payment', {
    can: 'void send pdf',
    needs: 'CustomerRef TotalAmt',
    update: 'CustomerRef TotalAmt',
    filters: 'CustomerRef PaymentRefNum ProjectRef',
    more: 'TotalAmt',
  }),
  transaction('BillPayment', {
    can: 'void',
    needs: 'VendorRef PayType TotalAmt Line',
    update: 'VendorRef PayType TotalAmt Line',
    filters: 'VendorRef TotalAmt DocNumber APAccountRef',
    total: true,
    label: 'Bill Payment (Check)',
  }),
  transaction('Purchase', {
    needs: 'AccountRef PaymentType Line',
    update: 'AccountRef PaymentType Line',
    filters: 'DocNumber PaymentType TotalAmt',
    label: 'Expense',
  }),
  transaction('Deposit', {
    needs: 'DepositToAccountRef Line',
    update: 'DepositToAccountRef Line',
    filters: 'DocNumber DepositToAccountRef',
    total: true,
  }),
  transaction('JournalEntry', {
    needs: 'Line',
    update: 'Line',
    filters: 'DocNumber',
    total: true,
    label: 'Journal Entry',
  }),
  transaction('Transfer', {
    needs: 'FromAccountRef ToAccountRef Amount',
    update: 'FromAccountRef ToAccountRef Amount',
  }),
  transaction('TimeActivity', { needs: 'NameOf', update: 'NameOf', label: 'Time Activity' }),
  list('Customer', 'FullyQualifiedName', 'name', {
    filters: `${names} CompanyName FullyQualifiedName PrimaryEmailAddr Balance`,
  }),
  list('Vendor', 'DisplayName', 'vendor', { update: 'DisplayName', filters: `${names} CompanyName Balance` }),
  list('Employee', 'DisplayName', 'name', { filters: names }),
  list('Item', 'Name', 'item', {
    needs: 'Name',
    update: 'Name',
    filters: 'Name Type FullyQualifiedName',
    more: 'Sku',
    unsortable: 'FullyQualifiedName Active',
  }),
  list('Account', 'Name', 'account', {
    needs: 'Name',
    update: 'Name',
    filters: 'Name FullyQualifiedName AccountType AccountSubType Classification CurrentBalance SubAccount',
  }),
  list('Class', 'FullyQualifiedName', 'class', { needs: 'Name', update: 'Name', filters: 'Name FullyQualifiedName' }),
  list('Department', 'FullyQualifiedName', 'list', {
    needs: 'Name',
    update: 'Name',
    filters: 'Name FullyQualifiedName',
  }),
  list('Term', 'Name', 'list', { needs: 'Name', update: 'Name', filters: 'Name', unsortable: metaTimes }),
  list('PaymentMethod', 'Name', 'list', { needs: 'Name', update: 'Name', filters: 'Name' }),
  {
    ...list('CompanyCurrency', 'Code', 'list', { needs: 'Code', filters: 'Code Name' }),
    kind: 'list',
  },
  other('TaxCode', 'tax', 'read query', {
    filters: [...times, 'Name', 'Active'].join(' '),
    unsortable: `${metaTimes} Active`,
  }),
  other('TaxRate', 'tax', 'read query', { filters: [...times, 'Name', 'Active'].join(' '), unsortable: metaTimes }),
  {
    ...other('TaxAgency', 'tax', 'create read query', {
      needs: 'DisplayName',
      filters: [...times, 'DisplayName'].join(' '),
      unsortable: metaTimes,
    }),
    orderedBy: 'DisplayName',
  },
  other('Preferences', 'single', 'read query update cdc', { filters: 'MetaData.CreateTime MetaData.LastUpdatedTime' }),
  other('CompanyInfo', 'single', 'read query update', { update: 'CompanyName CompanyAddr', filters: times.join(' ') }),
  {
    ...other('ExchangeRate', 'currency', 'read query update', {
      needs: 'SourceCurrencyCode Rate AsOfDate',
      filters: 'AsOfDate SourceCurrencyCode MetaData.LastUpdatedTime',
    }),
    orderedBy: 'SourceCurrencyCode',
  },
  other('Attachable', 'attachment', 'create read query update delete', {
    filters: [
      ...times,
      'FileName',
      'AttachableRef.EntityRef.Type',
      'AttachableRef.EntityRef.value',
      'Category',
      'Size',
    ].join(' '),
  }),
];

const byName = new Map(kinds.map((kind) => [kind.name, kind]));
const byLowerName = new Map(kinds.map((kind) => [kind.resource, kind]));

/** Every entity of the sandbox, in the order of the control page. */
export const entityKinds: readonly EntityKind[] = kinds;

/** Returns the entity of that exact name; throws for an unknown one. */
export function kindOf(name: string): EntityKind {
  const kind = byName.get(name);
  if (kind === undefined) throw new Error(`there is no entity ${name}`);
  return kind;
}

/** Returns the entity of a path segment or of a name in a query, in any letter case. */
export function findKind(name: string): EntityKind | undefined {
  return byLowerName.get(name.toLowerCase());
}
