import { loadavg } from 'node:os';
import { chromium, type Page } from '@playwright/test';
import { signIn, type ApiClient } from '#test/support/api-client.ts';
import { newProcessFixture, type ProcessFixture } from '#test/support/process-fixture.ts';
import { findBrowser } from '../scripts/browser.ts';
import { quantile } from './compare.ts';

/** Maximum time from a key press or click until its change is painted, on a processor slowed down four times. */
const maxPaintMs = 100;
/** Maximum response time of the server from its cache. */
const maxServerMs = 25;
const slowdown = 4;
const user = { name: 'admin@northwind-msp.example', password: 'Demo-Passw0rd!' };

/**
 * Measures whether the mapping screens stay fast with long lists. The product runs as a process with the demo's
 * services; half of the companies are mapped.
 *
 * @param companies number of companies and of customers.
 * @param products number of products.
 * @returns false when the median of an action or of a call is above its goal.
 */
export async function lists(companies: number, products: number, rounds: number): Promise<boolean> {
  const fixture = await newProcessFixture();
  try {
    await fill(fixture, companies, products);
    const { url } = await fixture.start();
    const api = await signIn(url);
    await api.connectQuickBooks();
    await api.data('POST', '/api/my/settings/', { inv_default_income_account: '2' });
    await mapHalf(api);
    const isServerQuick = await timeCalls(api, rounds * 4);
    const isBrowserQuick = await timeActions(url, rounds);
    console.log(
      `load ${loadavg()
        .map((value) => value.toFixed(1))
        .join(' ')}`,
    );
    return isServerQuick && isBrowserQuick;
  } finally {
    await fixture.close();
  }
}

async function fill({ autotask, quickbooks }: ProcessFixture, companies: number, products: number): Promise<void> {
  await autotask.reset({ companies });
  await quickbooks.reset({ companies });
  const [product] = await autotask.list('Products');
  const accounts = { IncomeAccountRef: { value: '2' }, ExpenseAccountRef: { value: '14' } };
  for (let n = 1; n <= products; n += 1) {
    const name = `Product ${n * 7919} of shelf ${n % 40}`;
    await autotask.add('Products', { ...product, id: 100_000 + n, name, sku: `SKU-${n}` });
    await quickbooks.add('Item', { Name: name, Type: 'NonInventory', ...accounts });
  }
}

/** Maps every second company to some customer, a thousand per call. */
async function mapHalf(api: ApiClient): Promise<void> {
  const { rows } = (await api.data('GET', '/api/my/mappings/Customer')) as {
    rows: readonly { source_value: string; label: string }[];
  };
  const { options } = (await api.data('GET', '/api/my/qbo/customers?as_options=true')) as {
    options: readonly { value: string }[];
  };
  const half = rows.filter((_, at) => at % 2 === 0);
  for (let start = 0; start < half.length; start += 1_000)
    await api.data('POST', '/api/my/xrefs/Customer/multiple', {
      xrefs: half.slice(start, start + 1_000).map(({ source_value: value, label }, at) => ({
        source_entity: 'Company',
        source_value: value,
        source_value_label: label,
        target_entity: 'Customer',
        target_value: options[(start + at) % options.length]?.value ?? '58',
        target_value_label: null,
      })),
    });
}

const calls = {
  'choices of a customer': '/api/my/mappings/Customer/targets?q=wi',
  'choices of an item': '/api/my/mappings/ItemPurchasing/targets?q=shelf%2012',
  'accounts, classes, preferences': '/api/my/qbo',
  settings: '/api/my/settings/',
  'table of the items': '/api/my/mappings/ItemPurchasing',
  'table of the customers': '/api/my/mappings/Customer',
} as const;

async function timeCalls(api: ApiClient, rounds: number): Promise<boolean> {
  let isQuick = true;
  for (const [name, path] of Object.entries(calls)) {
    const times: number[] = [];
    for (let round = -3; round < rounds; round += 1) {
      const began = performance.now();
      await api.data('GET', path);
      if (round >= 0) times.push(performance.now() - began);
    }
    isQuick = reportTimes(`server: ${name}`, times, maxServerMs) && isQuick;
  }
  return isQuick;
}

