/** The rules of individual entities (autotask reference section 8): checks, defaults, and the effects of a write. */
import { picklistNumber } from './schema.ts';
import { amount } from './record-builder.ts';
import type { Row, Value } from './table.ts';
import { tableOf, type World } from './world.ts';

/** A record after a write, and before it. */
export interface Draft {
  readonly next: Row;
  readonly old: Row | undefined;
  /** The fields that the body named. */
  readonly given: ReadonlySet<string>;
}

interface Rules {
  /** Default values for fields missing in a new record. */
  readonly defaults?: (world: World, fields: Readonly<Record<string, Value>>) => Record<string, Value>;
  /** Returns error messages; the write is allowed when there are none. */
  readonly check?: (world: World, draft: Draft) => readonly string[];
  /** Returns values computed from the others. */
  readonly derive?: (world: World, next: Row, old: Row | undefined) => Record<string, Value>;
  /** Changes other records after this one is stored (or removed, when `stored` is undefined). */
  readonly after?: (world: World, stored: Row | undefined, old: Row | undefined) => void;
}

const complaint = (isWrong: boolean, text: string): readonly string[] => (isWrong ? [text] : []);
const number = (value: Value | undefined): number => (typeof value === 'number' ? value : 0);
const now = (world: World): string => world.clock.iso().replace('.000Z', 'Z');

const vendorType = picklistNumber('Companies', 'companyType', 'Vendor');
const isVendor = (world: World, id: Value | undefined): boolean =>
  typeof id === 'number' && tableOf(world, 'Companies').get(id)?.companyType === vendorType;

const order = {
  new: picklistNumber('PurchaseOrders', 'status', 'New'),
  submitted: picklistNumber('PurchaseOrders', 'status', 'Submitted'),
  partly: picklistNumber('PurchaseOrders', 'status', 'Received Partial'),
  fully: picklistNumber('PurchaseOrders', 'status', 'Received Full'),
  canceled: picklistNumber('PurchaseOrders', 'status', 'Canceled'),
};
const report = {
  inProgress: picklistNumber('ExpenseReports', 'status', 'In Progress'),
  awaiting: picklistNumber('ExpenseReports', 'status', 'Awaiting Approval'),
  rejected: picklistNumber('ExpenseReports', 'status', 'Rejected'),
};
const category = (label: string): number => picklistNumber('ExpenseItems', 'expenseCategory', label);
const companyPaid = new Set(
  ['Company Check', 'Company Credit Card'].map((label) => picklistNumber('ExpenseItems', 'paymentType', label)),
);
const needsOrder = picklistNumber('TicketCharges', 'status', 'Need to Order/Fulfill');

/** Without the module of the organizational structure its three entities are read-only (autotask reference 10). */
function structureIsOn({ behaviour }: World): readonly string[] {
  return complaint(
    !behaviour.get('module_structure'),
    'The organizational structure cannot be changed because its module is not active.',
  );
}

/** A line of business is a pair of levels: each pair exists once, and a new one needs active levels. */
function pairComplaints(world: World, { next, old }: Draft): readonly string[] {
  if (old !== undefined) return [];
  const levels = ['organizationalLevel1ID', 'organizationalLevel2ID'] as const;
  const isInUse = (level: (typeof levels)[number]): boolean => {
    const entity = level === 'organizationalLevel1ID' ? 'OrganizationalLevel1s' : 'OrganizationalLevel2s';
    return tableOf(world, entity).get(number(next[level]))?.isActive === true;
  };
  return [
    ...levels.flatMap((level) => complaint(!isInUse(level), `The ${level} ${number(next[level])} is not active.`)),
    ...complaint(
      tableOf(world, 'OrganizationalLevelAssociations')
        .where('organizationalLevel1ID', number(next.organizationalLevel1ID))
        .some((other) => other.id !== next.id && other.organizationalLevel2ID === next.organizationalLevel2ID),
      'An association of these two levels exists already.',
    ),
  ];
}

/** Only one record with the same parent may have the flag: clears it in the others. */
function onlyOne(entity: string, parent: string, mark: string): NonNullable<Rules['after']> {
  return (world, stored) => {
    if (stored === undefined || stored[mark] !== true) return;
    const table = tableOf(world, entity);
    const parentId = stored[parent];
    if (typeof parentId !== 'number') return;
    for (const other of table.where(parent, parentId))
      if (other.id !== stored.id && other[mark] === true) table.change(other, { [mark]: false });
  };
}

