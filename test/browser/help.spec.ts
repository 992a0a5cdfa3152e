import { expect, test, type Page } from '@playwright/test';
import { defectsOf, findingsInBothSchemes, findingsOn, logIn } from '../support/browser.ts';
import { newProcessFixture, type ProcessFixture } from '../support/process-fixture.ts';

let fixture: ProcessFixture;
let url: string;
test.beforeAll(async () => {
  test.setTimeout(180_000);
  fixture = await newProcessFixture();
  ({ url } = await fixture.start());
});
test.afterAll(() => fixture.close());

/** Collects requests to other hosts. */
function otherHosts(page: Page): string[] {
  const found: string[] = [];
  page.on('request', (request) => {
    if (!request.url().startsWith(url) && !request.url().startsWith('data:')) found.push(request.url());
  });
  return found;
}

test('help opens from a group of settings, and its search finds an article', async ({ page, context }) => {
  await page.goto(`${url}/login`);
  await logIn(page, 'admin@northwind-msp.example', 'Demo-Passw0rd!');
  await page.getByRole('button', { name: /^Account of / }).click();
  await expect(page.getByRole('menuitem', { name: 'What’s new not read yet' })).toBeVisible();
  const news = context.waitForEvent('page');
  await page.getByRole('menuitem', { name: 'What’s new' }).click();
  await expect(await news).toHaveURL(/\/help\/whats-new$/);
  await page.getByRole('button', { name: /^Account of / }).click();
  await expect(page.getByRole('menuitem', { name: 'not read yet' })).toHaveCount(0);

  await page.goto(`${url}/settings`);
  const opened = context.waitForEvent('page');
  await page.getByRole('region', { name: 'Numbering' }).getByRole('link', { name: 'Help' }).click();
  const help = await opened;
  const [defects, others] = [defectsOf(help), otherHosts(help)];
  await expect(help).toHaveURL(/\/help\/guide\/settings#invoices-numbering$/);
  await expect(help.getByRole('heading', { name: /^Invoice numbering/ })).toBeInViewport();

  // The text is on the page before its keys work.
  await expect
    .poll(() => help.evaluate<boolean>(`document.querySelector('#app')?.__vue_app__ !== undefined`))
    .toBe(true);
  await help.keyboard.press('/');
  await help.getByRole('searchbox').fill('retainer');
  await help
    .getByRole('dialog')
    .getByRole('link', { name: /^Prepaid money/ })
    .first()
    .click();
  await expect(help).toHaveURL(/\/help\/guide\/prepaid/);
  await expect(help.getByRole('heading', { level: 1 })).toHaveText(/Prepaid money/);
  // People’s words find an article, before the calls of the API.
  for (const [words, article] of [
    ['undo', 'guide/questions#undo'],
    ['saved views', 'guide/questions#views'],
    ['delete an invoice', 'guide/questions#delete'],
    ['resend', 'guide/questions#resend'],
  ] as const) {
    await help.keyboard.press('/');
    await help.getByRole('searchbox').fill(words);
    await expect(help.getByRole('dialog').getByRole('link').first()).toHaveAttribute('href', `/help/${article}`);
    await help.keyboard.press('Escape');
  }
  expect([...defects, ...others]).toEqual([]);
});

test('the help is public, and accessible in both color schemes', async ({ page }) => {
  test.setTimeout(180_000);
  const [defects, others] = [defectsOf(page), otherHosts(page)];
  const seen: Record<string, string[]> = {};
  // The home page, and pages with pictures, tables, code and calls.
  for (const path of ['', 'guide/start', 'guide/webhooks', 'api/drafts']) {
    await page.goto(`${url}/help/${path}`);
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
    seen[path] = await findingsInBothSchemes(page);
  }
  await page.keyboard.press('/');
  await expect(page.getByRole('searchbox')).toBeVisible();
  await page.getByRole('searchbox').fill('retainer');
  await expect(page.getByRole('dialog').getByRole('link').first()).toBeVisible();
  seen['search'] = await findingsInBothSchemes(page);
  await page.setViewportSize({ width: 390, height: 844 });
  await page.goto(`${url}/help/guide/settings`);
  seen['phone'] = await findingsOn(page);
  expect(Object.entries(seen).filter(([, findings]) => findings.length > 0)).toEqual([]);
  expect([...defects, ...others]).toEqual([]);
});

test('a missing article is 404 with the page of the help', async ({ page }) => {
  const response = await page.goto(`${url}/help/guide/unknown`);
  expect(response?.status()).toBe(404);
  await expect(page.getByRole('heading', { name: 'This page does not exist' })).toBeVisible();
  await page.getByRole('link', { name: 'Questions', exact: true }).last().click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(/Questions/);
});
