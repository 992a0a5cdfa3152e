import { readFile } from 'node:fs/promises';
import { expect } from '@playwright/test';
import { findingsOn, isAccessible } from '../support/browser.ts';
import { newProduct, test } from '../support/journey.ts';

const product = newProduct();

test.describe.configure({ mode: 'serial' });

test('the first ten minutes: from an empty client to the first test on the screens', async ({ page }) => {
  const failures: string[] = [];
  page.on('pageerror', (error) => failures.push(error.message));

  await test.step('before QuickBooks is connected, settings are readable and mappings are unavailable', async () => {
    await page.goto('/settings');
    await expect(
      page.getByText('You must be connected to both Autotask and QuickBooks Online to modify settings.'),
    ).toBeVisible();
    await expect(page.getByLabel('Invoice max age')).toBeDisabled();
    await expect(page.getByRole('button', { name: 'Restore Defaults' })).toBeDisabled();
    for (const [path, what] of [
      ['customer', 'customer mappings'],
      ['vendor', 'vendor mappings'],
      ['expense', 'expense mappings'],
      ['item', 'item mappings'],
    ] as const) {
      await page.goto(`/${path}-mappings`);
      await expect(
        page.getByText(`Before managing your ${what}, you must connect to both Autotask and QuickBooks Online`),
      ).toBeVisible();
      await page.getByRole('main').getByRole('link', { name: 'Open Connections' }).click();
      await expect(page).toHaveURL('/connections');
    }
  });

  await test.step('connect and accept the suggested settings', async () => {
    await page.goto('/connections');
    await page.getByRole('button', { name: /Connect to QuickBooks/ }).click();
    await page.getByRole('button', { name: 'Connect', exact: true }).click();
    await expect(page.getByText('“Service Income” is the income account of most items in QuickBooks.')).toBeVisible();
    await page.getByRole('button', { name: 'Accept and continue' }).click();
    await expect(page.getByText('Saved changes.')).toBeVisible();
  });

  await test.step('accept the suggested mappings', async () => {
    const customers = page.getByRole('listitem').filter({ hasText: 'Customers' });
    await expect(customers.getByText('0 of 7 mapped')).toBeVisible();
    await expect(page.getByRole('button', { name: /^Accept all \d+$/ })).toHaveCount(1);
    await page.getByRole('button', { name: /^Accept all \d+$/ }).click();
    await expect(page.getByText(/^\d+ mappings saved\.$/)).toBeVisible();
    await expect(page.getByRole('region', { name: /^Test syncs/ })).toBeVisible();
    await expect(page.getByRole('link', { name: 'Map expense categories to accounts.' })).toHaveCount(0);
  });

  await test.step('Undo removes all of them', async () => {
    await page.getByRole('button', { name: 'Undo' }).click();
    await expect(page.getByText('Undone.')).toBeVisible();
    const { rows } = (await product.api.data('GET', '/api/my/mappings/Customer')) as { rows: { xref: unknown }[] };
    expect(rows.filter(({ xref }) => xref !== null)).toEqual([]);
  });

  const invoices = async () => (await product.quickbooks.list('Invoice')).length;
  const before = await invoices();
  await test.step('a test of each kind shows the future documents or what is missing', async () => {
    await expect(page.getByRole('link', { name: 'Map expense categories to accounts.' })).toBeVisible();
    await page.getByRole('button', { name: 'Test Sync' }).click();
    await expect(page.getByText(/^\d+ of \d+ documents would pass\.$/)).toHaveCount(2, { timeout: 90_000 });
    expect(await invoices()).toBe(before);
    const review = page.getByRole('button', { name: /^Review these \d+ and post$/ });
    await expect(review).toHaveAttribute('data-variant', 'filled');
    await page.reload();
    await expect(review, 'the results survive a reload').toBeVisible();
    await isAccessible(page);
    await review.click();
    await expect(page.getByRole('button', { name: /^Post \d+ .+ to QuickBooks$/ })).toBeVisible();
    await page.goBack();
    await expect(review).toBeVisible();
    await expect(page.getByText('A test has passed.')).toBeVisible();
    await page.getByRole('button', { name: 'Continue to Go live' }).click();
    await expect(page.getByRole('button', { name: 'Turn on', exact: true }).nth(2)).toBeDisabled();
  });
  expect(failures).toEqual([]);
});

