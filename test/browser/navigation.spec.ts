import { type BrowserContext, expect, test, type Page } from '@playwright/test';
import { signIn, type ApiClient } from '../support/api-client.ts';
import { defectsOf, hasSettled, logIn } from '../support/browser.ts';
import { newProcessFixture, type ProcessFixture } from '../support/process-fixture.ts';

const admin = ['admin@northwind-msp.example', 'Demo-Passw0rd!'] as const;
const invoice = 48_213;

let fixture: ProcessFixture;
let url: string;
let api: ApiClient;
let isConnected = false;
/** Cookies and storage of a logged-in user, with which each test starts. */
let loggedIn: Awaited<ReturnType<BrowserContext['storageState']>>;

test.beforeAll(async ({ browser }) => {
  test.setTimeout(240_000);
  fixture = await newProcessFixture();
  ({ url } = await fixture.start());
  api = await signIn(url);
  const page = await browser.newPage();
  await page.goto(`${url}/my`);
  await logIn(page, ...admin);
  await expect(page.getByRole('heading', { name: 'Overview' })).toBeVisible();
  loggedIn = await page.context().storageState();
  await page.close();
});
test.afterAll(() => fixture.close());

/** Connects QuickBooks, saves the required settings and tests two invoices, once. */
async function connect(): Promise<void> {
  if (isConnected) return;
  await api.connectQuickBooks();
  await api.data('POST', '/api/my/settings/', { inv_default_income_account: '2' });
  await ended(
    await jobOf(api.data('POST', '/api/my/invoices/sync/submit', { mode: 'test', invoice_ids: [invoice, 48_307] })),
  );
  isConnected = true;
}

/** Opens a page as a logged-in user. */
async function enter(page: Page, path: string): Promise<void> {
  await page.goto('about:blank');
  const entries = loggedIn.origins.flatMap((one) => one.localStorage.map(({ name, value }) => [name, value]));
  await page.context().addInitScript(`if (location.origin === '${url}' && sessionStorage.getItem('entered') === null) {
    sessionStorage.setItem('entered', 'yes');
    for (const [name, value] of ${JSON.stringify(entries)}) localStorage.setItem(name, value);
  }`);
  await page.context().addCookies(loggedIn.cookies);
  await page.goto(`${url}${path}`);
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
}

const jobOf = async (submitted: Promise<unknown>) => String(((await submitted) as { job: { id: unknown } }).job.id);
const ended = (id: string) =>
  expect
    .poll(async () => ((await api.data('GET', `/api/my/jobs/${id}`)) as { job: { status: string } }).job.status, {
      timeout: 60_000,
    })
    .toBe('finished');

test('a disabled button explains itself on desktop and phone, and the header shows user and client', async ({
  page,
}) => {
  for (const width of [1440, 390]) {
    await page.setViewportSize({ width, height: 900 });
    await enter(page, '/my');
    await expect(page.getByRole('button', { name: 'Sync Now: Invoices' })).toBeDisabled();
    await expect(page.getByText('Connect both services first.')).toBeVisible();
    const header = page.getByRole('banner');
    await expect(header.getByText(admin[0])).toBeInViewport({ ratio: 1 });
    await expect(header.getByText('Northwind IT Services')).toBeInViewport({ ratio: 1 });
  }
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
  await enter(page, '/connections');
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
  await enter(page, '/my');
  await hasSettled(page);
  expect(await moving()).toBeGreaterThan(0);
  await page.emulateMedia({ reducedMotion: 'reduce' });
  expect(await moving()).toBe(0);
});

test('an offline screen reports it and loads when the connection is back, and rows stay in gray', async ({
  page,
  context,
}) => {
  await connect();
  await enter(page, '/logs');
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

  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Audit Trail' }).click();
  await expect(page.getByRole('heading', { name: 'You are offline.' })).toBeVisible();
  await expect(page.getByText(/went wrong|updated/)).toHaveCount(0);
  await page.getByRole('button', { name: 'Try again' }).click();
  await expect(page.getByRole('heading', { name: 'You are offline.' })).toBeVisible();
  await context.setOffline(false);
  await expect(page.getByRole('heading', { name: 'Audit Trail', level: 1 })).toBeVisible();
  await expect(page).toHaveURL(`${url}/audit`);
});

