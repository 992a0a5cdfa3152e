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
