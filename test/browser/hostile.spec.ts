import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, test, type Page } from '@playwright/test';
import type { JsonObject } from '#core/values/json.ts';
import { signIn } from '../support/api-client.ts';
import { hostilePaths } from '../support/hostile-paths.ts';
import { newProcessFixture, type ProcessFixture } from '../support/process-fixture.ts';
import type { Control } from '../support/world.ts';

/**
 * Hostile strings in all visible texts (reliability reference 2.3, rows 15, 18 and 19). No script runs, nothing is
 * fetched from other sites, no link runs a script, and the content security policy reports nothing.
 */

const admin = 'admin@northwind-msp.example';
const password = 'Demo-Passw0rd!';

/** Short enough for names in both services. Covers every HTML context. */
const payloads = [
  '<img src=x onerror=hit(1)>',
  '"><svg onload=hit(2)>',
  "';hit(3);//<script>hit(3)</script>",
  'javascript:hit(4)',
  '{{hit(5)}}${hit(5)}`',
  '</title><iframe srcdoc=x>',
  '=HYPERLINK("http://evil.example")',
];

/** Fields of both services that screens, logs or documents show. */
const hostileFields: readonly (readonly [service: 'autotask' | 'quickbooks', entity: string, field: string])[] = [
  ['autotask', 'Companies', 'companyName'],
  ['autotask', 'BillingCodes', 'name'],
  ['autotask', 'Products', 'name'],
  ['autotask', 'Resources', 'lastName'],
  ['autotask', 'BillingItems', 'itemName'],
  ['autotask', 'BillingItems', 'description'],
  ['autotask', 'ExpenseItems', 'description'],
  ['quickbooks', 'Customer', 'DisplayName'],
  ['quickbooks', 'Vendor', 'DisplayName'],
  ['quickbooks', 'Item', 'Name'],
  ['quickbooks', 'Account', 'Name'],
  ['quickbooks', 'Class', 'Name'],
  ['quickbooks', 'CompanyInfo', 'CompanyName'],
];

/** Returns the screens of a logged-in user, from the table behind the menu. */
function screenPaths(): readonly string[] {
  const table = readFileSync(resolve(import.meta.dirname, '..', '..', 'src', 'web', 'shell', 'screens.ts'), 'utf8');
  const rows = table.matchAll(/paths: \['([^']+)'[^}]*?roles: ([^,]+),[^}]*?load: (null|\(\))/g);
  return [...rows].flatMap(([, path = '/', roles, load]) => (load === 'null' || roles === "'public'" ? [] : [path]));
}

let fixture: ProcessFixture;
let url: string;
let payloadFields = 0;

async function insertPayloads(service: Control, entity: string, field: string): Promise<void> {
  const rows = await service.list(entity);
  for (const [index, row] of rows.entries()) {
    const id = row['id'] ?? row['Id'];
    if (typeof row[field] !== 'string' || (typeof id !== 'number' && typeof id !== 'string')) continue;
    const change = { [field]: `${payloads[index % payloads.length]} ${index}` };
    // The services reject some names. The rest is counted.
    const isTaken = await service.put(entity, id, change).then(
      () => true,
      () => false,
    );
    if (isTaken) payloadFields += 1;
  }
}

test.beforeAll(async () => {
  test.setTimeout(240_000);
  fixture = await newProcessFixture();
  for (const [service, entity, field] of hostileFields) await insertPayloads(fixture[service], entity, field);
  ({ url } = await fixture.start());
  const client = await signIn(url);
  await client.connectQuickBooks();
  await client
    .data('POST', '/api/my/settings/', {
      inv_default_income_account: '2',
      inv_create_item_automatically: true,
      inv_create_customers: true,
    })
    .catch(() => client.data('POST', '/api/my/settings/', { inv_default_income_account: '2' }));
  const ids = [48_213, 48_302, 48_309];
  for (const mode of ['test', 'live'])
    await client.data('POST', '/api/my/invoices/sync/submit', { invoice_ids: ids, mode });
  await client.data('POST', '/api/my/xrefs/ItemBilling/multiple', {
    xrefs: payloads.map((payload, index) => ({
      source_entity: 'BillingCode',
      source_value: `${900 + index}`,
      source_value_label: payload,
      target_entity: 'Item',
      target_value: '21',
      target_value_label: payload,
    })),
  });
  await expect.poll(async () => (await client.data('GET', '/api/my/logs'))['total'], { timeout: 90_000 }).toBe(6);
});
test.afterAll(() => fixture.close());

