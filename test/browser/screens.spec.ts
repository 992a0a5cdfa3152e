import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { expect, type Page } from '@playwright/test';
import Papa from 'papaparse';
import { submitted, textOf } from '../../scripts/seed.ts';
import type { ApiClient } from '../support/api-client.ts';
import { findingsOn, hasSettled, logIn, prepareMonth } from '../support/browser.ts';
import { newProduct, password, sysadmin, test, type Product } from '../support/journey.ts';
import type { ProcessFixture } from '../support/process-fixture.ts';
import type { Control } from '../support/world.ts';

/**
 * Every screen for every kind of user, with extreme and hostile names in all records (reliability reference 2.3, rows
 * 15, 18 and 19): screens and printed pages show the names as text without overflow, files export and import them, no
 * script runs, nothing is fetched from other sites, and the content security policy reports nothing.
 */

/** 500 characters with and without spaces, right-to-left text, emoji, quotes, colons, HTML and line breaks. */
const extreme = [
  'x'.repeat(500),
  `شركة الاختبار للتقنية "المحدودة" 🚀 ${'اسم طويل '.repeat(40)}`,
  `👩‍👩‍👧‍👦 O'Neill & "Sons": a/b\\c, ltd. ${'and one more word '.repeat(25)}`,
  '<b>bold</b> &amp; <img src=x onerror=hit(0)>',
  'one line\r\nand another\n- and a third',
];

/** Short enough for names in both services. Covers every HTML context and spreadsheets. */
const hostile = [
  '<img src=x onerror=hit(1)>',
  '"><svg onload=hit(2)>',
  "';hit(3);//<script>hit(3)</script>",
  'javascript:hit(4)',
  '{{hit(5)}}${hit(5)}`',
  '</title><iframe srcdoc=x>',
  '=HYPERLINK("http://evil.example","click")',
];
const names = [...extreme, ...hostile];

/** Fields that screens, logs or documents show, and the maximum length of the service. */
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
    ['quickbooks', 'CompanyInfo', 'CompanyName', 95],
  ];

const accountant = 'ada.count@northwind-msp.example';
const renamed: Record<string, number> = {};
/** Permanent URLs of an entry, a review and a month, and error pages. */
let addresses: readonly string[] = [];

async function rename(service: Control, entity: string, field: string, most: number): Promise<void> {
  for (const [index, row] of (await service.list(entity)).entries()) {
    const id = row['id'] ?? row['Id'];
    if (typeof id !== 'number' && typeof id !== 'string') continue;
    const place = index % names.length;
    const wanted = names[place] ?? '';
    // A number makes each name unique. After hostile names, because the start of a text matters.
    const name = (place < extreme.length ? `${index} ${wanted}` : `${wanted} ${index}`).slice(0, most);
    // QuickBooks rejects colons, quotes and line breaks in some names.
    for (const accepted of [name, name.replaceAll(/[:\t\r\n]/g, ' ').slice(0, 90)]) {
      const isAccepted = await service.put(entity, id, { [field]: accepted }).then(
        () => true,
        () => false,
      );
      if (!isAccepted) continue;
      renamed[`${entity} ${field}`] = (renamed[`${entity} ${field}`] ?? 0) + 1;
      break;
    }
  }
}

async function renameAll(fixture: ProcessFixture): Promise<void> {
  for (const [service, entity, field, most] of fields) await rename(fixture[service], entity, field, most);
}

