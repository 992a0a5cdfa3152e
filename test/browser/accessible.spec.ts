import { expect, test, type Page } from '@playwright/test';
import { signIn } from '../support/api-client.ts';
import { clientMonth, defectsOf, findingsInBothSchemes } from '../support/browser.ts';
import { newProcessFixture, type ProcessFixture } from '../support/process-fixture.ts';

let fixture: ProcessFixture;
let url: string;

/** A connected client with a few synced and a few failed invoices, so that every screen has content. */
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
  test(`every screen is accessible in light and dark mode: ${width} wide`, async ({ browser }) => {
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

    await page.getByRole('button', { name: /^Account of / }).click();
    await expect(page.getByRole('menuitem', { name: 'Logout' })).toBeVisible();
    seen['user menu'] = await findingsInBothSchemes(page);
    await page.keyboard.press('Escape');

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
    await expect(
      page.getByRole('heading', { name: 'The lines add up to 500.00, but the invoice total is 510.00' }),
    ).toBeVisible();
    seen['needs attention'] = await findingsInBothSchemes(page);

    await page.goto(`${url}/users`);
    await expect(page.getByRole('row', { name: 'grace@northwind-msp.example' })).toBeVisible();
    seen['users'] = await findingsInBothSchemes(page);

    await page.goto(`${url}/sessions`);
    await expect(page.getByText('This one')).toBeVisible();
    seen['sessions'] = await findingsInBothSchemes(page);

    await page.goto(`${url}/no-such-page`);
    await expect(page.getByText('Not Found.')).toBeVisible();
    seen['not found'] = await findingsInBothSchemes(page);

    await page.goto(`${url}/needs-attention`);
    await expect(page.getByRole('article').first()).toBeVisible();
    await context.setOffline(true);
    await page.getByRole('button', { name: 'Refresh' }).click();
    await expect(page.locator('[data-stale="true"]')).toHaveCount(1);
    seen['offline'] = await findingsInBothSchemes(page);
    await context.setOffline(false);
    await page.goto(`${url}/logs`);
    await expect(page.getByText('Showing 1-6 of 6 items')).toBeVisible();
    await context.setOffline(true);
    await page.getByRole('button', { name: 'Refresh' }).click();
    await expect(page.locator('[data-stale="true"]')).toHaveCount(1);
    seen['table while offline'] = await findingsInBothSchemes(page);

    expect(seen).toEqual(Object.fromEntries(Object.keys(seen).map((name) => [name, []])));
    await context.close();
  });

test('statuses, the current menu entry and chart legends are visible in forced colors', async ({ browser }) => {
  const context = await browser.newContext({ forcedColors: 'active', viewport: { width: 1440, height: 900 } });
  const page = await context.newPage();
  const styleOf = (selector: string, property: string) =>
    page
      .locator(selector)
      .first()
      .evaluate((element, name) => getComputedStyle(element).getPropertyValue(name), property);
  const client = await signIn(url);
  const month = clientMonth();
  await client.data('POST', `/api/my/closes/${month}/prepare`, {});
  await expect
    .poll(async () => (await client.data('GET', `/api/my/closes/${month}`))['id'], { timeout: 60_000 })
    .not.toBeNull();
  await enter(page, '/month-end');
  await expect(page.locator('figcaption rect').first()).toBeVisible();
  const ground = await styleOf('body', 'background-color');
  for (const place of [1, 2, 3])
    expect(await styleOf(`figcaption > :nth-child(${place}) rect`, 'fill')).not.toBe(ground);
  expect(await styleOf('nav a[aria-current]', 'background-color')).not.toBe(
    await styleOf('nav a:not([aria-current])', 'background-color'),
  );
  await page.goto(`${url}/connections`);
  await expect(page.locator('[data-state="synced"]').first()).toBeVisible();
  expect(await styleOf('span[data-state="synced"][aria-hidden]', 'border-top-width'), 'a filled dot').toBe('4px');
  await context.close();
});

