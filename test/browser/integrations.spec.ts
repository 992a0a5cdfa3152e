import { expect } from '@playwright/test';
import { defectsOf, isAccessible } from '../support/browser.ts';
import { newProduct, test } from '../support/journey.ts';

const product = newProduct();

test('an administrator creates an API key, sees it once, and revokes it', async ({ page }) => {
  const defects = defectsOf(page);
  const statusOf = async (key: string): Promise<number> =>
    (await fetch(`${product.url}/api/my`, { headers: { authorization: `Bearer ${key}` } })).status;
  await page.goto('/api-keys');
  await expect(page.getByText('No API keys yet.')).toBeVisible();
  await isAccessible(page);

  await page.getByRole('button', { name: 'Create API key' }).click();
  const dialog = page.getByRole('dialog', { name: 'Create API key' });
  await dialog.getByRole('button', { name: 'Create key' }).click();
  await expect(dialog.getByText('Enter a name.')).toBeVisible();
  await dialog.getByLabel('Name').fill('Nightly report');
  await dialog.getByLabel('Expires after').selectOption('365');
  await dialog.getByRole('button', { name: 'Create key' }).click();
  await expect(dialog.getByText('Copy the key now. It cannot be shown again.')).toBeVisible();
  const key = (await dialog.getByLabel('API key', { exact: true }).textContent()) ?? '';
  expect(key).toMatch(/^tbk_/);
  expect(await statusOf(key)).toBe(200);
  await dialog.getByRole('button', { name: 'Done' }).click();

  const row = page.getByRole('row', { name: /Nightly report/ });
  await expect(row).toContainText('Read');
  await isAccessible(page);
  await page.reload();
  await expect(row).not.toContainText('never');
  await expect(page.getByText(key)).toHaveCount(0);
  const revoke = row.getByRole('button', { name: 'Revoke' });
  await revoke.dblclick();
  await expect(row.getByRole('button', { name: 'Revoke it' })).toBeVisible();
  expect(await statusOf(key)).toBe(200);
  // The click that confirms may come after the button has been disarmed.
  await expect(async () => {
    if (await revoke.isVisible()) await revoke.click({ timeout: 1_000 });
    await expect(page.getByText('No API keys yet.')).toBeVisible({ timeout: 1_000 });
  }).toPass();
  expect(await statusOf(key)).toBe(401);
  expect(defects).toEqual([]);
});

test('a user sees unread notices, opens the screen with the fix, and marks them as read', async ({ page }) => {
  const defects = defectsOf(page);
  await page.goto('/notices');
  await expect(page.getByText('No notices.')).toBeVisible();
  await expect(page.getByRole('button', { name: 'Mark all as read' })).toBeDisabled();
  await isAccessible(page);

  // The worker reports keys that expire within two weeks.
  for (const name of ['Nightly report', 'Dashboard', 'Backup'])
    await product.api.data('POST', '/api/my/api-keys', { name, scope: 'read', days: 7 });
  const bell = page.getByRole('banner').getByRole('link', { name: 'Notices' });
  await expect(async () => {
    await page.reload();
    await expect(bell).toHaveAccessibleName('Notices, 3 unread', { timeout: 1_000 });
  }).toPass({ timeout: 60_000 });

  await bell.focus();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('region', { name: 'Today' }).getByRole('listitem')).toHaveCount(3);
  await isAccessible(page);
  await page.getByRole('button', { name: /^Mark as read: The API key “Dashboard” expires on/ }).click();
  await expect(bell).toHaveAccessibleName('Notices, 2 unread');
  await page.getByRole('link', { name: /^The API key “Backup” expires on/ }).click();
  await expect(page.getByRole('heading', { name: 'API Keys' })).toBeVisible();
  await expect(bell).toHaveAccessibleName('Notices, 1 unread');
  await page.goBack();
  await page.getByRole('button', { name: 'Mark all as read' }).click();
  await expect(bell).toHaveAccessibleName('Notices');
  await expect(page.getByRole('img', { name: 'Unread' })).toHaveCount(0);
  await page.reload();
  await expect(page.getByRole('listitem').filter({ hasText: 'The API key' })).toHaveCount(3);
  await expect(bell).toHaveAccessibleName('Notices');

  await page.route('**/api/my/notices?*', (route) =>
    route.fulfill({ status: 500, json: { success: false, message: 'Out of order.', error: 'internal' } }),
  );
  await page.reload();
  await expect(page.getByRole('alert')).toContainText('The notices could not be loaded.');
  await isAccessible(page);
  expect(defects.filter((one) => !one.includes('status of 500'))).toEqual([]);
});

