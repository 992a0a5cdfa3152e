import { expect, test } from 'vitest';
import { ids, start, where } from './testing.ts';

type Api = Awaited<ReturnType<typeof start>>['api'];
const read = async (api: Api, path: string) => (await api('GET', path)).item ?? {};
const company = { companyName: 'Fig Florist', companyType: 1, ownerResourceID: 20, phone: '512-555-0199' };

test('PATCH changes only the given fields and returns only the ID', async () => {
  const { api } = await start();
  const before = await read(api, 'Invoices/48213');
  const answer = await api('PATCH', 'Invoices', {
    id: 48213,
    invoiceNumber: '1042',
    webServiceDate: '2025-03-03T15:00:08.123Z',
  });
  expect([answer.status, answer.json]).toEqual([200, { itemId: 48213 }]);
  expect(await read(api, 'Invoices/48213')).toEqual({
    ...before,
    invoiceNumber: '1042',
    webServiceDate: '2025-03-03T15:00:08.123Z',
  });
});

test('repeating a PATCH leaves the same record', async () => {
  const { api } = await start();
  for (let n = 0; n < 2; n += 1) await api('PATCH', 'Invoices', { ID: '48213', INVOICENUMBER: '1042' });
  expect(await read(api, 'Invoices/48213')).toMatchObject({ invoiceNumber: '1042' });
});

test('stores only the date of a paid date', async () => {
  const { api } = await start();
  await api('PATCH', 'Invoices', { id: 48213, paidDate: '2025-04-02T17:45:12.000Z' });
  expect((await read(api, 'Invoices/48213')).paidDate).toBe('2025-04-02T00:00:00Z');
});

test('"" or null clears a text, null clears a date; the stored result can be switched', async () => {
  const { api, behave } = await start();
  const number = async (value: unknown) => {
    await api('PATCH', 'Invoices', { id: 48314, invoiceNumber: value });
    return (await read(api, 'Invoices/48314')).invoiceNumber;
  };
  expect([await number(''), await number(null)]).toEqual(['', null]);
  await behave({ cleared_text: 'null' });
  expect([await number(''), await number(null)]).toEqual([null, null]);
  await behave({ cleared_text: 'empty' });
  expect([await number(''), await number(null)]).toEqual(['', '']);
  const date = async (value: unknown) => (await api('PATCH', 'Invoices', { id: 48312, webServiceDate: value })).status;
  expect(await date('')).toBe(500);
  expect((await read(api, 'Invoices/48312')).webServiceDate).not.toBeNull();
  expect(await date(null)).toBe(200);
  expect((await read(api, 'Invoices/48312')).webServiceDate).toBeNull();
  await behave({ empty_text_clears_date: true });
  expect(await date('')).toBe(200);
});

test.each([
  ['an invoice total', 'Invoices', { id: 48213, invoiceTotal: 1 }, 'The field invoiceTotal of Invoice is read-only.'],
  ['a void', 'Invoices', { id: 48213, isVoided: true }, 'The field isVoided of Invoice is read-only.'],
  [
    'an amount of an item',
    'BillingItems',
    { id: 9_000_001, totalAmount: 0 },
    'The field totalAmount of BillingItem is read-only.',
  ],
  [
    'the status of a report',
    'ExpenseReports',
    { id: 1207, status: 6 },
    'The field status of ExpenseReport is read-only.',
  ],
  [
    'the vendor of an order',
    'PurchaseOrders',
    { id: 3310, vendorID: 303 },
    'The field vendorID of PurchaseOrder is read-only.',
  ],
  ['the name of a currency', 'Currencies', { id: 2, name: 'XXX' }, 'The field name of Currency is read-only.'],
])('rejects writing %s, or ignores it when switched', async (_what, entity, body, text) => {
  const { api, behave } = await start();
  const before = await read(api, `${entity}/${body.id}`);
  expect((await api('PATCH', entity, body)).json).toEqual({ errors: [text] });
  await behave({ read_only_in_body: 'ignored' });
  expect((await api('PATCH', entity, body)).status).toBe(200);
  expect(await read(api, `${entity}/${body.id}`)).toEqual(before);
});

