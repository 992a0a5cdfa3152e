/** Invoices 48213 to 48314 of the sample world (domain reference 6.14 and 17), and an unbilled item. */
import { picklistNumber } from './schema.ts';
import { amount, type Fields, type RecordBuilder } from './record-builder.ts';

const kind = (label: string): number => picklistNumber('BillingItems', 'billingItemType', label);
const sub = (label: string): number => picklistNumber('BillingItems', 'subType', label);

type LineKind =
  | 'labor'
  | 'service'
  | 'adjustment'
  | 'bundle'
  | 'block'
  | 'retainer'
  | 'tickets'
  | 'subscription'
  | 'hardware'
  | 'software'
  | 'milestone';

/** One line of a sample invoice. */
export interface Line {
  readonly kind: LineKind;
  readonly name: string;
  readonly quantity: number;
  readonly rate: number;
  /** The charge; by default quantity × rate. */
  readonly total?: number;
  readonly extended?: number;
  readonly tax?: number;
  readonly on: string;
  readonly group?: string;
  readonly more?: Fields;
}

/** An invoice of a sample world, as of 2025-03-03. */
export interface SampleInvoice {
  readonly id: number;
  readonly company: number;
  readonly total: number;
  readonly tax?: number;
  readonly term?: number;
  readonly due?: string;
  readonly on?: string;
  readonly created?: readonly [string, string];
  readonly more?: Fields;
  readonly lines: readonly Line[];
}

const sources: Readonly<Record<LineKind, Fields>> = {
  labor: {
    billingItemType: kind('Labor'),
    subType: sub('Labor'),
    billingCodeID: 29,
    roleID: 11,
    organizationalLevelAssociationID: 1,
  },
  service: {
    billingItemType: kind('Recurring Services'),
    subType: sub('Recurring Services'),
    billingCodeID: 61,
    serviceID: 901,
    organizationalLevelAssociationID: 1,
  },
  adjustment: {
    billingItemType: kind('Recurring Services Adjustment'),
    subType: sub('Recurring Services Adjustment'),
    billingCodeID: 61,
    serviceID: 901,
    organizationalLevelAssociationID: 1,
  },
  bundle: {
    billingItemType: kind('Recurring Service Bundle'),
    subType: sub('Recurring Service Bundle'),
    billingCodeID: 61,
    serviceBundleID: 951,
    organizationalLevelAssociationID: 1,
  },
  block: {
    billingItemType: kind('Contract Block'),
    subType: sub('Block Purchase'),
    contractID: 2002,
    organizationalLevelAssociationID: 1,
  },
  retainer: {
    billingItemType: kind('Contract Retainer'),
    subType: sub('Retainer Purchase'),
    organizationalLevelAssociationID: 1,
  },
  tickets: { billingItemType: kind('Contract Incident'), subType: sub('Labor'), organizationalLevelAssociationID: 1 },
  subscription: {
    billingItemType: kind('Subscription'),
    subType: sub('Subscription'),
    organizationalLevelAssociationID: 1,
  },
  hardware: {
    billingItemType: kind('Ticket Cost'),
    subType: sub('Ticket Cost'),
    billingCodeID: 51,
    taxCategoryID: 1,
    organizationalLevelAssociationID: 2,
  },
  software: {
    billingItemType: kind('Ticket Cost'),
    subType: sub('Ticket Cost'),
    billingCodeID: 52,
    taxCategoryID: 2,
    organizationalLevelAssociationID: 2,
  },
  milestone: {
    billingItemType: kind('Milestone'),
    subType: sub('Milestones'),
    billingCodeID: 71,
    organizationalLevelAssociationID: 3,
  },
};

/** Returns a labor line. */
export const labor = (name: string, quantity: number, rate: number, on: string, more: Partial<Line> = {}): Line => ({
  kind: 'labor',
  name,
  quantity,
  rate,
  on,
  ...more,
});
/** Returns a hardware line, taxed with `tax`. */
export const hardware = (
  name: string,
  quantity: number,
  rate: number,
  on: string,
  tax = 0,
  more: Partial<Line> = {},
): Line => ({ kind: 'hardware', name, quantity, rate, on, tax, ...more });

