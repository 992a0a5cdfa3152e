import { expect, type Locator, type Page } from '@playwright/test';
import { clientToday, defectsOf, findingsInBothSchemes } from '../support/browser.ts';
import { newProduct, test } from '../support/journey.ts';

const product = newProduct({
  settings: {
    inv_default_income_account: '2',
    inv_create_item_automatically: true,
    po_default_expense_account: '14',
    sync_start_date: clientToday(),
  },
  after: async ({ api }) => {
    await api.data('POST', '/api/my/users/invitations', {
      email: 'ada@northwind-msp.example',
      name: 'Ada King',
      role: 'accountant',
    });
    await api.data('POST', '/api/my/invoices/sync/submit', { mode: 'test', invoice_ids: [48_213] });
  },
});

const dialogOf = (page: Page): Locator => page.getByRole('dialog');

/** Opens a dialog with a key and closes it. Expects the focus on the opener afterward. */
async function returnsFocus(page: Page, opener: Locator, close: 'Escape' | 'Escape Escape' | 'Cancel' = 'Escape') {
  await expect(opener).toBeEnabled();
  await opener.focus();
  await page.keyboard.press('Enter');
  await expect(dialogOf(page)).toBeVisible();
  if (close === 'Cancel') await dialogOf(page).getByRole('button', { name: close, exact: true }).last().click();
  else for (const key of close.split(' ')) await page.keyboard.press(key);
  await expect(dialogOf(page)).toHaveCount(0);
  await expect(opener).toBeFocused();
}

const button = (page: Page, name: string | RegExp) =>
  page.getByRole('button', { name, exact: typeof name === 'string' });

test('the focus returns to the control that opened a dialog', async ({ page }) => {
  const defects = defectsOf(page);
  await page.goto('/my-invoices');

  await test.step('on a sync screen', async () => {
    const box = page.getByRole('checkbox', { name: 'Select Invoice 48213' });
    await box.check();
    for (const name of ['Clear Sync Status', 'Test Sync', 'Sync', 'Payments and voids']) {
      await returnsFocus(page, button(page, name));
      await returnsFocus(page, button(page, name), 'Cancel');
    }
  });

  await test.step('in the header, and with global shortcuts', async () => {
    await returnsFocus(page, button(page, /^Go to/));
    for (const key of ['Control+k', '?']) {
      await button(page, 'Search').focus();
      await page.keyboard.press(key);
      await expect(dialogOf(page)).toBeVisible();
      await page.keyboard.press('Escape');
      await expect(dialogOf(page)).toHaveCount(0);
      await expect(button(page, 'Search')).toBeFocused();
    }
  });

  await test.step('on the Overview', async () => {
    await page.goto('/my');
    await returnsFocus(page, page.getByRole('row', { name: /^Invoices/ }).getByRole('button', { name: 'Sync Now' }));
  });

  await test.step('on Logs', async () => {
    await page.goto('/logs');
    await returnsFocus(page, page.getByRole('row', { name: /^invoice 48213, test/ }));
  });

  await test.step('on Users, from a row’s menu', async () => {
    await page.goto('/users');
    await returnsFocus(page, button(page, /^Invite/), 'Cancel');
    const menu = button(page, /^Actions for ada/);
    await menu.focus();
    await page.keyboard.press('Enter');
    await page.getByRole('menuitem', { name: /^Withdraw/ }).press('Enter');
    await expect(dialogOf(page)).toBeVisible();
    await expect(dialogOf(page).getByRole('button', { name: 'Cancel' })).toBeFocused();
    await page.keyboard.press('Escape');
    await expect(dialogOf(page)).toHaveCount(0);
    await expect(menu).toBeFocused();
  });

  await test.step('on mappings', async () => {
    await page.goto('/item-mappings');
    await page.getByRole('table').getByRole('checkbox').nth(1).check();
    // The first Escape closes the list.
    await returnsFocus(page, button(page, 'Map to Item'), 'Escape Escape');
    await returnsFocus(page, button(page, 'History'));
    await returnsFocus(page, button(page, 'CSV'));
  });

  await test.step('on Security, and with unsaved settings', async () => {
    await page.goto('/security');
    await returnsFocus(page, button(page, 'Change password'));
    await page.goto('/settings');
    await page.getByRole('spinbutton').first().fill('17');
    await returnsFocus(
      page,
      page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Overview' }),
      'Cancel',
    );
  });
  expect(defects).toEqual([]);
});