test('a rejected write changes nothing even if other fields are valid', async () => {
  const { api, journal } = await start();
  expect((await api('PATCH', 'Invoices', { id: 48213, invoiceNumber: '1042', paidDate: 'soon' })).status).toBe(500);
  expect((await read(api, 'Invoices/48213')).invoiceNumber).toBe('');
  expect((await journal())[0]).toMatchObject({
    method: 'PATCH',
    applied: false,
    owner: 'api.user@northwind-msp.example',
  });
});

test.each([
  ['no id', 'PATCH', 'Invoices', { invoiceNumber: '1' }, 'The id of the record is missing.'],
  [
    'a missing record',
    'PATCH',
    'Invoices',
    { id: 5, invoiceNumber: '1' },
    'No matching records found for the Invoice.',
  ],
  [
    'a text over the maximum length',
    'PATCH',
    'Invoices',
    { id: 48213, invoiceNumber: 'x'.repeat(101) },
    'exceeds the maximum length of 100',
  ],
  ['text for a date', 'PATCH', 'Invoices', { id: 48213, webServiceDate: 'now' }, 'Conversion failed'],
  ['a list for text', 'PATCH', 'Invoices', { id: 48213, invoiceNumber: ['1'] }, 'must be a text'],
  [
    'a value outside the picklist',
    'PATCH',
    'PurchaseOrders',
    { id: 3312, status: 9 },
    'The value 9 of status is not in its picklist.',
  ],
  [
    'an unknown reference',
    'PATCH',
    'Companies',
    { id: 175, taxRegionID: 77 },
    'The reference value 77 on field: taxRegionID',
  ],
  [
    'a number for a flag',
    'PATCH',
    'Companies',
    { id: 175, isActive: 1 },
    'The value of isActive must be true or false.',
  ],
  ['text for a number', 'PATCH', 'PurchaseOrders', { id: 3312, freight: 'much' }, 'Conversion failed'],
  ['a fraction of a whole number', 'PATCH', 'Companies', { id: 175, taxRegionID: 1.5 }, 'Conversion failed'],
  ['an empty required field', 'PATCH', 'Companies', { id: 175, companyName: '' }, 'The field companyName is required'],
  ['an API user as owner', 'PATCH', 'Companies', { id: 175, ownerResourceID: 99 }, 'cannot be an API user'],
  [
    'a missing required field',
    'POST',
    'Companies',
    { companyName: 'x', companyType: 1, phone: '1' },
    'The field ownerResourceID is required.',
  ],
  ['a record that is not an object', 'POST', 'Companies', [company], 'The request has no record.'],
  [
    'a second compounded tax',
    'POST',
    'Taxes',
    { taxRegionID: 1, taxCategoryID: 1, taxName: 'x', taxRate: 1, isCompounded: true },
    'Only one tax',
  ],
  ['a zero rate', 'PATCH', 'Currencies', { id: 2, exchangeRate: 0 }, 'must be greater than 0'],
  [
    'a rate with too many decimals',
    'PATCH',
    'Currencies',
    { id: 2, exchangeRate: 1.123456 },
    '5 after the decimal point',
  ],
  [
    'another rate for the internal currency',
    'PATCH',
    'Currencies',
    { id: 1, exchangeRate: 2 },
    'internal currency is 1',
  ],
  [
    'a vendor that is a customer',
    'POST',
    'PurchaseOrders',
    { vendorID: 175, status: 1, shipToName: 'x', shipToAddress1: 'y' },
    'company of the type Vendor',
  ],
  ['receiving by status', 'PATCH', 'PurchaseOrders', { id: 3310, status: 4 }, 'by receiving items only'],
  [
    'an item for a submitted order',
    'POST',
    'PurchaseOrders/3310/Items',
    { productID: 801, quantity: 1, unitCost: 1, inventoryLocationID: 1 },
    'while the purchase order is New',
  ],
  [
    'an item without product or charge',
    'POST',
    'PurchaseOrders/3312/Items',
    { quantity: 1, unitCost: 1, inventoryLocationID: 1 },
    'needs a productID or a chargeID',
  ],
  [
    'an item of a delivered charge',
    'POST',
    'PurchaseOrders/3312/Items',
    { chargeID: 1, quantity: 1, unitCost: 1, inventoryLocationID: 1 },
    'Need to Order/Fulfill',
  ],
  [
    'an item of another order',
    'PATCH',
    'PurchaseOrders/3310/Items',
    { id: 33_005, quantity: 2 },
    'No matching records found',
  ],
  [
    'more than the ordered quantity',
    'POST',
    'PurchaseOrderItems/33001/Receiving',
    { quantityNowReceiving: 5 },
    'More than was ordered',
  ],
  [
    'an item for an approved report',
    'POST',
    'Expenses/1207/Items',
    {
      description: 'x',
      expenseCategory: 42,
      expenseDate: '2025-02-01',
      haveReceipt: true,
      isBillableToCompany: false,
      paymentType: 1,
    },
    'In Progress or Rejected',
  ],
  [
    'submitting an approved report',
    'PATCH',
    'ExpenseReports',
    { id: 1207, submit: true },
    'Only a report that is In Progress or Rejected can be submitted.',
  ],
  [
    'a contract that ends before its start',
    'PATCH',
    'Contracts',
    { id: 2001, endDate: '2020-01-01' },
    'endDate cannot be before',
  ],
  [
    'an unknown user-defined field',
    'PATCH',
    'Companies',
    { id: 175, userDefinedFields: [{ name: 'Colour', value: 'x' }] },
    'Unable to find Colour',
  ],
])('rejects %s with a 500 and a reason', async (_what, verb, path, body, text) => {
  const { api } = await start();
  if (text.startsWith('Only one tax'))
    await api('POST', 'Taxes', { taxRegionID: 1, taxCategoryID: 1, taxName: 'first', taxRate: 1, isCompounded: true });
  const answer = await api(verb, path, body);
  expect([answer.status, answer.errors.join(' ')]).toEqual([500, expect.stringContaining(text)]);
});

