import { expect, test } from '@playwright/test';
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

test('an administrator creates an API key, sees it once, and revokes it', async ({ page }) => {
  const defects = defectsOf(page);
  const statusOf = async (key: string): Promise<number> =>
    (await fetch(`${url}/api/my`, { headers: { authorization: `Bearer ${key}` } })).status;
  await page.goto(`${url}/api-keys`);
  await logIn(page, 'admin@northwind-msp.example', 'Demo-Passw0rd!');
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
  await expect(async () => {
    await row.getByRole('button', { name: 'Revoke it' }).click({ timeout: 1_000 });
    await expect(page.getByText('No API keys yet.')).toBeVisible({ timeout: 1_000 });
  }).toPass({ timeout: 10_000 });
  expect(await statusOf(key)).toBe(401);
  expect(defects).toEqual([]);
});