/** Invoices 48213 to 48314, in the order of domain reference section 17. */
const invoices: readonly SampleInvoice[] = [
  {
    id: 48213,
    company: 175,
    total: 1966.25,
    tax: 41.25,
    more: { orderNumber: 'PO-7781', comments: 'Thank you for your business.' },
    lines: [
      labor('VPN outage', 3.5, 150, '2025-02-27', { more: { ticketID: 61001, timeEntryID: 71001 } }),
      labor('Printer', 1.25, 150, '2025-02-28', {
        total: 0,
        more: { ticketID: 61002, timeEntryID: 71002, contractID: 2002 },
      }),
      {
        kind: 'service',
        name: 'Managed Workstation',
        quantity: 20,
        rate: 45,
        on: '2025-03-01',
        more: { contractID: 2001 },
      },
      hardware('24-inch monitor', 2, 250, '2025-02-26', 41.25, { more: { ticketID: 61003, ticketChargeID: 1 } }),
    ],
  },
  {
    id: 48214,
    more: { invoiceNumber: null },
    company: 176,
    total: 687.5,
    term: 2,
    due: '2025-03-18',
    lines: [
      labor('Mail rules', 1.5, 150, '2025-02-11', { group: 'Remote support, February' }),
      labor('Password reset', 0.75, 150, '2025-02-18', { group: 'Remote support, February' }),
      labor('Document server', 2, 175, '2025-02-25', { group: 'Remote support, February', more: { roleID: 12 } }),
    ],
  },
  {
    id: 48301,
    company: 175,
    total: -180,
    lines: [
      {
        kind: 'adjustment',
        name: 'Cancelled seats',
        quantity: 5,
        rate: -60,
        on: '2025-03-01',
        more: { contractID: 2001 },
      },
      labor('Seat removal', 1, 120, '2025-02-28'),
    ],
  },
  {
    id: 48302,
    company: 175,
    total: 0,
    lines: [labor('Quarterly review', 2, 150, '2025-02-20', { total: 0, more: { contractID: 2002 } })],
  },
  {
    id: 48303,
    company: 176,
    total: 0,
    lines: [
      { kind: 'milestone', name: 'Phase one accepted', quantity: 1, rate: 500, on: '2025-02-24' },
      { kind: 'adjustment', name: 'Credit for phase one', quantity: 1, rate: -500, on: '2025-02-24' },
    ],
  },
  {
    id: 48304,
    company: 178,
    total: 300,
    term: 3,
    due: '2025-03-03',
    lines: [labor('Dispatch terminal', 2, 150, '2025-02-27')],
  },
  {
    id: 48305,
    company: 175,
    total: 150,
    on: '2025-01-15',
    due: '2025-02-14',
    created: ['2025-02-28', '17:05:00'],
    lines: [labor('Late entry for January', 1, 150, '2025-01-14')],
  },
  {
    id: 48306,
    company: 176,
    total: 8660,
    tax: 660,
    lines: Array.from({ length: 800 }, (_, index) =>
      hardware(`Patch cable ${index + 1}`, 1, 10, '2025-02-21', 0.825, { more: { taxCategoryID: null } }),
    ),
  },
  {
    id: 48307,
    company: 180,
    total: 228,
    lines: [{ kind: 'software', name: 'Mail security, 12 months', quantity: 12, rate: 19, on: '2025-02-26' }],
  },
  {
    id: 48308,
    company: 177,
    total: 1620,
    more: { taxGroup: null, taxRegionName: '' },
    lines: [
      labor('Clinic system move', 12, 135, '2025-02-22', {
        more: {
          internalCurrencyRate: 100,
          internalCurrencyExtendedPrice: 1200,
          internalCurrencyTotalAmount: 1200,
          internalCurrencyTaxDollars: 0,
        },
      }),
    ],
  },
  {
    id: 48309,
    company: 175,
    total: 510,
    lines: [
      labor('Server maintenance', 2, 150, '2025-02-19'),
      labor('Server maintenance, second visit', 1, 200, '2025-02-21', { more: { billingCodeID: 30 } }),
    ],
  },
  {
    id: 48310,
    company: 179,
    total: 200,
    on: '2025-02-17',
    due: '2025-03-19',
    created: ['2025-02-17', '00:05:00'],
    lines: [hardware('Classroom webcam', 4, 50, '2025-02-14')],
  },
  {
    id: 48311,
    company: 175,
    total: 75,
    on: '2025-02-16',
    due: '2025-03-18',
    created: ['2025-02-16', '23:55:00'],
    lines: [labor('Sunday call', 0.5, 150, '2025-02-16')],
  },
  {
    id: 48312,
    company: 175,
    total: 420,
    on: '2025-02-24',
    due: '2025-03-26',
    created: ['2025-02-24', '10:15:00'],
    more: { invoiceNumber: '1038' },
    lines: [labor('Network audit', 2.8, 150, '2025-02-21')],
  },
  {
    id: 48313,
    company: 176,
    total: 800,
    on: '2025-02-20',
    due: '2025-03-22',
    created: ['2025-02-20', '11:40:00'],
    more: { invoiceNumber: '1039' },
    lines: [{ kind: 'milestone', name: 'Cabling finished', quantity: 1, rate: 800, on: '2025-02-19' }],
  },
  {
    id: 48314,
    company: 176,
    total: 312.5,
    more: { invoiceNumber: '20250312' },
    lines: [labor('Contract archive', 1.25, 250, '2025-02-27', { more: { roleID: 12 } })],
  },
];

