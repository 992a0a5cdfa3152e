/** Generates documents from a seed, in addition to the sample world. Amounts are in whole cents. */
import type { Random } from '../kit/random.ts';
import { addDays, localInstant, writeInstant } from './calendar.ts';
import { companyFields } from './sample-companies.ts';
import { invoiceDefaults } from './sample-invoices.ts';
import { picklistNumber } from './schema.ts';
import { amount } from './record-builder.ts';
import type { Value } from './table.ts';

/** Numbers of documents to generate. */
export interface Counts {
  readonly companies: number;
  readonly invoices: number;
  readonly lines_per_invoice: number;
  readonly purchase_orders: number;
  readonly expense_reports: number;
}

interface Target {
  readonly put: (entity: string, fields: Readonly<Record<string, Value>> & { readonly id: number }) => void;
  /** The calendar date that counts as today. */
  readonly today: string;
  readonly random: Random;
}

/** Lower ids belong to the sample world and to people. */
const firstGeneratedId = {
  Companies: 10_001,
  Invoices: 100_001,
  BillingItems: 20_000_001,
  PurchaseOrders: 50_001,
  PurchaseOrderItems: 500_001,
  ExpenseReports: 60_001,
  ExpenseItems: 600_001,
} as const;

/** Documents are dated within this many days before today, so that the usual age windows include them. */
const spreadDays = 10;
const sampleCustomers = [175, 176, 179] as const;
const taxPerTenThousand = 825;

const adjectives = [
  'Amber',
  'Blue',
  'Copper',
  'Granite',
  'Harbor',
  'Juniper',
  'Lakeside',
  'Magnolia',
  'Northern',
  'Prairie',
  'Red River',
  'Summit',
];
const trades = [
  'Accounting',
  'Bakery',
  'Builders',
  'Clinic',
  'Dental',
  'Design',
  'Electric',
  'Foundry',
  'Insurance',
  'Legal',
  'Motors',
  'Veterinary',
];
const works = [
  'Mail rules',
  'Printer',
  'New laptop',
  'Password reset',
  'VPN outage',
  'Backup restore',
  'Phone system',
  'Server updates',
];
const goods = ['Docking station', '24-inch monitor', 'Laptop', 'Patch cable', 'Keyboard', 'Access point'];

interface Kind {
  readonly weight: number;
  readonly fields: Readonly<Record<string, Value>>;
  readonly names: readonly string[];
  /** Quarter units of quantity, and cents per unit. */
  readonly quarters: readonly [number, number];
  readonly cents: readonly number[];
  readonly isTaxed: boolean;
}

const itemKinds = (): readonly Kind[] => {
  const kind = (type: string, subType: string) => ({
    billingItemType: picklistNumber('BillingItems', 'billingItemType', type),
    subType: picklistNumber('BillingItems', 'subType', subType),
  });
  return [
    {
      weight: 5,
      fields: { ...kind('Labor', 'Labor'), billingCodeID: 29, roleID: 11, organizationalLevelAssociationID: 1 },
      names: works,
      quarters: [1, 24],
      cents: [15_000, 17_500],
      isTaxed: false,
    },
    {
      weight: 2,
      fields: { ...kind('Labor', 'Labor'), billingCodeID: 30, roleID: 12, organizationalLevelAssociationID: 1 },
      names: works,
      quarters: [4, 32],
      cents: [17_500, 19_000],
      isTaxed: false,
    },
    {
      weight: 3,
      fields: {
        ...kind('Recurring Services', 'Recurring Services'),
        billingCodeID: 61,
        serviceID: 901,
        organizationalLevelAssociationID: 1,
      },
      names: ['Managed Workstation'],
      quarters: [4, 160],
      cents: [4500, 4900, 5250],
      isTaxed: false,
    },
    {
      weight: 2,
      fields: {
        ...kind('Ticket Cost', 'Ticket Cost'),
        billingCodeID: 51,
        taxCategoryID: 1,
        organizationalLevelAssociationID: 2,
      },
      names: goods,
      quarters: [4, 20],
      cents: [899, 4999, 25_000, 109_900],
      isTaxed: true,
    },
  ];
};

