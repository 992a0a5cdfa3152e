import { type BrowserContext, expect, type Locator, type Page, type Request, test } from '@playwright/test';
import { signIn, type ApiClient } from '../support/api-client.ts';
import { hasSettled, logIn } from '../support/browser.ts';
import { newProcessFixture, type ProcessFixture } from '../support/process-fixture.ts';

let fixture: ProcessFixture;
let url: string;
let api: ApiClient;
let loggedIn: Awaited<ReturnType<BrowserContext['storageState']>>;

test.beforeAll(async ({ browser }) => {
  test.setTimeout(240_000);
  fixture = await newProcessFixture();
  ({ url } = await fixture.start());
  api = await signIn(url);
  await api.connectQuickBooks();
  await api.data('POST', '/api/my/settings/', { inv_default_income_account: '2' });
  const page = await browser.newPage();
  await page.goto(`${url}/my`);
  await logIn(page, 'admin@northwind-msp.example', 'Demo-Passw0rd!');
  await hasSettled(page);
  await expect(page.getByRole('link', { name: 'Customer Mappings' })).toBeVisible();
  loggedIn = await page.context().storageState();
  await page.close();
});
test.afterAll(() => fixture.close());

/** Adds up what browsers count of things that move by themselves; 0.1 is called good. */
const watchShifts = `window.moved = 0;
  const add = (list) => { for (const one of list) if (!one.hadRecentInput) moved += one.value; };
  window.watcher = new PerformanceObserver((list) => add(list.getEntries()));
  watcher.observe({ type: 'layout-shift', buffered: true });
  window.allMoved = async () => {
    // A shift is told of once its frame was painted.
    for (let frame = 0; frame < 3; frame += 1) await new Promise((then) => requestAnimationFrame(() => setTimeout(then)));
    add(watcher.takeRecords());
    return moved;
  };`;

/** Place of a thing on its page, however far that was scrolled. */
async function topOf(what: Locator): Promise<number> {
  const box = await what.boundingBox();
  if (box === null) throw new Error('It is not on the page.');
  return Math.round(box.y + (await what.page().evaluate<number>('scrollY')));
}

/** Lets requests whose address matches wait until they are released. */
async function hold(page: Page, address: RegExp): Promise<() => void> {
  let release = (): void => undefined;
  const isReleased = new Promise<void>((resolve) => (release = resolve));
  await page.route(address, async (route) => {
    await isReleased;
    await route.continue();
  });
  return release;
}

/** Counts the requests that are under way, without those of an address. */
function requestsUnderWay(page: Page, without: RegExp): () => number {
  const underWay = new Set<Request>();
  page.on('request', (one) => !without.test(one.url()) && underWay.add(one));
  page.on('requestfinished', (one) => underWay.delete(one));
  page.on('requestfailed', (one) => underWay.delete(one));
  return () => underWay.size;
}

/** All that the first picture of the Overview is made of; one after the other comes last. */
const parts = {
  'what needs somebody': /\/api\/my\/attention/,
  'the jobs': /\/api\/my\/jobs$/,
  'the subscription': /\/api\/my$/,
  'the guide': /\/assets\/guide-.*\.js$/,
  'the drafts': /\/api\/my\/drafts/,
} as const;

for (const [view, width] of [
  ['a desk', 1440],
  ['a phone', 390],
] as const)
  for (const [what, last] of Object.entries(parts))
    test(`on ${view} nothing of the Overview moves by itself when ${what} comes last`, async ({ browser }) => {
      const context = await browser.newContext({ viewport: { width, height: 900 }, storageState: loggedIn });
      const page = await context.newPage();
      await page.addInitScript(watchShifts);
      await api.data('PUT', '/api/my/guide', { guide: 'open' });
      const release = await hold(page, last);
      const underWay = requestsUnderWay(page, last);
      await page.goto(`${url}/my`);
      // All that can come without it has come and is drawn: nothing follows within some frames.
      for (let quiet = 0; quiet < 4; quiet = underWay() === 0 ? quiet + 1 : 0) await page.evaluate('allMoved()');
      release();
      await expect(page.getByRole('heading', { name: 'First steps' })).toBeVisible();
      await hasSettled(page);
      expect(await page.evaluate<number>('allMoved()')).toBeLessThan(0.02);
      await context.close();
    });