test('lists all missing fields at once', async () => {
  const { api } = await start();
  expect((await api('POST', 'Companies', { companyName: 'x' })).errors).toHaveLength(3);
});

test('a new record gets defaults, creator, and the next ID; unknown fields are ignored', async () => {
  const { api, query } = await start();
  const { json } = await api('POST', 'Companies', { ...company, CITY: 'Austin', nonsense: 1 });
  expect(json).toEqual({ itemId: 304 });
  expect(await read(api, 'Companies/304')).toMatchObject({
    id: 304,
    companyName: 'Fig Florist',
    city: 'Austin',
    billToCity: 'Austin',
    isActive: true,
    createdByResourceID: 99,
    impersonatorCreatorResourceID: null,
    userDefinedFields: [],
  });
  expect(ids((await query('Companies', [where('companyName', 'eq', 'fig florist')])).items)).toEqual([304]);
});

test('an impersonated resource becomes the creator; an unknown one is rejected', async () => {
  const { api, control } = await start();
  await api('POST', 'Companies', company, { ImpersonationResourceId: '21' });
  expect(await read(api, 'Companies/304')).toMatchObject({
    createdByResourceID: 21,
    impersonatorCreatorResourceID: 99,
  });
  for (const id of ['24', '777', 'x'])
    expect((await api('GET', 'Companies/0', undefined, { ImpersonationResourceId: id })).status).toBe(500);
  await control('POST', '/credentials', { userName: 'api.user@northwind-msp.example', impersonation: false });
  expect((await api('GET', 'Companies/0', undefined, { ImpersonationResourceId: '21' })).status).toBe(500);
});

test('PUT clears omitted writable fields and requires the required ones', async () => {
  const { api } = await start();
  await api('PATCH', 'Invoices', { id: 48314, paidDate: '2025-03-03T00:00:00Z' });
  expect((await api('PUT', 'Invoices', { id: 48314, invoiceNumber: '7' })).json).toEqual({ itemId: 48314 });
  expect(await read(api, 'Invoices/48314')).toMatchObject({
    invoiceNumber: '7',
    paidDate: null,
    webServiceDate: null,
    invoiceTotal: 312.5,
  });
  expect((await api('PUT', 'PaymentTerms', { id: 1, paymentDueInDays: 30 })).errors).toEqual([
    'The field name is required.',
  ]);
  await api('PUT', 'PaymentTerms', { id: 1, name: 'Net 30' });
  expect(await read(api, 'PaymentTerms/1')).toEqual({
    id: 1,
    name: 'Net 30',
    description: null,
    isActive: null,
    paymentDueInDays: null,
  });
});

