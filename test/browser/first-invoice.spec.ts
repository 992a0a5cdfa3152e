import { expect, test, type Page } from '@playwright/test';
import type { JsonObject } from '#core/values/json.ts';
import { signIn, type ApiClient } from '../support/api-client.ts';
import { newProcessFixture, type ProcessFixture } from '../support/process-fixture.ts';

let fixture: ProcessFixture;
let url: string;
let api: ApiClient;

test.beforeAll(async () => {
  fixture = await newProcessFixture('empty');
  ({ url } = await fixture.start());
});
test.afterAll(() => fixture.close());

const documentFor = async (psaId: number, entity = 'Invoice'): Promise<JsonObject[]> =>
  (await fixture.quickbooks.list(entity)).filter((row) =>
    new RegExp(`^Autotask invoice ${psaId}[ ,]`).test(String(row['PrivateNote'])),
  );
const psaInvoice = async (id: number): Promise<JsonObject | undefined> =>
  (await fixture.autotask.list('Invoices')).find((row) => row['id'] === id);
const money = (invoice: JsonObject | undefined): unknown[] => [
  invoice?.['TotalAmt'],
  (invoice?.['TxnTaxDetail'] as JsonObject | undefined)?.['TotalTax'],
];
const lines = (document: JsonObject | undefined): JsonObject[] =>
  ((document?.['Line'] ?? []) as unknown as JsonObject[]).filter(
    (line) => line['DetailType'] === 'SalesItemLineDetail',
  );
const shape = (document: JsonObject | undefined): unknown[] =>
  lines(document).map((line) => {
    const detail = line['SalesItemLineDetail'] as JsonObject;
    const reference = (key: string) => (detail[key] as JsonObject | undefined)?.['value'];
    return [
      line['Amount'],
      detail['Qty'],
      detail['UnitPrice'],
      reference('ItemRef'),
      reference('ClassRef'),
      reference('TaxCodeRef'),
    ];
  });

/** Everything in both services that a sync could change. */
const snapshotServices = async (): Promise<unknown> => [
  await fixture.quickbooks.list('Invoice'),
  await fixture.quickbooks.list('CreditMemo'),
  await fixture.quickbooks.list('Customer'),
  await fixture.quickbooks.list('Item'),
  await fixture.autotask.list('Invoices'),
];

async function syncNow(page: Page, choose: (dialog: ReturnType<Page['getByRole']>) => Promise<void>): Promise<void> {
  await page.goto(`${url}/`);
  await page
    .getByRole('row', { name: /^Invoices/ })
    .getByRole('button', { name: 'Sync Now' })
    .click();
  const dialog = page.getByRole('dialog');
  await choose(dialog);
  await expect(dialog).toBeHidden();
}

