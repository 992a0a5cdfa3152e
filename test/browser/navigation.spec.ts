import { expect, type Browser, type Page } from '@playwright/test';
import { defectsOf, hasSettled, logIn } from '../support/browser.ts';
import { admin, newProduct, password, sysadmin, test } from '../support/journey.ts';
import { pricedLine } from '../scenarios/priced-line.ts';

const invoice = 48_213;

const product = newProduct();
let isConnected = false;

/** Connects QuickBooks, saves the required settings and tests two invoices, once. */
async function connect(): Promise<void> {
  if (isConnected) return;
  await product.api.connectQuickBooks();
  await product.api.data('POST', '/api/my/settings/', { inv_default_income_account: '2' });
  await ended(
    await jobOf(
      product.api.data('POST', '/api/my/invoices/sync/submit', { mode: 'test', invoice_ids: [invoice, 48_307] }),
    ),
  );
  isConnected = true;
}

const jobOf = async (submitted: Promise<unknown>) => String(((await submitted) as { job: { id: unknown } }).job.id);
const ended = (id: string) =>
  expect
    .poll(
      async () => ((await product.api.data('GET', `/api/my/jobs/${id}`)) as { job: { status: string } }).job.status,
      {
        timeout: 60_000,
      },
    )
    .toBe('finished');

const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name });
const follow = (page: Page, name: string) =>
  page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name, exact: true }).click();
const scrolledTo = (page: Page) => page.evaluate<number>('window.scrollY');

test('a disabled button explains itself on desktop and phone, and the header shows user and client', async ({
  page,
}) => {
  for (const width of [1440, 390]) {
    await page.setViewportSize({ width, height: 900 });
    await page.goto('/my');
    await expect(page.getByRole('button', { name: 'Sync Now: Invoices' })).toBeDisabled();
    await expect(page.getByText('Connect both services first.')).toBeVisible();
    const header = page.getByRole('banner');
    await expect(header.getByText(admin)).toBeInViewport({ ratio: 1 });
    await expect(header.getByText('Northwind IT Services')).toBeInViewport({ ratio: 1 });
  }
});

test.describe('on a phone', () => {
  test.use({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });

  test('the label of the deployment is complete, however long the name of the user is', async ({ guest: page }) => {
    await page.goto('/login');
    await logIn(page, admin, password);
    const header = page.getByRole('banner');
    await expect(header.getByText('Northwind IT Services')).toBeVisible();
    const label = header.getByText('DEMO', { exact: true });
    const [needed, given] = await label.evaluate((element) => {
      const { scrollWidth, clientWidth } = element as unknown as { scrollWidth: number; clientWidth: number };
      return [scrollWidth, clientWidth] as const;
    });
    expect(given).toBeGreaterThanOrEqual(needed);
  });
});

test('the account menu opens even if its code loads slowly', async ({ page }) => {
  let letCome: () => void = () => undefined;
  const mayCome = new Promise<void>((come) => (letCome = come));
  const isHeld = new Promise<void>((held) =>
    page.route(/user-menu[^/]*\.js/, async (route) => {
      held();
      await mayCome;
      await route.continue();
    }),
  );
  await page.goto('/connections');
  const button = page.getByRole('button', { name: /^Account of / });
  await button.click();
  await isHeld;
  await expect(button).toBeDisabled();
  letCome();
  await expect(page.getByRole('menuitem', { name: 'Logout' })).toBeVisible();
});

test('reduced motion turns off all animation', async ({ page }) => {
  const moving = () =>
    page.evaluate<number>(`[...document.querySelectorAll('*')].filter((one) => {
      const { transitionDuration, animationDuration, animationName } = getComputedStyle(one);
      const longest = (text) => Math.max(...text.split(',').map((part) => Number.parseFloat(part)));
      return longest(transitionDuration) > 0 || (animationName !== 'none' && longest(animationDuration) > 0.001);
    }).length`);
  await page.emulateMedia({ reducedMotion: 'no-preference' });
  await page.goto('/my');
  await hasSettled(page);
  expect(await moving()).toBeGreaterThan(0);
  await page.emulateMedia({ reducedMotion: 'reduce' });
  expect(await moving()).toBe(0);
});

