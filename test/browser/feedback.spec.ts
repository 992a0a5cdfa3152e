import { expect, type Locator, type Page } from '@playwright/test';
import { defectsOf, logIn } from '../support/browser.ts';
import { admin, newProduct, password, test } from '../support/journey.ts';

const product = newProduct({ settings: { inv_default_income_account: '2' } });

/** Records how long each message of the bar was visible. */
async function watchMessages(page: Page): Promise<(text: string) => Promise<number>> {
  await page.evaluate(`
    window.seenMessages = new Map();
    const look = () => {
      const now = performance.now();
      for (const { textContent: text } of document.querySelectorAll('[data-kind="message"]')) {
        const known = window.seenMessages.get(text);
        if (known === undefined) window.seenMessages.set(text, { since: now, ms: 0 });
        else known.ms = now - known.since;
      }
      requestAnimationFrame(look);
    };
    requestAnimationFrame(look);
  `);
  return (text) => page.evaluate<number>(`window.seenMessages.get(${JSON.stringify(text)})?.ms ?? 0`);
}

const row = (page: Page, id: number) =>
  page.getByRole('row').filter({ has: page.getByText(String(id), { exact: true }) });

test('a synced invoice shows its date and number in every open tab without another search', async ({
  page,
  context,
}) => {
  const defects = defectsOf(page);
  await page.goto('/my-invoices?by=id&id=48213');
  await expect(row(page, 48_213)).toContainText('Not Synced');
  const other = await context.newPage();
  await other.goto('/my-invoices?by=id&id=48213');
  await expect(row(other, 48_213)).toContainText('Not Synced');
  const shown = await watchMessages(page);

  await row(page, 48_213).getByRole('checkbox').check();
  await page.getByRole('button', { name: 'Sync', exact: true }).click();
  await page
    .getByRole('dialog')
    .getByRole('button', { name: /^Review 1 invoice/ })
    .click();
  await expect.poll(() => shown('Submitting invoice sync job...')).toBeGreaterThan(1_900);
  await page.getByRole('button', { name: /^Post .+ to QuickBooks$/ }).click();
  await expect(page.getByText('1 posted, $1,966.25')).toBeVisible({ timeout: 60_000 });
  await page.getByRole('link', { name: 'Back to Invoices' }).click();
  await expect(row(page, 48_213)).toContainText('Synced', { timeout: 60_000 });
  await expect(row(page, 48_213)).not.toContainText('Not Synced');
  const number = (await product.quickbooks.list('Invoice')).map(({ DocNumber }) => String(DocNumber)).at(-1) ?? '?';
  await expect(row(page, 48_213)).toContainText(number);
  // The user returns to the other tab.
  await other.evaluate(`document.dispatchEvent(new Event('visibilitychange', { bubbles: true }))`);
  await expect(row(other, 48_213)).toContainText(number, { timeout: 60_000 });
  await other.close();
  expect(defects).toEqual([]);
});

test('each screen announces what it submits for two seconds', async ({ page }) => {
  for (const [path, name, message] of [
    ['/my-invoices?by=id&id=48307', 'Invoice 48307', 'Submitting invoice sync job...'],
    ['/my-purchase-orders', 'Purchase order PO-3310', 'Submitting purchase order sync job...'],
    ['/my-expenses', '', 'Submitting expense report sync job...'],
  ] as const)
    await test.step(message, async () => {
      if (page.url() === 'about:blank') await page.goto(path);
      else await page.goto(path);
      const shown = await watchMessages(page);
      await page
        .getByRole('checkbox', { name: new RegExp(`^Select (?!all).*${name}`) })
        .first()
        .check();
      await page.getByRole('button', { name: 'Test Sync' }).click();
      await page
        .getByRole('dialog')
        .getByRole('button', { name: /^TEST 1 / })
        .click();
      await expect.poll(() => shown(message)).toBeGreaterThan(1_900);
    });
});

test('“Saving settings...” and “Saving item_settings...” stay visible long enough to read', async ({ page }) => {
  await page.goto('/settings');
  const shown = await watchMessages(page);
  const saves: string[] = [];
  page.on(
    'request',
    (one) => one.method() === 'POST' && one.url().endsWith('/api/my/settings/') && saves.push(one.url()),
  );
  await page.getByLabel('Group invoice lines').check();
  await page.getByRole('button', { name: 'Save', exact: true }).dblclick();
  await expect(page.getByText('Saved changes.')).toBeVisible();
  expect(saves, 'a double click saves once').toHaveLength(1);
  await expect.poll(() => shown('Saving settings...')).toBeGreaterThan(1_900);
  await page.getByRole('link', { name: 'Item Settings' }).click();
  await page.getByRole('combobox', { name: 'Labour' }).click();
  await page.getByRole('option').last().click();
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await expect.poll(() => shown('Saving item_settings...')).toBeGreaterThan(1_900);
});

