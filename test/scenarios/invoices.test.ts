import { describe, expect, test } from 'vitest';
import { ProcessEnded } from '#flows/context.ts';
import type { JsonObject } from '#core/values/json.ts';
import { submit } from '#flows/sync/job/submit.ts';
import { mapping } from '../support/mappings.ts';
import { eachWorld } from '../support/each-world.ts';

const world = eachWorld();

const invoicesInAccounting = (): Promise<readonly JsonObject[]> => world.quickbooks.list('Invoice');
const linesOf = (invoice: JsonObject | undefined): JsonObject[] =>
  (invoice?.['Line'] as JsonObject[] | undefined)?.filter((line) => line['DetailType'] === 'SalesItemLineDetail') ?? [];
const detail = (line: JsonObject): JsonObject => line['SalesItemLineDetail'] as JsonObject;

const mapExampleA = async (): Promise<void> => {
  await world.store.saveMappings([
    mapping('LineOfBusiness', '1', '200'),
    mapping('LineOfBusiness', '2', '201'),
    mapping('SalesCustomField', 'OrderNumber', '1'),
  ]);
};

describe('an invoice', () => {
  test.each([
    ['with an existing customer', 48_213],
    ['with a new customer', 48_214],
  ])('%s shows the same shipping address in a test and a live sync', async (_whose, psaId) => {
    const shown = async (mode: 'test' | 'live') => {
      await world.sync('invoice', { mode, psaIds: [psaId] });
      const entry = (await world.logs()).find((log) => log.psaId === psaId && log.isTest === (mode === 'test'));
      // QuickBooks formats the country, which the log omits.
      const { Country: _, ...address } = (entry?.document?.['ShipAddr'] ?? {}) as JsonObject;
      return address;
    };
    const inTest = await shown('test');
    expect(inTest).toHaveProperty('Line1');
    expect(await shown('live')).toMatchObject(inTest);
  });

  test('a test sync shows the document and changes nothing in either service', async () => {
    const before = [
      await world.quickbooks.list('Invoice'),
      await world.quickbooks.list('Item'),
      await world.autotask.list('Invoices'),
    ];
    const job = await world.sync('invoice', { mode: 'test', psaIds: [48_213] });
    expect(job).toMatchObject({ status: 'finished', total: 1, succeeded: 1 });
    const after = [
      await world.quickbooks.list('Invoice'),
      await world.quickbooks.list('Item'),
      await world.autotask.list('Invoices'),
    ];
    expect(after).toEqual(before);
    const writes = [...(await world.quickbooks.journal()), ...(await world.autotask.journal())].filter(
      (entry) =>
        entry.applied && /\/(invoice|item|customer)(\?|$)|\/Invoices$/i.test(entry.path) && entry.method !== 'GET',
    );
    expect(writes).toEqual([]);
    const [log] = await world.logs();
    expect(log).toMatchObject({ type: 'invoice', psaId: 48_213, isTest: true, isManual: true, success: true });
    expect(log?.transcript).toContain('RESULT OK (test)');
    expect(log?.document).toMatchObject({ CustomerRef: { value: '58' }, TxnDate: '2025-03-03' });
  });

  test('example A exists in QuickBooks once, with all lines, and its number is written back', async () => {
    await mapExampleA();
    const job = await world.sync('invoice', { mode: 'live', psaIds: [48_213] });
    expect(job).toMatchObject({ status: 'finished', succeeded: 1, failed: 0 });

    const [invoice, ...more] = await world.madeFor(48_213);
    expect(more).toEqual([]);
    expect(invoice).toMatchObject({
      Id: '9177',
      DocNumber: '1042',
      CustomerRef: { value: '58' },
      TxnDate: '2025-03-03',
      DueDate: '2025-04-02',
      SalesTermRef: { value: '3' },
      TotalAmt: 1966.25,
      TxnTaxDetail: { TotalTax: 41.25 },
      EmailStatus: 'NotSet',
      BillEmail: { Address: 'ap@acmedental.example' },
      CustomerMemo: {
        value: 'Order: PO-7781\nTax group: Travis County\nInvoice date: 2025-03-03\nThank you for your business.',
      },
    });
    expect(invoice?.['CustomField']).toContainEqual(
      expect.objectContaining({ DefinitionId: '1', StringValue: 'PO-7781' }),
    );
    expect(
      linesOf(invoice).map((line) => [
        line['Amount'],
        line['Description'],
        (detail(line)['ItemRef'] as JsonObject)['value'],
        detail(line)['Qty'],
        detail(line)['UnitPrice'],
        detail(line)['ServiceDate'],
        (detail(line)['ClassRef'] as JsonObject | undefined)?.['value'],
        (detail(line)['TaxCodeRef'] as JsonObject)['value'],
      ]),
    ).toEqual([
      [525, 'Engineer: VPN outage', '21', 3.5, 150, '2025-02-27', '200', 'NON'],
      [0, 'Engineer: Printer (covered by contract)', '21', 1.25, 0, '2025-02-28', '200', 'NON'],
      [900, 'Managed Workstation', '24', 20, 45, '2025-03-01', '200', 'NON'],
      [500, '24-inch monitor', '30', 2, 250, '2025-02-26', '201', 'TAX'],
    ]);
    expect(await world.psaInvoice(48_213)).toMatchObject({
      invoiceNumber: '1042',
      webServiceDate: expect.stringContaining('2025-03-03'),
    });
    const [log] = await world.logs();
    expect(log).toMatchObject({
      success: true,
      isTest: false,
      message: 'Invoice 48213 was created in QuickBooks as 1042.',
    });
    expect(log?.transcript).toContain('Control total 1,925.00 = 1,966.25 - 41.25');
    const { invoice: state } = await world.store.readSyncStates();
    expect(JSON.parse(state?.info ?? '')).toMatchObject({ at_invoice_id: 48_213, qbo_invoice_number: '1042' });
  });

  test('a missing record that QuickBooks does not name is searched among the document’s records', async () => {
    await mapExampleA();
    const fault = {
      type: 'ValidationFault',
      Error: [{ Message: 'Invalid Reference Id', Detail: 'gone', code: '2500' }],
    };
    const body = JSON.stringify({ Fault: fault, time: '2025-03-03T15:00:00.000-06:00' });
    await world.quickbooks.fault({ match: { method: 'POST', path: '/invoice' }, action: { status: 400, body } });
    await world.sync('invoice', { mode: 'live', psaIds: [48_213] });
    const [log] = await world.logs();
    expect(log?.problems.map(({ code }) => code)).toEqual(['QBO_REFERENCE']);
    expect(log?.message).toContain(
      'The document uses customer “Acme Dental”, item “Remote Support”, item “Managed Workstation”',
    );
    for (const name of ['class “Managed Services”', 'class “Hardware”', 'term “Net 30”', 'tax code “Travis County”'])
      expect(log?.message).toContain(name);
  });

  test('example B: three entries with one description become one line of 687.50', async () => {
    await world.saveSettings({ inv_group_invoice_lines: true });
    await world.sync('invoice', { mode: 'live', psaIds: [48_214] });
    const [invoice] = await world.madeFor(48_214);
    const grouped = linesOf(invoice).filter((line) => detail(line)['Qty'] === 4.25);
    expect(grouped).toMatchObject([{ Amount: 687.5, SalesItemLineDetail: { UnitPrice: 161.76471 } }]);
  });

  test('example C: with automated sales tax the invoice is synced, and the log shows the different tax of 43.13', async () => {
    await world.quickbooks.put('Preferences', '1', { TaxPrefs: { PartnerTaxEnabled: true } });
    const job = await world.sync('invoice', { mode: 'live', psaIds: [48_213] });
    expect(job).toMatchObject({ succeeded: 1, failed: 0 });
    expect(await world.madeFor(48_213)).toMatchObject([{ TotalAmt: 1968.13, TxnTaxDetail: { TotalTax: 43.13 } }]);
    const [log] = await world.logs();
    expect(log).toMatchObject({
      success: true,
      message:
        'Invoice 48213 was created in QuickBooks as 1042. Tax: QuickBooks 43.13, Autotask 41.25, difference +1.88. (1 warning)',
    });
    expect(log?.transcript).toContain('WARN  TAX_DIFFERS Tax: QuickBooks 43.13, Autotask 41.25, difference +1.88.');
    expect(log?.transcript).toContain('QuickBooks total 1,968.13, tax 43.13: Autotask says 1,966.25');
    expect(await world.store.readPosting('invoice', 48_213)).toMatchObject({ total: '1968.13', psaTotal: '1966.25' });
  });

  test('example F: CAD 1,620.00 are 1,199.12 at QuickBooks’ rate', async () => {
    await world.sync('invoice', { mode: 'live', psaIds: [48_308] });
    expect(await world.madeFor(48_308)).toMatchObject([
      { TotalAmt: 1620, CurrencyRef: { value: 'CAD' }, ExchangeRate: 0.7402, HomeTotalAmt: 1199.12 },
    ]);
  });

  test('example D: a negative invoice becomes a credit memo', async () => {
    await world.sync('invoice', { mode: 'live', psaIds: [48_301] });
    expect(await world.madeFor(48_301)).toEqual([]);
    const [memo] = await world.madeFor(48_301, 'CreditMemo');
    expect(memo).toMatchObject({ TotalAmt: 180 });
    expect(linesOf(memo)).toMatchObject([
      { Amount: 300, SalesItemLineDetail: { Qty: 5, UnitPrice: 60 } },
      { Amount: -120, SalesItemLineDetail: { Qty: 1, UnitPrice: -120 } },
    ]);
    expect(await world.psaInvoice(48_301)).toMatchObject({ invoiceNumber: memo?.['DocNumber'] });
  });

  test('example E: a used number creates nothing and is marked in Autotask', async () => {
    await world.quickbooks.put('Preferences', '1', { SalesFormsPrefs: { CustomTxnNumbers: true } });
    await world.saveSettings({ inv_numbering_option: 'autotask' });
    const before = await invoicesInAccounting();
    const job = await world.sync('invoice', { mode: 'live', psaIds: [48_314] });
    expect(job).toMatchObject({ failed: 1 });
    expect(await invoicesInAccounting()).toEqual(before);
    expect(await world.psaInvoice(48_314)).toMatchObject({ invoiceNumber: '20250312 ERROR' });
    const [log] = await world.logs();
    expect(log).toMatchObject({
      success: false,
      message: 'Invoice number 20250312 is already used in QuickBooks by the invoice of Birch Legal LLP.',
    });
  });

  test('example H: lines without an item are listed together, and nothing is created', async () => {
    await world.saveSettings({ inv_create_item_automatically: false });
    await world.quickbooks.put('Item', '24', { Active: false });
    const before = await invoicesInAccounting();
    await world.sync('invoice', { mode: 'live', psaIds: [48_213] });
    expect(await invoicesInAccounting()).toEqual(before);
    const [log] = await world.logs();
    expect(log?.success).toBe(false);
    expect(log?.message).toContain(
      '2 lines have no QuickBooks item: “Managed Workstation” (service), “Hardware” (charge)',
    );
    expect(await world.psaInvoice(48_213)).toMatchObject({ invoiceNumber: 'ERROR' });
  });
});