test('Back and Forward move between screens and skip the login', async ({ guest: page }) => {
  const defects = defectsOf(page);
  await page.goto('/logs');
  await logIn(page, admin, password);
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
  await page.goto('/my');
  await hasSettled(page);
  const asked: string[] = [];
  page.on('framenavigated', () => asked.splice(0));
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
  await page.goto('/my');
  await hasSettled(page);
  expect(asked.filter((address) => first.includes(address)).toSorted()).toEqual(first);
  expect(defects).toEqual([]);
});

test('a new screen starts at the top, and Back restores the scroll position', async ({ page }) => {
  await page.setViewportSize({ width: 800, height: 400 });
  await page.goto('/my');
  // A page that is still loading is too short.
  await hasSettled(page);
  await page.evaluate('window.scrollTo(0, 200)');
  expect(await scrolledTo(page)).toBe(200);
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
  await page.goto('/my');
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
  await expect(page).toHaveURL('/logs');
});

/** Returns the URLs of the browser's tabs. The test runner does not report tabs opened in the background. */
async function tabsOf(browser: Browser): Promise<string[]> {
  const session = await browser.newBrowserCDPSession();
  const { targetInfos } = await session.send('Target.getTargets');
  await session.detach();
  return targetInfos.flatMap(({ type, url: address }) => (type === 'page' ? [address] : []));
}

test('a click with a modifier key opens a new tab and keeps the page', async ({ page, browser }) => {
  await page.goto('/my');
  await page
    .getByRole('navigation', { name: 'Main' })
    .getByRole('link', { name: 'Logs' })
    .click({ modifiers: ['ControlOrMeta'] });
  await expect.poll(() => tabsOf(browser)).toContain(`${product.url}/logs`);
  await expect(page).toHaveURL('/my');
  await expect(heading(page, 'Overview')).toBeVisible();
});

test('navigation state survives a reload and is not in the URL', async ({ page }) => {
  await page.goto('/password/no-token-of-ours');
  await expect(page).toHaveURL('/password/set');
  await page.reload();
  expect(await page.evaluate('history.state.usr.token')).toBe('no-token-of-ours');
});

test('an offline screen reports it and loads when the connection is back, and rows stay in gray', async ({
  page,
  context,
}) => {
  await connect();
  await page.goto('/logs');
  await hasSettled(page);
  const rows = page.getByRole('table', { name: 'Log entries' }).getByRole('row', { name: /^invoice/ });
  await expect(rows).toHaveCount(2);
  const body = page.getByRole('table', { name: 'Log entries' }).locator('tbody');
  await expect(body).toHaveCSS('filter', 'none');

  await context.setOffline(true);
  await page.getByRole('button', { name: 'Refresh' }).click();
  await expect(page.getByText('Disconnected. Please check your internet connection.')).toBeVisible();
  await expect(rows).toHaveCount(2);
  await expect(body).toHaveCSS('filter', 'grayscale(1)');

  // The browser has not loaded the code of this screen yet.
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Item Settings' }).click();
  await expect(page.getByRole('heading', { name: 'You are offline.' })).toBeVisible();
  await expect(page.getByText(/went wrong|updated/)).toHaveCount(0);
  await page.getByRole('button', { name: 'Try again' }).click();
  await expect(page.getByRole('heading', { name: 'You are offline.' })).toBeVisible();
  await context.setOffline(false);
  await expect(page.getByRole('heading', { name: 'Item Settings', level: 1 })).toBeVisible();
  await expect(page).toHaveURL('/item-settings');
});