/** Returns the exchange rate of a company's currency to the internal one. */
function rateOf(world: World, companyId: Value | undefined): number {
  if (!world.behaviour.get('module_multi_currency') || typeof companyId !== 'number') return 1;
  const currencyId = tableOf(world, 'Companies').get(companyId)?.currencyID;
  return typeof currencyId === 'number' ? number(tableOf(world, 'Currencies').get(currencyId)?.exchangeRate) || 1 : 1;
}

const chargeRules: Rules = {
  defaults: () => ({
    status: picklistNumber('TicketCharges', 'status', 'Pending'),
    isBillableToCompany: true,
    isBilled: false,
  }),
  derive(_world, next) {
    const billable = amount(number(next.unitQuantity) * number(next.unitPrice));
    return {
      billableAmount: billable,
      extendedCost: amount(number(next.unitQuantity) * number(next.unitCost)),
      internalCurrencyBillableAmount: billable,
      internalCurrencyUnitPrice: number(next.unitPrice),
    };
  },
};

/** Computes the report's totals from its items: the reimbursable amount, less the cash advance. */
function totalsOf(world: World, next: Row): Record<string, Value> {
  const items = tableOf(world, 'ExpenseItems').where('expenseReportID', next.id);
  const sum = (field: string): number => amount(items.reduce((total, item) => total + number(item[field]), 0));
  const advance = number(next.internalCurrencyCashAdvanceAmount);
  const due = amount(sum('internalCurrencyReimbursementAmount') - advance);
  return {
    internalCurrencyExpenseTotal: sum('internalCurrencyExpenseAmount'),
    internalCurrencyCashAdvanceAmount: advance,
    reimbursementCurrencyCashAdvanceAmount: advance,
    amountDue: due,
    reimbursementCurrencyAmountDue: due,
  };
}

