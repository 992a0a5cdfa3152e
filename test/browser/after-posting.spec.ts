import { expect, type Page } from '@playwright/test';
import { defectsOf } from '../support/browser.ts';
import { newProduct, test } from '../support/journey.ts';

const product = newProduct({
  settings: { inv_default_income_account: '2', inv_create_item_automatically: true },
  // The demo's sandboxes have web pages, to which the product links.
  environment: { AUTOTASK_URL: '', QBO_API_URL: '' },
});

/** Collects all messages of the bar, even brief ones. */
async function messagesOf(page: Page): Promise<() => Promise<readonly string[]>> {
  await page.addInitScript(`
    window.seenMessages = [];
    new MutationObserver(() => {
      for (const { textContent } of document.querySelectorAll('[data-kind="message"]'))
        if (!window.seenMessages.includes(textContent)) window.seenMessages.push(textContent);
    }).observe(document, { childList: true, subtree: true, characterData: true });
  `);
  return () => page.evaluate<readonly string[]>('window.seenMessages');
}

test('posting focuses the result and links to QuickBooks, and a review is not announced as a test', async ({
  page,
}) => {
  const defects = defectsOf(page);
  const messages = await messagesOf(page);
  const testAnnouncements = async () => (await messages()).filter((text) => text.includes('test sync'));
  const dialog = page.getByRole('dialog');
  const result = page.getByRole('group', { name: 'Result' });
  const openIn = result.getByRole('link', { name: 'Open in QuickBooks' });

  await test.step('what is released in Needs attention ends on its run', async () => {
    await product.api.data('POST', '/api/my/settings/', { inv_create_item_automatically: false });
    await product.api.data('POST', '/api/my/invoices/sync/submit', { mode: 'live', invoice_ids: [48_213] });
    await page.goto('/needs-attention');
    await expect(page.getByRole('button', { name: 'Release', exact: true })).toBeVisible({ timeout: 60_000 });
    await product.api.data('POST', '/api/my/settings/', { inv_create_item_automatically: true });
    await page.getByRole('button', { name: 'Release', exact: true }).click();
    await page.getByRole('button', { name: /^Post 1 .+, to QuickBooks$/ }).click({ timeout: 60_000 });
    await expect(result).toBeFocused();
    await expect(result).toBeInViewport();
    await expect(result.getByText(/^1 posted, \$/)).toBeVisible({ timeout: 60_000 });
    expect(await testAnnouncements()).toEqual([]);
  });

  await test.step('one posted invoice links to that invoice in QuickBooks', async () => {
    await page.getByRole('link', { name: 'Invoices', exact: true }).click();
    await page.getByRole('checkbox', { name: 'Select Invoice 48307' }).check();
    await page.getByRole('button', { name: 'Sync', exact: true }).click();
    await dialog.getByRole('button', { name: 'Review 1 invoice, $228.00' }).click();
    await page.getByRole('button', { name: 'Post 1 invoice, $228.00, to QuickBooks' }).click();
    await expect(result).toBeFocused();
    await expect(result).toBeInViewport();
    await expect(result.getByText('1 posted, $228.00')).toBeVisible({ timeout: 60_000 });
    await expect(result).toBeFocused();
    await expect(openIn).toHaveAttribute('href', /entity=Invoice&id=\d+/);
    expect(await testAnnouncements()).toEqual([]);
  });

  await test.step('all invoices of Sync Now link to QuickBooks’ list', async () => {
    await page.getByRole('link', { name: 'Overview' }).first().click();
    await page
      .getByRole('row', { name: /^Invoices/ })
      .getByRole('button', { name: 'Sync Now' })
      .click();
    await dialog.getByRole('radio', { name: /live/i }).check();
    await dialog.getByRole('button', { name: /^Review \d+ invoices/ }).click();
    await page.getByRole('button', { name: /^Post \d+ .+, to QuickBooks$/ }).click({ timeout: 60_000 });
    await expect(result).toBeFocused();
    await expect(result).toBeInViewport();
    await expect(result.getByText(/^\d+ posted, \$/)).toBeVisible({ timeout: 60_000 });
    await expect(openIn).toHaveAttribute('href', /entity=Invoice$/);
    expect(await testAnnouncements()).toEqual([]);
  });

  expect(defects).toEqual([]);
});
