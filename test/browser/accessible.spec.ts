import { expect } from '@playwright/test';
import { submitted } from '../../scripts/seed.ts';
import {
  clientMonth,
  defectsOf,
  findingsInBothSchemes,
  findingsOn,
  hasSettled,
  isAccessible,
  prepareMonth,
} from '../support/browser.ts';
import { newProduct, test } from '../support/journey.ts';

/** A connected client with synced and failed invoices. */
const product = newProduct({
  settings: { inv_default_income_account: '2' },
  after: async ({ api }) => {
    const invoices = [48_213, 48_302, 48_309];
    for (const mode of ['test', 'live'])
      await submitted(api, '/api/my/invoices/sync/submit', { invoice_ids: invoices, mode });
  },
});

test('the checks find defects, also in a dialog', async ({ page }) => {
  const plant = (place: string) =>
    page.evaluate(`(() => {
      const text = Object.assign(document.createElement('p'), { textContent: 'A faint text' });
      Object.assign(text.style, { color: '#999', background: '#aaa' });
      document.querySelector('${place}').append(text, document.createElement('iframe'));
    })()`);
  await page.goto('/my');
  await hasSettled(page);
  await page.getByRole('button', { name: 'Sync Now' }).first().click();
  await expect(page.getByRole('dialog')).toBeVisible();
  expect(await findingsOn(page)).toEqual([]);
  await plant('[role="dialog"] form, [role="dialog"] section, [role="dialog"]');
  const names = async () => (await findingsOn(page)).map((finding) => finding.split(':', 1)[0]);
  expect(new Set(await names())).toEqual(new Set(['color-contrast', 'frame-title']));
  await page.keyboard.press('Escape');
  await expect(page.getByRole('dialog')).toHaveCount(0);
  expect(await findingsOn(page)).toEqual([]);
  await plant('main');
  expect(new Set(await names())).toEqual(new Set(['color-contrast', 'frame-title']));
});

test('menus, dialogs and outdated screens are accessible', async ({ page, context }) => {
  await page.goto('/my');
  await expect(page.getByRole('heading', { name: 'Latest Activity' })).toBeVisible();
  await page.getByRole('button', { name: /^Account of / }).click();
  await expect(page.getByRole('menuitem', { name: 'Logout' })).toBeVisible();
  await isAccessible(page);
  await page.keyboard.press('Escape');

  await page.getByRole('button', { name: 'Sync Now' }).first().click();
  await page.getByRole('dialog').getByRole('radio', { name: /live/i }).check();
  await page.getByRole('dialog').getByRole('radio', { name: 'Sync it again' }).check();
  await isAccessible(page);
  await page.keyboard.press('Escape');

  await page.goto('/needs-attention');
  await expect(
    page.getByRole('heading', { name: 'The lines add up to 500.00, but the invoice total is 510.00' }),
  ).toBeVisible();
  await context.setOffline(true);
  await expect(page.getByRole('status').filter({ hasText: 'Offline' })).toBeVisible({ timeout: 3_000 });
  await page.getByRole('button', { name: 'Refresh' }).click();
  await expect(page.locator('[data-stale="true"]')).toHaveCount(1);
  expect(await findingsInBothSchemes(page)).toEqual([]);
  await context.setOffline(false);
  await page.goto('/logs');
  await expect(page.getByText('Showing 1-6 of 6 items')).toBeVisible();
  await context.setOffline(true);
  await page.getByRole('button', { name: 'Refresh' }).click();
  await expect(page.locator('[data-stale="true"]')).toHaveCount(1);
  expect(await findingsInBothSchemes(page)).toEqual([]);
  await context.setOffline(false);
});

test('statuses, the current menu entry and chart legends are visible in forced colors', async ({ page }) => {
  await page.emulateMedia({ forcedColors: 'active' });
  const styleOf = async (selector: string, property: string) => {
    await page.locator(selector).first().waitFor({ state: 'attached' });
    return page.evaluate<string>(
      `getComputedStyle(document.querySelector(${JSON.stringify(selector)})).getPropertyValue('${property}')`,
    );
  };
  await prepareMonth(product.api, clientMonth());
  await page.goto('/month-end');
  await expect(page.locator('figcaption rect').first()).toBeVisible();
  const ground = await styleOf('body', 'background-color');
  for (const place of [1, 2, 3])
    expect(await styleOf(`figcaption > :nth-child(${place}) rect`, 'fill')).not.toBe(ground);
  expect(await styleOf('nav a[aria-current]', 'background-color')).not.toBe(
    await styleOf('nav a:not([aria-current])', 'background-color'),
  );
  await page.goto('/connections');
  await expect(page.locator('[data-state="synced"]').first()).toBeVisible();
  expect(await styleOf('span[data-state="synced"][aria-hidden]', 'border-top-width'), 'a filled dot').toBe('4px');
});