function reportTimes(what: string, times: readonly number[], maxMs: number): boolean {
  const [middle, high] = [quantile(times, 0.5), quantile(times, 0.9)];
  const isQuick = times.length > 0 && middle <= maxMs;
  const mark = isQuick ? '' : `  MORE THAN ${maxMs} ms`;
  console.log(
    `${what.padEnd(44)} ${middle.toFixed(1).padStart(7)} ms median ${high.toFixed(1).padStart(7)} ms 90 %${mark}`,
  );
  return isQuick;
}

/** Runs in the page: records when an input began, and when the first and the last change after it were painted. */
const watcher = `
  window.__painted = {};
  for (const type of ['keydown', 'pointerdown', 'mousedown'])
    addEventListener(type, (event) => { window.__painted.began ??= event.timeStamp; }, { capture: true });
  new MutationObserver(() => {
    const painted = window.__painted;
    if (painted.began === undefined) return;
    if (painted.shows !== undefined && document.querySelector(painted.shows) === null) return;
    requestAnimationFrame(() => {
      const { port1, port2 } = new MessageChannel();
      port1.onmessage = () => { painted.last = performance.now(); painted.first ??= painted.last; };
      port2.postMessage(null);
    });
  }).observe(document, { subtree: true, childList: true, characterData: true, attributes: true });`;

/** Pause after which an action is complete; shorter than the delay after which a type-ahead sends a request. */
const quietMs = 450;
/** Delay after the last key press before a searchable list reacts. */
const typingMs = 300;

interface Painted {
  readonly began?: number;
  readonly first?: number;
  readonly last?: number;
}

/**
 * Measures the time from an input to the paint of its change.
 *
 * @param until `first` when more changes follow later without input, otherwise `last`.
 * @param shows what must be on the page for a change to count.
 */
async function paintOf(
  page: Page,
  act: () => Promise<void>,
  { until = 'last', shows }: { readonly until?: 'first' | 'last'; readonly shows?: string } = {},
): Promise<{ readonly tookMs: number; readonly lastMs: number }> {
  await page.evaluate(`window.__painted = ${JSON.stringify({ shows })}`);
  await act();
  await page.waitForTimeout(quietMs);
  const { began, first, last } = await page.evaluate<Painted>('window.__painted');
  if (began === undefined || first === undefined || last === undefined) throw new Error('no change after the input');
  return { tookMs: (until === 'first' ? first : last) - began, lastMs: last - began };
}

async function timeActions(url: string, rounds: number): Promise<boolean> {
  const found = await findBrowser();
  const browser = await chromium.launch(
    found === null
      ? {}
      : {
          executablePath: found.path,
          args: [...found.args],
          env: { ...(process.env as Record<string, string>), ...found.env },
        },
  );
  try {
    const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, reducedMotion: 'reduce' });
    const page = await context.newPage();
    await page.addInitScript(watcher);
    await page.goto(`${url}/customer-mappings`);
    await page.getByLabel('Username').fill(user.name);
    await page.getByLabel('Password', { exact: true }).fill(user.password);
    await page.getByRole('button', { name: 'Login' }).click();
    await page.getByPlaceholder('Search Autotask Customer Companies').fill('');
    await page.keyboard.press('Enter');
    await page.getByText(/^Showing 1-10 of/).waitFor();
    const session = await context.newCDPSession(page);
    await session.send('Emulation.setCPUThrottlingRate', { rate: slowdown });
    const times = new Map<string, number[]>();
    const note = (name: string, took: number) => times.set(name, [...(times.get(name) ?? []), took]);
    const time: Time = async (name, act, how) => {
      const { tookMs, lastMs } = await paintOf(page, act, how);
      note(name, tookMs);
      if (how?.afterward !== undefined) note(how.afterward, Math.max(0, lastMs - typingMs));
    };
    await customers(page, rounds, time);
    await session.send('Emulation.setCPUThrottlingRate', { rate: 1 });
    await page.goto(`${url}/item-mappings`);
    await page.getByRole('tab', { name: 'Purchase Orders' }).click();
    await page.getByText(/^Showing 1-10 of/).waitFor();
    await session.send('Emulation.setCPUThrottlingRate', { rate: slowdown });
    await items(page, rounds, time);
    return [...times].map(([name, some]) => reportTimes(`screen: ${name}`, some, maxPaintMs)).every(Boolean);
  } finally {
    await browser.close();
  }
}

