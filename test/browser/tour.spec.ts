import { expect, test, type Browser, type Page } from '@playwright/test';
import { seed, submitted, textOf } from '../../scripts/seed.ts';
import { type ApiClient, signIn } from '../support/api-client.ts';
import { findingsOn, logIn } from '../support/browser.ts';
import { newProcessFixture, type ProcessFixture } from '../support/process-fixture.ts';

let fixture: ProcessFixture;
let url: string;
/** Permanent URLs of an entry, a review and a month, and error pages. */
let addresses: readonly string[];
let month: string;

/** A client with posted, paid, changed, refused and reconciled documents, and one that waits for approval. */
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
  [month = ''] = months;
  await expect
    .poll(async () => (await api.data('GET', `/api/my/closes/${month}`))['state'], { timeout: 120_000 })
    .not.toBe('open');
  const { logs } = (await api.data('GET', '/api/my/logs')) as { logs: readonly { Key: string }[] };
  const [entry] = logs;
  const review = await submitted(api, '/api/my/purchase-orders/sync/submit/all', { mode: 'test' });
  await invite(api, accountant);
  addresses = [
    `/logs?key=${encodeURIComponent(entry?.Key ?? '')}`,
    `/month-end/${month}`,
    `/my-purchase-orders?review=${textOf(review, 'id')}`,
    '/my-invoices?by=id&id=1',
    '/no-such-page',
    '/autotask?message=Zone+not+found&error=E-17',
    '/unauthorized',
  ];
});
test.afterAll(() => fixture.close());

/** Invites a user who accepts with the emailed link. */
async function invite(api: ApiClient, email: string): Promise<void> {
  await api.data('POST', '/api/my/users/invitations', { email, name: 'Ada Count', role: 'accountant' });
  let token = '';
  await expect
    .poll(async () => {
      const mails = await (await fetch(`${url}/demo/mails`)).text();
      return (token = /\/invitation\/([\w-]+)/.exec(mails)?.[1] ?? '');
    })
    .not.toBe('');
  await api.data('POST', '/auth/accept-invitation', { token, password });
}

/** Collects console errors, failed requests, axe violations and overflow. */
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
    // The browser cancels requests of a page that the user leaves.
    if (request.failure()?.errorText !== 'net::ERR_ABORTED') seen.push(`failed: ${request.method()} ${request.url()}`);
  });
  return seen;
}

/** Table headers with another alignment or padding than their columns. */
const misalignedHeaders = `[...document.querySelectorAll('table')].flatMap((table) => {
  const heads = [...(table.tHead?.rows[0]?.cells ?? [])];
  const row = [...table.tBodies].flatMap((body) => [...body.rows]).find(({ cells }) => cells.length === heads.length);
  const side = ({ textAlign }) => ({ left: 'start', right: 'end' })[textAlign] ?? textAlign;
  const room = ({ paddingLeft, paddingRight }) => [paddingLeft, paddingRight].join(' ');
  return heads.flatMap((head, index) => {
    const cell = row?.cells[index];
    if (cell === undefined || head.textContent.trim() === '' || head.offsetParent === null) return [];
    // The table of a chart is only for screen readers.
    if (table.parentElement.offsetWidth <= 1) return [];
    const [above, below] = [getComputedStyle(head), getComputedStyle(cell)];
    // On a phone rows are cards, each value with its own label.
    if (below.display !== 'table-cell') return [];
    const agrees = side(above) === side(below) && room(above) === room(below);
    return agrees ? [] : ['the header “' + head.textContent + '” is not aligned with its column'];
  });
})`;

/** Disabled buttons explained only by a tooltip, which neither touch nor the keyboard can reach. */
const tooltipOnlyButtons = `[...document.querySelectorAll('button:disabled[title], [aria-disabled="true"][title]')]
  .filter(({ title }) => !document.querySelector('main').innerText.includes(title) && !document.querySelector('nav')?.innerText.includes(title))
  .map(({ title, textContent }) => 'only a tooltip explains the disabled button “' + textContent + '”: ' + title)`;

/** Runs axe for administrators: light on a desktop, dark on a phone. */
async function findings(page: Page, withAxe: boolean): Promise<string[]> {
  const heads = [
    ...(await page.evaluate<string[]>(misalignedHeaders)),
    ...(await page.evaluate<string[]>(tooltipOnlyButtons)),
  ];
  if (withAxe) return [...heads, ...(await findingsOn(page))];
  const overflow = await page.evaluate<number>('document.documentElement.scrollWidth - window.innerWidth');
  return [...heads, ...(overflow > 0 ? [`${overflow} pixels too wide`] : [])];
}

const publicPaths = ['/login', '/forgot-password', '/register'];
/** In the account menu. */
const accountPaths = ['/sessions', '/security'];
const clientPaths = ['/approval', '/users'];

interface Look {
  readonly colorScheme: 'dark' | 'light';
  readonly width: number;
  readonly withAxe: boolean;
}

interface Visitor {
  readonly page: Page;
  /** Problems since the page was opened. */
  readonly seen: string[];
  /** Opens a page, waits until it is complete, and returns its problems. */
  visit(path: string): Promise<readonly string[]>;
  /** URLs in the menu. */
  menu(): Promise<readonly string[]>;
}

