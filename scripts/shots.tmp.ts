/**
 * `npm run pictures`: takes a picture of every screen of a demo with data, on a desktop in light mode and on a phone in
 * dark mode, for the help. Check each picture before you commit it.
 */
import { mkdir, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { chromium, expect, type Page } from '@playwright/test';
import { newProcessFixture } from '#test/support/process-fixture.ts';
import { type ApiClient, signIn } from '#test/support/api-client.ts';
import { logIn } from '#test/support/browser.ts';
import { findBrowser } from './browser.ts';
import { seed, submitted, textOf } from './seed.ts';

const root = resolve(import.meta.dirname, '..');
const folder = '/tmp/shots';
const password = 'Demo-Passw0rd!';
const admin = 'admin@northwind-msp.example';
const sysadmin = 'sysadmin@tallybridge.example';

/** One screen: its title, its address, and the user who sees it; screens without a user need no login. */
interface Screen {
  readonly title: string;
  readonly path: string;
  readonly as?: string;
}

const settleMs = 800;

const views = {
  desk: { viewport: { width: 1440, height: 900 }, colorScheme: 'light' },
  deskdark: { viewport: { width: 1440, height: 900 }, colorScheme: 'dark' },
  phonelight: { viewport: { width: 390, height: 844 }, colorScheme: 'light' },
  phone: { viewport: { width: 390, height: 844 }, colorScheme: 'dark' },
} as const;

/** Returns the file name of a screen: its title in lower case. */
const fileOf = ({ title }: Screen, view: keyof typeof views): string =>
  `${title.toLowerCase().replaceAll(/[^a-z]+/g, '-')}-${view}.jpg`;

/** Ids of a reviewed test, and of a live sync with failures. */
interface Jobs {
  readonly review: string;
  readonly run: string;
}

const screensOf = (month: string, key: string, { review, run }: Jobs): readonly Screen[] => [
  { title: 'Login', path: '/login' },
  { title: 'Forgotten password', path: '/forgot-password' },
  { title: 'Register', path: '/register' },
  ...[
    ['Overview', '/my'],
    ['Setup', '/setup'],
    ['Needs attention', '/needs-attention'],
    ['My Invoices', '/my-invoices'],
    ['My Purchase Orders', '/my-purchase-orders'],
    ['My Expenses', '/my-expenses'],
    ['Review', `/my-purchase-orders?review=${review}`],
    ['Approval', '/approval'],
    ['Runs', '/runs'],
    ['Run', `/runs/${run}`],
    ['Customer Mappings', '/customer-mappings'],
    ['Vendor Mappings', '/vendor-mappings'],
    ['Expense Mappings', '/expense-mappings'],
    ['Item Mappings', '/item-mappings'],
    ['Lines of Business', '/lines-of-business'],
    ['Locations', '/locations'],
    ['Tax Regions', '/tax-regions'],
    ['Custom Fields', '/custom-fields'],
    ['Month-end close', '/month-end'],
    ['Month', `/month-end/${month}`],
    ['Logs', '/logs'],
    ['Log entry', `/logs?key=${encodeURIComponent(key)}`],
    ['Audit Trail', '/audit'],
    ['Connections', '/connections'],
    ['Settings', '/settings'],
    ['Item Settings', '/item-settings'],
    ['Users', '/users'],
    ['Security', '/security'],
    ['Sessions', '/sessions'],
    ['Notices', '/notices'],
    ['API Keys', '/api-keys'],
    ['Webhooks', '/webhooks'],
  ].map(([title = '', path = '']): Screen => ({ title, path, as: admin })),
  { title: 'Clients', path: '/clients', as: sysadmin },
];

/**
 * Makes purchase orders wait for approval: with required approval, the user who starts a sync cannot approve it.
 * Expense reports fail because an account is missing.
 *
 * @returns the ids of a test of the orders, and of the sync of the reports
 */
async function fillApproval(api: ApiClient): Promise<Jobs> {
  const sync = (segment: string, mode: string) => submitted(api, `/api/my/${segment}/sync/submit/all`, { mode });
  await api.data('POST', '/api/my/settings/', { po_default_expense_account: '14' });
  const review = await sync('purchase-orders', 'test');
  const rules = { require_approval: true, approval_limit: '0', approval_four_eyes: true };
  await api.data('POST', '/api/my/settings/', rules);
  await sync('purchase-orders', 'live');
  const run = await sync('expense-reports', 'live');
  await api.data('POST', '/api/my/settings/', { approval_four_eyes: false });
  if ((await api.data('GET', '/api/my/drafts'))['waiting'] === 0)
    throw new Error('No document needs approval: see Logs.');
  return { review: textOf(review, 'id'), run: textOf(run, 'id') };
}

async function show(page: Page, url: string, { path }: Screen): Promise<void> {
  await page.goto(`${url}${path}`);
  await page.getByRole('heading', { level: 1 }).waitFor();
  await expect(page.locator('[aria-busy="true"]')).toHaveCount(0, { timeout: 30_000 });
  // Some lists load only after others.
  await page.waitForTimeout(settleMs);
  await expect(page.locator('[aria-busy="true"], [class*="skeleton"]')).toHaveCount(0, { timeout: 30_000 });
  await page.evaluate('document.fonts.ready');
}

const fixture = await newProcessFixture('empty');
const found = await findBrowser(root);
if (found === null) throw new Error('No browser starts here: install Chromium.');
const browser = await chromium.launch({ executablePath: found.path, args: [...found.args], env: { ...found.env } });
try {
  const { url } = await fixture.start();
  const { months } = await seed({
    url,
    autotask: fixture.autotask.url,
    quickbooks: fixture.quickbooks.url,
    invoices: 40,
  });
  const api = await signIn(url);
  const { logs } = (await api.data('GET', '/api/my/logs?success=true&type=invoice')) as {
    readonly logs: readonly { readonly Key: string }[];
  };
  const screens = screensOf(months[0] ?? '', logs[0]?.Key ?? '', await fillApproval(api));
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  for (const [view, options] of Object.entries(views) as readonly (readonly [keyof typeof views, object])[])
    for (const username of [undefined, admin, sysadmin]) {
      const context = await browser.newContext({ ...options, reducedMotion: 'reduce' });
      const page = await context.newPage();
      if (username !== undefined) {
        await page.goto(`${url}/login`);
        await logIn(page, username, password);
        await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
      }
      for (const screen of screens.filter((one) => one.as === username)) {
        await show(page, url, screen);
        await page.screenshot({ path: join(folder, fileOf(screen, view)), type: 'jpeg', quality: 72 });
      }
      await context.close();
    }
} finally {
  await browser.close();
  await fixture.close();
}