test('a message is green, alone, at the lower right, over no control, and its Undo restores the setting', async ({
  page,
}) => {
  await page.goto('/settings');
  const save = page.getByRole('button', { name: 'Save', exact: true });
  const age = page.getByLabel(/^Invoice max age/);
  const was = await age.inputValue();
  const message = page.locator('[data-kind="message"]');
  for (const [width, value] of [
    [1440, '17'],
    [390, '18'],
  ] as const) {
    await page.setViewportSize({ width, height: 800 });
    await age.fill(value);
    await save.click();
    await expect(message.filter({ hasText: 'Saved changes.' })).toHaveText('Saved changes.Undo');
    // It stays while the pointer is on it.
    await message.filter({ hasText: 'Saved changes.' }).hover();
    await expect(message).toHaveCount(1);
    await expect(message).toHaveAttribute('data-tone', 'success');
    await expect(async () => {
      const box = await message.boundingBox();
      if (box === null) throw new Error('the message is gone');
      // The scroll bar is beside it.
      expect(box.x + box.width).toBeGreaterThan(width - 40);
      expect(box.y).toBeGreaterThan(400);
      for (const button of await page.locator('main button').all()) {
        const other = await button.boundingBox();
        const covers =
          other !== null &&
          box.x < other.x + other.width &&
          box.x + box.width > other.x &&
          box.y < other.y + other.height &&
          box.y + box.height > other.y;
        expect(covers, await button.innerText()).toBe(false);
      }
    }).toPass({ timeout: 2_500 });
    await message.getByRole('button', { name: 'Undo' }).click();
    await expect(page.getByText('Your settings are back.')).toBeVisible();
    await expect(age).toHaveValue(was);
  }
  await page.setViewportSize({ width: 1440, height: 900 });
});

test('an error is visible at once, even after several saves', async ({ page }) => {
  await page.clock.install();
  await page.goto('/settings');
  await page.route('**/api/my/settings/', (route) => route.fulfill({ status: 500, body: '<h1>down</h1>' }));
  const save = page.getByRole('button', { name: 'Save', exact: true });
  const error = page.getByRole('alert').getByText('Server error.');
  await page.getByLabel('Group invoice lines').click();
  for (let times = 0; times < 5; times += 1) {
    // After the answer, exactly one second passes on the page, however slow the machine is.
    await page.clock.pauseAt(await page.evaluate(() => Date.now() + 5_000));
    const answered = page.waitForResponse('**/api/my/settings/');
    await save.click();
    await answered;
    await page.clock.runFor(1_000);
    await expect(error).toBeVisible();
    await page.clock.resume();
    await expect(save).toBeEnabled();
  }
  await page.getByRole('button', { name: 'Discard' }).click();
});

test('a hidden field with an error does not block a save', async ({ page }) => {
  await page.goto('/settings');
  const syncVoids = page.getByLabel('Automatic voided-invoice sync');
  const maxAge = page.getByLabel(/^Voided invoice max age/);
  await syncVoids.check();
  await maxAge.fill('9999');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await expect(maxAge).toHaveAttribute('aria-invalid', 'true');
  await syncVoids.uncheck();
  await expect(maxAge).toHaveCount(0);
  await page.getByLabel(/^Invoice max age/).fill('12');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await expect(page.getByText('Saved changes.')).toBeVisible();
  await expect(page.getByRole('tab', { name: /Invoices/ }).getByLabel('This tab has errors')).toHaveCount(0);
  const { settings } = await product.api.data('GET', '/api/my/settings');
  expect(settings).toMatchObject({ inv_max_age_days: 12, void_sync_active: false });
  expect(settings).not.toMatchObject({ void_max_age_days: 9999 });
});