test('the Overview shows its parts before the responses arrive', async ({ browser }) => {
  const context = await browser.newContext({ storageState: loggedIn });
  const page = await context.newPage();
  await api.data('PUT', '/api/my/guide', { guide: 'closed' });
  const release = await hold(page, /\/api\/my($|\/)/);
  await page.goto(`${url}/my`, { waitUntil: 'commit' });
  await expect(page.getByRole('table', { name: 'Latest Activity' })).toBeVisible();
  release();
  await expect(page.getByRole('button', { name: 'Sync Now: Invoices' })).toBeEnabled();
  await context.close();
});

test('a job that begins and ends moves none of the buttons that start others', async ({ browser }) => {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, storageState: loggedIn });
  const page = await context.newPage();
  await page.goto(`${url}/my`);
  await hasSettled(page);
  await expect(page.getByRole('heading', { name: / 20\d\d so far$/ })).toBeVisible();
  const next = page.getByRole('button', { name: 'Sync Now: Purchase Orders' });
  const before = await topOf(next);
  await page.getByRole('button', { name: 'Sync Now: Invoices' }).click();
  await page.getByRole('button', { name: 'TEST eligible invoices' }).click();
  const panel = page.getByRole('region', { name: 'Invoices, test sync' });
  await expect(panel).toBeVisible();
  expect(await topOf(next)).toBe(before);
  await expect(panel.getByRole('heading', { name: /^Tested invoices/ })).toBeVisible({ timeout: 60_000 });
  expect(await topOf(next)).toBe(before);
  await context.close();
});

for (const [view, width] of [
  ['a desk', 1440],
  ['a phone', 390],
] as const)
  test(`on ${view} a dialog keeps the place of its buttons while it looks for documents`, async ({ browser }) => {
    const context = await browser.newContext({ viewport: { width, height: 900 }, storageState: loggedIn });
    const page = await context.newPage();
    await page.goto(`${url}/my`);
    await hasSettled(page);
    await page.getByRole('button', { name: 'Sync Now: Invoices' }).click();
    const dialog = page.getByRole('dialog');
    const review = dialog.getByRole('button', { name: /^Review / });
    const places = async () => [await topOf(dialog.getByRole('button', { name: 'Cancel' })), await topOf(review)];
    for (const choice of [/live/i, 'Sync it again'] as const) {
      const release = await hold(page, /\/sync\/eligible/);
      await dialog.getByRole('radio', { name: choice }).check();
      await expect(dialog.getByText('Looking for eligible invoices…')).toBeVisible();
      const before = await places();
      release();
      await expect(review).toHaveText(/^Review \d+ invoices/, { timeout: 60_000 });
      expect(await places()).toEqual(before);
      await page.unroute(/\/sync\/eligible/);
    }
    await context.close();
  });

test('a list of mappings shows no row before it is known which come first, and none moves when that comes late', async ({
  browser,
}) => {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, storageState: loggedIn });
  const page = await context.newPage();
  await page.clock.install();
  const money = /\/mappings\/TaxRegion\/usage/;
  const release = await hold(page, money);
  const asked = page.waitForRequest(money);
  const answered = page.waitForResponse(/\/mappings\/TaxRegion$/);
  await page.goto(`${url}/tax-regions`);
  await asked;
  await (await answered).finished();
  const edits = page.getByRole('button', { name: /^Edit / });
  await expect(edits).toHaveCount(0);
  await page.clock.fastForward(10_000);
  await expect(edits.first()).toBeVisible();
  const names = () => edits.evaluateAll((all) => all.map((one) => one.getAttribute('aria-label')));
  const before = await names();
  release();
  await expect(page.getByText(/ not synced yet$/).first()).toBeVisible();
  expect(await names()).toEqual(before);

  // With the money in time, the other one comes first.
  await page.unroute(money);
  await page.reload();
  await expect(edits.first()).toBeVisible();
  expect((await names())[0]).not.toBe(before[0]);
  await context.close();
});

test('the tools of a list of mappings stay where they are, whatever comes with the rows', async ({ browser }) => {
  const context = await browser.newContext({ viewport: { width: 390, height: 900 }, storageState: loggedIn });
  const page = await context.newPage();
  // The books keep no locations, which is said above the rows.
  const rows = /\/mappings\/Location(\/|\?|$)/;
  const release = await hold(page, rows);
  await page.goto(`${url}/locations`);
  const tool = page.getByRole('button', { name: 'Refresh' });
  await expect(tool).toBeVisible();
  const before = await topOf(tool);
  release();
  await expect(page.getByText('Both must be present before anything can be mapped.')).toBeVisible();
  expect(await topOf(tool)).toBe(before);
  await context.close();
});