test('settings: the effect of a change, an error at its field and tab, and defaults after a second click', async ({
  page,
}) => {
  await page.goto('/settings');
  await page.getByRole('combobox', { name: 'Invoice numbering' }).click();
  await page.getByRole('option', { name: 'Use the Autotask invoice number' }).click();
  await page.getByRole('tab', { name: 'Expense Reports' }).click();
  await page.getByRole('button', { name: 'Save' }).click();
  // The response opens the tab with the invalid field.
  await expect(page.getByRole('tab', { name: /Invoices/, selected: true })).toContainText('Invoices');
  await expect(page.getByText(/^Turn on Custom transaction numbers in QuickBooks/).first()).toBeVisible();
  await expect(page.getByLabel('This tab has errors')).toBeVisible();
  await page.getByRole('button', { name: 'Discard' }).click();

  // A file fills the form without saving. A file with an invalid value is rejected entirely.
  await page.getByRole('tab', { name: 'Advanced' }).click();
  const read = (text: string) =>
    page
      .getByLabel('Settings file')
      .setInputFiles({ name: 'settings.json', mimeType: 'application/json', buffer: Buffer.from(text) });
  await read('{"alert_emails":[1]}');
  await expect(page.getByText('The file has an invalid value for “Email alerts to”.')).toBeVisible();
  await expect(page.getByText('No changes.')).toBeVisible();
  await read('{"alert_emails":["<b>@x.example"],"inv_max_age_days":30}');
  await expect(page.getByText('The form shows the settings from the file. Nothing is saved yet.')).toBeVisible();
  await expect(page.getByText('2 settings changed.')).toBeVisible();
  await page.getByRole('button', { name: 'Discard' }).click();
  await page.getByRole('tab', { name: 'Invoices' }).click();

  await page.getByLabel('Create QuickBooks items automatically').uncheck();
  await expect(page.getByRole('combobox', { name: 'Income account to use' })).toBeHidden();
  await expect(
    page.getByText('An invoice line without a matching item would stop its document until the item is mapped.'),
  ).toBeVisible();
  await page.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByText('Saved changes.')).toBeVisible();
  await page.getByRole('button', { name: 'Restore Defaults' }).click();
  await page.getByRole('button', { name: 'Click Again to Restore' }).click();
  await expect(page.getByText('Settings reset to defaults.')).toBeVisible();
  await page.getByRole('combobox', { name: 'Income account to use' }).click();
  await page.getByRole('option', { name: 'Service Income' }).click();
  await page.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByText('Saved changes.')).toBeVisible();
});