test('accepts numbers as text', async () => {
  const { api } = await start();
  await api('PATCH', 'PurchaseOrders', { id: 3312, freight: '12.34', paymentTerm: '2' });
  expect(await read(api, 'PurchaseOrders/3312')).toMatchObject({
    freight: 12.34,
    paymentTerm: 2,
    internalCurrencyFreight: 12.34,
  });
});

test('merges user-defined fields by name and stores their values as text', async () => {
  const { api } = await start();
  await api('PATCH', 'Companies', { id: 175, userDefinedFields: [{ name: 'Seats', value: 20 }] });
  await api('PATCH', 'Companies', { id: 175, userDefinedFields: [{ name: 'tier', value: 'Gold' }] });
  expect((await read(api, 'Companies/175')).userDefinedFields).toEqual([
    { name: 'Seats', value: '20' },
    { name: 'Tier', value: 'Gold' },
  ]);
});

test('accepts a duplicate invoice number unless switched', async () => {
  const { api, behave } = await start();
  const take = async () => (await api('PATCH', 'Invoices', { id: 48213, invoiceNumber: '20250312' })).status;
  expect(await take()).toBe(200);
  await api('PATCH', 'Invoices', { id: 48213, invoiceNumber: '' });
  await behave({ invoice_number_unique: true });
  expect(await take()).toBe(500);
});

test('a purchase order changes from New to Submitted to Received Full', async () => {
  const { api, query } = await start();
  const { json } = await api('POST', 'PurchaseOrders', {
    vendorID: 301,
    status: 1,
    shipToName: 'Northwind',
    shipToAddress1: '100 Lavaca Street',
    freight: 5,
  });
  const id = json.itemId as number;
  expect(await read(api, `PurchaseOrders/${id}`)).toMatchObject({
    purchaseOrderNumber: `PO-${id}`,
    externalPONumber: '',
    submitDateTime: null,
    creatorResourceID: 99,
  });
  const item = (
    await api('POST', `PurchaseOrders/${id}/Items`, {
      productID: 801,
      quantity: 4,
      unitCost: 189.5,
      inventoryLocationID: 1,
    })
  ).json.itemId as number;
  expect(await read(api, `PurchaseOrderItems/${item}`)).toMatchObject({ orderID: id, internalCurrencyUnitCost: 189.5 });
  expect((await api('POST', `PurchaseOrderItems/${item}/Receiving`, { quantityNowReceiving: 1 })).status).toBe(500);
  await api('PATCH', 'PurchaseOrders', { id, status: 2 });
  expect((await read(api, `PurchaseOrders/${id}`)).submitDateTime).toEqual(expect.stringContaining('2025-03-03T'));
  expect((await api('PATCH', `PurchaseOrders/${id}/Items`, { id: item, quantity: 5 })).status).toBe(200);
  const receipt = (await api('POST', `PurchaseOrderItems/${item}/Receiving`, { quantityNowReceiving: 2 })).json
    .itemId as number;
  expect(await read(api, `PurchaseOrderItems/${item}/Receiving/${receipt}`)).toMatchObject({
    quantityPreviouslyReceived: 0,
    quantityBackOrdered: 3,
    receivedByResourceID: 99,
  });
  expect((await read(api, `PurchaseOrders/${id}`)).status).toBe(3);
  await api('POST', `PurchaseOrderItems/${item}/Receiving`, { quantityNowReceiving: 3 });
  expect((await read(api, `PurchaseOrders/${id}`)).status).toBe(4);
  expect((await api('PATCH', `PurchaseOrders/${id}/Items`, { id: item, quantity: 6 })).status).toBe(500);
  expect((await query('PurchaseOrders', [where('status', 'eq', 4)])).items).toHaveLength(1);
});

