import { expect, type Locator, type Page, type Request } from '@playwright/test';
import { hasSettled } from '../support/browser.ts';
import { newProduct, test } from '../support/journey.ts';

const product = newProduct({ settings: { inv_default_income_account: '2' } });

/** Sums up layout shifts as browsers measure them; below 0.1 is considered good. */
const watchShifts = `window.moved = 0;
  const add = (list) => { for (const one of list) if (!one.hadRecentInput) moved += one.value; };
  window.watcher = new PerformanceObserver((list) => add(list.getEntries()));
  watcher.observe({ type: 'layout-shift', buffered: true });
  window.allMoved = async () => {
    // A shift is reported after its frame was painted.
    for (let frame = 0; frame < 3; frame += 1) await new Promise((then) => requestAnimationFrame(() => setTimeout(then)));
    add(watcher.takeRecords());
    return moved;
  };`;

/** Returns an element's position on the page, independent of scrolling. */
async function topOf(what: Locator): Promise<number> {
  const box = await what.boundingBox();
  if (box === null) throw new Error('the element is not on the page');
  return Math.round(box.y + (await what.page().evaluate<number>('scrollY')));
}

/** Delays requests with a matching URL until they are released. */
async function hold(page: Page, address: RegExp): Promise<() => void> {
  let release = (): void => undefined;
  const isReleased = new Promise<void>((resolve) => (release = resolve));
  await page.route(address, async (route) => {
    await isReleased;
    await route.continue();
  });
  return release;
}

/** Counts pending requests except those with a URL. */
function requestsUnderWay(page: Page, without: RegExp): () => number {
  const underWay = new Set<Request>();
  page.on('request', (one) => !without.test(one.url()) && underWay.add(one));
  page.on('requestfinished', (one) => underWay.delete(one));
  page.on('requestfailed', (one) => underWay.delete(one));
  return () => underWay.size;
}

/** All requests of the Overview. Each of them is delayed once. */
const parts = {
  'needs attention': /\/api\/my\/attention/,
  'the jobs': /\/api\/my\/jobs$/,
  'the subscription': /\/api\/my$/,
  'the drafts': /\/api\/my\/drafts/,
  'the money': /\/api\/my\/money/,
  'the month': /\/api\/my\/month/,
} as const;

for (const [view, width] of [
  ['a desk', 1440],
  ['a phone', 390],
] as const)
  for (const [what, last] of Object.entries(parts))
    test(`the Overview on ${view} does not shift when ${what} comes last`, async ({ page }) => {
      await page.setViewportSize({ width, height: 900 });
      await page.addInitScript(watchShifts);
      await product.api.data('PUT', '/api/my/guide', { guide: 'open' });
      const release = await hold(page, last);
      const underWay = requestsUnderWay(page, last);
      await page.goto('/my');
      // Waits until all other requests are finished and several frames were painted.
      for (let quiet = 0; quiet < 4; quiet = underWay() === 0 ? quiet + 1 : 0) await page.evaluate('allMoved()');
      release();
      await expect(
        width > 720
          ? page.getByText(/^Setup: \d of 5 steps done\.$/)
          : page.getByRole('button', { name: /^Show \d notices$/ }),
      ).toBeVisible();
      await hasSettled(page);
      expect(await page.evaluate<number>('allMoved()')).toBeLessThan(0.02);
    });

test('the Overview shows its parts before the responses arrive', async ({ page }) => {
  await product.api.data('PUT', '/api/my/guide', { guide: 'closed' });
  const release = await hold(page, /\/api\/my($|\/)/);
  await page.goto('/my', { waitUntil: 'commit' });
  await expect(page.getByRole('table', { name: 'Latest Activity' })).toBeVisible();
  release();
  await expect(page.getByRole('button', { name: 'Sync Now: Invoices' })).toBeEnabled();
});

test('starting and finishing a job moves no other start button', async ({ page }) => {
  await page.setViewportSize({ width: 1440, height: 900 });
  await page.goto('/my');
  await hasSettled(page);
  await expect(page.getByRole('heading', { name: / 20\d\d so far$/ })).toBeVisible();
  const next = page.getByRole('button', { name: 'Sync Now: Purchase Orders' });
  const before = await topOf(next);
  // Another user or the schedule starts it; the list of jobs is read again when the user returns to the window.
  await product.api.data('POST', '/api/my/invoices/sync/submit/all', { mode: 'test', force: false });
  await page.evaluate(`document.dispatchEvent(new Event('visibilitychange', { bubbles: true }))`);
  const panel = page.getByRole('region', { name: 'Invoices, test sync' });
  await expect(panel).toBeVisible();
  expect(await topOf(next)).toBe(before);
  await expect(panel.getByRole('heading', { name: /^Tested invoices/ })).toBeVisible({ timeout: 60_000 });
  expect(await topOf(next)).toBe(before);
});

for (const [view, width] of [
  ['a desk', 1440],
  ['a phone', 390],
] as const)
  test(`a dialog on ${view} keeps its buttons in place while it searches for documents`, async ({ page }) => {
    await page.setViewportSize({ width, height: 900 });
    await page.goto('/my');
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
  });

test('a mapping list waits for its order, and late amounts move no row', async ({ page }) => {
  await page.setViewportSize({ width: 1440, height: 900 });
  await page.clock.install();
  const money = /\/mappings\/TaxRegion\/usage/;
  const release = await hold(page, money);
  const asked = page.waitForRequest(money);
  const answered = page.waitForResponse(/\/mappings\/TaxRegion$/);
  await page.goto('/tax-regions');
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

  // When the amounts are in time, the other row comes first.
  await page.unroute(money);
  await page.reload();
  await expect(edits.first()).toBeVisible();
  expect((await names())[0]).not.toBe(before[0]);
});

test('the controls of a mapping list do not move when rows arrive', async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 900 });
  // QuickBooks has no locations here, and a message above the rows shows it.
  const rows = /\/mappings\/Location(\/|\?|$)/;
  const release = await hold(page, rows);
  await page.goto('/locations');
  const tool = page.getByRole('button', { name: 'Refresh' });
  await expect(tool).toBeVisible();
  const before = await topOf(tool);
  release();
  await expect(page.getByText('Both must be present before anything can be mapped.')).toBeVisible();
  expect(await topOf(tool)).toBe(before);
});