test('a user chooses how notices arrive, with the keyboard, and the choice is saved at once', async ({ page }) => {
  const defects = defectsOf(page);
  await page.goto('/notices?tab=preferences');
  const failed = page.getByRole('combobox', { name: 'Failed documents' });
  await expect(failed).toHaveValue('email');
  await expect(page.getByRole('combobox', { name: 'Requests' }).getByRole('option')).toHaveText([
    'In the app',
    'In the app and by email',
    'In the app and in the daily email',
  ]);
  await isAccessible(page);
  await failed.focus();
  await page.keyboard.press('ArrowDown');
  await expect(page.getByText('Saved changes.')).toBeVisible();
  await page.getByRole('combobox', { name: 'Daily email' }).selectOption('5:00 PM');
  const digestHour = async () => (await product.api.data('GET', '/api/my/notice-preferences'))['digest_hour'];
  await expect.poll(digestHour).toBe(17);
  await page.reload();
  await expect(failed).toHaveValue('digest');
  await expect(page.getByRole('combobox', { name: 'Daily email' })).toHaveValue('17');

  await page.route('**/api/my/notice-preferences', (route) =>
    route.request().method() === 'PUT'
      ? route.fulfill({ status: 500, json: { success: false, message: 'Out of order.', error: 'internal' } })
      : route.continue(),
  );
  await failed.selectOption('Off');
  await expect(page.getByRole('alert')).toContainText('Server error.');
  await expect(failed, 'shows the saved choice again').toHaveValue('digest');
  expect(defects.filter((one) => !one.includes('status of 500'))).toEqual([]);
});

test('an administrator adds Slack, sends a test message, sees a failure, and removes it', async ({ page }) => {
  const defects = defectsOf(page);
  await page.goto('/notices?tab=chats');
  await expect(page.getByText('No chats yet.')).toBeVisible();
  await isAccessible(page);
  await page.getByRole('button', { name: 'Add chat' }).click();
  const dialog = page.getByRole('dialog', { name: 'Add chat' });
  await dialog.getByRole('textbox', { name: 'Name' }).fill('#finance');
  await dialog.getByRole('textbox', { name: 'Address' }).fill('http://10.0.0.1/secret');
  await isAccessible(page);
  await page.keyboard.press('Enter');
  await expect(dialog.getByText('Enter the https address of an incoming webhook on the internet.')).toBeVisible();
  await dialog
    .getByRole('textbox', { name: 'Address' })
    .fill(`${product.quickbooks.url}/webhooks/slack/T0/B0/a-secret-9876`);
  await dialog.getByRole('checkbox', { name: 'Expiring access' }).check();
  await dialog.getByRole('button', { name: 'Add chat' }).click();
  const row = page.getByRole('listitem').filter({ hasText: '#finance' });
  await expect(row).toContainText('Failed documents, Paused or stalled syncs, Lost connections, Expiring access');
  await expect(row).toContainText('No message yet');
  await expect(row).toContainText('…9876');
  await expect(page.getByText('a-secret')).toHaveCount(0);

  await row.getByRole('button', { name: 'Send test message to #finance' }).click();
  await expect(page.getByText('The test message is in “#finance”.')).toBeVisible();
  await expect(row).toContainText('Last message');

  // The worker posts a notice.
  await product.api.data('POST', '/api/my/api-keys', { name: 'For the chat', scope: 'read', days: 7 });
  const posted = async () => (await fetch(`${product.quickbooks.url}/__sandbox/chats`)).text();
  await expect.poll(posted, { timeout: 90_000 }).toContain('The API key “For the chat” expires on');

  await product.quickbooks.behave({ chat_webhooks: 'gone' });
  await row.getByRole('button', { name: 'Send test message to #finance' }).click();
  await expect(page.getByRole('alert')).toContainText('Slack rejects this address (404).');
  await expect(row).toContainText('Failed');
  await isAccessible(page);

  await row.getByRole('button', { name: 'Edit #finance' }).click();
  await page.getByRole('textbox', { name: 'Name' }).fill('#accounting');
  await page.getByRole('button', { name: 'Save' }).click();
  const renamed = page.getByRole('listitem').filter({ hasText: '#accounting' });
  const remove = renamed.getByRole('button', { name: /^Remove/ });
  await remove.click();
  await expect(remove).toHaveText(/Remove it/);
  // A second click within 0.6 seconds is a double click, which confirms nothing.
  await expect(async () => {
    if (await remove.isVisible()) await remove.click({ timeout: 1_000 });
    await expect(renamed).toHaveCount(0, { timeout: 1_000 });
  }).toPass();
  await expect(page.getByText('The chat was removed.')).toBeVisible();
  await expect(page.getByText('No chats yet.')).toBeVisible();
  expect(defects).toEqual([]);
});

const trust = async (secret: string) =>
  fetch(`${product.quickbooks.url}/__sandbox/event-secrets`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ secrets: [secret] }),
  });

