import { expect, test, vi } from 'vitest';
import { localDate } from './calendar.ts';
import { words } from './rendered-invoice.ts';
import { createSecondTenant, createTables, type SeedOptions } from './seed.ts';
import { Table, type Row, type Tables } from './table.ts';

const today = '2025-03-03';
const world = createTables({ today });
const row = (entity: string, id: number, tables: Tables = world): Row => {
  const found = tables.get(entity)?.get(id);
  if (found === undefined) throw new Error(`${entity} ${id} is missing`);
  return found;
};
const rows = (entity: string, field: string, id: number, tables: Tables = world): Row[] =>
  tables.get(entity)?.where(field, id) ?? [];
const cents = (value: unknown): number => Math.round(Number(value) * 100);
const sum = (list: readonly Row[], field: string): number =>
  list.reduce((total, item) => total + Number(item[field]), 0);

test('example A: invoice 48213 has a header and four lines that add up', () => {
  expect(row('Invoices', 48213)).toMatchObject({
    companyID: 175,
    invoiceDateTime: '2025-03-03T00:00:00Z',
    dueDate: '2025-04-02T00:00:00Z',
    orderNumber: 'PO-7781',
    taxRegionName: 'Travis County',
    comments: 'Thank you for your business.',
    totalTaxValue: 41.25,
    invoiceTotal: 1966.25,
    invoiceNumber: '',
    isVoided: false,
    webServiceDate: null,
  });
  expect(row('PaymentTerms', Number(row('Invoices', 48213).paymentTerm)).name).toBe('Net 30');
  const lines = rows('BillingItems', 'invoiceID', 48213).map((item) => [
    item.itemName,
    item.quantity,
    item.rate,
    item.extendedPrice,
    item.totalAmount,
    item.taxDollars,
    words(item.itemDate).slice(0, 10),
    row('BillingCodes', Number(item.billingCodeID)).name,
    item.organizationalLevelAssociationID,
  ]);
  expect(lines).toEqual([
    ['VPN outage', 3.5, 150, 525, 525, 0, '2025-02-27', 'Remote Support', 1],
    ['Printer', 1.25, 150, 187.5, 0, 0, '2025-02-28', 'Remote Support', 1],
    ['Managed Workstation', 20, 45, 900, 900, 0, '2025-03-01', 'Managed Workstation', 1],
    ['24-inch monitor', 2, 250, 500, 500, 41.25, '2025-02-26', 'Hardware', 2],
  ]);
  expect(
    rows('BillingItems', 'invoiceID', 48213)
      .slice(0, 2)
      .map((item) => row('Roles', Number(item.roleID)).name),
  ).toEqual(['Engineer', 'Engineer']);
  const contact = rows('Contacts', 'companyID', 175).find(
    (entry) => entry.primaryContact === true && entry.isActive === 1,
  );
  expect(contact?.emailAddress).toBe('ap@acmedental.example');
});

test('example B: three entries of one group have two rates', () => {
  const items = rows('BillingItems', 'invoiceID', 48214);
  expect(items.map((item) => [item.quantity, item.rate, item.totalAmount, item.lineItemGroupDescription])).toEqual([
    [1.5, 150, 225, 'Remote support, February'],
    [0.75, 150, 112.5, 'Remote support, February'],
    [2, 175, 350, 'Remote support, February'],
  ]);
});

test('example D: a negative invoice has a negative and a positive line', () => {
  expect(row('Invoices', 48301).invoiceTotal).toBe(-180);
  expect(rows('BillingItems', 'invoiceID', 48301).map((item) => [item.quantity, item.rate, item.totalAmount])).toEqual([
    [5, -60, -300],
    [1, 120, 120],
  ]);
});

test('example E: Birch Legal has an invoice with a custom number', () => {
  expect(row('Invoices', 48314)).toMatchObject({ companyID: 176, invoiceNumber: '20250312', invoiceTotal: 312.5 });
});

test('example F: Maple Clinic is billed in Canadian dollars', () => {
  const [item] = rows('BillingItems', 'invoiceID', 48308);
  expect(item).toMatchObject({ totalAmount: 1620, internalCurrencyTotalAmount: 1200 });
  expect(row('Currencies', Number(row('Companies', 177).currencyID))).toMatchObject({
    name: 'CAD',
    exchangeRate: 1.35,
    isInternalCurrency: false,
  });
});

