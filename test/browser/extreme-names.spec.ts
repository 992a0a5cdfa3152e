import { readFile } from 'node:fs/promises';
import { expect, test, type Page } from '@playwright/test';
import Papa from 'papaparse';
import { signIn } from '../support/api-client.ts';
import { defectsOf, logIn } from '../support/browser.ts';
import { newProcessFixture, type ProcessFixture } from '../support/process-fixture.ts';
import type { Control } from '../support/world.ts';

/**
 * Extreme names in all records: 500 characters with and without spaces, right-to-left text, emoji, quotes, colons,
 * HTML, line breaks and spreadsheet formulas. Every screen and printed page shows them as text without overflow, and
 * every file exports and imports them.
 */
const names = [
  'x'.repeat(500),
  `شركة الاختبار للتقنية "المحدودة" 🚀 ${'اسم طويل '.repeat(40)}`,
  `👩‍👩‍👧‍👦 O'Neill & "Sons": a/b\\c, ltd. ${'and one more word '.repeat(25)}`,
  '<b>bold</b> &amp; <img src=x onerror=alert(1)>',
  '=HYPERLINK("http://evil.example","click")',
  'one line\r\nand another\n- and a third',
] as const;

/** The name, cut to the maximum length of the service. */
const fields: readonly (readonly [service: 'autotask' | 'quickbooks', entity: string, field: string, most: number])[] =
  [
    ['autotask', 'Companies', 'companyName', 500],
    ['autotask', 'BillingCodes', 'name', 500],
    ['autotask', 'Products', 'name', 500],
    ['autotask', 'Contacts', 'firstName', 500],
    ['autotask', 'Contacts', 'lastName', 500],
    ['autotask', 'Resources', 'lastName', 500],
    ['autotask', 'Contracts', 'contractName', 500],
    ['autotask', 'OrganizationalLevel2s', 'name', 500],
    ['autotask', 'TaxRegions', 'name', 500],
    ['autotask', 'TaxCategories', 'name', 500],
    ['autotask', 'BillingItems', 'itemName', 500],
    ['autotask', 'BillingItems', 'description', 500],
    ['autotask', 'ExpenseItems', 'description', 500],
    ['autotask', 'ExpenseReports', 'name', 500],
    ['autotask', 'PurchaseOrders', 'purchaseOrderNumber', 500],
    ['autotask', 'PurchaseOrders', 'generalMemo', 500],
    ['quickbooks', 'Customer', 'DisplayName', 95],
    ['quickbooks', 'Vendor', 'DisplayName', 95],
    ['quickbooks', 'Item', 'Name', 95],
    ['quickbooks', 'Account', 'Name', 95],
    ['quickbooks', 'Class', 'Name', 95],
  ];

const screens = [
  '/my',
  '/needs-attention',
  '/approval',
  '/my-invoices',
  '/my-purchase-orders',
  '/my-expenses',
  '/customer-mappings',
  '/vendor-mappings',
  '/expense-mappings',
  '/item-mappings',
  '/lines-of-business',
  '/locations',
  '/tax-regions',
  '/custom-fields',
  '/month-end',
  '/logs',
  '/audit',
  '/connections',
  '/settings',
  '/settings?tab=purchase_orders',
  '/item-settings',
  '/users',
  '/security',
] as const;

let fixture: ProcessFixture;
let url: string;
const renamed: Record<string, number> = {};

async function rename(service: Control, entity: string, field: string, most: number): Promise<void> {
  for (const [index, row] of (await service.list(entity)).entries()) {
    const id = row['id'] ?? row['Id'];
    if (typeof id !== 'number' && typeof id !== 'string') continue;
    // A number makes each name unique, after the sign that would start a formula. QuickBooks rejects colons, quotes and
    // line breaks in some names.
    const wanted = names[index % names.length] ?? '';
    const name = (wanted.startsWith('=') ? `${wanted}${index}` : `${index} ${wanted}`).slice(0, most);
    const isAccepted = await service.put(entity, id, { [field]: name }).then(
      () => true,
      () =>
        service.put(entity, id, { [field]: name.replaceAll(/[:\t\r\n]/g, ' ').slice(0, 90) }).then(
          () => true,
          () => false,
        ),
    );
    if (isAccepted) renamed[`${entity} ${field}`] = (renamed[`${entity} ${field}`] ?? 0) + 1;
  }
}