test('only fitting accounts are offered and accepted, also while expense reports are off', async ({ page }) => {
  await page.goto('/settings');
  await page.getByRole('tab', { name: 'Expense Reports' }).click();
  const advances = page.getByRole('combobox', { name: /cash advance/i });
  await advances.click();
  await expect(page.getByRole('option', { name: 'Employee Advances' })).toBeVisible();
  for (const name of ['Checking', 'Undeposited Funds', 'Inventory Asset', 'Accounts Receivable', 'Service Income'])
    await expect(page.getByRole('option', { name: new RegExp(`^${name}`) })).toHaveCount(0);
  await page.keyboard.press('Escape');
  const before = (await product.api.data('GET', '/api/my/settings'))['settings'] as Record<string, unknown>;
  expect(before).toMatchObject({ exp_sync_active: false, inv_default_income_account: '2' });

  // A file can name any account.
  await page.getByRole('tab', { name: 'Advanced' }).click();
  await page.getByLabel('Settings file').setInputFiles({
    name: 'settings.json',
    mimeType: 'application/json',
    buffer: Buffer.from(JSON.stringify({ ...before, exp_cash_advance_expense_account: '2' })),
  });
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await expect(advances).toBeFocused();
  await expect(advances).toHaveAccessibleDescription(/Choose an active cash advance account\./);
  await page.getByRole('button', { name: 'Discard' }).click();

  // The form does not show this field while purchase orders create no items.
  const hidden = await product.api.call('POST', '/api/my/settings/', { po_default_expense_account: '2' });
  expect(hidden['errors']).toEqual([{ key: 'po_default_expense_account', error: 'Choose an active expense account.' }]);
  expect((await product.api.data('GET', '/api/my/settings'))['settings']).toEqual(before);
});

test('a double click does not confirm, and restored settings can be reverted', async ({ page }) => {
  await product.api.data('POST', '/api/my/settings/', { inv_max_age_days: 21 });
  await page.goto('/settings');
  await page.getByRole('button', { name: 'Restore Defaults' }).dblclick();
  const again = page.getByRole('button', { name: 'Click Again to Restore' });
  await expect(again).toBeVisible();
  await expect(page.getByText(/settings? will change to the default\. You can undo this\.$/)).toBeVisible();
  expect((await product.api.data('GET', '/api/my/settings'))['settings']).toMatchObject({ inv_max_age_days: 21 });
  await expect(again).toBeEnabled();
  await page.keyboard.press('Enter');
  await expect(page.getByText('Settings reset to defaults.')).toBeVisible();
  // The account that is missing now is marked, but keeps the focus where it is.
  await expect(page.getByText('Choose an active income account.')).toBeVisible();
  await expect(page.getByRole('button', { name: 'Restore Defaults' })).toBeFocused();
  expect((await product.api.data('GET', '/api/my/settings'))['settings']).toMatchObject({ inv_max_age_days: 14 });
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect(page.getByText('Your settings are back.')).toBeVisible();
  expect((await product.api.data('GET', '/api/my/settings'))['settings']).toMatchObject({
    inv_max_age_days: 21,
    inv_default_income_account: '2',
  });

  await page.goto('/connections');
  await page.getByRole('button', { name: 'Disconnect' }).dblclick();
  await expect(page.getByText(/^Automatic syncs stop/)).toBeVisible();
  await expect(page.getByRole('button', { name: 'Click Again to Disconnect' })).toBeVisible();
  await expect(page.getByText('Connected as').nth(1)).toBeVisible();
});