test('a canceled order stays canceled and has a date', async () => {
  const { api } = await start();
  await api('PATCH', 'PurchaseOrders', { id: 3312, status: 5 });
  expect((await read(api, 'PurchaseOrders/3312')).cancelDateTime).toEqual(expect.any(String));
  expect((await api('PATCH', 'PurchaseOrders', { id: 3312, status: 1 })).status).toBe(500);
});

test('an expense report totals its items and is read-only after submission', async () => {
  const { api } = await start();
  const id = (
    await api('POST', 'ExpenseReports', {
      name: 'March',
      submitterID: 21,
      weekEnding: '2025-03-07',
      internalCurrencyCashAdvanceAmount: 10,
    })
  ).json.itemId as number;
  const add = (fields: object) =>
    api('POST', `Expenses/${id}/Items`, {
      description: 'x',
      expenseCategory: 42,
      expenseDate: '2025-03-01T22:10:00Z',
      haveReceipt: true,
      isBillableToCompany: false,
      paymentType: 1,
      internalCurrencyExpenseAmount: 30.25,
      ...fields,
    });
  const item = (await add({})).json.itemId as number;
  await add({ paymentType: 8, internalCurrencyExpenseAmount: 12 });
  expect((await add({ expenseCategory: 43 })).errors).toEqual(['Mileage needs miles, origin and destination.']);
  expect((await add({ expenseCategory: 45 })).errors).toEqual(['Entertainment needs entertainmentLocation.']);
  expect(await read(api, `Expenses/${id}/Items/${item}`)).toMatchObject({
    companyID: 0,
    isReimbursable: true,
    expenseDate: '2025-03-01T00:00:00Z',
  });
  expect(await read(api, `ExpenseReports/${id}`)).toMatchObject({
    status: 1,
    internalCurrencyExpenseTotal: 42.25,
    amountDue: 20.25,
    submitDate: null,
  });
  await api('PATCH', `Expenses/${id}/Items`, { id: item, internalCurrencyExpenseAmount: 40 });
  expect(await read(api, `ExpenseReports/${id}`)).toMatchObject({ amountDue: 30 });
  await api('PATCH', `Expenses/${id}/Items`, { id: item, internalCurrencyReimbursementAmount: 15 });
  expect(await read(api, `ExpenseReports/${id}`)).toMatchObject({ internalCurrencyExpenseTotal: 52, amountDue: 5 });
  await api('PATCH', 'ExpenseReports', { id, submit: true });
  expect(await read(api, `ExpenseReports/${id}`)).toMatchObject({
    status: 2,
    submit: null,
    submitDate: expect.stringContaining('2025-03-03T'),
  });
  expect((await add({})).status).toBe(500);
});

test('writing the reference of an approved report changes nothing else', async () => {
  const { api } = await start();
  const before = await read(api, 'ExpenseReports/1207');
  await api('PATCH', 'ExpenseReports', { id: 1207, quickBooksReferenceNumber: '9203' });
  expect(await read(api, 'ExpenseReports/1207')).toEqual({ ...before, quickBooksReferenceNumber: '9203' });
});

test('one location, contact, and vendor is primary', async () => {
  const { api, query } = await start();
  await api('POST', 'Companies/175/Locations', { name: 'Branch', isPrimary: true });
  expect(
    (await query('CompanyLocations', [where('companyID', 'eq', 175), where('isPrimary', 'eq', true)])).items,
  ).toMatchObject([{ name: 'Branch' }]);
  await api('POST', 'Companies/175/Contacts', {
    firstName: 'New',
    lastName: 'Contact',
    isActive: 1,
    primaryContact: true,
    emailAddress: 'new@acmedental.example',
  });
  expect(
    (await query('Contacts', [where('companyID', 'eq', 175), where('primaryContact', 'eq', true)])).items,
  ).toMatchObject([{ emailAddress: 'new@acmedental.example' }]);
  await api('POST', 'Products/801/Vendors', { vendorID: 303, isActive: true, isDefault: true });
  expect(
    (await query('ProductVendors', [where('productID', 'eq', 801), where('isDefault', 'eq', true)])).items,
  ).toMatchObject([{ vendorID: 303 }]);
});

