import { expect } from '@playwright/test';
import { defectsOf, findingsInBothSchemes, hasSettled } from '../support/browser.ts';
import { newProduct, test } from '../support/journey.ts';

const product = newProduct({
  settings: { inv_default_income_account: '2', po_default_expense_account: '14' },
  after: async ({ api }) => {
    for (const kind of ['invoices', 'purchase-orders', 'expense-reports'])
      await api.data('POST', `/api/my/${kind}/sync/submit/all`, { mode: 'test' });
    await jobsFinished(3);
  },
});

const jobsFinished = (count: number) =>
  expect
    .poll(
      async () =>
        (
          (await product.api.data('GET', '/api/my/jobs'))['jobs'] as unknown as readonly { readonly status: string }[]
        ).filter(({ status }) => status === 'finished').length,
      { timeout: 120_000 },
    )
    .toBe(count);

/** The overflow of the table in pixels, and cells with cut or overlapping content. */
const overflowScript = `(() => {
  const table = document.querySelector('table[aria-busy="false"]');
  const panel = table.parentElement;
  return {
    overflow: Math.max(0, panel.scrollWidth - panel.clientWidth),
    cells: [...table.querySelectorAll('th, td')]
      .filter((cell) => cell.offsetParent !== null && cell.scrollWidth > cell.clientWidth + 1)
      .map((cell) => cell.textContent),
  };
})()`;

test('the table of Logs fits its panel, with each message and the time zone', async ({ page }) => {
  const at = page.getByRole('columnheader', { name: /^Date and Time \(C[SD]T\)$/ });
  const message = page.getByRole('cell', { name: /would|Nothing|has no/ }).first();
  for (const query of ['', '?type=purchase_order', '?type=expense_report']) {
    await page.goto(`/logs${query}`);
    await hasSettled(page);
    await expect(page.getByRole('row').nth(1)).toBeVisible();
    for (const width of [1440, 1280, 1100, 1024, 900, 720, 390, 320]) {
      await page.setViewportSize({ width, height: 900 });
      await expect
        .poll(() => page.evaluate(overflowScript), { message: `${width} ${query}` })
        .toEqual({ overflow: 0, cells: [] });
      await expect(at).toBeVisible();
      if (width >= 1280)
        expect(
          await page.locator('tbody tr').evaluateAll((rows) => Math.max(...rows.map((row) => row.clientHeight))),
          'at most two lines',
        ).toBeLessThan(48);
      if (width >= 900 || width < 720) await expect(message, `${width}`).toBeVisible();
      if (width >= 900) await expect(page.getByRole('columnheader', { name: 'Message' })).toBeVisible();
    }
  }
});

test('the lists of documents fit their panels', async ({ page }) => {
  for (const path of ['/my-invoices', '/my-purchase-orders', '/my-expenses', '/runs']) {
    await page.goto(path);
    await hasSettled(page);
    await expect(page.getByRole('row').nth(1)).toBeVisible();
    for (const width of [1920, 1440, 1280, 1024, 900, 720, 390]) {
      await page.setViewportSize({ width, height: 900 });
      await expect
        .poll(() => page.evaluate(overflowScript), { message: `${width} ${path}` })
        .toEqual({ overflow: 0, cells: [] });
    }
  }
});

test('a test shows the shipping address of the later document', async ({ page }) => {
  // Customers with and without an address in QuickBooks, and a customer that the sync creates.
  const ids = [48_213, 48_214, 48_307, 48_308];
  await product.quickbooks.put('Customer', '59', { ShipAddr: null });
  await product.api.data('POST', '/api/my/settings/', { inv_create_item_automatically: true });
  for (const mode of ['test', 'live'])
    await product.api.data('POST', '/api/my/invoices/sync/submit', { invoice_ids: ids, mode });
  await jobsFinished(5);
  await page.goto('/logs');
  await expect(page.getByRole('heading', { name: 'Logs' })).toBeVisible();
  const addressIn = async (mode: string, id: number): Promise<string> => {
    await page.goto(`/logs?mode=${mode}&success=true&q=${id}`);
    await page
      .getByRole('row', { name: new RegExp(`^invoice ${id}, ${mode}, succeeded`) })
      .first()
      .click();
    const fact = page.getByRole('dialog').getByText('Shipping address', { exact: true }).locator('xpath=..');
    return (await fact.innerText()).replace('Shipping address', '').trim();
  };
  const addresses = new Set<string>();
  for (const id of ids) {
    const planned = await addressIn('test', id);
    expect(await addressIn('live', id), `invoice ${id}`).toBe(planned);
    addresses.add(planned);
  }
  expect(addresses.size).toBeGreaterThan(1);
});

test('tabs count the entries, and each filter can be removed', async ({ page }) => {
  const defects = defectsOf(page);
  await page.goto('/logs?type=invoice&mode=test');
  const chips = page.getByRole('group', { name: 'Active filters' });
  const tab = (name: string) => page.getByRole('tab', { name: new RegExp(`^${name} [1-9]`) });
  await expect(tab('All')).toBeVisible();
  await tab('Failed or on hold').click();
  await expect(page).toHaveURL(/success=false/);
  await expect(chips.getByRole('button')).toHaveCount(4);
  await expect(page.getByRole('row', { name: /succeeded/ })).toHaveCount(0);
  await page.getByRole('button', { name: 'Remove filter: Transaction Type Invoices' }).click();
  await expect(page).toHaveURL('/logs?mode=test&success=false');
  await expect(chips.getByRole('button').first()).toBeFocused();
  expect(await findingsInBothSchemes(page)).toEqual([]);
  await chips.getByRole('button', { name: 'Clear all' }).click();
  await expect(page).toHaveURL('/logs');
  await expect(page.getByRole('searchbox', { name: 'Search' })).toBeFocused();
  expect(defects).toEqual([]);
});

