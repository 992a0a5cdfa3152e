import { expect, type Page } from '@playwright/test';
import type { MoneyReply } from '#contract/money.ts';
import { seed } from '../../scripts/seed.ts';
import { findingsOn, hasSettled } from '../support/browser.ts';
import { newProduct, test } from '../support/journey.ts';

const product = newProduct();

const chart = (page: Page) => page.getByRole('region', { name: 'Invoiced and posted, last 30 days' });

test('before the first sync the Overview shows the setup and no empty chart', async ({ page }) => {
  await page.goto('/my');
  await expect(page.getByRole('region', { name: 'Setup' })).toBeVisible();
  await hasSettled(page);
  await expect(chart(page)).toHaveCount(0);
  await expect(page.getByRole('table', { name: 'Latest Activity' })).toBeVisible();
});

test('shows the money of the month on one screen without scrolling', async ({ page }) => {
  await page.goto('/my');
  await seed({
    url: product.url,
    autotask: product.autotask.url,
    quickbooks: product.quickbooks.url,
    invoices: 20,
  });
  await page.reload();
  await expect(chart(page)).toBeVisible();
  await hasSettled(page);
  await expect(page.getByText(/^Setup: \d of 5 steps done\.$/)).toBeVisible();
  await expect(page.getByText('Automatic sync is off.')).toBeVisible();
  await expect(page.getByText('Basic setup is OK')).toBeVisible();
  expect(await page.evaluate('document.documentElement.scrollHeight'), 'with all notices').toBeLessThanOrEqual(900);
  // The dates and the note about other currencies are the only lines under the axis.
  expect(
    await chart(page).evaluate((panel) => {
      const bottom = (css: string) => panel.querySelector(css)?.getBoundingClientRect().bottom ?? 0;
      return panel.getBoundingClientRect().bottom - bottom('a');
    }),
  ).toBeLessThan(80);
  const active = ['inv_sync_active', 'po_sync_active', 'exp_sync_active', 'pay_sync_active', 'void_sync_active'];
  await product.api.data('POST', '/api/my/settings/', {
    ...Object.fromEntries(active.map((key) => [key, true])),
    po_payable_account: '20',
    po_default_expense_account: '14',
  });
  await product.api.data('PUT', '/api/my/guide', { guide: 'closed' });
  await page.reload();
  await expect(chart(page)).toBeVisible();
  await hasSettled(page);
  await expect(
    page.getByText(/^([A-Z][a-z]+ is in step except for|No invoice of [A-Z][a-z]+ is synced yet:) \$[\d,.]+$/),
  ).toBeVisible();
  await expect(page.getByRole('link', { name: /^Fix \d+, \$[\d,.]+/ })).toHaveAttribute('href', '/needs-attention');
  for (const part of ['Needs attention', 'Latest Activity'])
    await expect(page.getByRole('region', { name: part })).toBeInViewport({ ratio: 1 });
  expect(await page.evaluate('document.documentElement.scrollHeight')).toBeLessThanOrEqual(900);
  expect(await findingsOn(page)).toEqual([]);
});

test('shows the money of each day to the pointer, the keyboard and screen readers', async ({ page }) => {
  await page.goto('/my');
  await expect(chart(page)).toBeVisible();
  await hasSettled(page);
  const money = (await product.api.data('GET', '/api/my/money')) as unknown as MoneyReply;
  const rows = chart(page).getByRole('table').getByRole('row');
  expect(await rows.count()).toBe(1 + money.days.filter(({ date }) => date >= money.from).length);

  const days = chart(page).getByRole('link');
  expect(await days.count()).toBe(30);
  await days.last().hover();
  await expect(chart(page).getByText('Invoiced', { exact: true })).toBeVisible();
  await days.last().focus();
  await page.keyboard.press('ArrowLeft');
  await expect(days.nth(28)).toBeFocused();
  await page.keyboard.press('Home');
  await expect(days.first()).toBeFocused();
  await page.keyboard.press('End');
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(`/my-invoices?by=day&on=${money.through}`);
  const day = money.days.find(({ date }) => date === money.through);
  const known = [day?.invoices, ...money.other_currencies.map(({ invoices }) => invoices)];
  // The invoice of 0.00 that no sync logs is only in the list.
  const count = known.reduce<number>((sum, some) => sum + (some ?? 0), 1);
  await expect(page.getByRole('tab', { name: `All ${count}` }), 'the list has the invoices of the day').toBeVisible();
  await page.goBack();
});

test('fixes a cause from its row', async ({ page }) => {
  await page.goto('/my');
  const causes = page.getByRole('region', { name: 'Needs attention' });
  const fix = causes.getByRole('button').first();
  await fix.focus();
  await page.keyboard.press('Enter');
  const dialog = page.getByRole('dialog', { name: 'Needs attention' });
  await expect(dialog.getByRole('button', { name: 'Test again' })).toBeVisible();
  expect(await findingsOn(page)).toEqual([]);
  await page.keyboard.press('Escape');
  await expect(dialog).toBeHidden();
  await expect(fix).toBeFocused();
});