test('reads, changes, and deletes children only under their own parent', async () => {
  const { api } = await start();
  const id = (
    await api('POST', 'Contracts/2001/Charges', {
      name: 'Router',
      chargeType: 1,
      datePurchased: '2025-03-01',
      unitQuantity: 2,
      unitPrice: 99.95,
      unitCost: 70,
    })
  ).json.itemId;
  expect((await api('GET', 'Contracts/2001/Charges')).items).toMatchObject([
    { id, contractID: 2001, billableAmount: 199.9, extendedCost: 140, status: 1 },
  ]);
  expect((await api('GET', 'Contracts/2002/Charges')).items).toEqual([]);
  expect((await api('GET', `Contracts/2002/Charges/${String(id)}`)).json).toEqual({ item: null });
  expect((await api('DELETE', `Contracts/2002/Charges/${String(id)}`)).status).toBe(500);
  expect((await api('DELETE', `Contracts/2001/Charges/${String(id)}`)).json).toEqual({ itemId: id });
  expect((await api('DELETE', `Contracts/2001/Charges/${String(id)}`)).errors.join()).toContain(
    'No matching records found',
  );
  expect((await api('GET', 'PurchaseOrders/3310/Items')).items).toHaveLength(2);
  expect((await api('GET', 'Expenses/1207/Items')).items).toHaveLength(4);
});

test('a bundle contains each service once and can be deleted', async () => {
  const { api } = await start();
  expect((await api('POST', 'ServiceBundles/951/Services', { serviceID: 901 })).status).toBe(500);
  const id = (await api('POST', 'ServiceBundles', { name: 'Second', billingCodeID: 61, periodType: 2 })).json.itemId;
  expect((await api('DELETE', `ServiceBundles/${String(id)}`)).status).toBe(200);
  expect((await api('GET', `ServiceBundles/${String(id)}`)).json).toEqual({ item: null });
});

test("reads and changes a company's invoice settings and its recipients", async () => {
  const { api } = await start();
  expect((await api('GET', 'Companies/175/invoiceSettings')).json).toEqual({
    taxExempt: false,
    taxRegionId: 1,
    taxId: '',
    invoiceEmailingEnabled: false,
    contactRecipients: [],
    resourceRecipients: [],
    otherEmails: '',
  });
  await api('PUT', 'Companies/175/invoiceSettings', {
    taxExempt: true,
    taxId: '74-1',
    invoiceEmailingEnabled: true,
    otherEmails: 'x@example.com',
  });
  expect(await read(api, 'Companies/175')).toMatchObject({ isTaxExempt: true, taxID: '74-1' });
  await api('POST', 'Companies/175/invoiceSettings/contactRecipients', { items: [500, 501] });
  await api('POST', 'Companies/175/invoiceSettings/resourceRecipients', { items: [21] });
  expect((await api('DELETE', 'Companies/175/invoiceSettings/contactRecipients/500')).status).toBe(200);
  expect((await api('GET', 'Companies/175/invoiceSettings')).json).toMatchObject({
    contactRecipients: [501],
    resourceRecipients: [21],
    otherEmails: 'x@example.com',
  });
  expect((await api('POST', 'Companies/175/invoiceSettings/contactRecipients', { items: [9] })).status).toBe(500);
  expect((await api('PUT', 'Companies/175/invoiceSettings', { taxRegionId: 9 })).status).toBe(500);
  expect((await api('GET', 'Companies/5/invoiceSettings')).status).toBe(500);
});

test('returns an invoice as PDF, HTML, and XML, wrapped or not', async () => {
  const { api, behave } = await start();
  const wrapped = (await api('GET', 'Invoices/48213/InvoicePdf')).item ?? {};
  expect(wrapped).toMatchObject({ id: 48213, contentType: 'application/pdf', fileName: 'Invoice_48213.pdf' });
  const pdf = Buffer.from(String(wrapped.data), 'base64');
  expect([pdf.subarray(0, 5).toString(), pdf.length]).toEqual(['%PDF-', wrapped.fileSize]);
  expect(pdf.toString('latin1')).toContain('Total 1,966.25');
  await behave({ invoice_pdf_wrapped: false });
  expect((await api('GET', 'Invoices/48213/InvoicePdf')).json).toMatchObject({ id: 48213 });
  expect((await api('GET', 'Invoices/48213/InvoiceMarkupHtml')).json.invoiceMarkup).toContain('VPN outage');
  expect((await api('GET', 'Invoices/48213/InvoiceMarkupXml')).json.invoiceMarkup).toContain('<total>1966.25</total>');
  expect((await api('GET', 'Invoices/5/InvoicePdf')).status).toBe(500);
});

