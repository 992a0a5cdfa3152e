import { expect, type Page, test } from '@playwright/test';
import { defectsOf, isAccessible } from '../support/browser.ts';
import { newProcessFixture, type ProcessFixture } from '../support/process-fixture.ts';

let fixture: ProcessFixture;
let url: string;
test.beforeAll(async () => {
  fixture = await newProcessFixture('empty');
  ({ url } = await fixture.start());
});
test.afterAll(() => fixture.close());

/** Counts presses of the mouse on all pages, also those of QuickBooks. */
async function countPresses(page: Page): Promise<() => number> {
  let count = 0;
  await page.exposeFunction('countPress', () => {
    count += 1;
  });
  await page.addInitScript(`addEventListener('pointerdown', () => window.countPress(), true)`);
  return () => count;
}

/** A new client's way to the first posted invoice, in the browser only. The end checks QuickBooks directly. */
test('a new company registers, follows the setup guide and posts its first invoice', async ({ page }) => {
  test.setTimeout(360_000);
  const defects = defectsOf(page);
  const invoices = async () => (await fixture.quickbooks.list('Invoice')).length;
  const before = await invoices();
  const similar = 'Harbor Orthodontics';

  await test.step('register with the demo’s credentials', async () => {
    await page.goto(url);
    await page.getByRole('link', { name: 'Register' }).click();
    await page.getByRole('button', { name: 'Fill in Lakeside Technology Partners' }).click();
    await isAccessible(page);
    await page.getByRole('button', { name: 'Connect', exact: true }).click();
    await expect(page.getByText('Connected to Lakeside Technology Partners')).toBeVisible();
    await page.getByRole('button', { name: 'Verify User' }).click();
    await page.getByLabel('Password', { exact: true }).fill('Lena-Horse-12');
    await page.getByLabel('Confirm Password').fill('Lena-Horse-12');
    await page.getByRole('button', { name: 'Create Account' }).click();
    await expect(page).toHaveURL(`${url}/connections`);
  });

  await test.step('the Overview shows the next step of a pending subscription', async () => {
    await page.getByRole('link', { name: 'Overview' }).first().click();
    await expect(page.getByText('Pending', { exact: true })).toBeVisible();
    await expect(page.getByText(/^Confirm your email address with the link we sent to /)).toBeVisible();
    await expect(page.getByRole('button', { name: 'Send a new link' })).toBeVisible();
  });

  const presses = await countPresses(page);
  await test.step(
    'from the email to posted documents: at most 11 clicks and 90 seconds',
    async () => {
      await page.goto(`${url}/demo/mails`);
      await page
        .getByRole('link', { name: /confirm|prove/i })
        .first()
        .click();
      await page.getByRole('button', { name: 'Confirm', exact: true }).click();
      await expect(page.getByRole('button', { name: 'Confirm', exact: true })).toBeHidden();
      await page.goto(`${url}/setup`);
      await page.getByRole('button', { name: /Connect to QuickBooks/ }).click();
      await page.getByLabel(/Northwind/).check();
      await page.getByRole('button', { name: 'Connect', exact: true }).click();
      await expect(page).toHaveURL(`${url}/setup`);
      await expect(page.getByRole('link', { name: 'Setup 1 of 5' })).toBeVisible();
      await expect(page.getByText(/^Confirm your email address/)).toBeHidden();

      const accept = page.getByRole('button', { name: 'Accept and continue' });
      await expect(accept).toHaveAttribute('data-variant', 'filled');
      await expect(
        page.getByRole('button', { name: 'Continue to Match' }),
        'one primary button at a time',
      ).not.toHaveAttribute('data-variant', 'filled');
      await accept.click();
      await page.getByRole('button', { name: /^Accept all \d+$/ }).click();

      // QuickBooks has a customer with a name similar to a company.
      await fixture.quickbooks.add('Customer', { DisplayName: `${similar}, Inc.` });
      const tests = page.getByRole('region', { name: /^Test syncs/ });
      await tests.getByRole('button', { name: 'Test Sync' }).click();
      const paper = tests.getByRole('article', { name: /, not sent$/ }).first();
      await expect(paper).toBeVisible({ timeout: 60_000 });
      await expect(paper.getByText('Total', { exact: true })).toBeVisible();
      expect(await invoices()).toBe(before);
      await expect(tests.getByRole('button', { name: `Create “${similar}”` }).first()).toBeVisible();
      await tests
        .getByRole('button', { name: `Link to “${similar}, Inc.”` })
        .first()
        .click();
      await expect(page.getByText(`“${similar}” is mapped. Test again or release the documents.`)).toBeVisible();

      await tests.getByRole('button', { name: /^Review these \d+ and post$/ }).click();
      const post = page.getByRole('button', { name: /^Post .+ to QuickBooks$/ });
      await expect(post).toBeVisible();
      expect(await invoices()).toBe(before);
      await post.click();
      await expect(page.getByText(/^\d+ posted, \$[\d,.]+/).first()).toBeVisible({ timeout: 60_000 });
      await expect(page.getByRole('link', { name: /^(Open run|\d+ failed: open run)$/ }).first()).toBeVisible();
      expect(await invoices()).toBeGreaterThan(before);
      expect(presses()).toBeLessThanOrEqual(11);
    },
    { timeout: 90_000 },
  );

  await test.step('the two ways to go on; set the start date and turn on the first automatic sync', async () => {
    await expect(page).toHaveURL(/\/setup\?posted=/);
    await isAccessible(page);
    await expect(page.getByRole('button', { name: 'Keep posting by hand', exact: true })).toBeVisible();
    const live = page.getByRole('region', { name: 'Turn on automatic sync' });
    const first = new Date(Date.now() - 20 * 86_400_000).toISOString().slice(0, 10);
    await live.getByLabel('Sync start date').fill(first);
    await live.getByRole('button', { name: 'Save the date' }).click();
    await expect(page.getByText('Saved changes.')).toBeVisible();
    const row = live.getByRole('listitem').filter({ hasText: 'Invoices' });
    await row.getByRole('button', { name: 'Turn on', exact: true }).click();
    const dialog = page.getByRole('dialog', { name: 'Turn on automatic sync of invoices' });
    // What passed is posted.
    await expect(
      dialog.getByText(
        /^\d+ invoices? dated .+ or later, \$[\d,.]+, failed last time and will fail again until you fix the cause\./,
      ),
    ).toBeVisible();
    await expect(dialog.getByText(/will be posted in the next run\.$/)).toHaveCount(0);
    await dialog.getByRole('button', { name: 'Turn on', exact: true }).click();
    await expect(row.getByText('Automatic sync is on.')).toBeVisible();
    await expect(page.getByText('5 of 5 steps done.', { exact: false })).toBeVisible();
  });

  await test.step('the setup leaves the menu, reopens from the user menu, and stays closed in every browser', async () => {
    const entry = page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: /^Setup/ });
    const activity = page.getByRole('region', { name: 'Latest Activity' });
    await page.goto(`${url}/my`);
    await expect(activity).toBeVisible();
    await expect(entry).toBeHidden();
    await page.getByRole('button', { name: /^Account of/ }).click();
    await page.getByRole('menuitem', { name: 'Setup' }).click();
    await expect(page).toHaveURL(`${url}/setup`);
    await expect(entry).toHaveText('Setup5 of 5');
    await page.reload();
    await expect(entry).toBeVisible();
    await page.getByRole('button', { name: 'Keep posting by hand', exact: true }).click();
    await expect(page).toHaveURL(`${url}/my`);
    await expect(entry).toBeHidden();
    await page.reload();
    await expect(activity).toBeVisible();
    await expect(entry).toBeHidden();
  });
  expect(defects).toEqual([]);
});