test('missing settings are marked, focused and named', async ({ page }) => {
  await product.api.data('POST', '/api/my/settings/reset');
  await page.goto('/my');
  const step = page.getByRole('link', { name: /^Complete your Settings/ });
  await expect(step).toContainText('Choose an active income account.');
  await step.click();
  const account = page.getByRole('combobox', { name: 'Income account to use' });
  await expect(account).toBeFocused();
  await expect(account).toHaveAttribute('aria-invalid', 'true');
  await expect(page.getByRole('tab', { name: /Invoices/ }).getByLabel('This tab has errors')).toBeVisible();

  await test.step('a rejected save opens the tab of the first invalid field and focuses it', async () => {
    await page.getByRole('tab', { name: 'Expense Reports' }).click();
    await page.getByLabel(/^Expense report max age/).fill('25');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await expect(
      page.getByRole('alert').getByText('Income account to use: Choose an active income account.'),
    ).toBeVisible();
    await expect(account).toBeFocused();
  });
  await page.getByRole('button', { name: 'Discard' }).click();

  await test.step('on a phone the error is readable, and no list of groups is above the fields', async () => {
    await page.setViewportSize({ width: 390, height: 844 });
    await page.goto('/settings');
    await expect(account).toBeFocused();
    await expect(page.getByRole('listbox')).toHaveCount(0);
    await expect(page.getByText('Choose an active income account.')).toBeInViewport();
    await expect(page.getByRole('navigation', { name: 'Groups of Invoices' })).toBeHidden();
    await page.setViewportSize({ width: 1440, height: 900 });
  });

  await test.step('a link to another place in Settings opens that place', async () => {
    const errorOfTab = page.getByRole('tab', { name: /Invoices/ }).getByLabel('This tab has errors');
    for (const address of ['/settings?tab=other', '/settings#exp_max_age_days', '/settings#advanced-month-end-close']) {
      await page.goto('/my');
      await page.goto(address);
      await expect(errorOfTab).toBeVisible();
      await expect(page.getByRole('tab', { name: /Invoices/ })).toHaveAttribute('aria-selected', 'false');
      await expect(page).toHaveURL(address);
    }
  });
  await product.api.data('POST', '/api/my/settings/', { inv_default_income_account: '2' });
});

test('unsaved settings ask before the user leaves, and survive the end of the session', async ({ page }) => {
  await page.goto('/my');
  await page.getByRole('link', { name: 'Settings', exact: true }).click();
  await page.getByLabel(/^Invoice max age/).fill('9');
  const question = page.getByRole('dialog', { name: 'Leave without saving?' });

  await page.getByRole('link', { name: 'Connections' }).click();
  await expect(question).toBeVisible();
  await question.getByRole('button', { name: 'Cancel' }).click();
  await expect(page).toHaveURL(/\/settings$/);
  await page.goBack();
  await expect(question).toBeVisible();
  await question.getByRole('button', { name: 'Cancel' }).click();
  await expect(page).toHaveURL(/\/settings$/);
  await expect(page.getByLabel(/^Invoice max age/)).toHaveValue('9');

  const reload = page.waitForEvent('dialog');
  void page.reload().catch(() => undefined);
  await (await reload).dismiss();
  await expect(page.getByLabel(/^Invoice max age/)).toHaveValue('9');

  await test.step('a session that ends restores the input after the next login', async () => {
    await product.api.data('POST', '/api/my/sessions/end-others');
    // A background request may notice it before the click. Nothing is lost either way.
    await Promise.race([page.getByRole('button', { name: 'Save', exact: true }).click(), page.waitForURL(/\/login/)]);
    await expect(page).toHaveURL(/\/login/);
    await logIn(page, admin, password);
    await expect(page.getByText(/^Your session ended before you saved\./)).toBeVisible();
    await expect(page.getByLabel(/^Invoice max age/)).toHaveValue('9');
  });
  await page.getByRole('button', { name: 'Discard' }).click();
  await page.getByRole('link', { name: 'Connections' }).click();
  await expect(page).toHaveURL(/\/connections/);
});

test('a second tab with an outdated setting is notified and can compare', async ({ page }) => {
  await page.goto('/settings');
  await page.getByLabel(/^Invoice max age/).fill('11');
  await product.api.data('POST', '/api/my/settings/', { inv_max_age_days: 13 });
  // The field is far above the button.
  await page.evaluate('scrollTo(0, 100_000)');
  await expect(page.getByLabel(/^Invoice max age/)).not.toBeInViewport();
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await expect(
    page.getByText('You, in another window, changed this to “13” after you opened it.', { exact: true }),
  ).toBeInViewport();
  expect((await product.api.data('GET', '/api/my/settings'))['settings']).toMatchObject({ inv_max_age_days: 13 });
  await page.getByRole('button', { name: 'Overwrite with “11”' }).click();
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await expect(page.getByText('Saved changes.')).toBeVisible();
  expect((await product.api.data('GET', '/api/my/settings'))['settings']).toMatchObject({ inv_max_age_days: 11 });
});

