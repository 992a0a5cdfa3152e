import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { expect, type Page } from '@playwright/test';
import Papa from 'papaparse';
import { hasSettled, logIn } from '../support/browser.ts';
import { newProduct, password, sysadmin, test } from '../support/journey.ts';
import { accountant, addresses, fields, fillScreens, hostile, renameAll, renamed } from './extreme-names.ts';
import { visitorOf, type Visitor } from './visitor.ts';

/**
 * Every screen for every kind of user, with extreme and hostile names in all records (reliability reference 2.3, rows
 * 15, 18 and 19): screens and printed pages show the names as text without overflow, files export and import them, no
 * script runs, nothing is fetched from other sites, and the content security policy reports nothing.
 */

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
    load === 'null' || roles === "'public'" || ['/clients', '/status'].includes(path) ? [] : [path],
  );
}

const newVisitor = (page: Page, options: { readonly withAxe: boolean }): Promise<Visitor> =>
  visitorOf(page, product.url, options);

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
    await page.getByRole('menuitem', { name: 'CSV' }).click();
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