/** The rules by entity. An entity that is not listed has only the rules of its fields. */
export const entityRules: Readonly<Record<string, Rules>> = {
  Companies: {
    defaults: () => ({
      isActive: true,
      isTaxExempt: false,
      isClientPortalActive: false,
      isTaskFireActive: false,
      currencyID: 1,
      billToAddressToUse: picklistNumber('Companies', 'billToAddressToUse', 'ACCOUNT'),
    }),
    check: (world, { next, given }) =>
      complaint(
        given.has('ownerResourceID') &&
          tableOf(world, 'Resources').get(number(next.ownerResourceID))?.licenseType === 7,
        'The ownerResourceID cannot be an API user.',
      ),
    derive: (_world, next) => ({
      billingAddress1: next.address1 ?? null,
      billingAddress2: next.address2 ?? null,
      billToCity: next.city ?? null,
      billToState: next.state ?? null,
      billToZipCode: next.postalCode ?? null,
      billToCountryID: next.countryID ?? null,
    }),
  },
  Contacts: { after: onlyOne('Contacts', 'companyID', 'primaryContact') },
  CompanyLocations: {
    defaults: () => ({ isActive: true, isPrimary: false, overrideCompanyTaxSettings: false }),
    after: onlyOne('CompanyLocations', 'companyID', 'isPrimary'),
  },
  Invoices: {
    check(world, { next, given }) {
      const text = next.invoiceNumber;
      if (
        !world.behaviour.get('invoice_number_unique') ||
        !given.has('invoiceNumber') ||
        !text ||
        typeof text !== 'string'
      )
        return [];
      const others = tableOf(world, 'Invoices').where('invoiceNumber', text);
      return complaint(
        others.some((other) => other.id !== next.id),
        `The invoiceNumber ${text} is already in use.`,
      );
    },
  },
  Currencies: {
    check(_world, { next, old, given }) {
      const rate = next.exchangeRate;
      if (!given.has('exchangeRate') || typeof rate !== 'number') return [];
      const [whole = '', decimals = ''] = String(rate).split('.');
      return [
        ...complaint(rate <= 0, 'The exchangeRate must be greater than 0.'),
        ...complaint(
          whole.length > 6 || decimals.length > 5,
          'The exchangeRate may have 6 digits before and 5 after the decimal point.',
        ),
        ...complaint(old?.isInternalCurrency === true && rate !== 1, 'The exchangeRate of the internal currency is 1.'),
      ];
    },
  },
  Taxes: {
    defaults: () => ({ isCompounded: false }),
    check: (world, { next }) =>
      complaint(
        next.isCompounded === true &&
          tableOf(world, 'Taxes')
            .where('taxRegionID', number(next.taxRegionID))
            .some(
              (other) =>
                other.id !== next.id && other.taxCategoryID === next.taxCategoryID && other.isCompounded === true,
            ),
        'Only one tax of a region and category can be compounded.',
      ),
  },
  TaxCategories: { defaults: () => ({ isActive: true }) },
  TaxRegions: { defaults: () => ({ isActive: true }) },
  PaymentTerms: { defaults: () => ({ isActive: true }) },
  Products: {
    defaults: () => ({ billingType: 1, priceCostMethod: 1 }),
    check: (world, { next, given }) =>
      complaint(
        given.has('defaultVendorID') && next.defaultVendorID !== null && !isVendor(world, next.defaultVendorID),
        'The defaultVendorID must be a company of the type Vendor.',
      ),
  },
  ProductVendors: {
    check: (world, { next }) =>
      complaint(!isVendor(world, next.vendorID), 'The vendorID must be a company of the type Vendor.'),
    after: onlyOne('ProductVendors', 'productID', 'isDefault'),
  },
  Services: { defaults: () => ({ isActive: true }) },
  ServiceBundles: { defaults: () => ({ isActive: true }) },
  ServiceBundleServices: {
    check: (world, { next }) =>
      complaint(
        tableOf(world, 'ServiceBundleServices')
          .where('serviceBundleID', number(next.serviceBundleID))
          .some((other) => other.serviceID === next.serviceID),
        'The service is in the bundle already.',
      ),
  },
  Contracts: {
    check: (_world, { next }) =>
      complaint((next.endDate ?? '') < (next.startDate ?? ''), 'The endDate cannot be before the startDate.'),
  },
  ContractCharges: chargeRules,
  ProjectCharges: chargeRules,
  TicketCharges: chargeRules,
  OrganizationalLevel1s: { defaults: () => ({ isActive: true }), check: structureIsOn },
  OrganizationalLevel2s: { defaults: () => ({ isActive: true }), check: structureIsOn },
  OrganizationalLevelAssociations: {
    defaults: () => ({ isActive: true }),
    check: (world, draft) => [...structureIsOn(world), ...pairComplaints(world, draft)],
  },
  PurchaseOrders: {
    defaults: () => ({ externalPONumber: '', freight: 0 }),
    check: (world, { next, old, given }) => [
      ...complaint(
        old === undefined && !isVendor(world, next.vendorID),
        'The vendorID must be a company of the type Vendor.',
      ),
      ...complaint(
        given.has('status') &&
          next.status !== old?.status &&
          (next.status === order.partly || next.status === order.fully),
        'The status becomes Received by receiving items only.',
      ),
      ...complaint(
        given.has('status') && old?.status === order.canceled && next.status !== order.canceled,
        'A canceled purchase order cannot change its status.',
      ),
    ],
    derive: (world, next, old) => ({
      purchaseOrderNumber: next.purchaseOrderNumber ?? `PO-${next.id}`,
      internalCurrencyFreight: amount(number(next.freight) / rateOf(world, next.vendorID)),
      ...(next.status === order.submitted && old?.status !== order.submitted && { submitDateTime: now(world) }),
      ...(next.status === order.canceled && old?.status !== order.canceled && { cancelDateTime: now(world) }),
    }),
  },
  PurchaseOrderItems: {
    check(world, { next, old, given }) {
      const status = tableOf(world, 'PurchaseOrders').get(number(next.orderID))?.status;
      const charge = ['TicketCharges', 'ProjectCharges', 'ContractCharges']
        .map((name) => tableOf(world, name).get(number(next.chargeID)))
        .find((found) => found !== undefined);
      return [
        ...complaint(
          old === undefined && status !== order.new,
          'Items can only be added while the purchase order is New.',
        ),
        ...complaint(
          old !== undefined && status !== order.new && status !== order.submitted && status !== order.partly,
          'Items can only be changed while the purchase order is New, Submitted or Received Partial.',
        ),
        ...complaint(number(next.quantity) <= 0, 'The quantity must be greater than 0.'),
        ...complaint((next.productID ?? null) === null && !next.chargeID, 'An item needs a productID or a chargeID.'),
        ...complaint(
          given.has('chargeID') && Boolean(next.chargeID) && charge?.status !== needsOrder,
          'The chargeID must be a charge with the status Need to Order/Fulfill.',
        ),
      ];
    },
    derive(world, next) {
      const vendorId = tableOf(world, 'PurchaseOrders').get(number(next.orderID))?.vendorID;
      const chargeId = number(next.chargeID);
      return {
        internalCurrencyUnitCost: amount(number(next.unitCost) / rateOf(world, vendorId)),
        ticketID: next.ticketID ?? tableOf(world, 'TicketCharges').get(chargeId)?.ticketID ?? null,
        projectID: next.projectID ?? tableOf(world, 'ProjectCharges').get(chargeId)?.projectID ?? null,
        contractID: next.contractID ?? tableOf(world, 'ContractCharges').get(chargeId)?.contractID ?? null,
      };
    },
  },
  PurchaseOrderItemReceiving: {
    check(world, { next }) {
      const item = tableOf(world, 'PurchaseOrderItems').get(number(next.purchaseOrderItemID));
      const status = tableOf(world, 'PurchaseOrders').get(number(item?.orderID))?.status;
      const before = received(world, number(next.purchaseOrderItemID));
      return [
        ...complaint(
          status !== order.submitted && status !== order.partly,
          'The purchase order must be Submitted or Received Partial.',
        ),
        ...complaint(number(next.quantityNowReceiving) <= 0, 'The quantityNowReceiving must be greater than 0.'),
        ...complaint(
          before + number(next.quantityNowReceiving) > number(item?.quantity),
          'More than was ordered cannot be received.',
        ),
      ];
    },
    derive(world, next) {
      const item = tableOf(world, 'PurchaseOrderItems').get(number(next.purchaseOrderItemID));
      const before = received(world, number(next.purchaseOrderItemID));
      return {
        quantityPreviouslyReceived: before,
        quantityBackOrdered: number(item?.quantity) - before - number(next.quantityNowReceiving),
        receiveDate: now(world),
        receivedByResourceID: world.actingResourceId,
      };
    },
    after(world, stored) {
      const orderId = number(tableOf(world, 'PurchaseOrderItems').get(number(stored?.purchaseOrderItemID))?.orderID);
      const owner = tableOf(world, 'PurchaseOrders').get(orderId);
      if (owner === undefined) return;
      const items = tableOf(world, 'PurchaseOrderItems').where('orderID', orderId);
      const isWhole = items.every((item) => received(world, item.id) >= number(item.quantity));
      tableOf(world, 'PurchaseOrders').change(owner, { status: isWhole ? order.fully : order.partly });
    },
  },
  ExpenseReports: {
    defaults: () => ({ status: report.inProgress, quickBooksReferenceNumber: '', reimbursementCurrencyID: 1 }),
    check: (_world, { next, old, given }) =>
      complaint(
        given.has('submit') &&
          next.submit === true &&
          old !== undefined &&
          old.status !== report.inProgress &&
          old.status !== report.rejected,
        'Only a report that is In Progress or Rejected can be submitted.',
      ),
    derive: (world, next) => ({
      ...totalsOf(world, next),
      ...(next.submit === true && { status: report.awaiting, submitDate: now(world) }),
      submit: null,
    }),
  },
  ExpenseItems: {
    defaults: () => ({ companyID: 0, isRejected: false, expenseCurrencyID: 1 }),
    check(world, { next }) {
      const status = tableOf(world, 'ExpenseReports').get(number(next.expenseReportID))?.status;
      const isBlank = (field: string): boolean =>
        next[field] === undefined || next[field] === null || next[field] === '';
      const isMileage = next.expenseCategory === category('Mileage');
      return [
        ...complaint(
          status !== report.inProgress && status !== report.rejected,
          'Items can only be added or changed while the expense report is In Progress or Rejected.',
        ),
        ...complaint(
          isMileage && ['miles', 'origin', 'destination'].some(isBlank),
          'Mileage needs miles, origin and destination.',
        ),
        ...complaint(
          next.expenseCategory === category('Entertainment Expense') && isBlank('entertainmentLocation'),
          'Entertainment needs entertainmentLocation.',
        ),
      ];
    },
    derive(_world, next, old) {
      const isReimbursable = !companyPaid.has(number(next.paymentType));
      const spent = number(next.internalCurrencyExpenseAmount ?? next.expenseCurrencyExpenseAmount);
      // The reimbursed amount is the spent amount, unless the write sets another one.
      const given = next.internalCurrencyReimbursementAmount ?? null;
      const repaid =
        given !== null && given !== (old?.internalCurrencyReimbursementAmount ?? null) ? number(given) : spent;
      return {
        isReimbursable,
        internalCurrencyExpenseAmount: spent,
        expenseCurrencyExpenseAmount: next.expenseCurrencyExpenseAmount ?? spent,
        internalCurrencyReimbursementAmount: isReimbursable ? repaid : 0,
        reimbursementCurrencyReimbursementAmount: isReimbursable ? repaid : 0,
      };
    },
    after(world, stored, old) {
      const reports = tableOf(world, 'ExpenseReports');
      const owner = reports.get(number((stored ?? old)?.expenseReportID));
      if (owner !== undefined) reports.change(owner, totalsOf(world, owner));
    },
  },
};

function received(world: World, itemId: number): number {
  return tableOf(world, 'PurchaseOrderItemReceiving')
    .where('purchaseOrderItemID', itemId)
    .reduce((sum, receipt) => sum + number(receipt.quantityNowReceiving), 0);
}