test('a mapping search reports more results and failures', async ({ page }) => {
  const defects = defectsOf(page);
  for (let number = 1; number <= 60; number += 1)
    await product.quickbooks.add('Customer', { DisplayName: `Zephyr Dental ${number}` });
  await product.api.data('GET', '/api/my/mappings/Customer?refresh=true');
  await page.goto('/customer-mappings');
  await page.getByRole('button', { name: 'Search', exact: true }).click();
  await page.getByRole('row', { name: 'Ember Cafe' }).getByRole('checkbox').check();
  await page.getByRole('button', { name: 'Map to Customer' }).click();
  const field = page.getByRole('dialog').getByRole('combobox', { name: 'QuickBooks Customer' });
  await field.fill('zephyr');
  await expect(page.getByRole('option', { name: 'Showing 50 of 60, keep typing' })).toBeVisible();
  await field.fill('zephyr dental 17');
  await expect(page.getByRole('option', { name: 'Zephyr Dental 17' })).toBeVisible();
  await expect(page.getByRole('option', { name: /^Showing/ })).toHaveCount(0);

  // Offline, the search would repeat itself once the connection returns.
  await page.route('**/api/**', (route) => route.abort('internetdisconnected'));
  await field.fill('zephyr dental 23');
  await expect(page.getByText(/^The search failed: ./)).toBeVisible();
  await page.unroute('**/api/**');
  await page.getByRole('button', { name: 'Retry' }).click();
  await field.click();
  await expect(page.getByRole('option', { name: 'Zephyr Dental 23' })).toBeVisible();
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').getByRole('button', { name: 'Close' }).last().click();

  await test.step('search, tab and page are part of the URL', async () => {
    await page.getByRole('checkbox', { name: 'Active Only' }).uncheck();
    await page.getByRole('searchbox').fill('e');
    await page.getByRole('button', { name: 'Search', exact: true }).click();
    await expect(page).toHaveURL(/\?q=e&inactive=shown$/);
    const rows = await page.getByRole('row').count();
    await page.reload();
    await expect(page.getByRole('searchbox')).toHaveValue('e');
    await expect(page.getByRole('checkbox', { name: 'Active Only' })).not.toBeChecked();
    await expect(page.getByRole('row')).toHaveCount(rows);
    await page.goto('/item-mappings');
    await page.getByRole('button', { name: 'Next page' }).click();
    await expect(page).toHaveURL(/\?page=2$/);
    await page.reload();
    await expect(page.getByText(/^Page 2 of/)).toBeVisible();
    await page.goto('/vendor-mappings');
    await page.getByRole('tab', { name: 'Employees' }).click();
    await page.reload();
    await expect(page.getByRole('tab', { name: 'Employees' })).toHaveAttribute('aria-selected', 'true');
  });
  expect(defects.filter((text) => !/ERR_INTERNET_DISCONNECTED/.test(text))).toEqual([]);
});

test('Active Only hides an inactive company, mapped or not', async ({ page }) => {
  const [mapped] = await Promise.all(
    ['Umber Bakery', 'Umber Brewery'].map((companyName) =>
      product.autotask.add('Companies', { companyName, companyType: 1, isActive: false }),
    ),
  );
  const mapping = { source_entity: 'Company', source_value: String(mapped?.['id']), source_value_label: null };
  await product.api.data('POST', '/api/my/xrefs/Customer/multiple', {
    xrefs: [{ ...mapping, target_entity: 'Customer', target_value: '58', target_value_label: null }],
  });
  await page.goto('/customer-mappings?q=umber');
  await page.getByRole('button', { name: 'Refresh' }).click();
  const rows = page.locator('tbody').getByRole('row');
  await expect(page.getByRole('checkbox', { name: 'Active Only' })).toBeChecked();
  await expect(rows.filter({ hasText: 'Umber' })).toHaveCount(0);
  await page.getByRole('checkbox', { name: 'Active Only' }).uncheck();
  await page.getByRole('button', { name: 'Search', exact: true }).click();
  await expect(rows.filter({ hasText: 'Umber' })).toHaveCount(2);
});

test('the product search finds what the API finds with “like”', async ({ page }) => {
  const filter = [
    { field: 'isActive', op: 'eq', value: 1 },
    { field: 'name', op: 'like', value: '%monitor%' },
  ];
  const { response } = await product.api.data('POST', '/api/my/autotask/Products/query', { query: { filter } });
  const { items } = response as unknown as { items: readonly { name: string }[] };
  expect(items).not.toEqual([]);
  await page.goto('/item-mappings');
  await page.getByRole('tab', { name: 'Purchase Orders' }).click();
  await page.getByRole('searchbox').fill('monitor');
  const rows = page.locator('tbody').getByRole('row');
  await expect(rows).toHaveCount(items.length);
  for (const { name } of items) await expect(rows.filter({ hasText: name })).toHaveCount(1);
});