test('every state of a sync is accessible', async ({ page }) => {
  const defects = defectsOf(page);
  const orders = '**/PurchaseOrders/query';
  const panel = page.getByRole('region', { name: 'Purchase Orders, test sync' });
  const closeDialog = async () => {
    await page.keyboard.press('Escape');
    await expect(page.getByRole('dialog')).toHaveCount(0);
  };

  await test.step('loading, failed, empty, and after a failed search', async () => {
    const answers = Promise.withResolvers<void>();
    await page.route(orders, async (route) => {
      await answers.promise;
      await route.abort();
    });
    await page.goto('/my-purchase-orders');
    await expect(page.getByRole('button', { name: 'Test Sync' })).toBeDisabled();
    expect(await findingsInBothSchemes(page)).toEqual([]);
    answers.resolve();
    await expect(page.getByText(/^The purchase orders could not be loaded\./)).toBeVisible();
    await isAccessible(page);
    await page.unroute(orders);
    await page.getByRole('button', { name: 'Try again' }).click();
    await expect(page.getByText(/^Showing 1-/)).toBeVisible();
    await page.route(orders, (route) => route.abort());
    await page.getByRole('button', { name: 'Search' }).click();
    // The message appears beside the button, but not also in the message bar.
    await expect(page.getByText('Disconnected. Please check your internet connection.')).toHaveCount(1);
    await expect(page.getByText(/^Showing 1-/)).toBeVisible();
    await page.unroute(orders);
  });

  await test.step('a selection and its dialogs', async () => {
    await page.goto('/my-purchase-orders');
    await page.getByRole('checkbox', { name: 'Select all purchase orders' }).check();
    await isAccessible(page);
    await page.getByRole('button', { name: 'Clear Sync Status' }).click();
    await expect(page.getByRole('dialog', { name: 'Confirm Reset Sync Status' })).toBeVisible();
    await isAccessible(page);
    await closeDialog();
    await page.getByRole('button', { name: 'Sync', exact: true }).click();
    await page.getByRole('dialog').getByRole('radio', { name: 'Sync it again.' }).check();
    await expect(page.getByText(/gets another document in QuickBooks Online/)).toBeVisible();
    await isAccessible(page);
    await closeDialog();
  });

  await test.step('a running job with rows, and a finished one', async () => {
    await page.getByRole('button', { name: 'Test Sync' }).click();
    try {
      await product.autotask.behave({ latency_ms: 3_000 });
      await page.getByRole('dialog').getByRole('button', { name: /^TEST/ }).click();
      await expect(page.getByRole('heading', { name: 'Testing purchase orders', level: 1 })).toBeVisible();
      expect(await findingsInBothSchemes(page)).toEqual([]);
      await page.goBack();
      await expect(page.getByText('testing…').first()).toBeVisible();
      await expect(panel).toBeVisible();
      expect(await findingsInBothSchemes(page)).toEqual([]);
    } finally {
      await product.autotask.behave({ latency_ms: 0 });
    }
    await expect(page.getByText('would fail').first()).toBeVisible({ timeout: 60_000 });
    await expect(panel.getByRole('link', { name: /purchase orders, \$[\d,.]+, would fail$/ })).toBeVisible();
    await isAccessible(page);
  });

  await test.step('a review, and payments and voids', async () => {
    await page.goto('/my-invoices?by=id&id=48214');
    await page.getByRole('checkbox', { name: 'Select Invoice 48214' }).check();
    await page.getByRole('button', { name: 'Sync', exact: true }).click();
    await page.getByRole('button', { name: /^Review 1 invoice/ }).click();
    await expect(page.getByRole('button', { name: /^Post 1 invoice, \$[\d,.]+, to QuickBooks$/ })).toBeVisible({
      timeout: 60_000,
    });
    await isAccessible(page);
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('button', { name: 'Payments and voids' }).click();
    await expect(page.getByRole('dialog', { name: 'Payments and voids' })).toBeVisible();
    await isAccessible(page);
    await closeDialog();
  });

  await test.step('the documents of a test, and a log without results', async () => {
    for (const query of ['type=invoice&q=48214', 'type=purchase_order']) {
      await page.goto(`/logs?${query}`);
      await page.getByRole('row').nth(1).click();
      await expect(page.getByRole('dialog').getByRole('heading', { name: 'Job Transcript' })).toBeVisible();
      await isAccessible(page);
    }
    await page.goto('/logs?q=nothing+is+called+so');
    await expect(page.getByText('No matches.')).toBeVisible();
    await isAccessible(page);
  });
  // The browser itself logs the calls that this test aborts.
  expect(defects.filter((text) => !text.includes('net::ERR_FAILED'))).toEqual([]);
});