test('customers are searched, mapped and unmapped with the keyboard only', async ({ page }) => {
  await page.goto('/customer-mappings');
  await expect(
    page.getByText('Search for Autotask companies to manage mappings to QuickBooks customers.'),
  ).toBeVisible();
  await page.getByPlaceholder('Search Autotask Customer Companies').focus();
  await page.keyboard.type('ember');
  await page.keyboard.press('Enter');
  await expect(page.getByText('1 result')).toBeVisible();
  const row = page.getByRole('row', { name: 'Ember Cafe' });
  await row.focus();
  await page.keyboard.press('Space');
  await page.getByRole('button', { name: 'Map to Customer' }).focus();
  await page.keyboard.press('Enter');
  const dialog = page.getByRole('dialog', { name: 'Map Companies to a QuickBooks Customer' });
  await expect(dialog.getByRole('combobox', { name: 'QuickBooks Customer' })).toBeFocused();
  const first = page.getByRole('option').first();
  await expect(first).toBeVisible();
  // Typing faster than the search shows no outdated result.
  await page.keyboard.type('birch');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('option', { name: /Birch Legal LLP/ })).toBeVisible();
  await expect(page.getByRole('option')).toHaveCount(1);
  await expect(dialog.getByRole('combobox', { name: 'QuickBooks Customer' })).toHaveValue('birch');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await dialog.getByRole('button', { name: 'Save' }).focus();
  await page.keyboard.press('Enter');
  await expect(dialog).toBeHidden();
  await expect(row).toContainText('Birch Legal LLP');

  await row.getByRole('button', { name: 'Delete mapping of Ember Cafe' }).focus();
  await page.keyboard.press('Enter');
  const question = page.getByRole('dialog', { name: 'Delete Company Mappings' });
  await expect(question).toContainText('Ember Cafe');
  await question.getByRole('button', { name: 'Delete' }).focus();
  await page.keyboard.press('Enter');
  await expect(row).toContainText('- not mapped -');

  await page.getByRole('button', { name: 'History' }).focus();
  await page.keyboard.press('Enter');
  await page.getByRole('dialog').getByRole('button', { name: 'Undo' }).first().focus();
  await page.keyboard.press('Enter');
  await page.keyboard.press('Escape');
  await expect(row).toContainText('Birch Legal LLP');
});