/** Collects forbidden events on a page. */
async function watch(page: Page): Promise<string[]> {
  const seen: string[] = [];
  await page.exposeFunction('hit', (number: number) => void seen.push(`script ${number} ran`));
  await page.exposeFunction('reportViolation', (what: string) => void seen.push(`policy: ${what}`));
  await page.addInitScript(
    `document.addEventListener('securitypolicyviolation', (event) =>
       window.reportViolation(event.violatedDirective + ' ' + event.blockedURI + ' ' + event.sample));`,
  );
  page.on('dialog', (dialog) => {
    seen.push(`dialog ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on('pageerror', (error) => seen.push(error.message));
  page.on('request', (request) => {
    const to = new URL(request.url());
    if (/^https?:$/.test(to.protocol) && to.origin !== new URL(url).origin) seen.push(`fetched ${to.href}`);
  });
  return seen;
}

/** Returns links and embedded elements that could be harmful. */
const harmfulElements = (page: Page): Promise<string[]> =>
  page.evaluate<
    string[]
  >(`[...document.querySelectorAll('a[href], area[href], form[action], iframe, object, embed, base, svg a')]
    .map((one) => one.href?.baseVal ?? one.href ?? one.action ?? one.tagName)
    .filter((target) => typeof target !== 'string' || !/^(https?:|mailto:)/.test(target))
    .concat([...document.querySelectorAll('*')].flatMap((one) => [...one.attributes])
      .filter((one) => /^on/i.test(one.name)).map((one) => one.name))`);

async function logIn(page: Page): Promise<void> {
  await page.getByLabel('Username').fill(admin);
  await page.getByLabel('Password', { exact: true }).fill(password);
  await page.getByRole('button', { name: 'Login' }).click();
}

test('names and texts of both services stay text on every screen', async ({ page }) => {
  test.setTimeout(180_000);
  expect(payloadFields).toBeGreaterThan(40);
  const seen = await watch(page);
  await page.goto(`${url}/login`);
  await logIn(page);
  await expect(page.getByRole('heading', { name: 'Latest Activity' })).toBeVisible();
  let shown = 0;
  const look = async (where: string) => {
    await page.waitForLoadState('networkidle');
    expect([where, await harmfulElements(page)]).toEqual([where, []]);
    const text = await page.locator('body').innerText();
    shown += payloads.filter((payload) => text.includes(payload)).length;
  };
  const paths = screenPaths();
  expect(paths.length).toBeGreaterThan(3);
  for (const path of paths) {
    await page.goto(`${url}${path}`);
    await look(path);
  }
  await page.goto(`${url}/logs`);
  await expect(page.getByText('Showing 1-6 of 6 items')).toBeVisible();
  const rows = page.getByRole('row', { name: /(test|live)/ });
  const count = await rows.count();
  for (let index = 0; index < count; index += 1) {
    await rows.nth(index).click();
    await expect(page.getByRole('dialog').getByText(/^Processing of Autotask invoice ID/)).toBeVisible();
    await look(`log entry ${index}`);
    await page.keyboard.press('Escape');
    await expect(page.getByRole('dialog')).toHaveCount(0);
  }
  expect(shown, 'payloads visible on the screens').toBeGreaterThan(3);
  expect(seen).toEqual([]);
});

test('the page for a failed connection shows messages from its URL as quoted, shortened text', async ({ page }) => {
  const seen = await watch(page);
  for (const path of ['/autotask-error', '/autotawhatever']) {
    for (const payload of [...payloads, '<a href="https://evil.example">click</a>', 'Call +1 900 555 0100 now']) {
      await page.goto(`${url}${path}?${new URLSearchParams({ message: payload, error: payload }).toString()}`);
      await expect(page.getByText('Unable to Connect to Autotask')).toBeVisible();
      await expect(page.getByText(`Reported message: ${payload}`)).toBeVisible();
      expect([payload, await harmfulElements(page)]).toEqual([payload, []]);
      expect(await page.locator('[href*=evil]').count()).toBe(0);
    }
    const long = 'Your account was locked. '.repeat(100);
    await page.goto(`${url}${path}?${new URLSearchParams({ message: long, error: long }).toString()}`);
    await expect(page.getByText('Unable to Connect to Autotask')).toBeVisible();
    expect((await page.locator('body').innerText()).length).toBeLessThan(600);
  }
  expect(seen).toEqual([]);
});

test('a remembered path never leads outside the application after the login', async ({ page }) => {
  test.setTimeout(120_000);
  const seen = await watch(page);
  const worst = [
    '//evil.example',
    '/.//evil.example',
    '/a/..//evil.example',
    '/\\evil.example',
    'https://evil.example',
    'javascript:hit(6)',
  ];
  expect(worst.filter((path) => !hostilePaths.includes(path))).toEqual(['javascript:hit(6)']);
  for (const path of worst) {
    await page.goto(`${url}/login`);
    await page.evaluate(`sessionStorage.setItem('requested-path', ${JSON.stringify(path)})`);
    await logIn(page);
    await expect(page.getByRole('heading', { name: 'Latest Activity' })).toBeVisible();
    expect([path, new URL(page.url()).origin]).toEqual([path, url]);
    await page.evaluate('localStorage.clear()');
  }
  expect(seen).toEqual([]);
});

test('the browser stores no password and no service secret', async ({ page }) => {
  await page.goto(`${url}/login`);
  await logIn(page);
  await expect(page.getByRole('heading', { name: 'Latest Activity' })).toBeVisible();
  for (const path of ['/connections', '/logs']) {
    await page.goto(`${url}${path}`);
    await page.waitForLoadState('networkidle');
  }
  const kept = await page.evaluate<string>(
    'JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie])',
  );
  const journal = (await fixture.quickbooks.journal()) as readonly unknown[] as readonly { response_body: string }[];
  const tokens = journal.flatMap(({ response_body: body }) =>
    [...body.matchAll(/"(?:access|refresh)_token":"([^"]+)"/g)].map(([, token = '']) => token),
  );
  const { users } = (await (await fetch(`${fixture.autotask.url}/__sandbox/credentials`)).json()) as {
    users: readonly JsonObject[];
  };
  expect(tokens.length).toBeGreaterThan(1);
  for (const secret of [password, ...tokens, ...users.map((user) => String(user['secret']))])
    expect(kept).not.toContain(secret);
});