test('a confirmation dialog focuses its safe button', async ({ page }) => {
  // Autotask answers after the request timeout, so the list appears later.
  await product.autotask.fault({ match: { path: '/Invoices/query' }, times: 1, action: { delay_ms: 4_000 } });
  await page.goto('/my-invoices');
  await page.getByRole('checkbox', { name: 'Select Invoice 48213' }).check();
  for (const name of ['Clear Sync Status', 'Test Sync', 'Sync']) {
    await button(page, name).click();
    await expect(dialogOf(page).getByRole('button', { name: 'Cancel' })).toBeFocused();
    await page.keyboard.press('Enter');
    await expect(dialogOf(page)).toHaveCount(0);
  }
  // Automatic sync starts here. The rest does not depend on unsynced documents.
  await product.api.data('POST', '/api/my/settings/', {
    inv_sync_active: true,
    exp_sync_active: true,
    pay_sync_active: true,
    void_sync_active: true,
  });
  await page.goto('/my');
  await button(page, 'Turn on automatic sync of purchase orders').click();
  await expect(dialogOf(page).getByRole('button', { name: 'Cancel' })).toBeFocused();
});

test('an edited row keeps the focus, and Escape cancels the edit', async ({ page }) => {
  await page.goto('/lines-of-business');
  await expect(page.getByRole('heading', { name: 'Lines of Business' })).toBeVisible();
  for (const path of ['/lines-of-business', '/custom-fields']) {
    await page.goto(path);
    const edit = button(page, /^Edit /).first();
    const name = (await edit.getAttribute('aria-label')) ?? '';
    const ofRow = page.getByRole('row').filter({ has: page.locator('input, select').and(page.locator(':focus')) });
    await edit.focus();
    await page.keyboard.press('Enter');
    await expect(ofRow).toHaveCount(1);
    await page.keyboard.press('Escape');
    await expect(button(page, name)).toBeFocused();
    await expect(button(page, 'Save')).toHaveCount(0);
    await page.keyboard.press('Enter');
    await ofRow.getByRole('button', { name: 'Cancel' }).click();
    await expect(button(page, name)).toBeFocused();
  }
});

test('the palette finds documents, customers and settings, and starts a test', async ({ page }) => {
  const defects = defectsOf(page);
  const asked: string[] = [];
  page.on('request', (request) => {
    if (request.url().includes('/api/my/logs?q=')) asked.push(request.url());
  });
  await page.goto('/audit');
  await expect(page.getByRole('heading', { name: 'Audit Trail', level: 1 })).toBeVisible();
  const palette = page.getByRole('dialog', { name: 'Go to' });
  const option = (name: RegExp) => palette.getByRole('option', { name }).first();
  const find = async (text: string) => {
    if (!(await palette.isVisible())) await page.keyboard.press('Control+k');
    await expect(palette.getByRole('combobox')).toBeFocused();
    await page.keyboard.press('ControlOrMeta+a');
    await page.keyboard.type(text);
  };

  await find('48213');
  await expect(option(/^Invoice 48213 · Acme Dental.*\$/)).toBeVisible();
  await expect(option(/^Find Autotask invoice ID 48213/)).toBeVisible();
  // A busy browser may pause between two keys. Without the delay there would be one request for each of four lengths.
  expect(asked.length, 'requests only after a pause in typing').toBeLessThan(4);
  expect(await findingsInBothSchemes(page)).toEqual([]);
  await find('acme');
  await expect(option(/^Acme Dental/)).toContainText('Documents in the logs');
  await option(/^Invoice 48213/).click();
  await expect(page.getByRole('heading', { name: 'Invoice 48213', level: 1 })).toBeVisible();

  await find('rounding');
  await expect(option(/^Account of rounding differences/)).toContainText('Invoices');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('combobox', { name: 'Account of rounding differences' })).toBeFocused();
  await expect(page).toHaveURL('/settings#inv_rounding_account');
  await page.keyboard.press('Escape');

  await find('sync expense');
  await expect(palette.getByRole('option')).toHaveCount(4);
  await page.keyboard.press('Enter');
  const sync = page.getByRole('dialog', { name: /^Sync expense reports now/ });
  await expect(sync.getByRole('radio', { name: /TEST/ })).toBeChecked();
  await expect(sync.locator(':focus')).toHaveCount(1);
  await page.keyboard.press('Escape');
  await expect(sync).toHaveCount(0);
  await find('sync expense');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await expect(sync.getByRole('radio', { name: /Live/ })).toBeChecked();
  await expect(sync.locator(':focus')).toHaveCount(1);
  await page.keyboard.press('Escape');

  await find('ingram');
  await expect(option(/^Purchase order .* · Ingram Supplies/)).toBeVisible();
  await find('restore');
  const help = page.waitForEvent('popup');
  await option(/^Backup and restore/).click();
  await expect(await help).toHaveURL(/\/help\/operate\/backup$/);

  await find('shortcuts');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('dialog', { name: 'Keyboard shortcuts' })).toBeVisible();
  expect(defects).toEqual([]);
});