async function newVisitor(browser: Browser, of: Look): Promise<Visitor> {
  const context = await browser.newContext({
    colorScheme: of.colorScheme,
    viewport: { width: of.width, height: 844 },
    reducedMotion: 'reduce',
  });
  const page = await context.newPage();
  const seen = watch(page);
  return {
    page,
    seen,
    async visit(path) {
      seen.length = 0;
      await page.goto(`${url}${path}`);
      await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
      await expect(page.locator('[aria-busy="true"]')).toHaveCount(0);
      return [...(await findings(page, of.withAxe)), ...seen];
    },
    menu: () =>
      page.locator('nav a[href^="/"]').evaluateAll((links) => links.map((link) => link.getAttribute('href') ?? '')),
  };
}

/** Visits all pages and expects no problem. */
async function visitAll(visitor: Visitor, paths: Iterable<string>): Promise<void> {
  const found: Record<string, readonly string[]> = {};
  for (const path of new Set(paths)) found[path] = await visitor.visit(path);
  expect(found).toEqual(Object.fromEntries(Object.keys(found).map((path) => [path, []])));
}

/**
 * Logs in.
 *
 * @param link a URL that the complete menu contains; mappings appear after the connections are loaded.
 */
async function enter({ page }: Visitor, username: string, link = '/customer-mappings'): Promise<void> {
  await page.goto(`${url}/login`);
  await logIn(page, username, password);
  await expect(page.getByRole('heading', { level: 1, name: 'Overview' })).toBeVisible();
  await expect(page.locator(`nav a[href="${link}"]`).first()).toBeAttached();
}

async function actAsClient({ page }: Visitor): Promise<void> {
  await page.getByLabel('Masquerade as Client').first().click();
  await page.getByRole('option', { name: 'Northwind IT Services' }).click();
  await expect(page.getByRole('button', { name: 'Stop acting as this client' })).toBeVisible();
}

const password = 'Demo-Passw0rd!';
const admin = 'admin@northwind-msp.example';
const sysadmin = 'sysadmin@tallybridge.example';
const accountant = 'ada.count@northwind-msp.example';
const bright = { colorScheme: 'light', width: 1440, withAxe: true } as const;
const quick = { ...bright, withAxe: false } as const;

test('an administrator sees every screen of a client without a problem', async ({ browser }) => {
  const visitor = await newVisitor(browser, bright);
  await visitAll(visitor, publicPaths);
  await enter(visitor, admin);
  const menu = await visitor.menu();
  expect(menu.length).toBeGreaterThan(12);
  await visitAll(visitor, [...menu, ...accountPaths, ...clientPaths, ...addresses]);
});

test('so it does on a phone in dark mode', async ({ browser }) => {
  const visitor = await newVisitor(browser, { colorScheme: 'dark', width: 390, withAxe: true });
  await visitAll(visitor, publicPaths);
  await enter(visitor, admin);
  await visitAll(visitor, [...(await visitor.menu()), ...accountPaths, ...clientPaths, ...addresses]);
});

test('an accountant sees no link to forbidden screens', async ({ browser }) => {
  const visitor = await newVisitor(browser, quick);
  await enter(visitor, accountant, '/month-end');
  const menu = await visitor.menu();
  expect(menu).not.toContain('/clients');
  await visitAll(visitor, [...menu, ...accountPaths, ...clientPaths, ...addresses]);
});

test('a visitor without a session must log in everywhere', async ({ browser }) => {
  const visitor = await newVisitor(browser, quick);
  for (const path of ['/my', '/clients', '/security', ...addresses.filter((one) => /^\/(logs|close|my-)/.test(one))]) {
    expect([path, await visitor.visit(path)]).toEqual([path, []]);
    await expect(visitor.page).toHaveURL(`${url}/login`);
  }
});

test('a system administrator sees every screen, and a masquerade ends well on each', async ({ browser }) => {
  const first = await newVisitor(browser, bright);
  await enter(first, sysadmin, '/clients');
  await visitAll(first, [...(await first.menu()), ...accountPaths]);
  await first.page.context().close();

  const visitor = await newVisitor(browser, quick);
  const { page, seen } = visitor;
  await enter(visitor, sysadmin, '/clients');
  await actAsClient(visitor);
  await expect(page.getByRole('link', { name: 'Customer Mappings' })).toBeVisible();
  const menu = await visitor.menu();
  expect(menu).toContain('/clients');
  // The mapping screens share one component.
  const different = menu.filter((path) => path === '/item-mappings' || !path.endsWith('-mappings'));
  for (const path of new Set([...different, ...accountPaths, ...clientPaths, ...addresses])) {
    expect([path, await visitor.visit(path)]).toEqual([path, []]);
    // A dialog with a URL covers the page.
    if ((await page.getByRole('dialog').count()) > 0) await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Stop acting as this client' }).click();
    await expect(page.getByRole('button', { name: 'Stop acting as this client' }), path).toHaveCount(0);
    await expect(page, path).toHaveURL(`${url}/my`);
    await expect(page.getByRole('banner').getByText(sysadmin), path).toBeVisible();
    // The list of clients loads again, so the previous client is closed.
    await actAsClient(visitor);
    expect([path, seen]).toEqual([path, []]);
  }
});
