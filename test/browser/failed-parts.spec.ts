import { expect } from '@playwright/test';
import { submitted } from '../../scripts/seed.ts';
import { newProduct, test } from '../support/journey.ts';

const product = newProduct({ settings: { inv_default_income_account: '2' } });

const broken = {
  status: 500,
  contentType: 'application/json',
  body: JSON.stringify({ success: false, message: 'Server error.', error: 'internal_error' }),
};

test('a list that failed offline loads again when the connection returns', async ({ page, context }) => {
  const disconnected = page.getByText('Disconnected. Please check your internet connection.');
  await page.goto('/logs');
  await expect(page.getByRole('button', { name: 'Refresh' })).toBeEnabled();
  await context.setOffline(true);
  await page.getByRole('button', { name: 'Refresh' }).click();
  await expect(disconnected).toBeVisible();
  await context.setOffline(false);
  await expect(disconnected).toBeHidden();
  await expect(page.locator('[data-stale="true"]')).toHaveCount(0);
});

test('suggestions and amounts that could not be loaded are reported, and can be loaded again', async ({ page }) => {
  const calls = /\/(suggest\/LineOfBusiness|LineOfBusiness\/usage)/;
  await page.route(calls, (route) => route.fulfill(broken));
  await page.goto('/lines-of-business');
  await expect(page.getByRole('row', { name: /Hardware/ })).toBeVisible();
  await expect(page.getByText('The amounts could not be loaded.')).toBeVisible();
  await expect(page.getByText(/of the last 90 days/)).toBeHidden();
  await page.getByLabel('Suggest').check();
  await expect(page.getByText('The suggestions could not be loaded.')).toBeVisible();
  await expect(page.getByText('Comparing names and numbers…')).toBeHidden();
  await page.unroute(calls);
  const alert = page.getByRole('alert');
  await alert.filter({ hasText: 'suggestions' }).getByRole('button', { name: 'Try again' }).click();
  await expect(page.getByText(/^No suggestions|suggestions?\. Accept a suggestion to save it/)).toBeVisible();
  await alert.filter({ hasText: 'amounts' }).getByRole('button', { name: 'Try again' }).click();
  await expect(page.getByText(/of the last 90 days/)).toBeVisible();
  await expect(alert).toHaveCount(0);
});

test('Needs attention shows no placeholder beside a failure', async ({ page }) => {
  await page.route('**/api/my/attention*', (route) => route.fulfill(broken));
  await page.goto('/needs-attention');
  await expect(page.getByText('The documents that need attention could not be loaded.')).toBeVisible();
  await expect(page.locator('main [class*="skeleton"]')).toHaveCount(0);
});

test('accounts that could not be loaded are reported where one is chosen', async ({ page }) => {
  await submitted(product.api, '/api/my/expense-reports/sync/submit', { expense_report_ids: [1207], mode: 'live' });
  await page.route('**/api/my/settings/config*', (route) => route.fulfill(broken));
  await page.goto('/needs-attention');
  const causes = page.getByRole('navigation', { name: 'Causes' }).getByRole('link');
  await causes.filter({ hasText: /cash advance account/ }).click();
  await expect(page.getByText(/^The accounts could not be loaded\./)).toBeVisible();
  await page.unroute('**/api/my/settings/config*');
  await page.getByRole('alert').getByRole('button', { name: 'Try again' }).click();
  await page.getByRole('combobox', { name: 'Cash advance account' }).click();
  await expect(page.getByRole('option').first()).toBeVisible();
});

test('a corrected file with the same name is read again', async ({ page }) => {
  await page.goto('/lines-of-business');
  await page.getByRole('button', { name: 'CSV' }).click();
  const field = page.getByRole('dialog').getByLabel('Import a CSV file');
  const choose = (text: string) =>
    field.setInputFiles({ name: 'mappings.csv', mimeType: 'text/csv', buffer: Buffer.from(text) });
  await choose('PSA id,QuickBooks id\n999,1\n');
  await expect(page.getByRole('alert')).toContainText('1 line cannot be imported');
  // A browser reports a chosen file only if the field had another value before.
  await expect(field).toHaveValue('');
  await choose('PSA id,QuickBooks id\n');
  await expect(page.getByText('No changes. The file matches the saved mappings.')).toBeVisible();
});