test.beforeAll(async () => {
  test.setTimeout(300_000);
  fixture = await newProcessFixture();
  for (const [service, entity, field, most] of fields) await rename(fixture[service], entity, field, most);
  ({ url } = await fixture.start());
  const client = await signIn(url);
  await client.connectQuickBooks();
  await client.data('POST', '/api/my/settings/', {
    inv_default_income_account: '2',
    po_default_expense_account: '14',
  });
  const map = async (namespace: string, source: string, target: string, to: string) => {
    const { rows } = (await client.data('GET', `/api/my/mappings/${namespace}`)) as unknown as {
      rows: readonly { source_value: string; label: string }[];
    };
    await client.data('POST', `/api/my/xrefs/${namespace}/multiple`, {
      xrefs: rows.slice(0, 4).map(({ source_value, label }) => ({
        source_entity: source,
        source_value,
        source_value_label: label.slice(0, 500),
        target_entity: target,
        target_value: to,
        target_value_label: null,
      })),
    });
  };
  await map('ItemBilling', 'BillingCode', 'Item', '21');
  await map('ExpenseCategoryNonBillable', 'ExpenseCategory', 'Account', '12');
  for (const kind of ['invoices', 'purchase-orders', 'expense-reports'])
    await client.data('POST', `/api/my/${kind}/sync/submit/all`, { mode: 'test' });
  await client.data('POST', '/api/my/invoices/sync/submit', { invoice_ids: [48_213, 48_302, 48_309], mode: 'live' });
  await client.data('POST', '/api/my/users/invitations', {
    email: `${'very.long.'.repeat(6)}@northwind-msp.example`,
    name: '‏שם <b>bold</b> "Grace": 🚀 Hopper'.slice(0, 100),
  });
  const isOver = async () => {
    const { jobs } = (await client.data('GET', '/api/my/jobs')) as unknown as { jobs: readonly { status: string }[] };
    return jobs.every(({ status }) => !['queued', 'running'].includes(status));
  };
  await expect.poll(isOver, { timeout: 120_000 }).toBe(true);
  // With four eyes, the user who starts a sync cannot approve it, so its document remains a draft.
  await client.data('POST', '/api/my/settings/', { require_approval: true, approval_four_eyes: true });
  await client.data('POST', '/api/my/invoices/sync/submit', { invoice_ids: [48_310], mode: 'live' });
  await expect.poll(async () => (await client.data('GET', '/api/my/drafts'))['waiting'], { timeout: 60_000 }).toBe(1);
});
test.afterAll(() => fixture.close());

/** Returns layout defects of a page: overflow, names parsed as HTML, and cut text. */
const layoutDefects = (page: Page): Promise<string[]> =>
  page.evaluate<string[]>(`(() => {
    const wrong = [];
    const over = document.documentElement.scrollWidth - window.innerWidth;
    if (over > 0) wrong.push('the page is ' + over + ' pixels too wide');
    if (document.querySelector('img[src="x"], main b, [role=dialog] b') !== null) wrong.push('a name became an element');
    for (const one of document.querySelectorAll('[role=dialog]')) {
      const box = one.getBoundingClientRect();
      if (box.width > 0 && (box.left < -1 || box.right > window.innerWidth + 1)) wrong.push('a dialog leaves the window');
    }
    for (const one of document.querySelectorAll('button, a[role=button], [role=tab]')) {
      const box = one.getBoundingClientRect();
      if (box.width > window.innerWidth) wrong.push('a button is wider than the window: ' + one.textContent.slice(0, 60));
    }
    for (const one of document.querySelectorAll('[role=dialog] button, [role=option]'))
      if (one.scrollWidth > one.clientWidth + 1) wrong.push('cut away: ' + one.textContent.slice(0, 60));
    for (const one of document.querySelectorAll('tr[aria-label*="test"], tr[aria-label*="live"]'))
      if (one.getBoundingClientRect().height > 200) wrong.push('one entry of the log fills the screen');
    return wrong;
  })()`);