/** `afterward` names what follows automatically after typing stops. */
type Time = (
  name: string,
  act: () => Promise<void>,
  how?: { readonly until?: 'first' | 'last'; readonly shows?: string; readonly afterward?: string },
) => Promise<void>;

async function customers(page: Page, rounds: number, time: Time): Promise<void> {
  const field = page.getByPlaceholder('Search Autotask Customer Companies');
  for (let round = 0; round < rounds; round += 1) {
    await field.focus();
    await time('companies: type a letter in the search', () => page.keyboard.press('a'));
    await page.keyboard.press('Backspace');
    // Searches for something else, then shows all rows again.
    await page.keyboard.type('co');
    await time('companies: search', () => page.keyboard.press('Enter'));
    await field.fill('');
    await time('companies: search for all', () => page.keyboard.press('Enter'));
    await shared(page, 'companies', 'Select all companies', 'Company', time);
    // Repeats this with about a hundred rows: the cost of a click with any list.
    await field.fill('99');
    await field.press('Enter');
    await page.waitForTimeout(quietMs);
    await shared(page, 'a hundred companies', 'Select all companies', 'Company', time);
    await field.fill('');
    await field.press('Enter');
    await page.waitForTimeout(quietMs);
  }
}

async function items(page: Page, rounds: number, time: Time): Promise<void> {
  const field = page.getByPlaceholder('Name or number');
  for (let round = 0; round < rounds; round += 1) {
    await field.focus();
    for (const letter of 'sh')
      await time('products: type a letter in the search', () => page.keyboard.press(letter), {
        until: 'first',
        afterward: 'products: list after the letter',
      });
    await field.fill('');
    await page.waitForTimeout(quietMs);
    await shared(page, 'products', 'Select all products', 'Product', time);
    await time('products: sort by amount', () => page.getByRole('button', { name: 'Last 90 days' }).click());
  }
}

async function shared(page: Page, what: string, all: string, head: string, time: Time): Promise<void> {
  await time(`${what}: select all`, () => page.getByLabel(all).press('Space'));
  await time(`${what}: select none`, () => page.getByLabel(all).press('Space'));
  await time(`${what}: select one row`, () =>
    page
      .getByLabel(/^Select (?!all)/)
      .nth(3)
      .press('Space'),
  );
  await page
    .getByLabel(/^Select (?!all)/)
    .nth(3)
    .press('Space');
  await time(`${what}: sort by name`, () => page.getByRole('button', { name: head, exact: true }).press('Enter'));
  await time(`${what}: next page`, () => page.getByLabel('Next page').press('Enter'));
  await time(`${what}: previous page`, () => page.getByLabel('Previous page').press('Enter'));
  await page.getByLabel(all).press('Space');
  await page.waitForTimeout(quietMs);
  const dialog = page.getByRole('dialog');
  const map = page.getByRole('button', { name: /^Map to/ });
  await time(`${what}: dialog for all`, () => map.press('Enter'), {
    until: 'first',
    shows: '[role=dialog]',
  });
  await time(`${what}: type a letter in the type-ahead`, () => dialog.getByRole('combobox').press('w'), {
    until: 'first',
  });
  await dialog.getByRole('button', { name: 'Close' }).last().press('Enter');
  await page.waitForTimeout(quietMs);
  await page.getByLabel(all).press('Space');
  await page.waitForTimeout(quietMs);
}