/** Posts, fails, changes, reconciles and drafts documents, so that every screen has content. */
async function fillScreens({ url, api, autotask, quickbooks }: Product): Promise<void> {
  const map = async (namespace: string, source: string, target: string, to: string) => {
    const { rows } = (await api.data('GET', `/api/my/mappings/${namespace}`)) as unknown as {
      rows: readonly { source_value: string; label: string }[];
    };
    const gone = hostile.map((label, index) => ({ source_value: `${900 + index}`, label }));
    await api.data('POST', `/api/my/xrefs/${namespace}/multiple`, {
      xrefs: [...rows.slice(0, 4), ...gone].map(({ source_value, label }) => ({
        source_entity: source,
        source_value,
        source_value_label: label.slice(0, 500),
        target_entity: target,
        target_value: to,
        target_value_label: label.slice(0, 500),
      })),
    });
  };
  await map('ItemBilling', 'BillingCode', 'Item', '21');
  await map('ExpenseCategoryNonBillable', 'ExpenseCategory', 'Account', '12');
  for (const kind of ['invoices', 'expense-reports'])
    await submitted(api, `/api/my/${kind}/sync/submit/all`, { mode: 'test' });
  const review = await submitted(api, '/api/my/purchase-orders/sync/submit/all', { mode: 'test' });
  await submitted(api, '/api/my/invoices/sync/submit', { invoice_ids: [48_213, 48_302, 48_309], mode: 'live' });
  const posted = (await quickbooks.list('Invoice')).find((one) =>
    /^Autotask invoice 48213\b/.test(textOf(one, 'PrivateNote')),
  );
  const month = textOf(posted ?? {}, 'TxnDate').slice(0, 7);
  await autotask.put('Invoices', 48_213, { invoiceTotal: Number(posted?.['TotalAmt']) + 100 });
  await prepareMonth(api, month);
  // With four eyes, the user who starts a sync cannot approve it, so its document remains a draft.
  await api.data('POST', '/api/my/settings/', { require_approval: true, approval_four_eyes: true });
  await api.data('POST', '/api/my/invoices/sync/submit', { invoice_ids: [48_310], mode: 'live' });
  await expect.poll(async () => (await api.data('GET', '/api/my/drafts'))['waiting'], { timeout: 60_000 }).toBe(1);
  await invite(url, api, accountant);
  await api.data('POST', '/api/my/users/invitations', {
    email: `${'very.long.'.repeat(6)}@northwind-msp.example`,
    name: '‏שם <b>bold</b> "Grace": 🚀 Hopper'.slice(0, 100),
  });
  const { logs } = (await api.data('GET', '/api/my/logs')) as { logs: readonly { Key: string }[] };
  addresses = [
    `/logs?key=${encodeURIComponent(logs[0]?.Key ?? '')}`,
    `/month-end/${month}`,
    `/my-purchase-orders?review=${textOf(review, 'id')}`,
    '/my-invoices?by=id&id=1',
    '/no-such-page',
    '/autotask?message=Zone+not+found&error=E-17',
    '/unauthorized',
  ];
}

