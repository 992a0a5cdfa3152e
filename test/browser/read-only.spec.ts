import { expect, type Page } from '@playwright/test';
import { signIn } from '../support/api-client.ts';
import { clientMonth, defectsOf, isAccessible } from '../support/browser.ts';
import { newProduct, sysadmin, test } from '../support/journey.ts';

const product = newProduct();

const panel = (page: Page, name: string) => page.getByRole('region', { name });

test('a URL with a connection message does not claim a connection', async ({ page }) => {
  const claim = page.getByText('QuickBooks is connected to');
  await page.goto('/connections?reload=qbo');
  await expect(panel(page, 'QuickBooks Online').getByText('Not Connected')).toBeVisible();
  await expect(page).toHaveURL('/connections');
  await expect(claim).toHaveCount(0);

  await product.api.connectQuickBooks();
  await page.goto('/connections?reload=qbo');
  await expect(claim).toBeVisible();
  await page.goto('/connections');
  await panel(page, 'QuickBooks Online').getByRole('button', { name: 'Disconnect' }).click();
  const confirm = page.getByRole('button', { name: 'Click Again to Disconnect' });
  // Not within the time of a double click.
  await expect(confirm).toBeEnabled();
  await confirm.click();
  await expect(panel(page, 'QuickBooks Online').getByText('Not Connected')).toBeVisible();
  await expect(panel(page, 'QuickBooks Online')).toBeFocused();
  await page.goto('/connections?reload=qbo');
  await expect(page).toHaveURL('/connections');
  await expect(panel(page, 'QuickBooks Online').getByText('Not Connected')).toBeVisible();
  await expect(claim).toHaveCount(0);
});

test('a failed connection test shows no internal code', async ({ page }) => {
  await page.goto('/connections');
  const match = { path: '.*' };
  for (const [name, service, status] of [
    ['Autotask', product.autotask, 503],
    ['Autotask', product.autotask, 401],
    ['QuickBooks Online', product.quickbooks, 401],
    ['QuickBooks Online', product.quickbooks, 403],
  ] as const) {
    await service.fault({ match, times: 1_000, action: { status, body: '' } });
    await panel(page, name).getByRole('button', { name: 'Test Connection' }).click();
    await expect(
      page
        .getByRole('alert')
        .getByText(/^Not connected\./)
        .first(),
    ).toBeVisible({ timeout: 60_000 });
    expect(await page.locator('body').innerText()).not.toMatch(/\b[A-Z]{2,}_[A-Z_]+\b|service_unavailable/);
    await service.clearFaults();
    await page.getByRole('button', { name: 'Dismiss' }).click();
  }
  await product.api.connectQuickBooks();
  await panel(page, 'Autotask').getByRole('button', { name: 'Test Connection' }).click();
  await expect(page.getByText('Connected OK.')).toBeVisible();
});

test('a suspended client can read every screen and change nothing', async ({ page }) => {
  const defects = defectsOf(page);
  await product.api.connectQuickBooks();
  await product.api.data('POST', '/api/my/settings/', {
    inv_default_income_account: '2',
    inv_create_item_automatically: false,
  });
  await product.api.data('POST', '/api/my/invoices/sync/submit', { mode: 'live', invoice_ids: [48_213] });
  await expect
    .poll(async () => (await product.api.data('GET', '/api/my/attention'))['groups'], { timeout: 60_000 })
    .not.toEqual([]);
  const operator = await signIn(product.url, sysadmin);
  const clients = (await operator.data('GET', '/api/clients'))['clients'] as unknown as readonly {
    readonly id: string;
  }[];
  const status = `/api/clients/${clients[0]?.id}/status`;
  await operator.data('PUT', status, { status: 'suspended', reason: 'The bill is open.' });

  await page.goto('/my-invoices?by=id&id=48213');
  const notice = page.getByText(/^This subscription is suspended\. /);
  const off = async (...names: readonly (string | RegExp)[]) => {
    await expect(notice).toBeVisible();
    for (const name of names)
      for (const one of await page.getByRole('button', { name, exact: typeof name === 'string' }).all())
        await expect(one, String(name)).toBeDisabled();
  };
  const row = page.getByRole('row').filter({ hasText: '48213' });
  await expect(row).toContainText('Acme Dental');
  await expect(row).toContainText('$1,966.25');
  await page.getByRole('checkbox', { name: 'Select all invoices' }).check();
  await off('Sync', 'Test Sync', 'Clear Sync Status', 'Payments and voids');
  await isAccessible(page);

  await page.goto('/item-mappings');
  await expect(page.getByRole('row')).not.toHaveCount(1);
  await off('Map to Item', 'Remove Mapping(s)');
  for (const path of ['/lines-of-business', '/custom-fields']) {
    await page.goto(path);
    await expect(page.getByRole('row')).not.toHaveCount(1);
    await expect(notice).toBeVisible();
    await expect(page.getByRole('button', { name: /^(Edit|Delete) / })).toHaveCount(0);
  }
  await page.goto('/setup');
  await page.getByRole('button', { name: /Go live/ }).click();
  await off('Close the setup', 'Turn on', 'Turn off');
  await page.goto('/needs-attention');
  await expect(page.getByRole('button', { name: 'Test again' }).first()).toBeVisible();
  await off('Test again', 'Release');
  await expect(page.getByRole('combobox')).toHaveCount(0);
  await page.goto('/connections');
  await expect(page.getByRole('button', { name: 'Test Connection' })).toHaveCount(2);
  await off('Test Connection', 'Disconnect');
  await page.goto('/users');
  await off(/^Invite/);
  await page.goto(`/month-end/${clientMonth()}`);
  await off(/^Prepare/);
  for (const path of ['/settings', '/item-settings']) {
    await page.goto(path);
    await off('Save', 'Restore Defaults');
    for (const field of await page.getByRole('main').locator('form input:not([type=search]):visible').all())
      await expect(field).toBeDisabled();
  }
  await page.goto('/security');
  await expect(page.getByRole('switch')).toHaveCount(1);
  await expect(notice).toBeVisible();
  await expect(page.getByRole('switch')).toBeDisabled();
  await page.goto('/settings?tab=other');
  await expect(notice).toBeVisible();
  expect(defects).toEqual([]);
  await operator.data('PUT', status, { status: 'active', reason: 'Paid.' });
});