test('the details beside the table follow the arrow keys and return the focus to the row', async ({ page }) => {
  const defects = defectsOf(page);
  await page.goto('/logs?mode=test');
  const rows = page.getByRole('table', { name: 'Log entries' }).locator('tbody').getByRole('row');
  const panel = page.getByRole('dialog', { name: 'Logs' });
  const current = page.locator('tr[aria-current="true"]');
  const idIn = async (index: number) => (await rows.nth(index).getByRole('cell').nth(1).innerText()).trim();
  await expect(rows).toHaveCount(10);
  await rows.first().focus();
  await page.keyboard.press('Enter');
  await expect(panel.getByText('Row 1 of 10')).toBeVisible();
  await expect(panel.getByRole('button', { name: 'Previous row' })).toBeDisabled();
  expect((await panel.boundingBox())?.width).toBe(560);

  for (const [key, index] of [
    ['ArrowDown', 1],
    ['ArrowDown', 2],
    ['ArrowUp', 1],
  ] as const) {
    await page.keyboard.press(key);
    await expect(panel.getByText(`Row ${index + 1} of 10`)).toBeVisible();
    await expect(panel.getByText(`ID ${await idIn(index)} `)).toBeVisible();
    await expect(current).toHaveCount(1);
    expect(await current.evaluate((row) => (row as unknown as { sectionRowIndex: number }).sectionRowIndex)).toBe(
      index,
    );
  }
  expect(await findingsInBothSchemes(page)).toEqual([]);
  await page.keyboard.press('Escape');
  await expect(panel).toHaveCount(0);
  await expect(rows.nth(1)).toBeFocused();

  await test.step('a click opens another row; a scroll area keeps its arrow keys; Back closes the panel', async () => {
    await page.keyboard.press('Enter');
    await rows.nth(4).getByRole('cell').first().click();
    await expect(panel.getByText('Row 5 of 10')).toBeVisible();
    await panel.getByLabel('Transcript', { exact: true }).focus();
    await page.keyboard.press('ArrowDown');
    await expect(panel.getByText('Row 5 of 10')).toBeVisible();
    await panel.getByRole('button', { name: 'Next row' }).click();
    await expect(panel.getByText('Row 6 of 10')).toBeVisible();
    await page.goBack();
    await expect(panel).toHaveCount(0);
    await expect(rows.nth(5)).toBeFocused();
    await expect(page).toHaveURL('/logs?mode=test');
  });

  await test.step('on a phone the panel fills the screen', async () => {
    await page.setViewportSize({ width: 390, height: 844 });
    await page.keyboard.press('Enter');
    await expect(panel).toBeVisible();
    await expect.poll(async () => (await panel.boundingBox())?.x).toBe(0);
    await hasSettled(page);
    expect(await findingsInBothSchemes(page)).toEqual([]);
  });
  expect(defects).toEqual([]);
});

test('a view of a list is saved, renamed, opened, deleted and restored', async ({ page }) => {
  const defects = defectsOf(page);
  await page.goto('/logs');
  await page.getByLabel('Transaction Type').selectOption('invoice');
  await page.getByLabel('Test/Live').selectOption('test');
  const views = page.getByRole('button', { name: 'Views' });
  const panel = page.getByRole('dialog');
  await views.click();
  await panel.getByLabel('Save this view as').fill('Tests');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('main').getByRole('button', { name: 'Tests', exact: true })).toBeVisible();
  await panel.getByRole('button', { name: 'Rename Tests' }).click();
  await panel.getByLabel('Rename “Tests”').fill('Invoice tests');
  await panel.getByRole('button', { name: 'Save' }).click();
  expect(await findingsInBothSchemes(page)).toEqual([]);
  await page.keyboard.press('Escape');

  await page.goto('/logs');
  await hasSettled(page);
  await views.click();
  await panel.getByRole('button', { name: 'Invoice tests', exact: true }).click();
  await expect(page).toHaveURL('/logs?mode=test&type=invoice');
  await expect(page.getByLabel('Transaction Type')).toHaveValue('invoice');
  const own = page.getByRole('main').getByRole('button', { name: 'Invoice tests', exact: true });
  await own.click();
  await panel.getByRole('button', { name: 'Delete Invoice tests' }).click();
  await expect(panel.getByText('Deleted “Invoice tests”.')).toBeVisible();
  await expect(own).toHaveCount(0);
  await panel.getByRole('button', { name: 'Undo' }).click();
  await expect(own).toBeVisible();

  await test.step('the order of a sync list is part of its address', async () => {
    await page.goto('/my-invoices');
    await page.getByRole('button', { name: 'Total', exact: true }).click();
    await page.getByRole('button', { name: 'Total', exact: true }).click();
    await expect(page).toHaveURL(/[?&]sort=-total\b/);
    await page.reload();
    await expect(page.getByRole('columnheader', { name: 'Total' })).toHaveAttribute('aria-sort', 'descending');
    await views.click();
    await panel.getByLabel('Save this view as').fill('Largest first');
    await page.keyboard.press('Enter');
    await expect(page.getByRole('main').getByRole('button', { name: 'Largest first', exact: true })).toBeVisible();
  });
  expect(defects).toEqual([]);
});