/** Writes the generated records. The same counts, day and random numbers give the same records. */
export function writeGeneratedDocuments(target: Target, counts: Counts): void {
  const { put, today, random } = target;
  const days = Array.from({ length: spreadDays }, (_, back) => {
    const date = addDays(today, -back);
    return { date, day: `${date}T00:00:00Z`, begins: Date.parse(localInstant(date, '00:00:00')) };
  });
  /** Returns a working hour of a day; today's are early, so that none is in the future in the morning. */
  const during = (day: { readonly begins: number }): number =>
    day.begins + random.whole(1, day === days[0] ? 60 : 600) * 60_000 + random.whole(0, 59_999);

  const world = { put, random, days, during };
  const customers = writeCustomers(world, counts.companies);
  writeInvoices(world, counts, customers);
  writePurchaseOrders(world, counts.purchase_orders, customers);
  writeExpenseReports(world, counts.expense_reports, customers);
}

interface Day {
  readonly date: string;
  readonly day: string;
  readonly begins: number;
}

interface World extends Pick<Target, 'put' | 'random'> {
  readonly days: readonly Day[];
  readonly during: (day: Day) => number;
}

interface Customer {
  readonly id: number;
  readonly isTaxed: boolean;
}

function writeCustomers({ put, random, days }: World, count: number): readonly Customer[] {
  const customers: Customer[] = [];
  for (let n = 0; n < count; n += 1) {
    const id = firstGeneratedId.Companies + n;
    const name = `${random.pick(adjectives)} ${random.pick(trades)} ${n + 1}`;
    const isTaxed = !random.chance(0.1);
    const place = {
      city: 'Austin',
      state: 'TX',
      postalCode: `787${String(random.whole(1, 59)).padStart(2, '0')}`,
      countryID: 1,
    };
    put('Companies', {
      id,
      ...companyFields(name, `${random.whole(1, 9999)} Generated Street`, place, 'Customer', days.at(-1)?.day ?? ''),
      isTaxExempt: !isTaxed,
    });
    put('Contacts', {
      id,
      companyID: id,
      firstName: 'Accounts of',
      lastName: name,
      emailAddress: `accounts@company-${id}.example`,
      primaryContact: true,
      isActive: 1,
    });
    customers.push({ id, isTaxed });
  }
  if (customers.length === 0) for (const id of sampleCustomers) customers.push({ id, isTaxed: id !== 179 });
  return customers;
}

function writeInvoices(world: World, counts: Counts, customers: readonly Customer[]): void {
  const { put, random, days, during } = world;
  const kinds = itemKinds();
  const choices = kinds.flatMap((kind) => Array.from({ length: kind.weight }, () => kind));
  let itemId = firstGeneratedId.BillingItems;
  for (let n = 0; n < counts.invoices; n += 1) {
    const id = firstGeneratedId.Invoices + n;
    const customer = random.pick(customers);
    const day = random.pick(days);
    const lines = Array.from({ length: counts.lines_per_invoice }, (_, index) =>
      writeLine(world, { invoiceID: id, itemId: itemId + index, position: index + 1, customer, day, kinds: choices }),
    );
    itemId += lines.length;
    const sumOf = (key: keyof (typeof lines)[number]) => lines.reduce((sum, line) => sum + line[key], 0);
    const taxTotalCents = sumOf('taxCents');
    const totalCents = sumOf('cents') + taxTotalCents;
    put('Invoices', {
      id,
      ...invoiceDefaults,
      batchID: id,
      companyID: customer.id,
      createDateTime: writeInstant(during(day)),
      invoiceDateTime: day.day,
      dueDate: `${addDays(day.date, 30)}T00:00:00Z`,
      fromDate: day.day,
      toDate: day.day,
      invoiceTotal: totalCents / 100,
      totalTaxValue: taxTotalCents / 100,
      paymentTerm: 1,
    });
  }
}

interface LinePlace {
  readonly invoiceID: number;
  readonly itemId: number;
  readonly position: number;
  readonly customer: Customer;
  readonly day: Day;
  readonly kinds: ReturnType<typeof itemKinds>;
}