describe('after failures', () => {
  test('an attempt that died before sending creates a new document if the old one was deleted', async () => {
    await world.sync('invoice', { mode: 'live', psaIds: [48_213] });
    await world.autotask.put('Invoices', 48_213, { invoiceNumber: '' });
    await submit(world.tenant, {
      kind: 'invoice',
      mode: 'live',
      force: false,
      psaIds: [48_213],
      actor: { username: 'a' },
    });
    await expect(
      world.work((name, when) => {
        if (name === 'psa:write' && when === 'before') throw new ProcessEnded('killed here');
      }),
    ).rejects.toThrow('killed here');
    await fetch(`${world.quickbooks.url}/__sandbox/entities/Invoice/9177`, { method: 'DELETE' });
    await world.work();
    expect((await world.madeFor(48_213)).map((row) => row['DocNumber'])).toEqual(['1043']);
    expect(await world.psaInvoice(48_213)).toMatchObject({ invoiceNumber: '1043' });
  });

  test('one failing document does not stop the others', async () => {
    const job = await world.sync('invoice', { mode: 'live' });
    expect(job.status).toBe('finished');
    expect(world.resultOf(job, 48_309)).toMatchObject({ outcome: 'failed' });
    expect(world.resultOf(job, 48_213)).toMatchObject({ outcome: 'succeeded' });
    expect(world.resultOf(job, 48_310)).toMatchObject({ outcome: 'succeeded' });
    expect(world.resultOf(job, 48_311)).toBeUndefined();
    expect(job.results.every((result) => result.outcome !== 'pending')).toBe(true);
    // The Overview shows the newest document and the number of synced ones.
    const { invoice: state } = await world.store.readSyncStates();
    const info = JSON.parse(state?.info ?? '') as JsonObject;
    const synced = job.results.filter((result) => result.outcome === 'succeeded').map((result) => result.psaId);
    expect(info).toMatchObject({ at_invoice_id: synced.at(-1), count: synced.length });
    expect((info['documents'] as unknown as JsonObject[]).map((one) => one['at_invoice_id'])).toEqual(synced);
  });
});