test('Escape closes a dialog without a history entry, and Back never loops', async ({ page, browser }) => {
  await connect();
  const defects = defectsOf(page);
  const length = () => page.evaluate<number>('history.length');
  const dialog = page.getByRole('dialog');

  await test.step('a dialog without a URL', async () => {
    await enter(page, '/my-invoices');
    await hasSettled(page);
    const before = await length();
    await page.getByRole('button', { name: 'Payments and voids' }).click();
    await expect(dialog).toBeVisible();
    await page.keyboard.press('Escape');
    await expect(dialog).toHaveCount(0);
    expect(await length()).toBe(before);
    await expect(page).toHaveURL(`${url}/my-invoices`);
  });

  await test.step('Back from it leads to the previous page', async () => {
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Logs' }).click();
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Invoices', exact: true }).click();
    await page.getByRole('button', { name: 'Payments and voids' }).click();
    await expect(dialog).toBeVisible();
    await page.goBack();
    await expect(dialog).toHaveCount(0);
    await expect(page).toHaveURL(`${url}/logs`);
  });

  await test.step('Back closes a dialog with a URL', async () => {
    await page.getByRole('row', { name: /^invoice 48213/ }).click();
    await expect(dialog).toBeVisible();
    await expect(page).toHaveURL(/key=/);
    await page.goBack();
    await expect(dialog).toHaveCount(0);
    await expect(page).toHaveURL(`${url}/logs`);
  });

  await test.step('so does Escape, and the previous page is still one step back', async () => {
    await page.getByRole('row', { name: /^invoice 48213/ }).click();
    await expect(dialog).toBeVisible();
    await page.keyboard.press('Escape');
    await expect(dialog).toHaveCount(0);
    await expect(page).toHaveURL(`${url}/logs`);
    await page.goBack();
    await expect(page).toHaveURL(`${url}/my-invoices`);
    await expect(dialog).toHaveCount(0);
  });

  await test.step('an entry opened by its URL closes to its list', async () => {
    const { logs } = (await api.data('GET', '/api/my/logs')) as { logs: readonly { Key: string }[] };
    await page.goto(`${url}/logs?key=${encodeURIComponent(logs[0]?.Key ?? '')}`);
    await expect(dialog).toBeVisible();
    await page.keyboard.press('Escape');
    await expect(dialog).toHaveCount(0);
    await expect(page).toHaveURL(`${url}/logs`);
    await page.goBack();
    await expect(page).toHaveURL(`${url}/my-invoices`);
  });

  await test.step('a forbidden page is left with one step', async () => {
    for (const back of [() => page.goBack(), () => page.getByRole('button', { name: 'Go Back' }).click()]) {
      await page.goto(`${url}/my-invoices`);
      await page.goto(`${url}/clients`);
      await expect(page).toHaveURL(`${url}/unauthorized`);
      await expect(page.getByRole('heading', { name: 'Not Authorized.' })).toBeVisible();
      await back();
      await expect(page.getByRole('heading', { name: 'My Invoices' })).toBeVisible();
    }
  });

  await test.step('in a new tab, Go Back leads to the Overview', async () => {
    const other = await page.context().newPage();
    await other.goto('about:blank');
    await other.goto(`${url}/no-such-screen`);
    await expect(other.getByRole('heading', { name: 'Not Found.' })).toBeVisible();
    await other.getByRole('button', { name: 'Go Back' }).click();
    await expect(other.getByRole('heading', { name: 'Overview' })).toBeVisible();
    await other.close();
  });

  await test.step('a deep link requires the login first', async () => {
    const other = await (await browser.newContext()).newPage();
    await other.goto('about:blank');
    await other.goto(`${url}/logs?mode=test&q=acme`);
    await expect(other).toHaveURL(`${url}/login`);
    await logIn(other, ...admin);
    await expect(other.getByRole('heading', { name: 'Logs', level: 1 })).toBeVisible();
    await expect(other).toHaveURL(`${url}/logs?mode=test&q=acme`);
    await other.goBack();
    await expect(other).toHaveURL('about:blank');
    await other.context().close();
  });
  expect(defects).toEqual([]);
});

test('a job continues through a reload and Back, and its row and summary show the result', async ({ page }) => {
  await connect();
  const panel = page.getByRole('region', { name: 'Invoices, test sync' });
  const events = '**/api/my/jobs/*/events';
  await enter(page, `/my-invoices?by=id&id=${invoice}`);
  await page.getByRole('checkbox', { name: `Select Invoice ${invoice}` }).check();
  await page.getByRole('button', { name: 'Test Sync' }).click();
  // Two sequential calls take longer than the rest of this test.
  await fixture.autotask.behave({ latency_ms: 12_000 });
  try {
    await page
      .getByRole('dialog')
      .getByRole('button', { name: /^TEST 1 invoice/ })
      .click();
    await expect(panel.getByText('0 of 1 document')).toBeVisible();
    await page.reload();
    await expect(panel.getByText('0 of 1 document')).toBeVisible();
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Logs' }).click();
    await expect(page.getByRole('heading', { name: 'Logs', level: 1 })).toBeVisible();
    // The list of jobs reports the end before the event stream does.
    await page.route(events, (route) => route.abort());
    await page.goBack();
    await expect(panel.getByText('0 of 1 document')).toBeVisible();
  } finally {
    await fixture.autotask.behave({ latency_ms: 0 });
  }
  await expect(panel.getByText('1 of 1 document')).toBeVisible({ timeout: 60_000 });
  await page.unroute(events);
  await expect(panel.getByRole('link', { name: /^1 invoice, \$[\d,.]+, (passed|would fail)$/ })).toBeVisible();
});

