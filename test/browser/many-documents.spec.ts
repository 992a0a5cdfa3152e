import { expect } from '@playwright/test';
import { defectsOf } from '../support/browser.ts';
import { newProduct, test } from '../support/journey.ts';

/** More rows than an API call used to accept. */
const count = 1_163;
const invoices = `${count.toLocaleString('en-US')} invoices`;
/** Time limit for a job with all of them. */
const jobMs = 240_000;

const product = newProduct({
  before: ({ autotask }) => autotask.reset({ empty: true, invoices: count, lines_per_invoice: 1 }),
  settings: { inv_default_income_account: '2', inv_create_item_automatically: true },
});

const jobs = async () =>
  (await product.api.data('GET', '/api/my/jobs'))['jobs'] as unknown as readonly {
    readonly mode: string;
    readonly total: number | null;
  }[];

test('all rows of a long list are cleared, tested and posted, each by one job', async ({ page }) => {
  const defects = defectsOf(page);
  await page.goto('/my-invoices');
  await expect(page.getByText(`Showing 1-10 of 1,163 items`)).toBeVisible();
  await test.step('the first rows do not wait for the others', async () => {
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    await page.route('**/Invoices/query', async (route) => {
      if (route.request().postData()?.includes('"gt"') === true) await released;
      await route.continue();
    });
    await page.reload();
    await expect(page.getByText('Showing 1-10 of more than 500 items')).toBeVisible();
    await expect(page.getByRole('checkbox', { name: 'Select all invoices' })).toBeDisabled();
    await expect(page.getByRole('tab', { name: 'All', exact: true })).toBeVisible();
    release();
    await expect(page.getByText('Showing 1-10 of 1,163 items')).toBeVisible();
    await page.unroute('**/Invoices/query');
  });

  await test.step('if the others cannot be loaded, the list is loaded again', async () => {
    await page.route('**/Invoices/query', async (route) => {
      if (route.request().postData()?.includes('"gt"') !== true) return route.continue();
      const json = { success: false, message: 'Autotask does not respond.', error: 'unavailable' };
      return route.fulfill({ status: 503, json });
    });
    await page.reload();
    await expect(page.getByRole('alert').filter({ hasText: 'The invoices could not be loaded.' })).toContainText(
      'Autotask does not respond.',
    );
    await page.unroute('**/Invoices/query');
    await page.getByRole('button', { name: 'Try again' }).click();
    await expect(page.getByText('Showing 1-10 of 1,163 items')).toBeVisible();
  });

  const selectAll = page.getByRole('checkbox', { name: 'Select all invoices' });
  const dialog = page.getByRole('dialog');

  await test.step('clearing shows its progress and the total', async () => {
    await selectAll.check();
    await page.getByRole('button', { name: 'Clear Sync Status' }).click();
    await dialog.getByRole('button', { name: 'Clear Sync Status' }).click();
    await expect(dialog.getByText(new RegExp(`^Cleared \\d+ of 1,163…$`))).toBeVisible();
    await expect(page.getByText(`Sync status cleared for ${invoices}.`)).toBeVisible({ timeout: 60_000 });
  });

  await test.step('a test is one job', async () => {
    await selectAll.check();
    await page.getByRole('button', { name: 'Test Sync' }).click();
    await dialog.getByRole('button', { name: /^TEST 1,163 invoices, / }).click();
    await expect(page.getByRole('heading', { name: 'Tested invoices' })).toBeVisible({ timeout: jobMs });
    await expect(page.getByText(`1,163 of 1,163 documents`)).toBeVisible();
    expect(await jobs()).toMatchObject([{ mode: 'test', total: count }]);
    // The page ends where its content ends.
    const below = `document.documentElement.scrollHeight - scrollY - document.querySelector('main').getBoundingClientRect().bottom`;
    expect(await page.evaluate<number>(below)).toBeLessThan(50);
    await page.getByRole('link', { name: 'Back to Invoices' }).click();
  });

  await test.step('a review lists all documents on one page and posts them with one job', async () => {
    await selectAll.check();
    await page.getByRole('button', { name: 'Sync', exact: true }).click();
    await dialog.getByRole('button', { name: /^Review 1,163 invoices, / }).click();
    await page.getByRole('button', { name: /^Post 1,163 invoices, .+, to QuickBooks$/ }).click({ timeout: jobMs });
    await expect(page).toHaveURL(/\/runs\//);
    expect(await jobs()).toMatchObject([{ mode: 'live' }, { mode: 'test' }, { mode: 'test' }]);
  });
  expect(defects).toEqual([]);
});
