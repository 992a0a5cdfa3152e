/**
 * Realistic month-end documents that the documented sample world lacks: rates of four and six decimals, thirds of an
 * hour, amounts below a cent, partial taxability, several tax regions, exempt customers, blocks, retainers, bundles and
 * a customer's branch. Every total is what the service would show: lines rounded to cents unless noted.
 */
import { hardware, labor, type SampleInvoice, writeInvoiceList } from './sample-invoices.ts';
import { companyFields } from './sample-companies.ts';
import type { RecordBuilder } from './record-builder.ts';
import { picklistNumber } from './schema.ts';

const on = '2025-02-27';
const retainer = 2005;
const tickets = 2006;

/** Customers of the month: a branch whose parent pays, one in California, one in a region without a tax code. */
const customers = [
  [181, 'Acme Dental North', '7010 Burnet Road', { city: 'Austin', state: 'TX', postalCode: '78757' }, 1],
  [182, 'Fern Analytics', '1999 Harrison Street', { city: 'Oakland', state: 'CA', postalCode: '94612' }, 3],
  [183, 'Gale Marine', '1201 Second Avenue', { city: 'Seattle', state: 'WA', postalCode: '98101' }, 4],
] as const;

const invoices: readonly SampleInvoice[] = [
  // Twenty minutes, a rate that ends in .99, and a rate of six decimals.
  {
    id: 48401,
    company: 175,
    total: 94.4,
    lines: [
      labor('Password reset', 0.3333, 125, on, { total: 41.66 }),
      labor('Mail rules', 0.25, 149.99, on, { total: 37.5 }),
      labor('Metered backup', 12.3456, 1.234567, on, { total: 15.24 }),
    ],
  },
  // A rate of four decimals, and amounts below a cent that only matter in their sum.
  {
    id: 48402,
    company: 176,
    total: 181.67,
    lines: [
      { kind: 'subscription', name: 'Mail security', quantity: 46, rate: 2.5, on },
      labor('Scan, first part', 1, 33.3333, on),
      labor('Scan, second part', 1, 33.3333, on),
    ],
  },
  // 80 % of data processing is taxable in Texas: 8.25 % of 720.00.
  {
    id: 48403,
    company: 175,
    total: 959.4,
    tax: 59.4,
    lines: [hardware('Data processing', 1, 900, on, 59.4, { more: { taxCategoryID: 4 } })],
  },
  // Two taxes of one region, each rounded separately.
  {
    id: 48404,
    company: 182,
    total: 550.75,
    tax: 51.25,
    more: { taxRegionName: 'Alameda County' },
    lines: [hardware('Docking station', 1, 499.5, on, 51.25)],
  },
  // A region without a matching tax code in QuickBooks.
  {
    id: 48405,
    company: 183,
    total: 220.2,
    tax: 20.2,
    more: { taxRegionName: 'King County' },
    lines: [hardware('Deck radio', 1, 200, on, 20.2)],
  },
  // Taxed although the customer is exempt: the two services disagree.
  { id: 48406, company: 179, total: 541.25, tax: 41.25, lines: [hardware('Projector', 1, 500, on, 41.25)] },
  // Prepaid: ten hours, a retainer and twenty tickets.
  {
    id: 48407,
    company: 175,
    total: 5400,
    lines: [
      { kind: 'block', name: 'Block of 10 hours', quantity: 10, rate: 150, on, more: { contractBlockID: 1 } },
      { kind: 'retainer', name: 'Retainer', quantity: 1, rate: 2000, on, more: { contractID: retainer } },
      { kind: 'tickets', name: 'Ticket Purchase', quantity: 20, rate: 95, on, more: { contractID: tickets } },
    ],
  },
  // Work covered by all three: nothing to pay, but income to post.
  {
    id: 48408,
    company: 175,
    total: 0,
    lines: [
      labor('Firewall rule', 3.175, 165, on, { total: 0, more: { contractID: 2002 } }),
      labor('Audit', 4, 165, on, { total: 0, more: { contractID: retainer } }),
      labor('Printer', 0.5, 165, on, { total: 0, more: { contractID: tickets, ticketID: 61002 } }),
    ],
  },
  {
    id: 48409,
    company: 176,
    total: 1250,
    lines: [{ kind: 'bundle', name: 'Office bundle', quantity: 6.0976, rate: 205, on, total: 1250 }],
  },
  // The branch works, the parent pays.
  { id: 48410, company: 175, total: 300, lines: [labor('Branch wiring', 2, 150, on, { more: { companyID: 181 } })] },
];

/**
 * Writes the month's customers, taxes and invoices into a tenant that already has the sample world's lists and catalog.
 */
export function writeMonthEnd(builder: RecordBuilder): void {
  const { put, at } = builder;
  for (const [id, name, address, place, taxRegionID] of customers)
    put('Companies', {
      id,
      ...companyFields(name, address, { ...place, countryID: 1 }, 'Customer', at('2024-05-06', '09:30:00')),
      taxRegionID,
      ...(id === 181 && { parentCompanyID: 175, invoiceNonContractItemsToParentCompany: true }),
    });
  put('TaxRegions', { id: 3, name: 'Alameda County', isActive: true });
  put('TaxRegions', { id: 4, name: 'King County', isActive: true });
  put('TaxCategories', { id: 4, name: 'Data processing', description: '80 % taxable in Texas', isActive: true });
  for (const [id, taxRegionID, taxCategoryID, taxName, taxRate] of [
    [4, 1, 4, 'Texas, 80 % of data processing', 6.6],
    [5, 3, 1, 'California base', 7.25],
    [6, 3, 1, 'Oakland district', 3],
    [7, 4, 1, 'Washington and Seattle', 10.1],
  ] as const)
    put('Taxes', { id, taxRegionID, taxCategoryID, taxName, taxRate, isCompounded: false });
  writePrepaid(builder);
  writeInvoiceList(builder, invoices, 9_400_000);
}

/** Writes the prepaid contracts of Acme Dental with their purchases and usage. */
function writePrepaid({ put, day }: RecordBuilder): void {
  for (const [id, contractName, type] of [
    [retainer, 'Acme Dental retainer', 'Retainer'],
    [tickets, 'Acme Dental tickets', 'Per Ticket'],
  ] as const)
    put('Contracts', {
      id,
      companyID: 175,
      contractName,
      contractType: picklistNumber('Contracts', 'contractType', type),
      status: 1,
      startDate: day('2024-06-01'),
      endDate: day('2025-05-31'),
      timeReportingRequiresStartAndStopTimes: 0,
      billingPreference: 1,
      organizationalLevelAssociationID: 1,
    });
  const dates = { datePurchased: day(on), startDate: day(on), endDate: day('2025-05-31'), status: 1 };
  put('ContractBlocks', { id: 1, contractID: 2002, hours: 10, hoursApproved: 3.175, hourlyRate: 150, ...dates });
  put('ContractRetainers', { id: 1, contractID: retainer, amount: 2000, amountApproved: 660, ...dates });
  const rate = { ticketsPurchased: 20, ticketsUsed: 1, perTicketRate: 95 };
  put('ContractTicketPurchases', { id: 1, contractID: tickets, ...rate, ...dates });
}