test('Escape closes a dialog without a history entry, and Back never loops', async ({ page, guest: other }) => {
  await connect();
  const defects = defectsOf(page);
  const length = () => page.evaluate<number>('history.length');
  const dialog = page.getByRole('dialog');

  await test.step('a dialog without a URL', async () => {
    await page.goto('/my-invoices');
    await hasSettled(page);
    const before = await length();
    await page.getByRole('button', { name: 'Payments and voids' }).click();
    await expect(dialog).toBeVisible();
    await page.keyboard.press('Escape');
    await expect(dialog).toHaveCount(0);
    expect(await length()).toBe(before);
    await expect(page).toHaveURL('/my-invoices');
  });

  await test.step('Back from it leads to the previous page', async () => {
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Logs' }).click();
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Invoices', exact: true }).click();
    await page.getByRole('button', { name: 'Payments and voids' }).click();
    await expect(dialog).toBeVisible();
    await page.goBack();
    await expect(dialog).toHaveCount(0);
    await expect(page).toHaveURL('/logs');
  });

  await test.step('Back closes a dialog with a URL', async () => {
    await page.getByRole('row', { name: /^invoice 48213/ }).click();
    await expect(dialog).toBeVisible();
    await expect(page).toHaveURL(/key=/);
    await page.goBack();
    await expect(dialog).toHaveCount(0);
    await expect(page).toHaveURL('/logs');
  });

  await test.step('so does Escape, and the previous page is still one step back', async () => {
    await page.getByRole('row', { name: /^invoice 48213/ }).click();
    await expect(dialog).toBeVisible();
    await page.keyboard.press('Escape');
    await expect(dialog).toHaveCount(0);
    await expect(page).toHaveURL('/logs');
    await page.goBack();
    await expect(page).toHaveURL('/my-invoices');
    await expect(dialog).toHaveCount(0);
  });

  await test.step('an entry opened by its URL closes to its list', async () => {
    const { logs } = (await product.api.data('GET', '/api/my/logs')) as { logs: readonly { Key: string }[] };
    await page.goto(`/logs?key=${encodeURIComponent(logs[0]?.Key ?? '')}`);
    await expect(dialog).toBeVisible();
    await page.keyboard.press('Escape');
    await expect(dialog).toHaveCount(0);
    await expect(page).toHaveURL('/logs');
    await page.goBack();
    await expect(page).toHaveURL('/my-invoices');
  });

  await test.step('a forbidden page is left with one step', async () => {
    for (const back of [() => page.goBack(), () => page.getByRole('button', { name: 'Go Back' }).click()]) {
      await page.goto('/my-invoices');
      await page.goto('/clients');
      await expect(page).toHaveURL('/unauthorized');
      await expect(page.getByRole('heading', { name: 'Not Authorized.' })).toBeVisible();
      await back();
      await expect(page.getByRole('heading', { name: 'My Invoices' })).toBeVisible();
    }
  });

  await test.step('in a new tab, Go Back leads to the Overview', async () => {
    const tab = await page.context().newPage();
    await tab.goto('about:blank');
    await tab.goto('/no-such-screen');
    await expect(tab.getByRole('heading', { name: 'Not Found.' })).toBeVisible();
    await tab.getByRole('button', { name: 'Go Back' }).click();
    await expect(tab.getByRole('heading', { name: 'Overview' })).toBeVisible();
    await tab.close();
  });

  await test.step('a deep link requires the login first', async () => {
    await other.goto('about:blank');
    await other.goto('/logs?mode=test&q=acme');
    await expect(other).toHaveURL('/login');
    await logIn(other, admin, password);
    await expect(other.getByRole('heading', { name: 'Logs', level: 1 })).toBeVisible();
    await expect(other).toHaveURL('/logs?mode=test&q=acme');
    await other.goBack();
    await expect(other).toHaveURL('about:blank');
  });
  expect(defects).toEqual([]);
});