test('the zero invoices: one covered by a contract, one with lines that cancel out', () => {
  expect(rows('BillingItems', 'invoiceID', 48302).map((item) => [item.extendedPrice, item.totalAmount])).toEqual([
    [300, 0],
  ]);
  expect(rows('BillingItems', 'invoiceID', 48303).map((item) => item.totalAmount)).toEqual([500, -500]);
  expect([row('Invoices', 48302).invoiceTotal, row('Invoices', 48303).invoiceTotal]).toEqual([0, 0]);
});

test('48306 has 800 taxable lines, 48309 is 10.00 off, and every other header matches its lines', () => {
  expect(rows('BillingItems', 'invoiceID', 48306).filter((item) => Number(item.taxDollars) > 0)).toHaveLength(800);
  for (const invoice of world.get('Invoices')?.all() ?? []) {
    const items = rows('BillingItems', 'invoiceID', invoice.id);
    const difference =
      cents(Number(invoice.invoiceTotal) - Number(invoice.totalTaxValue)) - cents(sum(items, 'totalAmount'));
    expect([invoice.id, difference]).toEqual([invoice.id, invoice.id === 48309 ? 1000 : 0]);
    expect(cents(sum(items, 'taxDollars'))).toBe(cents(invoice.totalTaxValue));
  }
});

test.each([
  // Today, and the first midnight of its 14-day window in Chicago: standard time, daylight time, and both changes.
  ['2025-03-03', '2025-02-17T06:00:00Z'],
  ['2025-07-15', '2025-07-01T05:00:00Z'],
  ['2025-03-10', '2025-02-24T06:00:00Z'],
  ['2025-03-23', '2025-03-09T06:00:00Z'],
  ['2025-03-24', '2025-03-10T05:00:00Z'],
  ['2026-11-15', '2026-11-01T05:00:00Z'],
  ['2026-11-16', '2026-11-02T06:00:00Z'],
  ['2024-03-14', '2024-02-29T06:00:00Z'],
])('on %s, invoices 48310 and 48311 are five minutes inside and outside the window', (day, midnight) => {
  const tables = createTables({ today: day });
  const created = (id: number) => Date.parse(words(row('Invoices', id, tables).createDateTime));
  expect(created(48310)).toBe(Date.parse(midnight) + 300_000);
  expect(created(48311)).toBe(Date.parse(midnight) - 300_000);
});

test('48305 has a date in a closed period but was created in the window; voided ones have numbers and dates', () => {
  expect(row('Invoices', 48305)).toMatchObject({
    invoiceDateTime: '2025-01-15T00:00:00Z',
    createDateTime: '2025-02-28T23:05:00Z',
  });
  expect(row('Invoices', 48312)).toMatchObject({
    isVoided: true,
    invoiceNumber: '1038',
    voidedDate: '2025-03-02T22:20:00Z',
  });
  expect(row('Invoices', 48313)).toMatchObject({ isVoided: true, invoiceNumber: '1039' });
});

