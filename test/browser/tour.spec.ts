import { expect, test, type Browser, type Page } from '@playwright/test';
import { seed } from '../../scripts/seed.ts';
import { signIn } from '../support/api-client.ts';
import { findingsOn, logIn } from '../support/browser.ts';
import { newProcessFixture, type ProcessFixture } from '../support/process-fixture.ts';

let fixture: ProcessFixture;
let url: string;
/** An entry, a job and a month that have a permanent address. */
let addresses: readonly string[];

/** A company in the middle of its work: something is posted, paid, changed, refused, proved, and waits for an approval. */
test.beforeAll(async () => {
  test.setTimeout(240_000);
  fixture = await newProcessFixture();
  ({ url } = await fixture.start());
  const { months } = await seed({
    url,
    autotask: fixture.autotask.url,
    quickbooks: fixture.quickbooks.url,
    invoices: 20,
  });
  const api = await signIn(url);
  const [month = ''] = months;
  await expect
    .poll(async () => (await api.data('GET', `/api/my/closes/${month}`))['state'], { timeout: 120_000 })
    .not.toBe('open');
  const { logs } = (await api.data('GET', '/api/my/logs')) as { logs: readonly { Key: string }[] };
  const [entry] = logs;
  addresses = [
    `/logs?key=${encodeURIComponent(entry?.Key ?? '')}`,
    `/close/${month}`,
    '/no-such-page',
    '/unauthorized',
  ];
});
test.afterAll(() => fixture.close());

/** Everything that goes wrong by itself while a page is shown: on the console, in requests, by axe, and beside the window. */
function watch(page: Page): string[] {
  const seen: string[] = [];
  page.on('pageerror', (error) => seen.push(`error: ${error.message}`));
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) seen.push(`${message.type()}: ${message.text()}`);
  });
  page.on('response', (response) => {
    if (response.status() >= 400) seen.push(`${response.status()}: ${response.request().method()} ${response.url()}`);
  });
  page.on('requestfailed', (request) => {
    // Requests of a page that is left meanwhile are taken back by the browser.
    if (request.failure()?.errorText !== 'net::ERR_ABORTED') seen.push(`failed: ${request.method()} ${request.url()}`);
  });
  return seen;
}

/** With axe where a screen was not looked at before: once is enough for what a theme or a width does not change. */
async function findings(page: Page, withAxe: boolean): Promise<string[]> {
  if (withAxe) return findingsOn(page);
  const overflow = await page.evaluate<number>('document.documentElement.scrollWidth - window.innerWidth');
  return overflow > 0 ? [`${overflow} pixels too wide`] : [];
}

const publicPaths = ['/login', '/forgot-password', '/register'];
/** In the menu under the person's initials. */
const accountPaths = ['/sessions', '/security'];
const clientPaths = ['/approval', '/users'];

async function tour(
  browser: Browser,
  of: { readonly colorScheme: 'dark' | 'light'; readonly width: number; readonly withAxe: boolean },
  username: string,
  others: readonly string[],
): Promise<void> {
  const context = await browser.newContext({
    colorScheme: of.colorScheme,
    viewport: { width: of.width, height: 844 },
    reducedMotion: 'reduce',
  });
  const page = await context.newPage();
  const seen = watch(page);
  const found: Record<string, string[]> = {};
  const visit = async (path: string) => {
    seen.length = 0;
    await page.goto(`${url}${path}`);
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
    await expect(page.locator('[aria-busy="true"]')).toHaveCount(0);
    found[path] = [...(await findings(page, of.withAxe)), ...seen];
  };
  for (const path of publicPaths) await visit(path);
  await page.goto(`${url}/login`);
  await logIn(page, username, 'Demo-Passw0rd!');
  await expect(page.getByRole('heading', { level: 1, name: 'Overview' })).toBeVisible();
  const menu = await page
    .locator('nav a[href^="/"]')
    .evaluateAll((links) => links.map((link) => link.getAttribute('href') ?? ''));
  expect(menu.length).toBeGreaterThan(2);
  for (const path of new Set([...menu, ...accountPaths, ...others])) await visit(path);
  expect(found).toEqual(Object.fromEntries(Object.keys(found).map((path) => [path, []])));
  await context.close();
}

const admin = 'admin@northwind-msp.example';
const bright = { colorScheme: 'light', width: 1440, withAxe: true } as const;
test('a visitor sees every screen of a client, and nothing goes wrong', async ({ browser }) => {
  await tour(browser, bright, admin, [...clientPaths, ...addresses]);
});
test('nor on a phone in the dark', async ({ browser }) => {
  await tour(browser, { colorScheme: 'dark', width: 390, withAxe: false }, admin, [...clientPaths, ...addresses]);
});
test('nor for a system administrator', async ({ browser }) => {
  await tour(browser, bright, 'sysadmin@tallybridge.example', []);
});