/** Fields that are the same for all invoices. */
export const invoiceDefaults: Fields = {
  comments: '',
  creatorResourceID: 20,
  invoiceEditorTemplateID: 1,
  invoiceNumber: '',
  isVoided: false,
  orderNumber: '',
  taxGroup: 1,
  taxRegionName: 'Travis County',
};

/** Writes invoices and their items; the items get the ids after `lastItemId`. */
export function writeInvoiceList(
  builder: RecordBuilder,
  list: readonly SampleInvoice[],
  lastItemId: number,
  voided: ReadonlySet<number> = new Set(),
): void {
  let itemId = lastItemId;
  list.forEach((invoice, index) => {
    writeInvoice(builder, invoice, index, voided.has(invoice.id));
    invoice.lines.forEach((line, position) => {
      itemId += 1;
      writeLine(builder, invoice, line, itemId, position);
    });
  });
}

function writeInvoice({ put, day, at }: RecordBuilder, invoice: SampleInvoice, index: number, isVoided: boolean): void {
  // Created right after midnight, so that the time is never in the future.
  const [createdOn, createdAt] = invoice.created ?? ['2025-03-03', `00:${String(1 + index).padStart(2, '0')}:05.317`];
  put('Invoices', {
    id: invoice.id,
    batchID: invoice.id - 40_000,
    companyID: invoice.company,
    createDateTime: at(createdOn, createdAt),
    dueDate: day(invoice.due ?? '2025-04-02'),
    fromDate: day('2025-02-01'),
    toDate: day('2025-02-28'),
    invoiceDateTime: day(invoice.on ?? '2025-03-03'),
    invoiceTotal: invoice.total,
    totalTaxValue: invoice.tax ?? 0,
    paymentTerm: invoice.term ?? 1,
    ...invoiceDefaults,
    ...(isVoided && {
      isVoided,
      voidedByResourceID: 20,
      voidedDate: at('2025-03-02', '16:20:00'),
      webServiceDate: at(createdOn, '12:00:00'),
    }),
    ...invoice.more,
  });
}

function writeLine(
  { put, day, at }: RecordBuilder,
  invoice: SampleInvoice,
  line: Line,
  id: number,
  position: number,
): void {
  const extended = line.extended ?? amount(line.quantity * line.rate);
  const total = line.total ?? extended;
  const tax = line.tax ?? 0;
  put('BillingItems', {
    id,
    invoiceID: invoice.id,
    companyID: invoice.company,
    sortOrderID: position + 1,
    itemName: line.name,
    description: '',
    lineItemFullDescription: line.name,
    lineItemGroupDescription: line.group ?? '',
    itemDate: day(line.on),
    postedDate: day('2025-03-01'),
    postedOnTime: at('2025-03-01', '18:30:12.443'),
    itemApproverID: 20,
    accountManagerWhenApprovedID: 20,
    quantity: line.quantity,
    rate: line.rate,
    extendedPrice: extended,
    totalAmount: total,
    taxDollars: tax,
    internalCurrencyRate: line.rate,
    internalCurrencyExtendedPrice: extended,
    internalCurrencyTotalAmount: total,
    internalCurrencyTaxDollars: tax,
    nonBillable: 0,
    ourCost: 0,
    purchaseOrderNumber: '',
    ...sources[line.kind],
    ...line.more,
  });
}

/** Writes the invoices and their items. */
export function writeInvoices(builder: RecordBuilder): void {
  const { put, day, at } = builder;
  writeInvoiceList(builder, invoices, 9_000_000, new Set([48312, 48313]));
  // Approved and posted work that is not billed yet: its invoiceID is 0, not null.
  put('BillingItems', {
    id: 9_000_000,
    invoiceID: 0,
    companyID: 175,
    sortOrderID: null,
    itemName: 'Backup check',
    description: 'Not invoiced yet',
    itemDate: day('2025-03-02'),
    postedDate: day('2025-03-03'),
    postedOnTime: at('2025-03-03', '07:45:00'),
    quantity: 3.175,
    rate: 100,
    extendedPrice: 386.645,
    totalAmount: 0,
    taxDollars: 0,
    internalCurrencyRate: 100,
    internalCurrencyExtendedPrice: 386.645,
    internalCurrencyTotalAmount: 0,
    internalCurrencyTaxDollars: 0,
    nonBillable: 0,
    ourCost: 0,
    purchaseOrderNumber: '',
    ...sources.labor,
    contractID: 2002,
  });
  put('TicketCharges', {
    id: 1,
    ticketID: 61003,
    name: '24-inch monitor',
    description: '',
    productID: 803,
    billingCodeID: 51,
    chargeType: 1,
    status: 6,
    datePurchased: day('2025-02-26'),
    unitQuantity: 2,
    unitCost: 178,
    unitPrice: 250,
    billableAmount: 500,
    extendedCost: 356,
    isBillableToCompany: true,
    isBilled: true,
    organizationalLevelAssociationID: 2,
  });
}
