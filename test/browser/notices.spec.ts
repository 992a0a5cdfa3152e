import { expect, test } from '@playwright/test';
import { signIn } from '../support/api-client.ts';
import { defectsOf, isAccessible, logIn } from '../support/browser.ts';
import { newProcessFixture, type ProcessFixture } from '../support/process-fixture.ts';

let fixture: ProcessFixture;
let url: string;
test.beforeAll(async () => {
  test.setTimeout(120_000);
  fixture = await newProcessFixture();
  ({ url } = await fixture.start());
});
test.afterAll(() => fixture.close());

test('a user sees unread notices, opens the screen with the fix, and marks them as read', async ({ page }) => {
  test.setTimeout(120_000);
  const defects = defectsOf(page);
  await page.goto(`${url}/notices`);
  await logIn(page, 'admin@northwind-msp.example', 'Demo-Passw0rd!');
  await expect(page.getByText('No notices.')).toBeVisible();
  await expect(page.getByRole('button', { name: 'Mark all as read' })).toBeDisabled();
  await isAccessible(page);

  // The worker reports keys that expire within two weeks.
  const client = await signIn(url);
  for (const name of ['Nightly report', 'Dashboard', 'Backup'])
    await client.data('POST', '/api/my/api-keys', { name, scope: 'read', days: 7 });
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
  await page.goto(`${url}/notices?tab=preferences`);
  await logIn(page, 'admin@northwind-msp.example', 'Demo-Passw0rd!');
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
  await expect(page.getByText('Saved changes.').nth(1)).toBeVisible();
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
  test.setTimeout(180_000);
  const defects = defectsOf(page);
  await page.goto(`${url}/notices?tab=chats`);
  await logIn(page, 'admin@northwind-msp.example', 'Demo-Passw0rd!');
  await expect(page.getByText('No webhooks yet.')).toBeVisible();
  await isAccessible(page);
  await page.getByRole('button', { name: 'Add webhook' }).click();
  const dialog = page.getByRole('dialog', { name: 'Add webhook' });
  await dialog.getByRole('textbox', { name: 'Name' }).fill('#finance');
  await dialog.getByRole('textbox', { name: 'Address' }).fill('http://10.0.0.1/secret');
  await isAccessible(page);
  await page.keyboard.press('Enter');
  await expect(dialog.getByText('Enter the https address of an incoming webhook on the internet.')).toBeVisible();
  await dialog
    .getByRole('textbox', { name: 'Address' })
    .fill(`${fixture.quickbooks.url}/webhooks/slack/T0/B0/a-secret-9876`);
  await dialog.getByRole('checkbox', { name: 'Expiring access' }).check();
  await dialog.getByRole('button', { name: 'Add webhook' }).click();
  const row = page.getByRole('listitem').filter({ hasText: '#finance' });
  await expect(row).toContainText('Failed documents, Paused or stalled syncs, Lost connections, Expiring access');
  await expect(row).toContainText('No message yet');
  await expect(row).toContainText('…9876');
  await expect(page.getByText('a-secret')).toHaveCount(0);

  await row.getByRole('button', { name: 'Send test message to #finance' }).click();
  await expect(page.getByText('The test message is in “#finance”.')).toBeVisible();
  await expect(row).toContainText('Last message');

  // The worker posts a notice.
  const client = await signIn(url);
  await client.data('POST', '/api/my/api-keys', { name: 'For the chat', scope: 'read', days: 7 });
  const posted = async () => (await fetch(`${fixture.quickbooks.url}/__sandbox/chats`)).text();
  await expect.poll(posted, { timeout: 90_000 }).toContain('The API key “For the chat” expires on');

  await fixture.quickbooks.behave({ chat_webhooks: 'gone' });
  await row.getByRole('button', { name: 'Send test message to #finance' }).click();
  await expect(page.getByRole('alert')).toContainText('Slack rejects this address (404).');
  await expect(row).toContainText('Failed');
  await isAccessible(page);

  await row.getByRole('button', { name: 'Edit #finance' }).click();
  await page.getByRole('textbox', { name: 'Name' }).fill('#books');
  await page.getByRole('button', { name: 'Save' }).click();
  const renamed = page.getByRole('listitem').filter({ hasText: '#books' });
  const remove = renamed.getByRole('button', { name: /^Remove/ });
  await remove.click();
  await expect(remove).toHaveText(/Remove it/);
  // A second click within 0.6 seconds is a double click, which confirms nothing.
  await expect(async () => {
    if (await remove.isVisible()) await remove.click({ timeout: 1_000 });
    await expect(renamed).toHaveCount(0, { timeout: 1_000 });
  }).toPass();
  await expect(page.getByText('The webhook was removed.')).toBeVisible();
  await expect(page.getByText('No webhooks yet.')).toBeVisible();
  expect(defects).toEqual([]);
});