test('a dialog does not move or narrow the page when scrollbars take space', async ({ playwright, launchOptions }) => {
  const browser = await playwright.chromium.launch({ ...launchOptions, ignoreDefaultArgs: ['--hide-scrollbars'] });
  const page = await browser.newPage({ viewport: { width: 1440, height: 600 } });
  const places = () =>
    page.evaluate<readonly number[]>(`['html', 'header', 'main', 'h1', 'table'].flatMap((what) => {
      const { x, width } = document.querySelector(what).getBoundingClientRect();
      return [x, width];
    }).concat(scrollY)`);
  const shade = () => page.evaluate<string>('getComputedStyle(document.documentElement).backgroundColor');
  await connect();
  try {
    await enter(page, '/my-invoices');
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

test('a review prints every amount and no control', async ({ page }) => {
  await connect();
  const tested = await jobOf(
    api.data('POST', '/api/my/invoices/sync/submit', { mode: 'test', invoice_ids: [48_307, 48_308] }),
  );
  await ended(tested);
  await page.goto(`${url}/login`);
  await logIn(page, 'sysadmin@tallybridge.example', admin[1]);
  await page.getByLabel('Masquerade as Client').first().click();
  await page.getByRole('option', { name: 'Northwind IT Services' }).click();
  await expect(page.getByRole('button', { name: 'Stop acting as this client' })).toBeVisible();
  await page.goto(`${url}/my-invoices?review=${tested}`);
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
  await page.goto(`${url}/my-invoices`);
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
      await jobOf(api.data('POST', `/api/my/${kind}/sync/submit`, { mode: 'live', invoice_ids: [invoice], ...body })),
    );
  await connect();
  await api.data('POST', '/api/my/settings/', { inv_create_item_automatically: true });
  await sync('invoices', {});
  const [item] = (await fixture.autotask.list('BillingItems')).filter(
    (one) => one['invoiceID'] === invoice && one['totalAmount'] === 900,
  );
  await fixture.autotask.put('BillingItems', Number(item?.['id']), {
    quantity: 1,
    rate: 1000,
    extendedPrice: 1000,
    totalAmount: 1000,
    internalCurrencyTotalAmount: 1000,
  });
  await fixture.autotask.put('Invoices', invoice, { invoiceTotal: 2_066.25 });
  await sync('payments', {});

  await enter(page, '/needs-attention');
  await expect(page.getByText(/is now 2,066\.25 in Autotask/).first()).toBeVisible();
  await page.getByRole('button', { name: 'Update QuickBooks Online' }).click();
  await expect(page).toHaveURL(/review=/);
  const post = page.getByRole('button', { name: /^Update 1 invoice, \$2,066\.25/ });
  await expect(post).toBeVisible({ timeout: 60_000 });
  await expect(page.getByText('Please confirm you want to update this invoice in QuickBooks.')).toBeVisible();
  await expect(page.getByText(/manual changes there are lost/)).toBeVisible();
  await post.click();
  await expect(page).toHaveURL(`${url}/needs-attention`);
  await expect
    .poll(async () => (await fixture.quickbooks.list('Invoice')).map((one) => one['TotalAmt']), { timeout: 60_000 })
    .toContain(2_066.25);
});

test('old URLs show an explanation and no false success', async ({ page }) => {
  const gone = crypto.randomUUID();
  await enter(page, `/my-invoices?review=${gone}`);
  await expect(page.getByText(/^This review is no longer available\./)).toBeVisible();
  await page.getByRole('button', { name: 'Close review' }).click();
  await expect(page).toHaveURL(`${url}/my-invoices`);

  await fetch(`${fixture.quickbooks.url}/__sandbox/revoke`, { method: 'POST', body: '{}' });
  await api.call('POST', '/api/my/connections/qbo/test');
  await page.goto(`${url}/connections?reload=qbo`);
  await expect(page).toHaveURL(`${url}/connections`);
  await hasSettled(page);
  await expect(page.getByText(/^QuickBooks is connected to/)).toHaveCount(0);
});