test('from an empty data folder to an invoice in QuickBooks', async ({ page }) => {
  const failures: string[] = [];
  page.on('pageerror', (error) => failures.push(error.message));
  page.on('console', (message) => {
    if (message.type() === 'error') failures.push(`${message.text()} ${message.location().url}`);
  });

  await test.step('log in', async () => {
    await page.goto(`${url}/logs`);
    await page.getByLabel('Username').fill('admin@northwind-msp.example');
    await page.getByLabel('Password', { exact: true }).fill('Demo-Passw0rd!');
    await page.getByRole('button', { name: 'Login' }).click();
    // The requested page opens after the login.
    await expect(page.getByRole('heading', { name: 'Logs' })).toBeVisible();
    await expect(page.getByText('Log entries will appear here once')).toBeVisible();
  });

  await test.step('connect QuickBooks on its consent page', async () => {
    await page.getByRole('link', { name: 'Connections' }).first().click();
    await expect(page.getByText('Connected as Northwind IT Services')).toHaveCount(1);
    await expect(page.getByText('Choose the QuickBooks company of Northwind IT Services.')).toBeVisible();
    await page.getByRole('button', { name: /Connect to QuickBooks/ }).click();
    await expect(page.getByRole('heading', { name: 'Connect to QuickBooks' })).toBeVisible();
    await page.getByRole('button', { name: 'Connect', exact: true }).click();
    await expect(page.getByText('QuickBooks is connected to Northwind IT Services.')).toBeVisible();
    // The setup is open at its next step, and Back skips the consent.
    await expect(page).toHaveURL(`${url}/setup`);
    await expect(page.getByRole('button', { name: 'Accept and continue' })).toBeVisible();
    await page.getByRole('link', { name: 'Connections' }).first().click();
    // Reconnecting does not ask for the client again.
    await expect(page.getByRole('button', { name: 'Connect again' })).toHaveCount(1);
    await expect(page.getByText('Choose the QuickBooks company of')).toHaveCount(0);
    await expect(page.getByText('Connected as Northwind IT Services')).toHaveCount(2);
    expect(new URL(page.url()).search).toBe('');
    await page.getByRole('button', { name: 'Test Connection' }).last().click();
    await expect(page.getByText('Connected OK.')).toBeVisible();
  });

  await test.step('choose settings and mappings by API', async () => {
    api = await signIn(url);
    await api.data('POST', '/api/my/settings/', { inv_default_income_account: '2', inv_group_invoice_lines: true });
    const label = { source_value_label: null, target_value_label: null };
    const business = { source_entity: 'LineOfBusiness', target_entity: 'Class', ...label };
    await api.data('POST', '/api/my/xrefs/LineOfBusiness/multiple', {
      xrefs: [
        { ...business, source_value: '1', target_value: '200' },
        { ...business, source_value: '2', target_value: '201' },
      ],
    });
    await api.data('POST', '/api/my/xrefs/SalesCustomField/multiple', {
      xrefs: [
        {
          source_entity: 'Field',
          target_entity: 'CustomField',
          source_value: 'OrderNumber',
          target_value: '1',
          ...label,
        },
      ],
    });
    await page.goto(`${url}/`);
    await expect(page.getByText('Basic setup is OK')).toBeVisible();
  });

  await test.step('a test sync changes nothing in either service', async () => {
    const before = await snapshotServices();
    await syncNow(page, async (dialog) => {
      await expect(dialog.getByRole('radio', { name: /test/i })).toBeChecked();
      await dialog.getByRole('button', { name: /^TEST/ }).click();
    });
    await expect(page.getByRole('heading', { name: 'Tested invoices' })).toBeVisible({ timeout: 60_000 });
    await page.getByRole('tab', { name: /^Passed/ }).click();
    await expect(page.getByText(/Invoice 48213 would be created; 1 item would be created/)).toBeVisible();
    expect(await snapshotServices()).toEqual(before);
  });

  await test.step('a live sync posts the worked examples A, B and D to the cent', async () => {
    await syncNow(page, async (dialog) => {
      await dialog.getByRole('radio', { name: /live/i }).check();
      await expect(dialog.getByRole('radio', { name: 'Do not process' })).toBeChecked();
      await dialog.getByRole('button', { name: /^Review/ }).click();
    });
    await page.getByRole('button', { name: /^Post .+ to QuickBooks$/ }).click({ timeout: 60_000 });
    await expect(page.getByRole('heading', { name: 'Synced invoices' })).toBeVisible({ timeout: 60_000 });
    await page.getByRole('tab', { name: /^Synced/ }).click();
    await expect(page.getByText('Invoice 48213 was created in QuickBooks as 1042.')).toBeVisible();

    const [a] = await documentFor(48_213);
    expect(a).toMatchObject({ DocNumber: '1042', CustomerRef: { value: '58' }, SalesTermRef: { value: '3' } });
    expect(money(a)).toEqual([1966.25, 41.25]);
    expect(shape(a)).toEqual([
      [525, 3.5, 150, '21', '200', 'NON'],
      [0, 1.25, 0, '21', '200', 'NON'],
      [900, 20, 45, '24', '200', 'NON'],
      [500, 2, 250, '30', '201', 'TAX'],
    ]);
    expect(a?.['CustomField']).toContainEqual(expect.objectContaining({ DefinitionId: '1', StringValue: 'PO-7781' }));
    expect(await psaInvoice(48_213)).toMatchObject({ invoiceNumber: '1042', webServiceDate: expect.any(String) });

    const [b] = await documentFor(48_214);
    expect(shape(b)).toContainEqual([687.5, 4.25, 161.76471, '21', expect.anything(), 'NON']);
    const [d] = await documentFor(48_301, 'CreditMemo');
    expect([d?.['TotalAmt'], ...lines(d).map((line) => line['Amount'])]).toEqual([180, 300, -120]);
    expect(await documentFor(48_301)).toEqual([]);
  });

  await test.step('a second live sync finds nothing; a forced one creates each document again', async () => {
    const before = (await documentFor(48_213)).length;
    await runJob({ invoice_ids: [48_213], mode: 'live' });
    expect(await documentFor(48_213)).toHaveLength(before);
    await syncNow(page, async (dialog) => {
      await dialog.getByRole('radio', { name: /live/i }).check();
      await dialog.getByRole('radio', { name: 'Sync it again' }).check();
      await expect(dialog.getByText(/another document|duplicate/i)).toBeVisible();
      await dialog.getByRole('button', { name: /^Review .+, again$/ }).click();
    });
    // The last button says that documents are posted again.
    await page.getByRole('button', { name: /^Post \d+ .+ to QuickBooks again$/ }).click({ timeout: 60_000 });
    await expect.poll(async () => (await documentFor(48_213)).length).toBe(before + 1);
    await expect.poll(async () => (await psaInvoice(48_213))?.['invoiceNumber']).not.toBe('1042');
  });

  await test.step('a sync without access to documents explains why, also after a reload', async () => {
    await fixture.autotask.fault({ match: { path: '/Invoices/query' }, action: { status: 503, body: '' } });
    await syncNow(page, (dialog) => dialog.getByRole('button', { name: /^TEST/ }).click());
    const panel = page.getByRole('region', { name: 'Invoices, test sync' });
    const why = page.getByText('Autotask responded with status 503. The next sync retries the remaining work.');
    await expect(why).toBeVisible({ timeout: 60_000 });
    await page.reload();
    await expect(why).toBeVisible();
    await page.goto(`${url}/my`);
    await expect(panel.getByRole('heading', { name: 'The test of invoices stopped' })).toBeVisible();
    await expect(why).toBeVisible();
    await panel.getByRole('button', { name: 'Dismiss' }).click();
    await expect(panel).toBeHidden();
    await fixture.autotask.clearFaults();
  });

  await test.step('the log shows the transcript, formatted and raw', async () => {
    await page.goto(`${url}/logs?q=1042&mode=live`);
    await page
      .getByRole('button', { name: /Details/ })
      .last()
      .click();
    const dialog = page.getByRole('dialog');
    await expect(dialog.getByText('Processing of Autotask invoice ID 48213 was successful.')).toBeVisible();
    await expect(dialog.getByRole('heading', { name: 'QuickBooks Invoice' })).toBeVisible();
    await expect(dialog.getByText('1,966.25').first()).toBeVisible();
    await expect(dialog.getByText(/Control total 1,925\.00 = 1,966\.25 - 41\.25/)).toBeVisible();
    await dialog.getByText('Raw', { exact: true }).click();
    await expect(dialog.getByText('"DocNumber": "1042"')).toBeVisible();
    await page.keyboard.press('Escape');
    await expect(dialog).toBeHidden();
  });

  await test.step('log out', async () => {
    await page.getByRole('button', { name: /account|admin@/i }).click();
    await page.getByRole('menuitem', { name: 'Logout' }).click();
    await expect(page.getByLabel('Username')).toBeVisible();
    expect(await page.evaluate(() => localStorage.getItem('token'))).toBeNull();
  });

  // While Autotask fails, the month cannot be reconciled, and the Overview shows that.
  const unexpected = failures.filter((one) => !/503 \(Service Unavailable\) \S+\/api\/my\/month$/.test(one));
  expect(unexpected).toEqual([]);
});

/** Submits a job and waits for its end. */
async function runJob(body: JsonObject): Promise<JsonObject> {
  const { job } = await api.data('POST', '/api/my/invoices/sync/submit', body);
  const { id } = job as JsonObject;
  const read = async () => (await api.data('GET', `/api/my/jobs/${String(id)}`))['job'] as JsonObject;
  await expect.poll(async () => (await read())['status'], { timeout: 30_000 }).toBe('finished');
  return read();
}