test('a run continues through a reload and Back, and shows its result', async ({ page }) => {
  await connect();
  const progress = (text: string) => page.getByRole('group', { name: 'Result' }).getByText(text);
  const events = '**/api/my/jobs/*/events';
  await page.goto(`/my-invoices?by=id&id=${invoice}`);
  await page.getByRole('checkbox', { name: `Select Invoice ${invoice}` }).check();
  await page.getByRole('button', { name: 'Test Sync' }).click();
  // Two sequential calls take longer than the rest of this test.
  await product.autotask.behave({ latency_ms: 12_000 });
  try {
    await page
      .getByRole('dialog')
      .getByRole('button', { name: /^TEST 1 invoice/ })
      .click();
    await expect(progress('0 of 1 document')).toBeVisible();
    await page.reload();
    await expect(progress('0 of 1 document')).toBeVisible();
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Logs' }).click();
    await expect(page.getByRole('heading', { name: 'Logs', level: 1 })).toBeVisible();
    // The list of jobs reports the end before the event stream does.
    await page.route(events, (route) => route.abort());
    await page.goBack();
    await expect(progress('0 of 1 document')).toBeVisible();
  } finally {
    await product.autotask.behave({ latency_ms: 0 });
  }
  await expect(progress('1 of 1 document')).toBeVisible({ timeout: 60_000 });
  await page.unroute(events);
  await expect(page.getByText(/^(1 passed, \$[\d,.]+|No document passed)$/)).toBeVisible();
});

test('a dialog does not move or narrow the page when scrollbars take space', async ({
  playwright,
  launchOptions,
  context,
  baseURL,
}) => {
  const browser = await playwright.chromium.launch({ ...launchOptions, ignoreDefaultArgs: ['--hide-scrollbars'] });
  const page = await browser.newPage({
    ...(baseURL !== undefined && { baseURL }),
    storageState: await context.storageState(),
    viewport: { width: 1440, height: 600 },
  });
  const places = () =>
    page.evaluate<readonly number[]>(`['html', 'header', 'main', 'h1', 'table'].flatMap((what) => {
      const { x, width } = document.querySelector(what).getBoundingClientRect();
      return [x, width];
    }).concat(scrollY)`);
  const shade = () => page.evaluate<string>('getComputedStyle(document.documentElement).backgroundColor');
  await connect();
  try {
    await page.goto('/my-invoices');
    await expect(page.getByText(/^Showing 1-10 of/).first()).toBeVisible();
    await hasSettled(page);
    expect(await page.evaluate<number>('innerWidth - document.documentElement.clientWidth')).toBeGreaterThan(0);
    await page.evaluate('scrollTo(0, 120)');
    const [before, bright] = [await places(), await shade()];
    await page.evaluate(
      `[...document.querySelectorAll('button')].find(({ textContent }) => textContent === 'Payments and voids').click()`,
    );
    await expect(page.getByRole('dialog')).toBeVisible();
    expect(await places()).toEqual(before);
    expect(await shade(), 'the space of the scrollbar has the same shade as the page').not.toBe(bright);
    await page.keyboard.press('Escape');
    await expect(page.getByRole('dialog')).toHaveCount(0);
    expect([await places(), await shade()]).toEqual([before, bright]);
  } finally {
    await browser.close();
  }
});