// Runs after the screens, because it creates jobs and log entries.
for (const width of [1440, 390])
  test(`every state of a sync is accessible in light and dark mode: ${width} wide`, async ({ browser }) => {
    const context = await browser.newContext({
      viewport: { width, height: 844 },
      reducedMotion: 'reduce',
      timezoneId: 'America/Chicago',
    });
    const page = await context.newPage();
    const defects = defectsOf(page);
    const seen: Record<string, string[]> = {};
    const orders = '**/PurchaseOrders/query';
    const all = page.getByRole('checkbox', { name: 'Select all purchase orders' });
    const panel = page.getByRole('region', { name: 'Purchase Orders, test sync' });
    const closeDialog = async () => {
      await page.keyboard.press('Escape');
      await expect(page.getByRole('dialog')).toHaveCount(0);
    };
    await enter(page, '/');
    await expect(page.getByRole('heading', { name: 'Overview', level: 1 })).toBeVisible();

    await test.step('loading, failed, empty, and after a failed search', async () => {
      const answers = Promise.withResolvers<void>();
      await page.route(orders, async (route) => {
        await answers.promise;
        await route.abort();
      });
      await page.goto(`${url}/my-purchase-orders`);
      await expect(page.getByRole('button', { name: 'Test Sync' })).toBeDisabled();
      seen['loading'] = await findingsInBothSchemes(page);
      answers.resolve();
      await expect(page.getByText(/^The purchase orders could not be loaded\./)).toBeVisible();
      seen['failed'] = await findingsInBothSchemes(page);
      await page.unroute(orders);
      await page.getByRole('button', { name: 'Try again' }).click();
      await expect(page.getByText(/^Showing 1-/)).toBeVisible();
      await page.route(orders, (route) => route.abort());
      await page.getByRole('button', { name: 'Search' }).click();
      // The message appears beside the button, but not also in the message bar.
      await expect(page.getByText('Disconnected. Please check your internet connection.')).toHaveCount(1);
      await expect(page.getByText(/^Showing 1-/)).toBeVisible();
      await page.unroute(orders);
      await page.goto(`${url}/my-purchase-orders?by=id&id=1`);
      await expect(page.getByText('No eligible purchase orders found.')).toBeVisible();
      seen['empty'] = await findingsInBothSchemes(page);
    });

    await test.step('a selection and its dialogs', async () => {
      await page.goto(`${url}/my-purchase-orders`);
      await all.check();
      seen['selection'] = await findingsInBothSchemes(page);
      await page.getByRole('button', { name: 'Clear Sync Status' }).click();
      await expect(page.getByRole('dialog', { name: 'Confirm Reset Sync Status' })).toBeVisible();
      seen['clear'] = await findingsInBothSchemes(page);
      await closeDialog();
      await page.getByRole('button', { name: 'Sync', exact: true }).click();
      await page.getByRole('dialog').getByRole('radio', { name: 'Sync it again.' }).check();
      await expect(page.getByText(/gets another document in QuickBooks Online/)).toBeVisible();
      seen['sync again'] = await findingsInBothSchemes(page);
      await closeDialog();
    });

    await test.step('a running job with rows, and a finished one', async () => {
      await page.getByRole('button', { name: 'Test Sync' }).click();
      try {
        await fixture.autotask.behave({ latency_ms: 3_000 });
        await page.getByRole('dialog').getByRole('button', { name: /^TEST/ }).click();
        await expect(page.getByText('testing…').first()).toBeVisible();
        await expect(panel).toBeVisible();
        seen['running'] = await findingsInBothSchemes(page);
      } finally {
        await fixture.autotask.behave({ latency_ms: 0 });
      }
      await expect(page.getByText('would fail').first()).toBeVisible({ timeout: 60_000 });
      await expect(panel.getByRole('link', { name: /purchase orders, \$[\d,.]+, would fail$/ })).toBeVisible();
      seen['ended'] = await findingsInBothSchemes(page);
    });

    await test.step('a review, and payments and voids', async () => {
      await page.goto(`${url}/my-invoices?by=id&id=48214`);
      await page.getByRole('checkbox', { name: 'Select Invoice 48214' }).check();
      await page.getByRole('button', { name: 'Sync', exact: true }).click();
      await page.getByRole('button', { name: /^Review 1 invoice/ }).click();
      await expect(page.getByRole('button', { name: /^Post 1 invoice, \$[\d,.]+, to QuickBooks$/ })).toBeVisible({
        timeout: 60_000,
      });
      seen['review'] = await findingsInBothSchemes(page);
      await page.getByRole('button', { name: 'Cancel' }).click();
      await page.getByRole('button', { name: 'Payments and voids' }).click();
      await expect(page.getByRole('dialog', { name: 'Payments and voids' })).toBeVisible();
      seen['payments and voids'] = await findingsInBothSchemes(page);
      await closeDialog();
    });

    await test.step('the documents of a test, and a log without results', async () => {
      for (const [name, query] of Object.entries({ invoice: 'type=invoice&q=48214', order: 'type=purchase_order' })) {
        await page.goto(`${url}/logs?${query}`);
        await page.getByRole('row').nth(1).click();
        await expect(page.getByRole('dialog').getByRole('heading', { name: 'Job Transcript' })).toBeVisible();
        seen[`entry of an ${name}`] = await findingsInBothSchemes(page);
      }
      await page.goto(`${url}/logs?q=nothing+is+called+so`);
      await expect(page.getByText('No matches.')).toBeVisible();
      seen['no entry'] = await findingsInBothSchemes(page);
    });

    expect(seen).toEqual(Object.fromEntries(Object.keys(seen).map((name) => [name, []])));
    // The browser itself logs the calls that this test aborts.
    expect(defects.filter((text) => !text.includes('net::ERR_FAILED'))).toEqual([]);
    await context.close();
  });