test('an administrator adds an endpoint, a test event arrives, a failed one is sent again', async ({ page }) => {
  const defects = defectsOf(page);
  await page.goto('/webhooks');
  await expect(page.getByText('No endpoints yet.')).toBeVisible();
  await isAccessible(page);

  await page.getByRole('button', { name: 'Add endpoint' }).click();
  const dialog = page.getByRole('dialog', { name: 'Add endpoint' });
  await dialog.getByRole('textbox', { name: 'Address' }).fill('http://10.0.0.1/events');
  await page.keyboard.press('Enter');
  await expect(
    dialog.getByText('Enter an https address on the internet, without a port and a password.'),
  ).toBeVisible();
  await dialog
    .getByRole('textbox', { name: 'Address' })
    .fill(`${product.quickbooks.url}/webhooks/events/erp?key=hidden`);
  await dialog.getByRole('checkbox', { name: 'document.on_hold' }).uncheck();
  await isAccessible(page);
  await dialog.getByRole('button', { name: 'Add endpoint' }).click();
  await expect(dialog.getByText('Copy the secret now. It cannot be shown again.')).toBeVisible();
  const secret = (await dialog.getByLabel('Secret', { exact: true }).textContent()) ?? '';
  expect(secret).toMatch(/^whsec_/);
  await trust(secret);
  await dialog.getByRole('button', { name: 'Done' }).click();

  const row = page.getByRole('row', { name: /\/…\/erp/ });
  await expect(row).toContainText(
    'document.posted, document.failed, document.waiting_for_approval, document.voided, document.paid, document.payment_reversed, month.signed',
  );
  await expect(row).toContainText('Active');
  await expect(row).toContainText('never');
  await isAccessible(page);

  // With the keyboard: the menu of the row sends a test event and opens the deliveries.
  await row.getByRole('button', { name: /^Actions for/ }).focus();
  await page.keyboard.press('Enter');
  await page.getByRole('menuitem', { name: 'Send test event' }).press('Enter');
  await expect(page).toHaveURL(/\/webhooks\/[0-9a-f-]{36}$/);
  const delivery = page.getByRole('row', { name: /Test event/ }).first();
  await expect(delivery).toContainText('Delivered (200)', { timeout: 20_000 });
  await isAccessible(page);

  await page.getByRole('button', { name: 'Send test event', exact: true }).click();
  await expect(page.getByText(/one test event in 10 seconds/)).toBeVisible();
  await product.quickbooks.behave({ event_webhooks: 'fail' });
  await expect(async () => {
    await page.getByRole('button', { name: 'Send test event', exact: true }).click();
    await expect(page.getByText('The test event is on its way.')).toBeVisible({ timeout: 1_000 });
  }).toPass({ timeout: 30_000 });
  await expect(delivery).toContainText('Failed (500)', { timeout: 20_000 });
  await page.getByRole('tab', { name: 'Failed' }).click();
  await expect(page.getByRole('row', { name: /Test event/ })).toHaveCount(1);
  await expect(delivery).toContainText('The receiver has a problem.');
  await expect(page.getByText('Failing', { exact: true })).toBeVisible();
  await isAccessible(page);

  await product.quickbooks.behave({ event_webhooks: 'accept' });
  await delivery.getByRole('button', { name: 'Send Test event again' }).click();
  await expect(page.getByText('No failed deliveries.')).toBeVisible({ timeout: 20_000 });
  await page.getByRole('tab', { name: 'All' }).click();
  await expect(page.getByRole('row', { name: /Test event.*Delivered \(200\)/ })).toHaveCount(2);

  await page.getByRole('button', { name: /^Actions for/ }).click();
  await page.getByRole('menuitem', { name: 'Pause' }).click();
  await expect(page.getByText('Paused', { exact: true })).toBeVisible();
  await expect(page.getByRole('button', { name: 'Send test event', exact: true })).toBeDisabled();
  await page.getByRole('button', { name: /^Actions for/ }).click();
  await page.getByRole('menuitem', { name: 'Rotate secret' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Rotate secret' }).click();
  await expect(page.getByLabel('Secret', { exact: true })).not.toHaveText(secret);
  await page.getByRole('button', { name: 'Done' }).click();
  await page.getByRole('button', { name: /^Actions for/ }).click();
  await page.getByRole('menuitem', { name: 'Delete' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await expect(page.getByText('No endpoints yet.')).toBeVisible();
  expect(defects.filter((one) => !/status of (422|429)/.test(one))).toEqual([]);
});

test('the screens show failures to load, and an endpoint that does not exist', async ({ page }) => {
  await page.goto('/webhooks/9b8f0f5e-0000-4000-8000-000000000000');
  await expect(page.getByText('This endpoint does not exist.')).toBeVisible();
  await page.route('**/api/my/webhook-endpoints', (route) =>
    route.fulfill({ status: 500, json: { success: false, message: 'Out of order.', error: 'internal' } }),
  );
  await page.goto('/webhooks');
  await expect(page.getByRole('alert')).toContainText('The endpoints could not be loaded.');
  await isAccessible(page);
});