test('a slow request shows a spinner, and Sync Now waits for it', async ({ page }) => {
  await page.goto('/my');
  const syncNow = page.getByRole('button', { name: 'Sync Now: Invoices' });
  await expect(syncNow).toBeEnabled();
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route('**/api/my?*', async (route) => {
    await held;
    await route.continue();
  });
  await syncNow.focus();
  await page.getByRole('button', { name: 'Refresh' }).dispatchEvent('click');
  await expect(page.getByText('Working…')).toBeVisible();
  await expect(page.getByText('Working…')).toBeInViewport();
  await expect(syncNow).toBeDisabled();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('dialog')).toHaveCount(0);
  release();
  await expect(syncNow).toBeEnabled();
  await expect(syncNow).toBeFocused();
  await expect(page.getByText('Working…')).toBeHidden();
});

test('the spinner of a slow request covers no button', async ({ page }) => {
  await page.route('**/api/my/attention*', () => undefined);
  const spinner = page.getByRole('status').filter({ hasText: 'Working…' });
  const boxOf = async (what: Locator) => {
    const box = await what.boundingBox();
    if (box === null) throw new Error('the element is not on the page');
    return box;
  };
  for (const path of ['/settings', '/item-settings', '/connections', '/my-invoices'])
    for (const width of [1440, 390]) {
      await page.setViewportSize({ width, height: 700 });
      await page.goto(path);
      // A click reaches the title of a column through the spinner.
      const buttons = page.locator('main button:not(th button)');
      await expect(buttons.filter({ hasText: /^(Save|Test Connection|Search)$/ }).first()).toBeVisible();
      await expect(spinner).toBeVisible();
      for (const end of [0, 100_000]) {
        await page.evaluate(`scrollTo(0, ${end})`);
        const shown = await boxOf(spinner);
        const header = await boxOf(page.getByRole('banner'));
        for (const button of await buttons.all()) {
          const { x, y, width: wide, height: high } = await boxOf(button);
          // The header hides what is scrolled behind it.
          const top = Math.max(y, header.y + header.height);
          const isCovered =
            x < shown.x + shown.width && x + wide > shown.x && top < shown.y + shown.height && y + high > shown.y;
          expect(isCovered, `${path} at ${width}: ${(await button.innerText()) || 'button'}`).toBe(false);
        }
      }
    }
});

test('the buttons of a list stay enabled while the list is read again', async ({ page }) => {
  await page.goto('/my-purchase-orders');
  await page.getByRole('checkbox', { name: 'Select Purchase order PO-3310' }).check();
  const testSync = page.getByRole('button', { name: 'Test Sync' });
  await expect(testSync).toBeEnabled();
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  const asked = page.waitForRequest('**/PurchaseOrders/query');
  await page.route('**/PurchaseOrders/query', async (route) => {
    await held;
    await route.continue();
  });
  // The same search again reads the list in the background.
  await page.getByRole('button', { name: 'Search', exact: true }).click();
  await asked;
  await testSync.focus();
  for (const name of ['Clear Sync Status', 'Test Sync', 'Sync'])
    await expect(page.getByRole('button', { name, exact: true })).toBeEnabled();
  await expect(testSync).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('dialog')).toBeVisible();
  release();
});

test('without Procurement only purchase orders cannot be synced, and the Overview explains it', async ({ page }) => {
  await product.autotask.behave({ module_procurement: false });
  await product.api.data('GET', '/api/my/autotask/modules?refresh=true');
  await page.goto('/my');
  await expect(
    page.getByText('You must enable Procurement in Autotask to use the Purchase Orders portion'),
  ).toBeVisible();
  await expect(page.getByRole('button', { name: 'Sync Now: Invoices' })).toBeEnabled();
  await expect(page.getByRole('button', { name: 'Sync Now: Purchase Orders' })).toBeDisabled();
  await page.goto('/my-purchase-orders');
  await expect(page.getByRole('main')).toContainText('You must enable Procurement in Autotask');
  await expect(page.getByRole('main').getByRole('alert')).toHaveCount(0);
  await page.goto('/settings?tab=purchase_orders');
  await expect(page.getByRole('main')).toContainText('You must enable Procurement in Autotask');
  await expect(page.getByText('No setting matches.')).toHaveCount(0);
  await product.autotask.behave({ module_procurement: true });
});