/** Invites a user who accepts with the emailed link. */
async function invite(url: string, api: ApiClient, email: string): Promise<void> {
  await api.data('POST', '/api/my/users/invitations', { email, name: 'Ada Count', role: 'accountant' });
  let token = '';
  await expect
    .poll(async () => {
      const mails = await (await fetch(`${url}/demo/mails`)).text();
      return (token = /\/invitation\/(?:set#)?([\w-]+)/.exec(mails)?.[1] ?? '');
    })
    .not.toBe('');
  await api.data('POST', '/auth/accept-invitation', { token, password });
}

const product = newProduct({
  settings: { inv_default_income_account: '2', po_default_expense_account: '14' },
  before: renameAll,
  after: fillScreens,
});

/** Returns the screens of a logged-in user, from the table behind the menu. */
function screenPaths(): readonly string[] {
  const table = readFileSync(resolve(import.meta.dirname, '..', '..', 'src', 'web', 'shell', 'screens.ts'), 'utf8');
  const rows = table.matchAll(/paths: \['([^']+)'[^}]*?roles: ([^,]+),[^}]*?load: (null|\(\))/g);
  return [...rows].flatMap(([, path = '/', roles, load]) =>
    load === 'null' || roles === "'public'" || path === '/clients' ? [] : [path],
  );
}

/** Collects errors, failed requests, scripts that ran, and requests to other sites. */
async function watch(page: Page): Promise<string[]> {
  const seen: string[] = [];
  await page.exposeFunction('hit', (number: number) => void seen.push(`script ${number} ran`));
  await page.exposeFunction('reportViolation', (what: string) => void seen.push(`policy: ${what}`));
  await page.addInitScript(
    `document.addEventListener('securitypolicyviolation', (event) =>
       window.reportViolation(event.violatedDirective + ' ' + event.blockedURI + ' ' + event.sample));`,
  );
  page.on('dialog', (dialog) => {
    seen.push(`dialog ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on('pageerror', (error) => seen.push(`error: ${error.message}`));
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) seen.push(`${message.type()}: ${message.text()}`);
  });
  page.on('request', (request) => {
    const to = new URL(request.url());
    if (/^https?:$/.test(to.protocol) && to.origin !== product.url) seen.push(`fetched ${to.href}`);
  });
  page.on('response', (response) => {
    if (response.status() >= 400) seen.push(`${response.status()}: ${response.request().method()} ${response.url()}`);
  });
  page.on('requestfailed', (request) => {
    // The browser cancels requests of a page that the user leaves.
    if (request.failure()?.errorText !== 'net::ERR_ABORTED') seen.push(`failed: ${request.method()} ${request.url()}`);
  });
  return seen;
}

/** Overflow, names parsed as HTML, cut text, misaligned headers, and buttons explained only by a tooltip. */
const layoutDefects = `(() => {
  const wrong = [];
  const all = (selector) => [...document.querySelectorAll(selector)];
  const over = document.documentElement.scrollWidth - window.innerWidth;
  if (over > 0) wrong.push('the page is ' + over + ' pixels too wide');
  if (document.querySelector('img[src="x"], main b, [role=dialog] b') !== null) wrong.push('a name became an element');
  for (const one of all('[role=dialog]')) {
    const box = one.getBoundingClientRect();
    if (box.width > 0 && (box.left < -1 || box.right > window.innerWidth + 1)) wrong.push('a dialog leaves the window');
  }
  for (const one of all('button, a[role=button], [role=tab]'))
    if (one.getBoundingClientRect().width > window.innerWidth)
      wrong.push('a button is wider than the window: ' + one.textContent.slice(0, 60));
  for (const one of all('[role=dialog]'))
    for (const control of one.querySelectorAll('button, a, label'))
      if (control.getBoundingClientRect().right > one.getBoundingClientRect().right + 1)
        wrong.push('outside its dialog: ' + control.textContent.slice(0, 60));
  // Punctuation and numbers beside a right-to-left name would move to its other side.
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode() !== null) {
    const { data, parentElement } = texts.currentNode;
    if (/^\\d+ \\u0634\\u0631\\u0643/.test(data) && parentElement.closest('bdi, pre, title, option, [role=option]') === null)
      wrong.push('a right-to-left name is not isolated: ' + parentElement.outerHTML.slice(0, 160));
  }
  for (const one of all('[role=dialog] button, [role=option]'))
    if (one.scrollWidth > one.clientWidth + 1) wrong.push('cut away: ' + one.textContent.slice(0, 60));
  for (const one of all('tr[aria-label*="test"], tr[aria-label*="live"]'))
    if (one.getBoundingClientRect().height > 200) wrong.push('one entry of the log fills the screen');
  const side = ({ textAlign }) => ({ left: 'start', right: 'end' })[textAlign] ?? textAlign;
  const room = ({ paddingLeft, paddingRight }) => [paddingLeft, paddingRight].join(' ');
  for (const table of all('table')) {
    const heads = [...(table.tHead?.rows[0]?.cells ?? [])];
    const row = [...table.tBodies].flatMap((body) => [...body.rows]).find(({ cells }) => cells.length === heads.length);
    for (const [index, head] of heads.entries()) {
      const cell = row?.cells[index];
      if (cell === undefined || head.textContent.trim() === '' || head.offsetParent === null) continue;
      // The table of a chart is only for screen readers.
      if (table.parentElement.offsetWidth <= 1) continue;
      const [above, below] = [getComputedStyle(head), getComputedStyle(cell)];
      // On a phone rows are cards, each value with its own label.
      if (below.display !== 'table-cell') continue;
      if (side(above) !== side(below) || room(above) !== room(below))
        wrong.push('the header “' + head.textContent + '” is not aligned with its column');
    }
  }
  // Neither touch nor the keyboard can reach a tooltip.
  const text = ['main', 'nav'].map((one) => document.querySelector(one)?.innerText ?? '').join(' ');
  for (const { title, textContent } of all('button:disabled[title], [aria-disabled="true"][title]'))
    if (!text.includes(title)) wrong.push('only a tooltip explains the disabled button “' + textContent + '”');
  const targets = all('a[href], area[href], form[action], iframe, object, embed, base, svg a')
    .map((one) => one.href?.baseVal ?? one.href ?? one.action ?? one.tagName);
  for (const target of targets) if (!/^(https?:|mailto:)/.test(target)) wrong.push('a harmful link: ' + target);
  for (const { name } of all('*').flatMap((one) => [...one.attributes]))
    if (/^on/i.test(name)) wrong.push('a script in the attribute ' + name);
  return wrong;
})()`;

/** A user at a page. */
interface Visitor {
  /** Opens a page by its URL, waits until it is complete, and checks it. */
  open(path: string): Promise<void>;
  /** The same with a link of the menu. */
  follow(path: string): Promise<void>;
  /** Checks the page as it is. */
  look(where: string): Promise<void>;
  /** The paths of the menu. */
  menu(): Promise<readonly string[]>;
  /** Number of names found on the pages so far. */
  shown(): number;
  /** Expects that no page had a problem. */
  expectNoProblem(): void;
}

async function newVisitor(page: Page, options: { readonly withAxe: boolean }): Promise<Visitor> {
  const events = await watch(page);
  const seen: Record<string, readonly string[]> = {};
  let shown = 0;
  const links = page.locator('nav a[href^="/"]');
  const visitor: Visitor = {
    async look(where) {
      await expect(page.locator('[aria-busy="true"]')).toHaveCount(0);
      const found = await page.evaluate<string[]>(layoutDefects);
      if (options.withAxe) found.push(...(await findingsOn(page)));
      const text = await page.evaluate<string>('document.body.innerText');
      shown += names.filter((name) => text.includes(name.slice(0, 30))).length;
      seen[where] = [...found, ...events.splice(0)];
    },
    async open(path) {
      await page.goto(path);
      await hasSettled(page);
      // These lists begin empty.
      if (path === '/customer-mappings' || path === '/vendor-mappings')
        await page.getByRole('button', { name: 'Search', exact: true }).click();
      await visitor.look(path);
    },
    async follow(path) {
      if (new URL(page.url()).pathname === path) return visitor.look(path);
      const link = page.locator(`nav a[href="${path}"]`).first();
      if ((await link.count()) === 0) return visitor.open(path);
      const heading = page.locator('h1').first();
      const before = await heading.innerText();
      // Some links do nothing while a request runs.
      await link.and(page.locator(':not([aria-disabled="true"])')).dispatchEvent('click');
      await expect(heading).not.toHaveText(before);
      await expect(page).toHaveURL(new RegExp(`${path}(\\?|$)`));
      await visitor.look(path);
    },
    menu: () => links.evaluateAll((all) => all.map((link) => link.getAttribute('href') ?? '')),
    shown: () => shown,
    expectNoProblem() {
      expect(Object.keys(seen).length).toBeGreaterThan(3);
      expect(Object.entries(seen).filter(([, problems]) => problems.length > 0)).toEqual([]);
    },
  };
  return visitor;
}

/**
 * Logs in.
 *
 * @param link a URL that the complete menu contains.
 */
async function enter(page: Page, username: string, link: string): Promise<void> {
  await page.goto('/login');
  await logIn(page, username, password);
  await expect(page.getByRole('heading', { level: 1, name: 'Overview' })).toBeVisible();
  await expect(page.locator(`nav a[href="${link}"]`).first()).toBeAttached();
}

async function actAsClient(page: Page): Promise<void> {
  await page.getByLabel('Masquerade as Client').first().click();
  await page.getByRole('option', { name: 'Northwind IT Services' }).click();
  await expect(page.getByRole('button', { name: 'Stop acting as this client' })).toBeVisible();
}

test('an administrator sees every screen on a desktop in light mode', async ({ page }) => {
  expect(Object.keys(renamed)).toHaveLength(fields.length);
  const visitor = await newVisitor(page, { withAxe: true });
  const paths = screenPaths();
  expect(paths.length).toBeGreaterThan(20);
  for (const path of [...paths, '/settings?tab=purchase_orders', '/settings?tab=advanced', ...addresses])
    await visitor.open(path);
  visitor.expectNoProblem();
  expect(visitor.shown(), 'names on the screens').toBeGreaterThan(20);
});

test('an administrator sees every screen on a phone in dark mode', async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await page.emulateMedia({ colorScheme: 'dark' });
  const visitor = await newVisitor(page, { withAxe: true });
  await visitor.open('/audit');
  for (const path of [...screenPaths(), '/settings?tab=advanced', ...addresses]) {
    await visitor.follow(path);
    if (path.includes('tab=')) await expect(page.getByRole('tab', { selected: true })).toBeInViewport({ ratio: 1 });
  }
  visitor.expectNoProblem();
});

test('an accountant sees no link to forbidden screens', async ({ guest: page }) => {
  const visitor = await newVisitor(page, { withAxe: false });
  await enter(page, accountant, '/month-end');
  const menu = await visitor.menu();
  expect(menu).not.toContain('/clients');
  for (const path of new Set(menu)) await visitor.follow(path);
  for (const path of ['/sessions', '/security', '/approval', '/users', ...addresses]) await visitor.open(path);
  visitor.expectNoProblem();
});

test('a visitor without a session must log in everywhere', async ({ guest: page }) => {
  const visitor = await newVisitor(page, { withAxe: false });
  for (const path of ['/my', '/clients', '/security', ...addresses.filter((one) => /^\/(logs|month|my-)/.test(one))]) {
    await visitor.open(path);
    await expect(page).toHaveURL('/login');
  }
  visitor.expectNoProblem();
});

test('a system administrator sees every screen, and a masquerade ends well on each kind', async ({ guest: page }) => {
  const visitor = await newVisitor(page, { withAxe: true });
  await enter(page, sysadmin, '/clients');
  for (const path of new Set(await visitor.menu())) await visitor.follow(path);
  await page.goto('/my');
  await actAsClient(page);
  await expect(page.getByRole('link', { name: 'Customer Mappings' })).toBeVisible();
  expect(await visitor.menu()).toContain('/clients');
  // Different queries are in flight when it ends; an entry, a month and a review have a permanent URL.
  const kinds = ['/needs-attention', '/my-invoices', '/item-mappings', '/audit', '/settings', ...addresses.slice(0, 3)];
  for (const path of kinds) {
    await page.goto(path);
    await hasSettled(page);
    // A dialog with a URL covers the page.
    if ((await page.getByRole('dialog').count()) > 0) await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Stop acting as this client' }).click();
    await expect(page.getByRole('button', { name: 'Stop acting as this client' }), path).toHaveCount(0);
    await expect(page, path).toHaveURL('/my');
    await expect(page.getByRole('banner').getByText(sysadmin), path).toBeVisible();
    // The list of clients loads again, so the previous client is closed.
    await actAsClient(page);
  }
  await visitor.look('after all masquerades');
  visitor.expectNoProblem();
});

test('extreme names stay inside every dialog, printed page and file', async ({ page }) => {
  const visitor = await newVisitor(page, { withAxe: false });
  const look = async (where: string) => {
    for (const width of [390, 1440]) {
      await page.setViewportSize({ width, height: 900 });
      await visitor.look(`${where}: ${width} wide`);
    }
  };
  const onPaper = async (where: string) => {
    await page.emulateMedia({ media: 'print' });
    await visitor.look(`${where} on paper`);
    await page.emulateMedia({ media: null });
  };
  const dialog = page.getByRole('dialog');
  const close = async () => {
    await dialog.getByRole('button', { name: 'Close' }).first().click();
    await expect(dialog).toHaveCount(0);
  };
  const choose = () => page.locator('tbody').getByRole('checkbox').first().check();

  await test.step('log entries', async () => {
    await page.goto('/logs');
    const rows = page.getByRole('row', { name: /(test|live)/ });
    await expect(rows.first()).toBeVisible();
    for (let index = 0; index < (await rows.count()); index += 1) {
      await rows.nth(index).click();
      await expect(dialog).toBeVisible();
      await look(`log entry ${index}`);
      await close();
    }
    await page.getByRole('row', { name: /live/ }).filter({ hasText: '48213' }).click();
    await expect(dialog.getByRole('article')).toBeVisible();
    await onPaper('an entry of the log');
    await close();
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Export' }).click();
    const text = await readFile(await (await download).path(), 'utf8');
    const { data, errors } = Papa.parse<string[]>(text, { skipEmptyLines: true });
    expect(errors).toEqual([]);
    expect(new Set(data.map(({ length }) => length)).size).toBe(1);
    expect(data.flat().filter((cell) => /^[=+@\t\r]|^-(?!\d)/.test(cell))).toEqual([]);
  });

  await test.step('drafts', async () => {
    await page.goto('/approval');
    await expect(page.getByRole('table', { name: 'Documents' })).toBeVisible();
    await onPaper('drafts');
    await page.getByRole('row', { name: /48310/ }).focus();
    await page.keyboard.press('Enter');
    await expect(dialog.getByRole('article')).toBeVisible();
    await look('a draft');
    await onPaper('a draft');
    await close();
  });

  await test.step('mapping files: exports and imports every name', async () => {
    for (const path of ['/customer-mappings', '/item-mappings', '/expense-mappings']) {
      await page.goto(path);
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
      // Deletes all mappings, then makes all invalid, for two long lists of these names.
      const changed = (id: string) => Papa.unparse(data.map((row, at) => (at === 0 ? row : [row[0], row[1], id, ''])));
      await read(changed(''));
      await expect(dialog.getByRole('status').or(dialog.getByText('is saved already')).first()).toBeVisible();
      await look(`${path} emptied by a file`);
      await read(changed(`<img src=x> ${'9'.repeat(300)}`));
      await expect(dialog.getByRole('alert')).toContainText('cannot be imported');
      await look(`${path} refused by a file`);
      await close();
    }
  });

  await test.step('the dialogs of a mapping', async () => {
    await page.goto('/customer-mappings');
    await page.getByRole('button', { name: 'Search', exact: true }).click();
    await choose();
    await page.getByRole('button', { name: 'Map to Customer' }).click();
    await expect(page.getByRole('option').first()).toBeVisible();
    await look('map to a customer');
    await close();
    await page.goto('/item-mappings');
    await page.getByLabel('Suggest').check();
    await look('suggestions of items');
    await page.getByRole('checkbox', { name: 'Select all billing codes' }).check();
    await page.getByRole('button', { name: 'Remove Mapping(s)' }).click();
    await expect(dialog).toContainText(/and \d+ other billing codes?|Please confirm/);
    await look('mappings of items removed');
    await close();
    for (const path of [
      '/item-mappings',
      '/lines-of-business',
      '/tax-regions',
      '/expense-mappings',
      '/custom-fields',
    ]) {
      await page.goto(path);
      if (path !== '/item-mappings') {
        await page
          .getByRole('button', { name: /^Edit / })
          .first()
          .click();
        await expect(page.getByRole('button', { name: 'Cancel' })).toBeVisible();
        await look(`${path} edited in its place`);
        await page.getByRole('button', { name: 'Cancel' }).click();
      }
      await page.getByRole('button', { name: 'History' }).click();
      await expect(dialog).toBeVisible();
      await look(`history of ${path}`);
      await close();
    }
  });

  await test.step('a sync', async () => {
    await page.goto('/my-invoices');
    await choose();
    await page.getByRole('button', { name: 'Sync', exact: true }).click();
    await expect(dialog).toBeVisible();
    await look('confirm a sync');
  });
  visitor.expectNoProblem();
  expect(visitor.shown(), 'names in the dialogs').toBeGreaterThan(20);
});

test('the page for a failed connection shows messages from its URL as quoted, shortened text', async ({
  guest: page,
}) => {
  const visitor = await newVisitor(page, { withAxe: false });
  const open = (path: string, message: string) =>
    visitor.open(`${path}?${new URLSearchParams({ message, error: message }).toString()}`);
  for (const payload of [...hostile, '<a href="https://evil.example">click</a>', 'Call +1 900 555 0100 now']) {
    await open('/autotask-error', payload);
    await expect(page.getByText(`Reported message: ${payload}`)).toBeVisible();
    expect(await page.locator('[href*=evil]').count()).toBe(0);
  }
  await open('/autotawhatever', 'Your account was locked. '.repeat(100));
  await expect(page.getByText('Unable to Connect to Autotask')).toBeVisible();
  expect((await page.locator('body').innerText()).length).toBeLessThan(600);
  visitor.expectNoProblem();
});

test('the browser stores no password and no service secret', async ({ page }) => {
  await page.goto('/connections');
  await hasSettled(page);
  const kept = await page.evaluate<string>(
    'JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie])',
  );
  const journal = (await product.quickbooks.journal()) as readonly unknown[] as readonly { response_body: string }[];
  const tokens = journal.flatMap(({ response_body: body }) =>
    [...body.matchAll(/"(?:access|refresh)_token":"([^"]+)"/g)].map(([, token = '']) => token),
  );
  const answer = await fetch(`${product.autotask.url}/__sandbox/credentials`);
  const { users } = (await answer.json()) as { users: readonly { secret: string }[] };
  expect(tokens.length).toBeGreaterThan(1);
  for (const secret of [password, ...tokens, ...users.map((user) => user.secret)]) expect(kept).not.toContain(secret);
});

test('a remembered path does not lead outside the application after the login', async ({ guest: page }) => {
  // The paths of own-path.test.ts are rejected by the same function.
  await page.goto('/login');
  await page.evaluate(`sessionStorage.setItem('requested-path', '/a/..//evil.example')`);
  await logIn(page, sysadmin, password);
  await expect(page.getByRole('heading', { level: 1, name: 'Overview' })).toBeVisible();
  expect(new URL(page.url()).origin).toBe(product.url);
});
