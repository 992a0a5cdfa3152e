import { expect, test } from '@playwright/test';
import { signIn, type ApiClient } from '../support/api-client.ts';
import { defectsOf, isAccessible, logIn } from '../support/browser.ts';
import { newProcessFixture, type ProcessFixture } from '../support/process-fixture.ts';

let fixture: ProcessFixture;
let url: string;
let api: ApiClient;

test.beforeAll(async () => {
  test.setTimeout(240_000);
  fixture = await newProcessFixture();
  ({ url } = await fixture.start());
  api = await signIn(url);
  await api.connectQuickBooks();
  await api.data('POST', '/api/my/settings/', { inv_default_income_account: '2' });
  await api.data('POST', '/api/my/invoices/sync/submit', { invoice_ids: [48_213], mode: 'live' });
  await expect.poll(async () => (await inBooks())?.['TotalAmt'], { timeout: 60_000 }).toBe(1966.25);
});
test.afterAll(() => fixture.close());

const inBooks = async () =>
  (await fixture.quickbooks.list('Invoice')).find((row) =>
    String(row['PrivateNote'] ?? '').startsWith('Autotask invoice 48213'),
  );

test('a document that somebody changed in QuickBooks is named on Close, and updated with one click', async ({
  page,
}) => {
  test.setTimeout(180_000);
  const defects = defectsOf(page);
  const posted = await inBooks();
  const month = String(posted?.['TxnDate']).slice(0, 7);
  await fixture.quickbooks.put('Invoice', String(posted?.['Id']), {
    CustomerRef: { value: '59' },
    DocNumber: 'BY-HAND-1',
    TotalAmt: 9966.25,
    Balance: 9966.25,
  });
  await page.goto(`${url}/close/${month}`);
  await logIn(page, 'admin@northwind-msp.example', 'Demo-Passw0rd!');
  await page
    .getByRole('button', { name: /^Prepare/ })
    .first()
    .click();
  const row = page.getByRole('row', { name: /BY-HAND-1/ }).filter({ hasText: 'Amount changed in QuickBooks' });
  await expect(row).toBeVisible({ timeout: 60_000 });
  await isAccessible(page);
  await row.getByRole('button', { name: 'Update', exact: true }).click();
  await expect(page.getByText(/becomes what Autotask says, whole/)).toBeVisible();
  await page.getByRole('button', { name: /^Update it in QuickBooks/ }).click();
  await expect.poll(async () => (await inBooks())?.['DocNumber'], { timeout: 60_000 }).toBe(posted?.['DocNumber']);
  expect(await inBooks()).toMatchObject({
    Id: posted?.['Id'],
    CustomerRef: posted?.['CustomerRef'],
    TotalAmt: 1966.25,
  });
  await page.getByRole('button', { name: 'Refresh' }).click();
  await expect(row).toHaveCount(0, { timeout: 60_000 });
  expect(defects).toEqual([]);
});