test('a review prints every amount and no control', async ({ guest: page }) => {
  await connect();
  const tested = await jobOf(
    product.api.data('POST', '/api/my/invoices/sync/submit', { mode: 'test', invoice_ids: [48_307, 48_308] }),
  );
  await ended(tested);
  await page.goto('/login');
  await logIn(page, sysadmin, password);
  await page.getByLabel('Masquerade as Client').first().click();
  await page.getByRole('option', { name: 'Northwind IT Services' }).click();
  await expect(page.getByRole('button', { name: 'Stop acting as this client' })).toBeVisible();
  await page.goto(`/my-invoices?review=${tested}`);
  await expect(page.getByRole('button', { name: /^Post 2 invoices/ })).toBeVisible();
  const visible = async (selector: string) => {
    const all = await page.locator(selector).all();
    const texts: string[] = [];
    for (const one of all) if (await one.isVisible()) texts.push((await one.textContent()) ?? '');
    return texts;
  };
  // Checkboxes are printed, because they show the selection.
  const controls = 'button, input:not([type="checkbox"]), nav, header, [role="status"]';
  expect(await visible(controls)).not.toEqual([]);
  await page.emulateMedia({ media: 'print' });
  expect(await visible(controls)).toEqual([]);
  for (const name of ['Accounts in CAD', 'Accounts in USD'])
    await expect(page.getByRole('region', { name })).toBeVisible();
  for (const amount of ['$228.00', 'CAD 1,620.00'])
    await expect(page.getByRole('table', { name: 'Documents' }).getByText(amount).first()).toBeVisible();

  // The printed list is not paged.
  await page.emulateMedia({ media: null });
  await page.goto('/my-invoices');
  const invoices = page.getByRole('row', { name: /^Invoice / });
  await expect(invoices).toHaveCount(10);
  await page.emulateMedia({ media: 'print' });
  const [, all] = /^All (\d+) rows/.exec(await page.getByRole('row', { name: /^All \d+ rows/ }).innerText()) ?? [];
  expect(Number(all)).toBeGreaterThan(10);
  await expect(invoices).toHaveCount(Number(all));
});

test('a changed invoice is updated from Needs attention after a review', async ({ page }) => {
  const sync = async (kind: string, body: Record<string, boolean | string>) =>
    ended(
      await jobOf(
        product.api.data('POST', `/api/my/${kind}/sync/submit`, { mode: 'live', invoice_ids: [invoice], ...body }),
      ),
    );
  await connect();
  await product.api.data('POST', '/api/my/settings/', { inv_create_item_automatically: true });
  await sync('invoices', {});
  const [item] = (await product.autotask.list('BillingItems')).filter(
    (one) => one['invoiceID'] === invoice && one['totalAmount'] === 900,
  );
  await product.autotask.put('BillingItems', Number(item?.['id']), pricedLine(1000));
  await product.autotask.put('Invoices', invoice, { invoiceTotal: 2_066.25 });
  await sync('payments', {});

  await page.goto('/needs-attention');
  await expect(page.getByText(/is now 2,066\.25 in Autotask/).first()).toBeVisible();
  await page.getByRole('button', { name: 'Update QuickBooks Online' }).click();
  await expect(page).toHaveURL(/review=/);
  const post = page.getByRole('button', { name: /^Update 1 invoice, \$2,066\.25/ });
  await expect(post).toBeVisible({ timeout: 60_000 });
  await expect(page.getByText('Please confirm you want to update this invoice in QuickBooks.')).toBeVisible();
  // What is replaced is listed.
  await expect(page.getByText(/900.* → .*1,000/).first()).toBeVisible();
  await post.click();
  await expect(page).toHaveURL(/\/runs\//);
  await expect
    .poll(async () => (await product.quickbooks.list('Invoice')).map((one) => one['TotalAmt']), { timeout: 60_000 })
    .toContain(2_066.25);
});

test('old URLs show an explanation and no false success', async ({ page }) => {
  const gone = crypto.randomUUID();
  await page.goto(`/my-invoices?review=${gone}`);
  await expect(page.getByText(/^This review is no longer available\./)).toBeVisible();
  await page.getByRole('button', { name: 'Close review' }).click();
  await expect(page).toHaveURL('/my-invoices');

  await fetch(`${product.quickbooks.url}/__sandbox/revoke`, { method: 'POST', body: '{}' });
  await product.api.call('POST', '/api/my/connections/qbo/test');
  await page.goto('/connections?reload=qbo');
  await expect(page).toHaveURL('/connections');
  await hasSettled(page);
  await expect(page.getByText(/^QuickBooks is connected to/)).toHaveCount(0);
});
