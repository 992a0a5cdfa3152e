import { expect, test } from '@playwright/test';
import { defectsOf, isAccessible } from '../support/browser.ts';
import { newProcessFixture, type ProcessFixture } from '../support/process-fixture.ts';

let fixture: ProcessFixture;
let url: string;
test.beforeAll(async () => {
  fixture = await newProcessFixture('empty');
  ({ url } = await fixture.start());
});
test.afterAll(() => fixture.close());

/** A new client's way to the first posted invoice, in the browser only. The end checks QuickBooks directly. */
test('a new company registers, follows the setup guide and posts its first invoice', async ({ page }) => {
  test.setTimeout(360_000);
  const defects = defectsOf(page);
  const invoices = async () => (await fixture.quickbooks.list('Invoice')).length;
  const before = await invoices();

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

  await test.step('verify the email address and connect QuickBooks', async () => {
    await page.goto(`${url}/demo/mails`);
    await page
      .getByRole('link', { name: /confirm|prove/i })
      .first()
      .click();
    await page.getByRole('button', { name: 'Confirm', exact: true }).click();
    await expect(page.getByRole('button', { name: 'Confirm', exact: true })).toBeHidden();
    await page.goto(`${url}/connections`);
    await page.getByRole('button', { name: /Connect to QuickBooks/ }).click();
    await page.getByLabel(/Northwind/).check();
    await page.getByRole('button', { name: 'Connect', exact: true }).click();
    await expect(page).toHaveURL(`${url}/setup`);
    await expect(page.getByRole('link', { name: 'Setup 1 of 5' })).toBeVisible();
  });

  await test.step('accept the suggested settings and mappings', async () => {
    await expect(page.getByText(/^Confirm your email address/)).toBeHidden();
    const proceed = page.getByRole('button', { name: 'Continue to Match' });
    const settingsAccepted = page.getByRole('button', { name: 'Accept these settings' });
    await expect(settingsAccepted).toHaveAttribute('data-variant', 'filled');
    await expect(proceed, 'one primary button at a time').not.toHaveAttribute('data-variant', 'filled');
    await settingsAccepted.click();
    await expect(page.getByText('These settings are accepted.')).toBeVisible();
    await expect(proceed).toHaveAttribute('data-variant', 'filled');
    await proceed.click();
    for (const list of ['Items', 'Lines of business', 'Billable expenses', 'Non-billable expenses']) {
      const row = page.getByRole('listitem').filter({ hasText: new RegExp(`^${list}`) });
      await row.getByRole('button', { name: /^Accept (it|all \d+): / }).click();
      await expect(row.getByText(/^[1-9]\d* of \d+ mapped/)).toBeVisible();
    }
    await isAccessible(page);
    await page.getByRole('button', { name: 'Continue to Test' }).click();
  });

  await test.step('a test sync shows the future document', async () => {
    // QuickBooks has a customer with a name similar to a company.
    const similar = 'Harbor Orthodontics';
    await fixture.quickbooks.add('Customer', { DisplayName: `${similar}, Inc.` });
    const tests = page.getByRole('region', { name: /^Test syncs/ });
    await tests.getByRole('button', { name: 'Test Sync' }).first().click();
    const paper = tests.getByRole('article', { name: /, not sent$/ });
    await expect(paper).toBeVisible({ timeout: 90_000 });
    await expect(paper.getByText('Total', { exact: true })).toBeVisible();
    expect(await paper.getByRole('listitem').count()).toBeGreaterThan(0);
    await isAccessible(page);
    expect(await invoices()).toBe(before);
    await expect(tests.getByRole('button', { name: `Create “${similar}”` }).first()).toBeVisible();
    await tests
      .getByRole('button', { name: `Link to “${similar}, Inc.”` })
      .first()
      .click();
    await expect(page.getByText(`“${similar}” is mapped. Test again or release the documents.`)).toBeVisible();
  });

  await test.step('set the start date and turn on the first automatic sync', async () => {
    await page.getByRole('button', { name: 'Continue to Go live' }).click();
    const live = page.getByRole('region', { name: 'Go live' });
    const first = new Date(Date.now() - 20 * 86_400_000).toISOString().slice(0, 10);
    await live.getByLabel('Sync start date').fill(first);
    await live.getByRole('button', { name: 'Save the date' }).click();
    await expect(page.getByText('Saved changes.')).toBeVisible();
    const row = live.getByRole('listitem').filter({ hasText: 'Invoices' });
    await row.getByRole('button', { name: 'Turn on', exact: true }).click();
    const dialog = page.getByRole('dialog', { name: 'Turn on automatic sync of invoices' });
    await expect(
      dialog.getByText(
        /^\d+ invoices dated .+ or later, \$[\d,.]+, passed their last test and will be posted in the next run\.$/,
      ),
    ).toBeVisible();
    await dialog.getByRole('button', { name: 'Turn on', exact: true }).click();
    await expect(row.getByText('Automatic sync is on.')).toBeVisible();
  });

  await test.step('the first live invoice', async () => {
    await expect(page.getByText('5 of 5 steps done.', { exact: false })).toBeVisible();
    await page.getByRole('link', { name: 'Open Overview' }).click();
    await page
      .getByRole('row', { name: /^Invoices/ })
      .getByRole('button', { name: 'Sync Now' })
      .click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('radio', { name: /live/i }).check();
    await dialog.getByRole('button', { name: /^Review / }).click();
    await expect(dialog).toBeHidden();
    const post = page.getByRole('button', { name: /^Post .+ to QuickBooks$/ });
    await expect(post).toBeVisible({ timeout: 90_000 });
    expect(await invoices()).toBe(before);
    await post.click();
    await expect.poll(invoices, { timeout: 90_000 }).toBeGreaterThan(before);
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
    await page.getByRole('button', { name: 'Close the setup' }).click();
    await expect(page).toHaveURL(`${url}/my`);
    await expect(entry).toBeHidden();
    await page.reload();
    await expect(activity).toBeVisible();
    await expect(entry).toBeHidden();
  });
  expect(defects).toEqual([]);
});