test('attaches files to expense reports and items within their limits', async () => {
  const { api, control } = await start();
  const data = Buffer.from('a receipt').toString('base64');
  const post = (bytes: string) =>
    api('POST', 'ExpenseReports/1207/Attachments', {
      title: 'receipt.pdf',
      data: bytes,
      contentType: 'application/pdf',
    });
  const id = (await post(data)).json.itemId as number;
  expect((await api('GET', 'ExpenseReports/1207/Attachments')).items).toMatchObject([
    { id, parentID: 1207, title: 'receipt.pdf', fileSize: 9, data: null },
  ]);
  expect((await api('GET', `ExpenseReports/1207/Attachments/${id}`)).item).toMatchObject({ data });
  expect((await api('GET', 'ExpenseItems/12001/Attachments')).items).toEqual([]);
  expect((await post(Buffer.alloc(7_000_001).toString('base64'))).status).toBe(500);
  expect((await post(Buffer.alloc(6_000_000).toString('base64'))).status).toBe(200);
  expect((await post(Buffer.alloc(6_000_000).toString('base64'))).status).toBe(500);
  await control('POST', '/clock', { advance_seconds: 301 });
  expect((await post(Buffer.alloc(6_000_000).toString('base64'))).status).toBe(200);
  expect((await api('DELETE', `ExpenseReports/1207/Attachments/${id}`)).status).toBe(200);
  expect((await api('GET', `ExpenseReports/1207/Attachments/${id}`)).json).toEqual({ item: null });
  expect((await api('POST', 'ExpenseReports/5/Attachments', { title: 'x', data })).status).toBe(500);
});

test.each(['text/plain', 'application/x-www-form-urlencoded', 'application/xml'])(
  'rejects a body with content type %s with a 415',
  async (type) => {
    const { api } = await start();
    const answer = await api('PATCH', 'Invoices', { id: 48213, invoiceNumber: 'X' }, { 'Content-Type': type });
    expect([answer.status, answer.json]).toEqual([
      415,
      { Message: `The request entity's media type '${type}' is not supported for this resource.` },
    ]);
    expect((await api('GET', 'Invoices/48213')).item).not.toMatchObject({ invoiceNumber: 'X' });
  },
);

test('a line of business is a unique pair of existing levels and cannot change them', async () => {
  const { api, behave } = await start();
  const pair = (one: unknown, two: unknown) =>
    api('POST', 'OrganizationalLevelAssociations', { organizationalLevel1ID: one, organizationalLevel2ID: two });
  const made = await pair(1, 1);
  expect(made.status).toBe(200);
  expect((await pair(1, 1)).errors).toEqual(['An association of these two levels exists already.']);
  expect((await pair(3, 1)).errors).toEqual(['The organizationalLevel1ID 3 is not active.']);
  expect((await pair(1, undefined)).errors).toEqual(['The field organizationalLevel2ID is required.']);
  const id = made.json.itemId;
  expect((await api('PATCH', 'OrganizationalLevelAssociations', { id, organizationalLevel1ID: 2 })).errors).toEqual([
    'The field organizationalLevel1ID of OrganizationalLevelAssociation is read-only.',
  ]);
  await api('PATCH', 'OrganizationalLevelAssociations', { id, isActive: false });
  expect((await api('GET', `OrganizationalLevelAssociations/${String(id)}`)).item).toMatchObject({
    organizationalLevel1ID: 1,
    isActive: false,
  });
  await behave({ module_structure: false });
  expect((await api('PATCH', 'OrganizationalLevel1s', { id: 1, name: 'Other' })).errors).toEqual([
    'The organizational structure cannot be changed because its module is not active.',
  ]);
  expect((await pair(2, 1)).status).toBe(500);
  expect((await api('GET', 'OrganizationalLevel1s/1')).item).toMatchObject({ name: 'Managed Services' });
});
