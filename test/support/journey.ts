import { expect, test as base, type Browser, type BrowserContext, type Page } from '@playwright/test';
import { signIn, type ApiClient } from './api-client.ts';
import { hasSettled, logIn } from './browser.ts';
import { newProcessFixture, type ProcessFixture } from './process-fixture.ts';
import type { JsonObject } from '#core/values/json.ts';

export const admin = 'admin@northwind-msp.example';
export const sysadmin = 'sysadmin@tallybridge.example';
export const password = 'Demo-Passw0rd!';

/** The demo that the tests of a file share. */
export interface Product extends Pick<ProcessFixture, 'autotask' | 'quickbooks' | 'dataDir'> {
  readonly url: string;
  /** The HTTP API as the client's administrator. */
  readonly api: ApiClient;
}

interface Running {
  readonly fixture: ProcessFixture;
  readonly product: Product;
  /** Created by the first test that needs it. */
  context?: Promise<BrowserContext>;
}

/** The product of the test file that this process runs. */
let running: Running | undefined;

function current(): Running {
  if (running === undefined) throw new Error('the test file has no product: call newProduct()');
  return running;
}

/**
 * Starts a demo before the tests of a file and stops it after them.
 *
 * @param options.settings saved after QuickBooks is connected; without them it is not connected.
 * @param options.before changes the sandboxes before the start.
 * @param options.after prepares the client, for example with jobs.
 */
export function newProduct(
  options: {
    readonly settings?: JsonObject;
    readonly environment?: Readonly<Record<string, string>>;
    readonly before?: (fixture: ProcessFixture) => Promise<void>;
    readonly after?: (product: Product) => Promise<void>;
  } = {},
): Product {
  base.beforeAll(async () => {
    const fixture = await newProcessFixture();
    await options.before?.(fixture);
    const { url } = await fixture.start(options.environment);
    const api = await signIn(url);
    const { dataDir, autotask, quickbooks } = fixture;
    running = { fixture, product: { url, api, dataDir, autotask, quickbooks } };
    if (options.settings !== undefined) {
      await api.connectQuickBooks();
      await api.data('POST', '/api/my/settings/', options.settings);
    }
    await options.after?.(running.product);
  });
  base.afterAll(async () => {
    const { fixture, context } = current();
    running = undefined;
    await (await context)?.close();
    await fixture.close();
  });
  return {
    get url() {
      return current().product.url;
    },
    get api() {
      return current().product.api;
    },
    get dataDir() {
      return current().product.dataDir;
    },
    get autotask() {
      return current().product.autotask;
    },
    get quickbooks() {
      return current().product.quickbooks;
    },
  };
}

/** Logs in through the form. */
async function newLoggedInContext(browser: Browser): Promise<BrowserContext> {
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.goto('/login');
  await logIn(page, admin, password);
  await expect(page.getByRole('heading', { name: 'Overview', level: 1 })).toBeVisible();
  // The browser remembers the menu for the next start.
  await hasSettled(page);
  await page.close();
  return context;
}

/**
 * A test of a file with {@link newProduct}. Its page is a new tab of the client's administrator, who logged in once for
 * all tests of the file; `guest` is a page of another browser without a session. Paths belong to the product.
 */
export const test = base.extend<{ guest: Page }>({
  // Before the first test no product runs.
  // oxlint-disable-next-line no-empty-pattern -- the test runner requires a pattern
  baseURL: async ({}, use) => use(running?.product.url),
  context: async ({ browser }, use) => {
    const file = current();
    file.context ??= newLoggedInContext(browser);
    await use(await file.context);
  },
  page: async ({ context }, use) => {
    const page = await context.newPage();
    await use(page);
    await page.close();
  },
  guest: async ({ browser }, use) => {
    const context = await browser.newContext();
    await use(await context.newPage());
    await context.close();
  },
});
