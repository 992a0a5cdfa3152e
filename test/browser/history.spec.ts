import { expect, test, type Browser, type Page } from '@playwright/test';
import { defectsOf, hasSettled, logIn } from '../support/browser.ts';
import { newProcessFixture, type ProcessFixture } from '../support/process-fixture.ts';

let fixture: ProcessFixture;
let url: string;

test.beforeAll(async () => {
  test.setTimeout(240_000);
  fixture = await newProcessFixture();
  ({ url } = await fixture.start());
});
test.afterAll(() => fixture.close());

const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name });
const follow = (page: Page, name: string) =>
  page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name, exact: true }).click();
const scrolledTo = (page: Page) => page.evaluate<number>('window.scrollY');

async function enter(page: Page, path: string): Promise<void> {
  await page.goto(`${url}${path}`);
  await logIn(page, 'admin@northwind-msp.example', 'Demo-Passw0rd!');
  await expect(page).toHaveURL(`${url}${path}`);
  await hasSettled(page);
}

test('Back and Forward move between screens and skip the login', async ({ page }) => {
  const defects = defectsOf(page);
  await enter(page, '/logs');
  await follow(page, 'Settings');
  await expect(heading(page, 'Settings')).toBeVisible();
  await follow(page, 'Audit Trail');
  await expect(heading(page, 'Audit Trail')).toBeVisible();
  await page.goBack();
  await expect(heading(page, 'Settings')).toBeVisible();
  await page.goBack();
  await expect(heading(page, 'Logs')).toBeVisible();
  await page.goForward();
  await expect(heading(page, 'Settings')).toBeVisible();
  // Opening the same URL again adds no history entry.
  const before = await page.evaluate<number>('history.length');
  await follow(page, 'Settings');
  expect(await page.evaluate<number>('history.length')).toBe(before);
  expect(defects).toEqual([]);
});

test('the Overview sends each of its first requests once', async ({ page }) => {
  await enter(page, '/my');
  const asked: string[] = [];
  page.on('request', (request) => {
    const { pathname, search } = new URL(request.url());
    if (pathname.startsWith('/api/')) asked.push(`${pathname}${search}`);
  });
  const first = [
    '/api/environment',
    '/api/my',
    '/api/my/attention',
    '/api/my/drafts?page=1&page_size=1',
    '/api/my/jobs',
  ];
  const defects = defectsOf(page);
  await page.goto(`${url}/my`);
  await hasSettled(page);
  expect(asked.filter((address) => first.includes(address)).toSorted()).toEqual(first);
  expect(defects).toEqual([]);
});

test('a new screen starts at the top, and Back restores the scroll position', async ({ page }) => {
  await page.setViewportSize({ width: 800, height: 400 });
  await enter(page, '/my');
  await page.evaluate('window.scrollTo(0, 200)');
  await page.keyboard.press('Control+k');
  const find = page.getByRole('dialog', { name: 'Go to' }).getByRole('combobox');
  await find.fill('Audit');
  await find.press('Enter');
  await expect(heading(page, 'Audit Trail')).toBeVisible();
  expect(await scrolledTo(page)).toBe(0);
  await page.goBack();
  await expect(heading(page, 'Overview')).toBeVisible();
  await expect.poll(() => scrolledTo(page)).toBe(200);
});

test('after two quick navigations only the later screen opens', async ({ page }) => {
  await enter(page, '/my');
  let release: () => void = () => undefined;
  const held = new Promise<void>((done) => (release = done));
  await page.route(/\/assets\/audit-.*\.js/, async (route) => {
    await held;
    await route.continue();
  });
  await follow(page, 'Audit Trail');
  await expect(heading(page, 'Overview')).toBeVisible();
  await follow(page, 'Logs');
  await expect(heading(page, 'Logs')).toBeVisible();
  const arrived = page.waitForResponse(/\/assets\/audit-.*\.js/);
  release();
  await (await arrived).finished();
  await hasSettled(page);
  await expect(heading(page, 'Logs')).toBeVisible();
  await expect(page).toHaveURL(`${url}/logs`);
});

/** Returns the URLs of the browser's tabs. The test runner does not report tabs opened in the background. */
async function tabsOf(browser: Browser): Promise<string[]> {
  const session = await browser.newBrowserCDPSession();
  const { targetInfos } = await session.send('Target.getTargets');
  await session.detach();
  return targetInfos.flatMap(({ type, url: address }) => (type === 'page' ? [address] : []));
}

test('a click with a modifier key opens a new tab and keeps the page', async ({ page, browser }) => {
  await enter(page, '/my');
  await page
    .getByRole('navigation', { name: 'Main' })
    .getByRole('link', { name: 'Logs' })
    .click({ modifiers: ['ControlOrMeta'] });
  await expect.poll(() => tabsOf(browser)).toContain(`${url}/logs`);
  await expect(page).toHaveURL(`${url}/my`);
  await expect(heading(page, 'Overview')).toBeVisible();
});

test('navigation state survives a reload and is not in the URL', async ({ page }) => {
  await page.goto(`${url}/password/no-token-of-ours`);
  await expect(page).toHaveURL(`${url}/password/set`);
  await page.reload();
  expect(await page.evaluate('history.state.usr.token')).toBe('no-token-of-ours');
});
