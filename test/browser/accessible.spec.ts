import { expect, test, type Page } from '@playwright/test';
import { signIn } from '../support/api-client.ts';
import { findingsInBothSchemes } from '../support/browser.ts';
import { newProcessFixture, type ProcessFixture } from '../support/process-fixture.ts';

let fixture: ProcessFixture;
let url: string;

/** One connected client with a few synced and a few refused invoices: every screen has something to show. */
test.beforeAll(async () => {
  test.setTimeout(180_000);
  fixture = await newProcessFixture();
  ({ url } = await fixture.start());
  const client = await signIn(url);
  await client.connectQuickBooks();
  await client.data('POST', '/api/my/settings/', { inv_default_income_account: '2' });
  for (const mode of ['test', 'live'])
    await client.data('POST', '/api/my/invoices/sync/submit', { invoice_ids: [48_213, 48_302, 48_309], mode });
  await client.data('POST', '/api/my/users/invitations', {
    email: 'grace@northwind-msp.example',
    name: 'Grace Hopper',
  });
  await expect.poll(async () => (await client.data('GET', '/api/my/logs'))['total'], { timeout: 60_000 }).toBe(6);
});
test.afterAll(() => fixture.close());

async function enter(page: Page, path: string): Promise<void> {
  await page.goto(`${url}${path}`);
  await page.getByLabel('Username').fill('admin@northwind-msp.example');
  await page.getByLabel('Password', { exact: true }).fill('Demo-Passw0rd!');
  await page.getByRole('button', { name: 'Login' }).click();
}

for (const width of [1440, 390])
  test(`every screen is accessible, in light and in dark: ${width} wide`, async ({ browser }) => {
    const context = await browser.newContext({
      viewport: { width, height: 844 },
      reducedMotion: 'reduce',
      timezoneId: 'America/Chicago',
    });
    const page = await context.newPage();
    const seen: Record<string, string[]> = {};

    await page.goto(`${url}/login`);
    await expect(page.getByRole('button', { name: 'Login' })).toBeVisible();
    seen['login'] = await findingsInBothSchemes(page);

    await enter(page, '/');
    await expect(page.getByText('Basic setup is OK')).toBeVisible();
    await expect(page.getByRole('heading', { name: 'Latest Activity' })).toBeVisible();
    seen['overview'] = await findingsInBothSchemes(page);

    await page.getByRole('button', { name: 'Sync Now' }).first().click();
    await page.getByRole('dialog').getByRole('radio', { name: /live/i }).check();
    await page.getByRole('dialog').getByRole('radio', { name: 'Sync it again' }).check();
    seen['sync dialog'] = await findingsInBothSchemes(page);
    await page.keyboard.press('Escape');

    await page.goto(`${url}/connections`);
    await expect(page.getByText('Connected as Northwind IT Services')).toHaveCount(2);
    seen['connections'] = await findingsInBothSchemes(page);

    await page.goto(`${url}/logs`);
    await expect(page.getByText('Showing 1-6 of 6 items')).toBeVisible();
    seen['logs'] = await findingsInBothSchemes(page);
    await page.getByRole('row', { name: /48309, live/ }).click();
    await expect(page.getByRole('dialog').getByText(/^Processing of Autotask invoice ID/)).toBeVisible();
    seen['log details'] = await findingsInBothSchemes(page);

    await page.goto(`${url}/my-invoices`);
    await expect(page.getByText(/^Showing 1-10 of/)).toBeVisible();
    seen['invoices'] = await findingsInBothSchemes(page);
    await page.getByRole('checkbox', { name: 'Select Invoice 48214' }).check();
    await page.getByRole('button', { name: 'Sync', exact: true }).click();
    await expect(page.getByRole('dialog').getByText('Please confirm you want to sync this invoice.')).toBeVisible();
    seen['confirm sync'] = await findingsInBothSchemes(page);
    await page.keyboard.press('Escape');

    await page.goto(`${url}/my-purchase-orders`);
    await expect(page.getByText(/^Showing 1-/)).toBeVisible();
    seen['purchase orders'] = await findingsInBothSchemes(page);

    await page.goto(`${url}/my-expenses`);
    await expect(page.getByText(/^Showing 1-/)).toBeVisible();
    seen['expenses'] = await findingsInBothSchemes(page);

    await page.goto(`${url}/needs-attention`);
    await expect(page.getByRole('heading', { name: '1 invoice, $510.00, waits' })).toBeVisible();
    seen['needs you'] = await findingsInBothSchemes(page);

    await page.goto(`${url}/users`);
    await expect(page.getByRole('row', { name: 'grace@northwind-msp.example' })).toBeVisible();
    seen['users'] = await findingsInBothSchemes(page);

    await page.goto(`${url}/sessions`);
    await expect(page.getByText('This one')).toBeVisible();
    seen['sessions'] = await findingsInBothSchemes(page);

    await page.goto(`${url}/no-such-page`);
    await expect(page.getByText('Not Found.')).toBeVisible();
    seen['not found'] = await findingsInBothSchemes(page);

    expect(seen).toEqual(Object.fromEntries(Object.keys(seen).map((name) => [name, []])));
    await context.close();
  });