for (const width of [1440, 390])
  test(`extreme names stay inside every screen: ${width} wide`, async ({ browser }) => {
    test.setTimeout(300_000);
    for (const [service, entity, field] of fields)
      expect
        .soft([service, entity, field, renamed[`${entity} ${field}`] ?? 0])
        .not.toEqual([service, entity, field, 0]);
    const context = await browser.newContext({ viewport: { width, height: 900 }, reducedMotion: 'reduce' });
    const page = await context.newPage();
    const defects = defectsOf(page);
    const seen: Record<string, string[]> = {};
    let shown = 0;
    const look = async (where: string) => {
      await page.waitForLoadState('networkidle');
      seen[where] = await layoutDefects(page);
      const text = await page.locator('body').innerText();
      shown += names.filter((name) => text.includes(name.slice(0, 30))).length;
    };
    const dialog = page.getByRole('dialog');
    const close = async () => {
      await dialog.getByRole('button', { name: 'Close' }).first().click();
      await expect(dialog).toHaveCount(0);
    };
    const choose = () => page.locator('tbody').getByRole('checkbox').first().check();
    await page.goto(`${url}/login`);
    await logIn(page, 'admin@northwind-msp.example', 'Demo-Passw0rd!');
    await expect(page.getByRole('heading', { name: 'Latest Activity' })).toBeVisible();
    for (const path of screens) {
      await page.goto(`${url}${path}`);
      await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
      if (path === '/customer-mappings' || path === '/vendor-mappings')
        await page.getByRole('button', { name: 'Search', exact: true }).click();
      await look(path);
    }

    await test.step('all log entries', async () => {
      await page.goto(`${url}/logs`);
      const rows = page.getByRole('row', { name: /(test|live)/ });
      await expect(rows.first()).toBeVisible();
      for (let index = 0; index < (await rows.count()); index += 1) {
        await rows.nth(index).click();
        await expect(dialog).toBeVisible();
        await look(`log entry ${index}`);
        await close();
      }
    });

    await test.step('printed: a log entry, the drafts, and one draft', async () => {
      const onPaper = async (where: string) => {
        await page.emulateMedia({ media: 'print' });
        await look(`${where} on paper`);
        await page.emulateMedia({ media: null });
      };
      await page.goto(`${url}/logs`);
      await page.getByRole('row', { name: /live/ }).filter({ hasText: '48213' }).click();
      await expect(dialog.getByRole('article')).toBeVisible();
      await onPaper('an entry of the log');
      await close();
      await page.goto(`${url}/approval`);
      const draft = page.getByRole('row', { name: /48310/ });
      await expect(page.getByRole('table', { name: 'Documents' })).toBeVisible();
      await look('drafts');
      await onPaper('drafts');
      await draft.focus();
      await page.keyboard.press('Enter');
      await expect(dialog.getByRole('article')).toBeVisible();
      await look('a draft');
      await onPaper('a draft');
      await close();
    });

    await test.step('mapping files: exports and imports every name', async () => {
      for (const path of ['/customer-mappings', '/item-mappings', '/expense-mappings']) {
        await page.goto(`${url}${path}`);
        await page.getByRole('button', { name: 'CSV' }).click();
        const download = page.waitForEvent('download');
        await dialog.getByRole('button', { name: 'Export CSV' }).click();
        const text = await readFile(await (await download).path(), 'utf8');
        const { data, errors } = Papa.parse<string[]>(text.replace('\uFEFF', ''));
        expect([path, errors]).toEqual([path, []]);
        expect(data.flat().filter((cell) => /^[=+\-@\t\r]/.test(cell))).toEqual([]);
        const read = (content: string) =>
          dialog
            .getByLabel('Import a CSV file')
            .setInputFiles({ name: 'mappings.csv', mimeType: 'text/csv', buffer: Buffer.from(content) });
        await read(text);
        await expect(dialog.getByText('No changes. The file matches the saved mappings.')).toBeVisible();
        await look(`${path} as a file`);
        // Deletes all mappings, then makes all invalid, for two long lists of these names.
        const changed = (id: string) =>
          Papa.unparse(data.map((row, at) => (at === 0 ? row : [row[0], row[1], id, ''])));
        await read(changed(''));
        await expect(dialog.getByRole('status').or(dialog.getByText('is saved already')).first()).toBeVisible();
        await look(`${path} emptied by a file`);
        await read(changed(`<img src=x> ${'9'.repeat(300)}`));
        await expect(dialog.getByRole('alert')).toContainText('cannot be imported');
        await look(`${path} refused by a file`);
        await close();
      }
    });

    await test.step('the log as a file', async () => {
      await page.goto(`${url}/logs`);
      const download = page.waitForEvent('download');
      await page.getByRole('button', { name: 'Export' }).click();
      const text = await readFile(await (await download).path(), 'utf8');
      const { data, errors } = Papa.parse<string[]>(text, { skipEmptyLines: true });
      expect(errors).toEqual([]);
      expect(new Set(data.map(({ length }) => length)).size).toBe(1);
      expect(data.flat().filter((cell) => /^[=+@\t\r]|^-(?!\d)/.test(cell))).toEqual([]);
    });

    await test.step('the dialogs of a mapping', async () => {
      await page.goto(`${url}/customer-mappings`);
      await page.getByRole('button', { name: 'Search', exact: true }).click();
      await choose();
      await page.getByRole('button', { name: 'Map to Customer' }).click();
      await expect(page.getByRole('option').first()).toBeVisible();
      await look('map to a customer');
      await close();
      await page.goto(`${url}/item-mappings`);
      await page.getByLabel('Suggest').check();
      await look('suggestions of items');
      await page.getByRole('button', { name: 'History' }).click();
      await expect(dialog).toBeVisible();
      await look('history of items');
      await close();
      await page.getByRole('checkbox', { name: 'Select all billing codes' }).check();
      await page.getByRole('button', { name: 'Remove Mapping(s)' }).click();
      await expect(dialog).toContainText(/and \d+ other billing codes?|Please confirm/);
      await look('mappings of items removed');
      await close();
      for (const path of ['/lines-of-business', '/tax-regions', '/expense-mappings', '/custom-fields']) {
        await page.goto(`${url}${path}`);
        await page
          .getByRole('button', { name: /^Edit / })
          .first()
          .click();
        await expect(page.getByRole('button', { name: 'Cancel' })).toBeVisible();
        await look(`${path} edited in its place`);
        await page.getByRole('button', { name: 'Cancel' }).click();
        await page.getByRole('button', { name: 'History' }).click();
        await expect(dialog).toBeVisible();
        await look(`history of ${path}`);
        await close();
      }
    });

    await test.step('a review before a sync', async () => {
      await page.goto(`${url}/my-invoices`);
      await choose();
      await page.getByRole('button', { name: 'Sync', exact: true }).click();
      await expect(dialog).toBeVisible();
      await look('confirm a sync');
    });

    expect(Object.entries(seen).filter(([, wrong]) => wrong.length > 0)).toEqual([]);
    expect(shown, 'extreme names visible on the screens').toBeGreaterThan(20);
    expect(defects).toEqual([]);
    await context.close();
  });
