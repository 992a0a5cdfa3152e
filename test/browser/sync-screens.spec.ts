import { readFile } from 'node:fs/promises';
import { expect, type Page } from '@playwright/test';
import { strFromU8, unzipSync } from 'fflate';
import Papa from 'papaparse';
import { clientToday, defectsOf, isAccessible, logIn } from '../support/browser.ts';
import { newProduct, password, sysadmin, test } from '../support/journey.ts';

const product = newProduct({ settings: { inv_default_income_account: '2', inv_create_item_automatically: false } });

/** QuickBooks limits batches per minute, so a job after many others may start a minute later. */
const nextMinuteMs = 120_000;

const jobs = async () =>
  (await product.api.data('GET', '/api/my/jobs'))['jobs'] as unknown as readonly { readonly status: string }[];

const row = (page: Page, id: number) =>
  page.getByRole('row').filter({ has: page.getByText(String(id), { exact: true }) });

test('an invoice is searched, tested, refused, fixed and released, also across reloads', async ({ page }) => {
  const defects = defectsOf(page);

  await page.goto('/my-invoices');
  await test.step('the search describes its criteria and pages by ten', async () => {
    await expect(
      page.getByText('Invoices that are not voided, created in the last 14 days (from your settings).'),
    ).toBeVisible();
    await expect(page.getByText(/^Showing 1-10 of \d+ items$/)).toBeVisible();
    await expect(page.getByRole('button', { name: 'Sync', exact: true })).toBeDisabled();
    await page.getByRole('checkbox', { name: 'Select all invoices' }).check();
    await expect(page.getByRole('tab', { name: /^All \d+/ })).toContainText('$');
    await page.getByRole('checkbox', { name: 'Select all invoices' }).uncheck();
  });

  await test.step('with one row selected, the header checkbox is indeterminate and its line visible', async () => {
    const white = 'rgb(255, 255, 255)';
    const head = page.getByRole('checkbox', { name: 'Select all invoices' });
    const one = page.getByRole('checkbox', { name: /^Select Invoice/ }).first();
    await expect(head).toHaveCSS('background-color', white);
    await one.check();
    await expect(head).toBeChecked({ indeterminate: true });
    await expect(head).not.toHaveCSS('background-color', white);
    await one.uncheck();
    await expect(head).toHaveCSS('background-color', white);
  });

  await test.step('another search text or tab ends the selection', async () => {
    const find = page.getByRole('searchbox', { name: 'Find invoices' });
    const count = page.getByText(/^\d+ selected/);
    for (const change of [() => find.fill('Maple'), () => page.getByRole('tab', { name: /^Not Synced/ }).click()]) {
      await page
        .getByRole('checkbox', { name: /^Select Invoice/ })
        .first()
        .check();
      await expect(count).toBeVisible();
      await change();
      await expect(count).toBeHidden();
    }
    await find.fill('');
    await page.getByRole('tab', { name: /^All/ }).click();
  });

  await test.step('a search by id finds one invoice', async () => {
    await page.getByRole('radio', { name: 'By invoice ID' }).check();
    await page.getByRole('spinbutton').fill('48213');
    await page.getByRole('button', { name: 'Search' }).click();
    await expect(page.getByText('The invoice with Autotask ID 48213.')).toBeVisible();
    await expect(page.getByText('Showing 1-1 of 1 items')).toBeVisible();
    await expect(row(page, 48_213)).toContainText('Not Synced');
    await expect(row(page, 48_213)).toContainText('$1,966.25');
    await expect(row(page, 48_213), 'shows the company').toContainText('Acme Dental');
  });

  await test.step('a test shows the future document in the row', async () => {
    await page.getByRole('row', { name: 'Invoice 48213' }).focus();
    await page.keyboard.press('Space');
    await expect(page.getByRole('checkbox', { name: 'Select Invoice 48213' })).toBeChecked();
    await page.getByRole('button', { name: 'Test Sync' }).click();
    const dialog = page.getByRole('dialog');
    await expect(dialog.getByText('Please confirm you want to test sync this invoice.')).toBeVisible();
    await dialog.getByRole('button', { name: 'TEST 1 invoice, $1,966.25' }).click();
    await expect(page).toHaveURL(/\/runs\//);
    await expect(page.getByText('No document passed')).toBeVisible({ timeout: 60_000 });
    await expect(page.getByRole('tab', { name: 'Would fail 1 · $1,966.25' })).toHaveAttribute('aria-selected', 'true');
    await expect(page.getByRole('link', { name: 'View Results' })).toHaveAttribute(
      'href',
      '/logs?type=invoice&mode=test',
    );
    await page.getByRole('link', { name: 'Back to Invoices' }).click();
    await expect(row(page, 48_213)).toContainText('would fail');
    await expect(page.getByRole('checkbox', { name: 'Select Invoice 48213' })).not.toBeChecked();
    await expect(page.getByRole('link', { name: 'View Results' })).toBeVisible();
  });

  await test.step('a review lists problems before anything is sent', async () => {
    await page.getByRole('checkbox', { name: 'Select Invoice 48213' }).check();
    await page.getByRole('button', { name: 'Sync', exact: true }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('radio', { name: 'Sync it again.' }).check();
    await expect(dialog.getByText(/gets another document in QuickBooks Online/)).toBeVisible();
    await dialog.getByRole('radio', { name: 'Do not process.' }).check();
    await dialog.getByRole('button', { name: 'Review 1 invoice, $1,966.25' }).click();
    await expect(page.getByRole('heading', { name: '1 document would not be posted' })).toBeVisible({
      timeout: 60_000,
    });
    await expect(page.getByText(/^Invoice 48213 Acme Dental: /)).toBeVisible();
    await expect(page.getByRole('button', { name: 'Nothing to post' })).toBeDisabled();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await expect(row(page, 48_213)).toContainText('Not Synced');
  });

  await test.step('a failed live sync shows it in its row', async () => {
    await product.api.data('POST', '/api/my/invoices/sync/submit', { mode: 'live', invoice_ids: [48_213] });
    await page.reload();
    await expect(row(page, 48_213)).toContainText('Error', { timeout: 60_000 });
  });

  await test.step('links to the reason, also after a reload', async () => {
    await page.reload();
    await row(page, 48_213).getByRole('link', { name: 'why: details of 48213' }).click();
    await expect(page.getByRole('row', { name: /^invoice 48213, live, failed/ })).toBeVisible();
    await page.goBack();
    await expect(row(page, 48_213)).toContainText('Error');
  });

  const cause = page.getByRole('article').getByRole('heading', { name: /has no QuickBooks|is not mapped/ });
  const release = page.getByRole('button', { name: 'Release', exact: true });

  await test.step('Needs attention is counted in the menu, also after a reload', async () => {
    await page.reload();
    const link = page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: /^Needs attention/ });
    await expect(link).toContainText('1');
    await link.click();
    await expect(page.getByText(/^\$1,966\.25 in 1 document/), 'the total of all causes').toBeVisible();
    await expect(cause.first()).toBeVisible();
    await expect(page.getByText('1 invoice, $1,966.25', { exact: true }).first()).toBeVisible();
    await expect(page.getByText('Acme Dental').first()).toBeVisible();
    await expect(page.getByText(/^Map “/)).not.toHaveCount(0);
    for (const one of await release.all()) await expect(one).not.toHaveAttribute('data-variant', 'filled');
  });

  await test.step('after the fix it passes the test, is reviewed and released', async () => {
    await product.api.data('POST', '/api/my/settings/', { inv_create_item_automatically: true });
    await page.getByRole('button', { name: 'Test again' }).click();
    await expect(page.getByText('would pass now')).toBeVisible({ timeout: 60_000 });
    await expect(release).toHaveAttribute('data-variant', 'filled');
    await release.click();
    await expect(page.getByText(/^Please confirm you want to sync this invoice\./)).toBeVisible({ timeout: 60_000 });
    await expect(page.getByRole('region', { name: 'Accounts' })).toContainText('1,966.25');
    await page.getByRole('button', { name: 'Cancel' }).click();
    await expect(cause).toBeVisible();
    await release.click();
    await page.getByRole('button', { name: 'Post 1 invoice, $1,966.25, to QuickBooks' }).click({ timeout: 60_000 });
    await expect(page).toHaveURL(/\/runs\//);
    await expect(page.getByText('1 posted, $1,966.25', { exact: true })).toBeVisible({ timeout: 60_000 });
    await page.getByRole('link', { name: 'Back to Needs attention' }).click();
    await expect(page).toHaveURL('/needs-attention');
    await expect(page.getByText('Nothing needs attention.')).toBeVisible({ timeout: 60_000 });
  });

  await test.step('the log finds it by customer and by amount', async () => {
    for (const text of ['acme', '1,966.25']) {
      await page.goto(`/logs?mode=live&success=true&q=${encodeURIComponent(text)}`);
      await expect(page.getByRole('row', { name: /^invoice 48213, live, succeeded/ })).toContainText('$1,966.25');
    }
  });

  await test.step('an outdated entry shows that and links to the newest', async () => {
    await page.goto('/logs?mode=live&success=false');
    await page.getByRole('row', { name: /^invoice 48213, live, failed/ }).click();
    const entry = page.getByRole('dialog');
    await expect(entry.getByText(/^Tried again on .+: it was successful\.$/)).toBeVisible();
    await entry.getByRole('link', { name: 'Open newest entry' }).click();
    await expect(entry.getByText('Processing of Autotask invoice ID 48213 was successful.')).toBeVisible();
    await expect(entry.getByText(/again since/)).toHaveCount(0);
  });

  await test.step('clearing its status describes the effect', async () => {
    await page.goto('/my-invoices?by=id&id=48213');
    await expect(row(page, 48_213)).toContainText('Synced');
    await page.getByRole('checkbox', { name: /^Select Invoice/ }).check();
    await page.getByRole('button', { name: 'Clear Sync Status' }).click();
    const dialog = page.getByRole('dialog', { name: 'Confirm Reset Sync Status' });
    await expect(dialog.getByText(/invoice number in Autotask is cleared/)).toBeVisible();
    await dialog.getByRole('button', { name: 'Clear Sync Status' }).click();
    await expect(row(page, 48_213)).toContainText('Not Synced');
  });

  expect(defects).toEqual([]);
});

test('lists the failures of a job first and in their color', async ({ page }) => {
  const red = 'rgb(161, 29, 29)';
  await product.api.data('POST', '/api/my/settings/', { inv_create_item_automatically: false });
  await page.goto('/my-invoices');
  for (const id of [48_307, 48_308]) await page.getByRole('checkbox', { name: `Select Invoice ${id}` }).check();
  await page.getByRole('button', { name: 'Test Sync' }).click();
  await page
    .getByRole('dialog')
    .getByRole('button', { name: /^TEST 2 invoices/ })
    .click();
  await expect(page.getByText('2 of 2 documents')).toBeVisible({ timeout: nextMinuteMs });
  await expect(page.getByText(/^1 passed, /)).toBeVisible();
  await expect(page.getByRole('tab')).toHaveText([
    /^Would fail 1/,
    /^Would be on hold 0/,
    /^Passed 1/,
    /^Would be skipped 0/,
  ]);
  await expect(page.getByRole('tab', { selected: true })).toHaveText(/^Would fail 1/);
  await expect(page.getByRole('table', { name: 'Would fail' }).getByRole('row').nth(1)).toContainText('48307');
  await expect(page.getByText('Would fail', { exact: true })).toHaveCSS('color', red);
  await expect(page.getByRole('link', { name: 'Review this one and post' })).toHaveAttribute('data-variant', 'filled');
});

test('a list has tabs, finds a customer, and remembers its columns and page size', async ({ page }) => {
  const defects = defectsOf(page);
  await page.goto('/my-invoices');
  const rows = page.getByRole('table', { name: 'Invoices' }).locator('tbody tr');
  const counts = async () =>
    (await page.getByRole('tab').allInnerTexts()).map((text) => Number(/[A-Za-z] (\d+)/.exec(text)?.[1]));
  // Placeholder rows come before the counts.
  await expect(page.getByRole('tab', { name: /^All \d/ })).toBeVisible();
  const [all = 0, ...parts] = await counts();
  expect(parts.length).toBeGreaterThan(1);
  expect(parts.reduce((sum, one) => sum + one, 0)).toBe(all);

  await page.getByRole('tab', { name: /^Not Synced/ }).click();
  await expect(rows.first()).toContainText('Not Synced');
  await expect(rows.filter({ hasText: 'Not Synced' })).toHaveCount(await rows.count());
  await page.getByRole('searchbox', { name: 'Find invoices' }).fill('acme');
  await expect(page).toHaveURL(/tab=not_synced&find=acme/);
  await expect(rows.filter({ hasText: 'Acme Dental' })).toHaveCount(await rows.count());
  await page.getByRole('searchbox', { name: 'Find invoices' }).fill('acme zebra');
  await expect(page.getByText('No row matches your search.')).toBeVisible();
  await page.getByRole('searchbox', { name: 'Find invoices' }).press('Escape');
  await page.getByRole('tab', { name: /^All/ }).click();
  await expect(rows).toHaveCount(10);

  await test.step('a row is one line, before a test without a column for its result', async () => {
    await expect(page.getByRole('columnheader', { name: 'Test result' })).toHaveCount(0);
    const heights = () =>
      rows.evaluateAll((all) => [...new Set(all.map((one) => Math.round(one.getBoundingClientRect().height)))]);
    for (const width of [1920, 1440, 1024, 768]) {
      await page.setViewportSize({ width, height: 900 });
      await expect.poll(heights, { message: `${width}` }).toEqual([36]);
    }
    await page.setViewportSize({ width: 1440, height: 900 });
    await page.getByRole('button', { name: 'Columns and rows of invoices' }).click();
    await page.getByText('Compact', { exact: true }).click();
    await expect.poll(heights).toEqual([32]);
    await page.getByText('Comfortable', { exact: true }).click();
    await page.keyboard.press('Escape');
  });

  await test.step('the rows of the open tab and search are exported', async () => {
    await page.getByRole('searchbox', { name: 'Find invoices' }).fill('acme');
    await expect(page).toHaveURL(/find=acme/);
    await expect(rows.filter({ hasNotText: 'Acme Dental' })).toHaveCount(0);
    const [shown = 0] = await counts();
    const save = async (format: string) => {
      const saving = page.waitForEvent('download');
      await page.getByRole('button', { name: 'Export' }).click();
      await page.getByRole('menuitem', { name: format }).click();
      const file = await saving;
      return { name: file.suggestedFilename(), bytes: await readFile(await file.path()) };
    };
    const csv = await save('CSV');
    expect(csv.name).toBe('tallybridge-invoices.csv');
    const { data } = Papa.parse<string[]>(csv.bytes.toString('utf8'), { skipEmptyLines: true });
    expect(data).toHaveLength(1 + shown);
    expect(data.slice(1).map(([, , customer]) => customer)).toEqual(Array.from({ length: shown }, () => 'Acme Dental'));
    const excel = await save('Excel');
    expect(excel.name).toBe('tallybridge-invoices.xlsx');
    const sheet = strFromU8(unzipSync(excel.bytes)['xl/worksheets/sheet1.xml'] ?? new Uint8Array());
    expect(sheet.match(/<row>/g)).toHaveLength(1 + shown);
    expect(sheet).not.toContain('<f');
    await page.getByRole('searchbox', { name: 'Find invoices' }).press('Escape');
    await expect(rows).toHaveCount(10);
  });

  await page.getByRole('button', { name: 'Columns and rows of invoices' }).click();
  await page.getByRole('checkbox', { name: 'Paid' }).uncheck();
  await page.getByLabel('Rows per page').selectOption('25');
  await page.keyboard.press('Escape');
  await expect(page.getByRole('columnheader', { name: 'Paid' })).toHaveCount(0);
  await expect(rows).toHaveCount(Math.min(25, all));
  await page.reload();
  await expect(rows).toHaveCount(Math.min(25, all));
  await expect(page.getByRole('columnheader', { name: 'Paid' })).toHaveCount(0);
  expect(defects).toEqual([]);
});

test('the total of a list covers the rows that a search shows', async ({ page }) => {
  await page.goto('/my-invoices');
  const total = page.getByRole('table', { name: 'Invoices' }).locator('tfoot tr');
  await expect(total.first()).toContainText(/All \d\d+ rows, \d+ in USD/);
  await expect(total.last()).toContainText('1 in CAD');
  await page.getByPlaceholder('Find a customer or number').fill('Ember Cafe');
  await expect(page.getByText('Showing 1-1 of 1 items')).toBeVisible();
  await expect(total).toContainText('All 1 row');
  await expect(total).toContainText('$228.00');
});

test('selected invoices are reviewed by currency, and the last button posts exactly them', async ({ page }) => {
  const defects = defectsOf(page);
  await product.api.data('POST', '/api/my/settings/', { inv_create_item_automatically: true });
  await page.goto('/my-invoices');
  for (const id of [48_307, 48_308]) await page.getByRole('checkbox', { name: `Select Invoice ${id}` }).check();
  await expect(page.getByText('2 selected · $228.00 and CAD 1,620.00')).toBeVisible();
  await page.getByRole('button', { name: 'Sync', exact: true }).click();
  await page.getByRole('button', { name: 'Review 2 invoices, $228.00 and CAD 1,620.00' }).click();

  await expect(page.getByText(/^Please confirm you want to sync these 2 invoices\./)).toBeVisible({ timeout: 60_000 });
  await expect(page).toHaveURL(/review=/);
  await expect(page.getByRole('region', { name: 'Accounts in CAD' })).toContainText('1,620.00');
  await expect(page.getByRole('region', { name: 'Accounts in USD' })).toContainText('228.00');
  await page.reload();
  const post = page.getByRole('button', { name: 'Post 2 invoices, $228.00 and CAD 1,620.00, to QuickBooks' });
  await expect(post).toBeVisible();
  await page.setViewportSize({ width: 390, height: 844 });
  await expect(post).toBeInViewport();
  await expect.poll(() => page.evaluate<number>('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390);
  await page.setViewportSize({ width: 1440, height: 900 });
  await post.click();

  await expect(page).toHaveURL(/\/runs\//);
  await expect(page.getByText('2 posted, $228.00 and CAD 1,620.00')).toBeVisible({ timeout: 60_000 });
  await page.goBack();
  await expect(page, 'the posted review is not in the history').toHaveURL('/my-invoices');
  for (const id of [48_307, 48_308]) await expect(row(page, id)).toContainText('Synced');
  expect(defects).toEqual([]);
});

test('a hasty user clicks twice, searches again over a selection, and syncs marked documents', async ({ page }) => {
  const defects = defectsOf(page);
  await page.goto('/my-purchase-orders');
  const all = page.getByRole('checkbox', { name: 'Select all purchase orders' });

  await test.step('a new search clears the selection', async () => {
    await all.check();
    await page.getByRole('radio', { name: 'By create date' }).check();
    await expect(page.getByLabel('Created on or after')).toHaveValue(/^\d{4}-\d\d-01$/);
    await page.getByRole('button', { name: 'Search' }).click();
    await expect(page.getByText(/^Submitted purchase orders created on or after /)).toBeVisible();
    await expect(all).not.toBeChecked();
    await expect(page.getByRole('button', { name: 'Test Sync' })).toBeDisabled();
    await page.goBack();
    await expect(page.getByText(/^Submitted purchase orders created in the last \d+ days/)).toBeVisible();
    await expect(all).not.toBeChecked();
  });

  await test.step('a double click opens a dialog that stays, and submits once', async () => {
    await all.check();
    await page.getByRole('button', { name: 'Test Sync' }).dblclick();
    const submit = page.getByRole('dialog').getByRole('button', { name: /^TEST \d+ purchase orders/ });
    await expect(submit).toBeVisible();
    const before = (await jobs()).length;
    await submit.dblclick();
    await expect(page.getByRole('dialog')).toHaveCount(0);
    await expect(page).toHaveURL(/\/runs\//);
    await expect(page.getByText(/^\d of \d documents$/)).toBeVisible();
    await expect.poll(async () => (await jobs()).every(({ status }) => status === 'finished')).toBe(true);
    expect((await jobs()).length).toBe(before + 1);
    await expect(page.getByText(/^(\d passed, \$[\d,.]+|No document passed)$/)).toBeVisible();
  });

  await test.step('without eligible documents, those with an earlier ERROR are offered', async () => {
    const orders = await product.autotask.list('PurchaseOrders');
    const open = orders.filter((one) => one['status'] === 2).map((one) => Number(one['id']));
    for (const id of open) await product.autotask.put('PurchaseOrders', id, { externalPONumber: 'ERROR' });
    await page.goto('/my-purchase-orders');
    await page.goto('/needs-attention');
    await expect(page.getByRole('heading', { name: `${open.length} purchase orders are marked ERROR` })).toBeVisible();
    await page.goto('/my');
    await page
      .getByRole('row', { name: /^Purchase Orders/ })
      .getByRole('button', { name: 'Sync Now' })
      .click();
    await page.getByRole('button', { name: 'TEST eligible purchase orders' }).click();
    await expect(page.getByText(`${open.length} purchase orders are marked ERROR.`)).toBeVisible({
      timeout: nextMinuteMs,
    });
    await expect(page.getByText('No eligible documents.')).toHaveCount(0);
    await page.getByRole('button', { name: 'Clear and try again' }).click();
    await expect(page.getByText(`${open.length} of ${open.length} documents`)).toBeVisible({ timeout: nextMinuteMs });
  });
  expect(defects).toEqual([]);
});

test('payments and voids are reviewed manually beside the invoices, and due ones are posted', async ({ page }) => {
  await page.goto('/my-invoices');
  for (const what of ['payments', 'voids']) {
    await page.getByRole('button', { name: 'Payments and voids' }).click();
    await page.getByRole('radio', { name: what === 'voids' ? 'Voids' : 'Payments' }).check();
    await page.getByRole('button', { name: `Review ${what}` }).click();
    await expect(
      page.getByText(
        /^(Please confirm you want to sync (this|these \d+) (payment|void)s?\.|Nothing can be posted now\.)/,
      ),
    ).toBeVisible({
      timeout: 60_000,
    });
    await page.getByRole('button', { name: 'Cancel' }).click();
  }
});

test('Sync Now on the Overview is reviewed and posts only after the last button', async ({ page }) => {
  await page.goto('/my');
  const posted = () => product.quickbooks.list('Invoice');
  const before = (await posted()).length;
  await page
    .getByRole('row', { name: /^Invoices/ })
    .getByRole('button', { name: 'Sync Now' })
    .click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('radio', { name: /live/i }).check();
  await dialog.getByRole('button', { name: /^Review \d+ invoices?/ }).click();
  const post = page.getByRole('button', { name: /^Post \d+ .+, to QuickBooks$/ });
  await expect(post).toBeVisible({ timeout: 60_000 });
  await page.reload();
  await expect(post).toBeVisible();
  await page.goBack();
  await expect(page.getByRole('heading', { name: 'Latest Activity' })).toBeVisible();
  await page.goForward();
  await expect(post).toBeVisible();
  expect((await posted()).length).toBe(before);
  await post.click();
  await expect(page).toHaveURL(/\/runs\//);
  await expect(page.getByText(/^\d+ posted, \$/)).toBeVisible({ timeout: 60_000 });
  expect((await posted()).length).toBeGreaterThan(before);
});

test('purchase orders and expense reports have separate columns, and an empty search shows a message', async ({
  page,
}) => {
  await page.goto('/my-purchase-orders');
  const heads = () => page.getByRole('columnheader').allInnerTexts();
  await expect(page.getByText(/^Showing 1-/)).toBeVisible();
  expect(await heads()).toEqual(['ID', 'Sync Status', 'PO Number', 'External PO Number', 'Created', 'Memo']);
  await expect(row(page, 3_310), 'the vendor').toContainText('Ingram Supplies');
  await page.goto('/my-purchase-orders?by=id&id=1');
  await expect(page.getByText('No eligible purchase orders found.')).toBeVisible();
  await page.goto('/my-expenses');
  await expect(page.getByText(/^Showing 1-/)).toBeVisible();
  expect(await heads()).toEqual(['ID', 'Sync Status', 'Name', 'QuickBooks Reference Number', 'Total', 'Submitted']);
  await expect(row(page, 1_207), 'the employee').toContainText('Betty Decker');
});

test('a cause is fixed in place: a category is mapped, an account chosen, and waiting documents released', async ({
  page,
}) => {
  const defects = defectsOf(page);
  const needs = async () => Number((await product.api.data('GET', '/api/my/attention'))['needs_you']);
  const cause = (head: string | RegExp) =>
    page.getByRole('article').filter({ has: page.getByRole('heading', { name: head }) });
  const inList = page.getByRole('navigation', { name: 'Causes' }).getByRole('link');
  const before = await needs();
  await product.api.data('POST', '/api/my/settings/', { po_default_expense_account: null });
  await product.api.data('POST', '/api/my/expense-reports/sync/submit', { mode: 'live', expense_report_ids: [1_208] });
  await product.api.data('POST', '/api/my/purchase-orders/sync/submit', { mode: 'live', po_ids: [3_311] });
  await expect.poll(needs, { timeout: nextMinuteMs }).toBe(before + 2);
  await page.goto('/needs-attention');

  await test.step('a mapping', async () => {
    const toner = cause(/Toner/);
    await inList.filter({ hasText: 'Toner' }).first().click();
    await toner.getByRole('combobox', { name: 'Map “Toner” to' }).click();
    await page.getByRole('option').first().click();
    await toner.getByRole('button', { name: 'Map', exact: true }).click();
    await expect(page.getByText('“Toner” is mapped. Test again or release the documents.')).toBeVisible();
    await expect(toner.getByRole('button', { name: 'Release', exact: true })).toHaveAttribute('data-variant', 'filled');
    await toner.getByRole('button', { name: 'Test again' }).click();
    await expect(toner.getByText('would pass now')).toBeVisible({ timeout: nextMinuteMs });
    await toner.getByRole('button', { name: 'Release', exact: true }).click();
    await page
      .getByRole('button', { name: 'Post 1 expense report, $58.00, to QuickBooks' })
      .click({ timeout: nextMinuteMs });
    await expect(page.getByText('1 posted, $58.00', { exact: true })).toBeVisible({ timeout: nextMinuteMs });
    await page.getByRole('link', { name: 'Back to Needs attention' }).click();
    await expect(inList.filter({ hasText: 'Toner' })).toHaveCount(0);
  });

  await test.step('an account', async () => {
    // Its freight needs an account too, and uses this one.
    const causes = inList.filter({ hasText: '1 purchase order, $594.90' });
    await expect(causes).toHaveCount(2);
    await causes.filter({ hasText: 'need an expense account' }).click();
    const order = page
      .getByRole('article')
      .filter({ has: page.getByRole('combobox', { name: 'Expense account to use' }) });
    const choose = order.getByRole('combobox').first();
    await choose.click();
    await page.getByRole('option').first().click();
    await order.getByRole('button', { name: 'Save' }).first().click();
    await expect(page.getByText('Saved changes.')).toBeVisible();
    await order.getByRole('button', { name: 'Test again' }).click();
    await expect(order.getByText('would pass now')).toBeVisible({ timeout: nextMinuteMs });
    await order.getByRole('button', { name: 'Release', exact: true }).click();
    await page
      .getByRole('button', { name: 'Post 1 purchase order, $594.90, to QuickBooks' })
      .click({ timeout: nextMinuteMs });
    await expect(page.getByText('1 posted, $594.90', { exact: true })).toBeVisible({ timeout: nextMinuteMs });
    await page.getByRole('link', { name: 'Back to Needs attention' }).click();
    await expect(causes).toHaveCount(0);
  });
  await expect.poll(needs).toBe(before);
  expect(defects).toEqual([]);
});

test('the Overview shows the month to a system administrator who acts as a client', async ({ guest: page }) => {
  await page.goto('/');
  await logIn(page, sysadmin, password);
  await page.getByLabel('Masquerade as Client').first().click();
  await page.getByRole('option', { name: 'Northwind IT Services' }).click();
  const month = page.getByRole('region', { name: / so far$/ });
  await expect(month.getByText('Difference', { exact: true })).toBeVisible();
  await expect(month.getByText(/^\d+ invoices$/).first()).toBeVisible();
});

test('leaving a screen while it loads at the end of a masquerade causes no rejected request', async ({
  guest: page,
}) => {
  await page.goto('/');
  await logIn(page, sysadmin, password);
  await page.getByLabel('Masquerade as Client').first().click();
  await page.getByRole('option', { name: 'Northwind IT Services' }).click();
  const stop = page.getByRole('button', { name: 'Stop acting as this client' });
  await expect(stop).toBeVisible();

  const defects = defectsOf(page);
  // The names are requested when the session ends. The request reaches the server after that, but the browser has no
  // response yet.
  const hasEnded = Promise.withResolvers<void>();
  await page.route('**/sync/describe', async (route) => {
    await hasEnded.promise;
    await route.continue().catch(() => undefined);
  });
  const asked = page.waitForRequest('**/sync/describe');
  await page.goto('/my-invoices');
  const reading = await asked;
  await page.route('**/auth/masquerade/end', async (route) => {
    const response = await route.fetch();
    hasEnded.resolve();
    await reading.response();
    await route.fulfill({ response });
  });
  await stop.click();
  await expect(page.getByRole('heading', { name: 'Overview', level: 1 })).toBeVisible();
  await expect(stop).toHaveCount(0);
  await expect.poll(() => reading.failure()?.errorText, 'the request was canceled').toBe('net::ERR_ABORTED');
  expect(defects).toEqual([]);
});

test('turning on a sync from the Overview first shows what waits, and needs a second click', async ({ page }) => {
  const others = { inv_sync_active: true, exp_sync_active: true, pay_sync_active: true, void_sync_active: true };
  const start = { sync_start_date: clientToday(), po_default_expense_account: '14' };
  await product.api.data('POST', '/api/my/settings/', { ...others, ...start, po_sync_active: false });
  await page.goto('/my');
  await page.getByRole('button', { name: 'Turn on automatic sync of purchase orders' }).click();
  const dialog = page.getByRole('dialog', { name: 'Turn on automatic sync of purchase orders' });
  await expect(
    dialog.getByText(
      /^(\d+ purchase orders? dated [A-Z][a-z]+ \d+, \d{4} or later, .*will be posted in the next run|No purchase orders dated .+ are waiting\. New ones that pass every check will be posted)\.$/,
    ),
  ).toBeVisible();
  await isAccessible(page);
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  const isOn = () => product.api.data('GET', '/api/my');
  expect(await isOn()).toMatchObject({ settings: { po_sync_active: false } });
  await page.getByRole('button', { name: 'Turn on automatic sync of purchase orders' }).click();
  await dialog.getByRole('button', { name: 'Turn on', exact: true }).click();
  await expect(page.getByText('Saved changes.')).toBeVisible();
  expect(await isOn()).toMatchObject({ settings: { po_sync_active: true } });
  await product.api.data('POST', '/api/my/settings/', {
    inv_sync_active: false,
    po_sync_active: false,
    exp_sync_active: false,
    pay_sync_active: false,
    void_sync_active: false,
  });
});

test('a log entry prints, and dates use the chosen format', async ({ page }) => {
  await product.api.data('POST', '/api/my/invoices/sync/submit', { invoice_ids: [48_213], mode: 'test' });
  await expect
    .poll(async () => Number((await product.api.data('GET', '/api/my/logs'))['total']), { timeout: 60_000 })
    .toBeGreaterThan(0);
  await page.goto('/logs');
  await page
    .getByRole('button', { name: /Details/ })
    .first()
    .click();
  const dialog = page.getByRole('dialog');
  await expect(dialog.getByRole('button', { name: 'Print' })).toBeVisible();
  await page.emulateMedia({ media: 'print' });
  await expect(dialog.getByRole('button', { name: 'Print' })).toBeHidden();
  await expect(dialog.getByRole('heading', { name: 'Job Transcript' })).toBeVisible();
  await expect(page.locator('#root')).toBeHidden();
  await page.emulateMedia({ media: null });
  await page.keyboard.press('Escape');

  const lang = () => page.evaluate(() => localStorage.getItem('tallybridge-locale'));
  await page.getByRole('button', { name: /^Account of/ }).click();
  await page.getByRole('menuitem', { name: 'Date and amount format' }).click();
  await page.getByRole('menuitem', { name: 'United Kingdom' }).click();
  await expect.poll(lang).toBe('en-GB');
  await page.getByRole('button', { name: /^Account of/ }).click();
  await page.getByRole('menuitem', { name: 'Date and amount format' }).click();
  await expect(page.getByRole('menuitem', { name: 'United Kingdom' })).toHaveAttribute('aria-current', 'true');
});