function writeLine({ put, random }: World, { invoiceID, itemId, position, customer, day, kinds }: LinePlace) {
  const kind = random.pick(kinds);
  const quarters = kind.isTaxed ? random.whole(1, 5) * 4 : random.whole(kind.quarters[0], kind.quarters[1]);
  const unitCents = random.pick(kind.cents);
  const cents = Math.round((quarters * unitCents) / 4);
  const taxCents = kind.isTaxed && customer.isTaxed ? Math.round((cents * taxPerTenThousand) / 10_000) : 0;
  const name = random.pick(kind.names);
  put('BillingItems', {
    id: itemId,
    invoiceID,
    companyID: customer.id,
    sortOrderID: position,
    itemName: name,
    description: '',
    lineItemFullDescription: name,
    lineItemGroupDescription: '',
    itemDate: day.day,
    postedDate: day.day,
    postedOnTime: day.day,
    quantity: quarters / 4,
    rate: unitCents / 100,
    extendedPrice: cents / 100,
    totalAmount: cents / 100,
    taxDollars: taxCents / 100,
    internalCurrencyRate: unitCents / 100,
    internalCurrencyExtendedPrice: cents / 100,
    internalCurrencyTotalAmount: cents / 100,
    internalCurrencyTaxDollars: taxCents / 100,
    nonBillable: 0,
    ourCost: 0,
    purchaseOrderNumber: '',
    ...kind.fields,
  });
  return { cents, taxCents };
}

function writePurchaseOrders(
  { put, random, days, during }: World,
  count: number,
  customers: readonly Customer[],
): void {
  let orderItemId = firstGeneratedId.PurchaseOrderItems;
  for (let n = 0; n < count; n += 1) {
    const id = firstGeneratedId.PurchaseOrders + n;
    const created = during(random.pick(days));
    const freight = random.whole(0, 40);
    put('PurchaseOrders', {
      id,
      purchaseOrderNumber: `PO-${id}`,
      externalPONumber: '',
      vendorID: random.pick([301, 303]),
      purchaseForCompanyID: random.chance(0.7) ? random.pick(customers).id : null,
      status: 2,
      createDateTime: writeInstant(created),
      submitDateTime: writeInstant(created + 60_000),
      creatorResourceID: 20,
      freight,
      internalCurrencyFreight: freight,
      generalMemo: '',
      paymentTerm: 1,
      shipToName: 'Northwind IT Services',
      shipToAddress1: '100 Lavaca Street',
      shipToCity: 'Austin',
      shipToState: 'TX',
      shipToPostalCode: '78701',
    });
    for (let line = random.whole(1, 5); line > 0; line -= 1) {
      const unitCost = random.whole(100, 90_000) / 100;
      put('PurchaseOrderItems', {
        id: orderItemId,
        orderID: id,
        productID: random.whole(801, 804),
        quantity: random.whole(1, 20),
        unitCost,
        internalCurrencyUnitCost: unitCost,
        inventoryLocationID: 1,
        memo: '',
      });
      orderItemId += 1;
    }
  }
}

function writeExpenseReports(
  { put, random, days, during }: World,
  count: number,
  customers: readonly Customer[],
): void {
  let expenseId = firstGeneratedId.ExpenseItems;
  for (let n = 0; n < count; n += 1) {
    const id = firstGeneratedId.ExpenseReports + n;
    const day = random.pick(days);
    const submitted = during(day);
    let totalCents = 0;
    for (let line = random.whole(1, 6); line > 0; line -= 1) {
      const cents = random.whole(300, 40_000);
      const isBillable = random.chance(0.4);
      totalCents += cents;
      put('ExpenseItems', {
        id: expenseId,
        expenseReportID: id,
        expenseCategory: random.whole(41, 43),
        description: random.pick(works),
        expenseDate: day.day,
        companyID: isBillable ? random.pick(customers).id : 0,
        isBillableToCompany: isBillable,
        isReimbursable: true,
        isRejected: false,
        haveReceipt: true,
        paymentType: 1,
        internalCurrencyExpenseAmount: cents / 100,
        internalCurrencyReimbursementAmount: cents / 100,
        reimbursementCurrencyReimbursementAmount: cents / 100,
        expenseCurrencyExpenseAmount: cents / 100,
        expenseCurrencyID: 1,
        glCode: '',
        purchaseOrderNumber: '',
      });
      expenseId += 1;
    }
    const total = amount(totalCents / 100);
    put('ExpenseReports', {
      id,
      name: `Expenses of ${day.date}`,
      submitterID: random.whole(21, 23),
      status: 3,
      weekEnding: day.day,
      submitDate: writeInstant(submitted),
      approvedDate: writeInstant(submitted + 3_600_000),
      approverID: 20,
      departmentNumber: 'SVC',
      quickBooksReferenceNumber: '',
      rejectionReason: '',
      internalCurrencyExpenseTotal: total,
      internalCurrencyCashAdvanceAmount: 0,
      reimbursementCurrencyCashAdvanceAmount: 0,
      reimbursementCurrencyID: 1,
      amountDue: total,
      reimbursementCurrencyAmountDue: total,
    });
  }
}
