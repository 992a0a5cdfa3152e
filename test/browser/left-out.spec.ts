import { expect } from '@playwright/test';
import { clientMonth, defectsOf, findingsInBothSchemes } from '../support/browser.ts';
import { newProduct, test } from '../support/journey.ts';

const product = newProduct({ settings: { inv_default_income_account: '2', inv_create_item_automatically: true } });

test('invoices that a posted review left out are counted in Needs attention and the menu until they are posted', async ({
  page,
}) => {
  const defects = defectsOf(page);
  const [invoice] = (await product.autotask.list('Invoices')).filter(({ id }) => id === 48_213);
  await product.autotask.put('Invoices', 48_213, { totalTaxValue: 60 });
  const menu = page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: /^Needs attention/ });
  await page.goto('/my-invoices');
  const review = async () => {
    for (const id of [48_213, 48_307]) await page.getByRole('checkbox', { name: `Select Invoice ${id}` }).check();
    await page.getByRole('button', { name: 'Sync', exact: true }).click();
    await page
      .getByRole('dialog')
      .getByRole('button', { name: /^Review 2 invoices/ })
      .click();
    await expect(page.getByRole('heading', { name: '1 document would not be posted' })).toBeVisible({
      timeout: 60_000,
    });
  };

  await test.step('a canceled review counts nothing', async () => {
    await review();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.reload();
    await expect(page.getByRole('checkbox', { name: 'Select Invoice 48213' })).toBeVisible();
    await expect(menu).toHaveText('Needs attention');
  });

  await review();
  await page.getByRole('button', { name: 'Post 1 invoice, $228.00, to QuickBooks' }).click();
  await expect(page.getByText('1 posted, $228.00')).toBeVisible({ timeout: 60_000 });
  await expect(menu).toContainText('1');
  await menu.click();
  await expect(page.getByText(/in 1 document/)).toBeVisible();
  await expect(page.getByRole('article').filter({ hasText: 'Acme Dental' })).toBeVisible();

  await test.step('after the fix it is released, and no longer counted', async () => {
    await product.autotask.put('Invoices', 48_213, { totalTaxValue: invoice?.['totalTaxValue'] ?? null });
    await page.getByRole('button', { name: 'Test again' }).click();
    await expect(page.getByText('would pass now')).toBeVisible({ timeout: 60_000 });
    await page.getByRole('button', { name: 'Release', exact: true }).click();
    await page.getByRole('button', { name: /^Post 1 invoice/ }).click({ timeout: 60_000 });
    await expect(page.getByText(/^1 posted, \$/)).toBeVisible({ timeout: 60_000 });
    await page.getByRole('link', { name: 'Back to Needs attention' }).click();
    await expect(page.getByText('Nothing needs attention.')).toBeVisible({ timeout: 60_000 });
    await expect(menu).toHaveText('Needs attention');
  });
  expect(defects).toEqual([]);
});

test('an invoice on hold that a posted review left out is counted as on hold', async ({ page }) => {
  await page.goto('/my-invoices');
  for (const id of [48_305, 48_308]) await page.getByRole('checkbox', { name: `Select Invoice ${id}` }).check();
  await page.getByRole('button', { name: 'Sync', exact: true }).click();
  await page
    .getByRole('dialog')
    .getByRole('button', { name: /^Review 2 invoices/ })
    .click();
  await expect(page.getByRole('heading', { name: '1 document would not be posted' })).toBeVisible({ timeout: 60_000 });
  await page.getByRole('button', { name: /^Post 1 invoice/ }).click();
  await expect(page.getByText(/^1 posted, /)).toBeVisible({ timeout: 60_000 });
  await page.goto('/my');
  await expect(page.getByRole('definition').filter({ hasText: '1 document' })).toBeVisible();
  await page.goto('/needs-attention');
  await expect(page.getByText(/in 1 document, on hold|in 1 document, 1 of them on hold/)).toBeVisible();
  const held = page.getByRole('region', { name: 'On hold' });
  await expect(held.getByRole('link', { name: 'Invoice 48305' })).toBeVisible();
});

test('an invoice of a closed period is on hold, not failed', async ({ page }) => {
  await product.api.data('POST', '/api/my/invoices/sync/submit', { mode: 'live', invoice_ids: [48_305] });
  await page.goto('/needs-attention');
  const held = page.getByRole('region', { name: 'On hold' });
  await expect(async () => {
    await page.getByRole('button', { name: 'Refresh' }).click();
    await expect(held).toContainText('The books are closed through', { timeout: 2_000 });
  }).toPass({ timeout: 60_000 });
  await expect(page.getByText('Nothing needs attention.')).toBeVisible();

  await test.step('a phone shows the list, or the fix as a page', async () => {
    await page.setViewportSize({ width: 390, height: 844 });
    const cause = page.getByRole('navigation', { name: 'Causes' }).getByRole('link', { name: /^The books are closed/ });
    await expect(held).toBeHidden();
    await cause.click();
    await expect(held.getByRole('button', { name: 'Release', exact: true })).toBeVisible();
    await expect(cause).toBeHidden();
    expect(await findingsInBothSchemes(page)).toEqual([]);
    await held.getByRole('link', { name: 'All causes' }).click();
    await expect(cause).toBeVisible();
    await page.setViewportSize({ width: 1440, height: 900 });
    await page.goBack();
  });

  await test.step('a canceled review returns the focus to the cause', async () => {
    await held.getByRole('button', { name: 'Release', exact: true }).click();
    await expect(page.getByRole('button', { name: 'Nothing to post' })).toBeVisible({ timeout: 60_000 });
    await page.getByRole('button', { name: 'Cancel', exact: true }).click();
    await expect(page.getByRole('navigation', { name: 'Causes' }).getByRole('link').first()).toBeFocused();
  });
  await held.getByRole('link', { name: 'Invoice 48305' }).click();
  const panel = page.getByRole('dialog', { name: 'Document' });
  await expect(panel.getByText('On hold', { exact: true }).first()).toBeVisible();
  await expect(panel).toContainText('The books are closed through');
});

test('invoices before the sync start date are listed as skipped, reviewed and posted', async ({ page }) => {
  const defects = defectsOf(page);
  // The start date becomes the present day.
  await product.api.data('POST', '/api/my/settings/', { inv_sync_active: true });
  await product.api.data('POST', `/api/my/closes/${clientMonth()}/prepare`);
  await page.goto('/needs-attention');
  const skipped = page.getByRole('region', { name: 'Skipped' });
  await expect(async () => {
    await page.getByRole('button', { name: 'Refresh' }).click();
    const cause = page.getByRole('navigation', { name: 'Causes' }).getByRole('link', { name: /before the sync start/ });
    await cause.click({ timeout: 2_000 });
    await expect(skipped).toContainText(/\d+ invoices?, .*\$.* from before the sync start date/, { timeout: 2_000 });
  }).toPass({ timeout: 60_000 });
  await skipped.getByRole('button', { name: /^Sync \d+ documents?$/ }).click();
  await expect(page.getByRole('button', { name: /^Post \d+ invoices?, .*, to QuickBooks$/ })).toBeVisible({
    timeout: 120_000,
  });
  expect(defects).toEqual([]);
});