test('an inactive item shows before a sync fails, with its fix', async ({ page }) => {
  await page.goto('/item-mappings');
  await page.getByLabel('Suggest').check();
  await page.getByRole('button', { name: 'Accept Remote Support for Remote Support' }).click();
  await expect(page.getByText('1 mapping saved.')).toBeVisible();
  await product.quickbooks.put('Item', '21', { Active: false });
  // QuickBooks answers after the request timeout, so the screen polls for the result.
  await product.quickbooks.fault({ match: { query: 'Item' }, times: 1, action: { delay_ms: 3_000 } });
  await page.getByRole('button', { name: 'Refresh', exact: true }).click();
  await expect(page.getByText('“Remote Support” is inactive in QuickBooks.')).toBeVisible();
  await expect(page.getByText('1 invalid mapping')).toBeVisible();
  await page.getByRole('button', { name: 'Choose another' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('combobox', { name: 'QuickBooks Item' }).fill('onsite');
  await page.getByRole('option', { name: /Onsite Support/ }).click();
  await dialog.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByRole('row', { name: 'Remote Support' })).toContainText('Onsite Support');
  await product.quickbooks.put('Item', '21', { Active: true });

  // The screen shows stored data first, then updates automatically.
  const onsite = (await product.quickbooks.list('Item')).find((item) => item['Name'] === 'Onsite Support');
  const id = String(onsite?.['Id']);
  await product.quickbooks.put('Item', id, { Active: false });
  await product.quickbooks.fault({ match: { query: 'Item' }, times: 1, action: { delay_ms: 3_000 } });
  await page.reload();
  await expect(page.getByText('“Onsite Support” is inactive in QuickBooks.')).toBeVisible();
  await product.quickbooks.put('Item', id, { Active: true });
});

test('item mappings remember type and category, and a new search clears the selection', async ({ page }) => {
  await page.goto('/item-mappings');
  const type = page.getByRole('combobox', { name: 'Billing Code Type' });
  const category = page.getByRole('combobox', { name: 'Product Category' });
  const map = page.getByRole('button', { name: 'Map to Item' });
  const choose = async () => {
    await page.locator('tbody').getByRole('checkbox').first().check();
    await expect(map).toBeEnabled();
  };
  const open = (tab: string) => page.getByRole('tab', { name: tab }).click();

  await choose();
  await type.selectOption({ label: 'Service' });
  await expect(map).toBeDisabled();
  await choose();
  await open('Purchase Orders');
  await expect(map).toBeDisabled();
  await choose();
  await category.selectOption({ index: 1 });
  await expect(map).toBeDisabled();
  const chosen = await category.inputValue();
  await open('Invoices');
  await expect(map).toBeDisabled();
  const remembered = () =>
    page.evaluate<(string | null)[]>(`['imbcuse', 'improcat'].map((key) => localStorage.getItem(key))`);
  expect(await remembered()).toEqual(['5', chosen]);

  await page.reload();
  await expect(type).toHaveValue('5');
  await open('Purchase Orders');
  await expect(category).toHaveValue(chosen);

  // Another client's saved category does not hide rows.
  await page.evaluate(`localStorage.setItem('improcat', 'of another client')`);
  await page.reload();
  await open('Purchase Orders');
  await expect(category).toHaveValue('');
  await expect(page.locator('tbody').getByRole('checkbox').first()).toBeVisible();
  await expect(page.getByText('Nothing found.')).toHaveCount(0);
  await page.evaluate(`['imbcuse', 'improcat'].forEach((key) => localStorage.removeItem(key))`);
});

test('records with unsynced amounts are first, and select-all includes every page', async ({ page }) => {
  await page.goto('/item-mappings');
  const rows = page.locator('tbody tr');
  await expect(rows.first()).toContainText(' not synced yet');
  const amounts = (await rows.getByText(/ not synced yet$/).allTextContents()).map((text) =>
    Number(text.replaceAll(/[^\d.]/g, '')),
  );
  expect(amounts.length).toBeGreaterThan(0);
  expect(amounts).toEqual(amounts.toSorted((a, b) => b - a));

  const [, total = ''] = /of ([\d,]+) items/.exec(await page.getByText(/^Showing /).innerText()) ?? [];
  expect(Number(total)).toBeGreaterThan(10);
  await page.getByRole('checkbox', { name: 'Select all billing codes' }).check();
  await expect(page.getByText(`${total} selected`, { exact: true })).toBeVisible();
  await page.getByRole('button', { name: 'Map to Item' }).click();
  await expect(page.getByRole('dialog')).toContainText(
    new RegExp(`, .+, .+ and ${Number(total) - 3} other billing codes`),
  );
  // The list is open: the first Escape closes it, the second one the dialog.
  await page.keyboard.press('Escape');
  await page.keyboard.press('Escape');
  await expect(page.getByRole('dialog')).toHaveCount(0);
  await page.getByRole('button', { name: 'Next page' }).click();
  await expect(page.locator('tbody').getByRole('checkbox').first()).toBeChecked();
});

test('custom fields have a history and files like other mappings', async ({ page }) => {
  await page.goto('/custom-fields');
  const row = page.getByRole('row').filter({ hasText: 'P.O. Number' });
  await row.getByRole('button', { name: 'Edit P.O. Number' }).click();
  await row.getByRole('combobox').selectOption('Order Number');
  await row.getByRole('button', { name: 'Save' }).click();
  await expect(row.getByRole('button', { name: 'Delete mapping of P.O. Number' })).toBeVisible();
  const other = page.getByRole('row').filter({ has: page.getByRole('button', { name: /^Edit (?!P\.O\.)/ }) });
  await other
    .first()
    .getByRole('button', { name: /^Edit / })
    .click();
  await page.getByRole('combobox', { name: / field of / }).selectOption('Order Number');
  await expect(
    page.getByText(/^Order Number is mapped to P\.O\. Number\. Saving moves the mapping here/),
    'importing does not silently remove another field’s mapping',
  ).toBeVisible();
  await page.getByRole('button', { name: 'Cancel' }).click();

  const dialog = page.getByRole('dialog');
  await page.getByRole('button', { name: 'CSV' }).click();
  const file = (text: string) => ({ name: 'fields.csv', mimeType: 'text/csv', buffer: Buffer.from(text) });
  const input = dialog.getByLabel('Import a CSV file');
  await input.setInputFiles(file('PSA id,QuickBooks id\r\nInvoiceNumber,\r\nOrderNumber,1\r\n'));
  await expect(dialog.getByText('No changes. The file matches the saved mappings.')).toBeVisible();
  await input.setInputFiles(file('PSA id,QuickBooks id\r\nInvoiceNumber,1\r\nOrderNumber,1\r\n'));
  await dialog.getByRole('button', { name: 'Save 1 change' }).click();
  await expect(dialog.getByRole('alert')).toContainText(
    'One custom field cannot carry both “Order Number” and “Invoice Number”.',
  );
  await isAccessible(page);
  await page.keyboard.press('Escape');

  await page.getByRole('button', { name: 'History' }).click();
  await expect(dialog).toContainText('Order Number → P.O. Number');
  await dialog.getByRole('button', { name: 'Undo' }).first().click();
  await page.keyboard.press('Escape');
  await expect(row).toContainText('not mapped');
});

test('every setup dialog is accessible and describes its effect', async ({ page }) => {
  const hostile = `<b>“Wide” & Sons: ${'مكتب '.repeat(30)}🚀 ${'long '.repeat(60)}`;
  await product.autotask.add('Companies', {
    companyName: hostile,
    companyType: 1,
    isActive: true,
    ownerResourceID: 21,
  });
  await page.goto('/customer-mappings');
  await page.getByRole('button', { name: 'Refresh', exact: true }).click();
  await page.getByRole('button', { name: 'Search', exact: true }).click();
  const dialog = page.getByRole('dialog');
  const closed = async () => {
    await page.keyboard.press('Escape');
    await expect(dialog).toHaveCount(0);
  };

  await test.step('mapping, with an open list', async () => {
    const row = page.getByRole('row').filter({ hasText: '“Wide” & Sons' });
    await row.getByRole('checkbox').check();
    await page.getByRole('button', { name: 'Map to Customer' }).click();
    await expect(page.getByRole('option').first()).toBeVisible();
    await isAccessible(page);
    await page.keyboard.press('Escape');
    await closed();
    await row.getByRole('checkbox').uncheck();
  });

  await test.step('deleting, with the specified question', async () => {
    await page.getByRole('button', { name: 'Delete mapping of Ember Cafe' }).click();
    await expect(dialog).toContainText('Ember Cafe');
    await isAccessible(page);
    await closed();
  });

  await test.step('a file: its changes, and its errors by line', async () => {
    await page.getByRole('button', { name: 'CSV' }).click();
    const download = page.waitForEvent('download');
    await dialog.getByRole('button', { name: 'Export CSV' }).click();
    const text = await readFile(await (await download).path(), 'utf8');
    const read = (buffer: string) =>
      dialog
        .getByLabel('Import a CSV file')
        .setInputFiles({ name: 'mappings.csv', mimeType: 'text/csv', buffer: Buffer.from(buffer) });
    await read(text);
    await expect(dialog.getByText('No changes. The file matches the saved mappings.')).toBeVisible();
    await read(text.replace(/^(.*Ember Cafe"),[^,]*,[^,]*(.*)$/m, '$1,,$2'));
    await expect(dialog.getByText(/^1 mapping will change, /)).toBeVisible();
    await expect(dialog.getByRole('button', { name: 'Save 1 change' })).toBeEnabled();
    await isAccessible(page);
    await read(text.replace(/^(.*Ember Cafe"),[^,]*,[^,]*(.*)$/m, '$1,999999,Unknown$2'));
    await expect(dialog.getByText('1 line cannot be imported. Fix the file and choose it again.')).toBeVisible();
    await expect(dialog.getByRole('button', { name: /^Save \d/ })).toBeDisabled();
    await isAccessible(page);
    await closed();
  });

  await test.step('the history', async () => {
    await page.getByRole('button', { name: 'History' }).click();
    await expect(dialog.getByText('admin@northwind-msp.example').first()).toBeVisible();
    await isAccessible(page);
    await closed();
  });

  await test.step('the defaults, between the two clicks', async () => {
    await page.goto('/settings');
    await page.getByRole('button', { name: 'Restore Defaults' }).click();
    await expect(page.getByRole('button', { name: 'Click Again to Restore' })).toBeVisible();
    expect(await findingsOn(page)).toEqual([]);
  });
});