test('order 3310 and report 1207 match the domain examples to the cent', () => {
  expect(row('PurchaseOrders', 3310)).toMatchObject({
    purchaseOrderNumber: 'PO-3310',
    vendorID: 301,
    purchaseForCompanyID: 175,
    status: 2,
    freight: 36.4,
    shipToName: 'Acme Dental',
  });
  const items = rows('PurchaseOrderItems', 'orderID', 3310).map((item) => [
    row('Products', Number(item.productID)).sku,
    item.quantity,
    item.unitCost,
  ]);
  expect(items).toEqual([
    ['AP-620', 4, 189.5],
    ['SW-24P', 2, 412],
  ]);
  expect(row('PurchaseOrders', 3312).status).toBe(1);
  expect(row('ExpenseReports', 1207)).toMatchObject({
    submitterID: 21,
    departmentNumber: 'SVC',
    internalCurrencyCashAdvanceAmount: 100,
    amountDue: 190.35,
    weekEnding: '2025-02-28T00:00:00Z',
    status: 3,
  });
  expect(
    rows('ExpenseItems', 'expenseReportID', 1207).map((item) => [
      row('BillingCodes', Number(item.expenseCategory)).name,
      item.isBillableToCompany,
      item.companyID,
      item.isReimbursable,
      item.internalCurrencyExpenseAmount,
    ]),
  ).toEqual([
    ['Travel', true, 175, true, 186.4],
    ['Meals', false, 0, true, 42.75],
    ['Mileage', false, 0, true, 61.2],
    ['Toner', false, 0, false, 35],
  ]);
  expect(row('ExpenseReports', 1209)).toMatchObject({
    internalCurrencyCashAdvanceAmount: 400,
    internalCurrencyExpenseTotal: 290.35,
    amountDue: -109.65,
  });
  expect(rows('ExpenseItems', 'expenseReportID', 1210).every((item) => item.isReimbursable === false)).toBe(true);
});

test('a line of business is named after one of its two levels', () => {
  const name = (id: number) => {
    const pair = row('OrganizationalLevelAssociations', id);
    const levels = [
      [pair.organizationalLevel1ID, 'OrganizationalLevel1s'],
      [pair.organizationalLevel2ID, 'OrganizationalLevel2s'],
    ] as const;
    return levels.flatMap(([level, entity]) => (typeof level === 'number' ? [row(entity, level).name] : []));
  };
  expect([name(1), name(2), name(3)]).toEqual([['Managed Services'], ['Hardware'], ['Projects']]);
  expect(name(4)).toEqual(['Retail', 'Kiosk']);
});

test('the companies, codes, and products of the sample data have fixed IDs', () => {
  expect([175, 176, 177, 178, 179, 180, 301, 302, 303].map((id) => row('Companies', id).companyName)).toEqual([
    'Acme Dental',
    'Birch Legal LLP',
    'Maple Clinic',
    'Cedar: Logistics',
    'Delta School',
    'Ember Cafe',
    'Ingram Supplies',
    'Acme Dental',
    'Pax Cloud',
  ]);
  expect(row('Companies', 179).isTaxExempt).toBe(true);
  expect([29, 30, 41, 42, 43, 44, 51, 52, 61, 62, 71].map((id) => row('BillingCodes', id).useType)).toEqual([
    1, 1, 2, 2, 2, 2, 4, 4, 5, 5, 6,
  ]);
  expect(row('BillingCodes', 51)).toMatchObject({ taxCategoryID: 1, externalNumber: 'HW-1' });
  expect([801, 802, 803, 804].map((id) => row('Products', id).sku)).toEqual(['AP-620', 'SW-24P', 'MON-24', '']);
  expect([21, 22, 23].map((id) => [row('Resources', id).firstName, row('Resources', id).lastName])).toEqual([
    ['Betty', 'Decker'],
    ['John', "O'Brien"],
    ['', 'Jacobsen'],
  ]);
  expect(row('Resources', 20)).toMatchObject({
    firstName: 'Avery',
    lastName: 'Admin',
    email: 'admin@northwind-msp.example',
  });
  expect((world.get('PaymentTerms')?.all() ?? []).map((term) => term.name)).toEqual([
    'Net 30',
    'Net 15',
    'Due on receipt',
    'End of month +15',
  ]);
});

test('another start date shifts every date by the same number of days and changes no amount', () => {
  const moved = createTables({ today: '2026-03-03' });
  expect(row('Invoices', 48213, moved)).toMatchObject({
    invoiceDateTime: '2026-03-03T00:00:00Z',
    dueDate: '2026-04-02T00:00:00Z',
    invoiceTotal: 1966.25,
  });
  expect(localDate(Date.parse(words(row('Invoices', 48310, moved).createDateTime)))).toBe('2026-02-17');
});

const bytes = (options: SeedOptions): string =>
  JSON.stringify([...createTables(options)].map(([name, table]) => [name, table.all()]));

test('equal seeds give equal bytes, other seeds do not, and empty omits documents', () => {
  const options = { today, companies: 20, invoices: 300, purchase_orders: 30, expense_reports: 30 };
  expect(bytes({ ...options, seed: 5 })).toBe(bytes({ ...options, seed: 5 }));
  expect(bytes({ ...options, seed: 5 })).not.toBe(bytes({ ...options, seed: 6 }));
  const empty = createTables({ today, empty: true });
  expect(['Invoices', 'BillingItems', 'PurchaseOrders', 'ExpenseReports'].map((name) => empty.get(name)?.size)).toEqual(
    [0, 0, 0, 0],
  );
  expect(row('Companies', 175, empty).companyName).toBe('Acme Dental');
});

test('generated documents add up to the cent and are at most ten days old', () => {
  const tables = createTables({
    today,
    companies: 30,
    invoices: 400,
    lines_per_invoice: 7,
    purchase_orders: 40,
    expense_reports: 40,
    empty: true,
  });
  for (const invoice of tables.get('Invoices')?.all() ?? []) {
    const items = rows('BillingItems', 'invoiceID', invoice.id, tables);
    expect(items).toHaveLength(7);
    expect(cents(sum(items, 'totalAmount')) + cents(sum(items, 'taxDollars'))).toBe(cents(invoice.invoiceTotal));
    expect(cents(sum(items, 'taxDollars'))).toBe(cents(invoice.totalTaxValue));
    const day = localDate(Date.parse(words(invoice.createDateTime)));
    expect(day <= today && day > '2025-02-20').toBe(true);
  }
  for (const report of tables.get('ExpenseReports')?.all() ?? [])
    expect(
      cents(sum(rows('ExpenseItems', 'expenseReportID', report.id, tables), 'internalCurrencyReimbursementAmount')),
    ).toBe(cents(report.amountDue));
});

test('reads the lines of 10,000 invoices once for any number of lookups', () => {
  const tables = createTables({ today, companies: 500, invoices: 10_000, empty: true });
  const rowReads = vi.spyOn(Table.prototype, 'rows');
  for (let n = 1; n <= 200; n += 1) expect(rows('BillingItems', 'invoiceID', 100_000 + n, tables)).toHaveLength(5);
  expect(rowReads).toHaveBeenCalledTimes(1);
  rowReads.mockRestore();
});

test('a realistic month has thirds of hours, six decimals, several regions, and prepaid work, and its totals match its lines', () => {
  const month = createTables({ today, month_end: true });
  const added = [...(month.get('Invoices')?.all() ?? [])].filter(({ id }) => id > 48400 && id < 48500);
  expect(added.map(({ id }) => id)).toEqual(Array.from({ length: 10 }, (_, at) => 48401 + at));
  for (const invoice of added) {
    const lines = rows('BillingItems', 'invoiceID', invoice.id, month);
    const sum = lines.reduce((total, line) => total + Number(line.totalAmount) + Number(line.taxDollars), 0);
    expect([invoice.id, Math.round(sum * 100)]).toEqual([invoice.id, Math.round(Number(invoice.invoiceTotal) * 100)]);
  }
  const all = added.flatMap(({ id }) => rows('BillingItems', 'invoiceID', id, month));
  expect(all.map(({ quantity, rate }) => `${String(quantity)} x ${String(rate)}`)).toEqual(
    expect.arrayContaining(['0.3333 x 125', '12.3456 x 1.234567', '1 x 33.3333']),
  );
  expect(row('Companies', 181, month)).toMatchObject({ parentCompanyID: 175 });
  // The documented sample data is unchanged.
  expect(row('Invoices', 48213, month)).toEqual(row('Invoices', 48213));
});

test('the second tenant has the same catalog under other names', () => {
  const second = createSecondTenant(today);
  expect(row('Companies', 0, second)).toMatchObject({ companyName: 'Lakeside Technology Partners' });
  expect(row('Resources', 20, second)).toMatchObject({ email: 'admin@lakeside-tech.example', firstName: 'Morgan' });
  expect(second.get('Invoices')?.get(48213)).toBeUndefined();
  expect(second.get('Invoices')?.size).toBe(10);
  const texts = JSON.stringify([...second.values()].map((table) => [...table.all()]));
  expect(texts).not.toMatch(/northwind|acme|birch/i);
});
