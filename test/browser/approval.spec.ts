import { expect } from '@playwright/test';
import { defectsOf, findingsInBothSchemes, isAccessible } from '../support/browser.ts';
import { newProduct, test } from '../support/journey.ts';

const product = newProduct({ settings: { inv_default_income_account: '2' } });

const waiting = async (): Promise<unknown> => (await product.api.data('GET', '/api/my/drafts'))['waiting'];
const made = async (): Promise<number> =>
  ((await product.api.data('GET', '/api/my/logs?mode=live&success=true&page_size=200'))['logs'] as unknown[]).length;

/** Creates waiting drafts. With four eyes, the user who starts a sync cannot approve it. */
async function prepare(ids: readonly number[]): Promise<void> {
  if ((await waiting()) !== 0) return;
  const rules = { require_approval: true, approval_limit: '0', approval_four_eyes: true };
  await product.api.data('POST', '/api/my/settings/', rules);
  await product.api.data('POST', '/api/my/invoices/sync/submit', { invoice_ids: ids, mode: 'live' });
  await expect.poll(waiting, { timeout: 60_000 }).toBe(ids.length);
}

/** Creates a draft that this user may approve. */
async function prepareOne(): Promise<void> {
  await prepare([48_308]);
  await product.api.data('POST', '/api/my/settings/', { approval_four_eyes: false });
}

test('without approval the menu has no entry, and the page explains it', async ({ page }) => {
  await page.goto('/my');
  await expect(page.getByRole('heading', { name: 'Overview' })).toBeVisible();
  await expect(page.getByRole('link', { name: 'Approval' })).toHaveCount(0);
  await page.goto('/approval');
  await expect(page.getByText(/turn on “Require approval” in Settings/)).toBeVisible();
});

test('drafts are reviewed on one page, opened, rejected and posted', async ({ page }) => {
  const defects = defectsOf(page);
  await prepare([48_213, 48_310, 48_308]);
  const before = await made();
  await page.goto('/my');

  await test.step('the Overview and the menu show the waiting drafts', async () => {
    await expect(page.getByText(/3 documents, .*wait for approval\./)).toBeVisible();
    await expect(page.getByRole('link', { name: 'Approval' })).toContainText('3');
    await page.getByRole('link', { name: 'Review' }).click();
  });

  await test.step('list, log and month-end show the same status', async () => {
    const state = 'Waiting for approval';
    await expect(page.getByRole('row', { name: /48213/ })).toContainText(state);
    await page.goto('/my-invoices?by=id&id=48213');
    const listed = page.getByRole('row', { name: /48213/ });
    await expect(listed).toContainText(state);
    await expect(listed).not.toContainText('Not Synced');
    expect(await findingsInBothSchemes(page)).toEqual([]);
    await page.goto('/logs?q=48213');
    const entry = page.getByRole('row', { name: /48213.*waiting for approval/ }).first();
    await expect(entry).toContainText(state);
    await entry.click();
    await expect(page.getByRole('dialog')).toContainText(
      'Processing of Autotask invoice ID 48213 is waiting for approval.',
    );
    await expect(page.getByRole('dialog')).not.toContainText('was successful');
    const [dated] = ((await product.api.data('GET', '/api/my/drafts'))['drafts'] as { date: string }[]).map(
      ({ date }) => date,
    );
    await page.goto(`/month-end/${String(dated).slice(0, 7)}`);
    await page
      .getByRole('button', { name: /^Prepare/ })
      .first()
      .click();
    await expect(page.getByRole('row', { name: new RegExp(state) }).first()).toBeVisible({ timeout: 60_000 });
    await page.goto('/approval');
  });

  await test.step('with four eyes, a sentence explains why the button is disabled', async () => {
    await expect(page.getByText(/Another administrator must approve/)).toBeVisible();
    await expect(page.getByRole('button', { name: /^Approve|^Post|selected/ })).toBeDisabled();
    await product.api.data('POST', '/api/my/settings/', { approval_four_eyes: false });
    await page.reload();
  });

  await test.step('the review shows amounts, customers and ledger entries on one page', async () => {
    await expect(
      page.getByRole('button', { name: 'Post 3 invoices, $2,166.25 and CAD 1,620.00, to QuickBooks' }),
    ).toBeEnabled();
    const ledger = page.getByRole('region', { name: 'Accounts in USD' });
    await expect(ledger).toContainText('Accounts Receivable');
    const [debit, credit] = await ledger.locator('tfoot td').allTextContents();
    expect(debit).toBe(credit);
    await expect(page.getByRole('region', { name: 'By customer and vendor', exact: true })).toContainText('none');
    expect(await findingsInBothSchemes(page)).toEqual([]);
  });

  await test.step('a draft opens as a document with names', async () => {
    await page.getByRole('row', { name: /48213/ }).focus();
    await page.keyboard.press('Enter');
    const paper = page.getByRole('dialog').getByRole('article', { name: 'Invoice' });
    await expect(paper.getByRole('columnheader')).toHaveText(['Autotask', 'QuickBooks']);
    await expect(paper.getByRole('row', { name: /^Due/ }).locator('mark')).toHaveText('by Net 30');
    await expect(paper).toContainText('Net 30');
    await expect(paper).toContainText('$1,966.25');
    await expect(paper).toContainText('Service Income');
    await expect(paper).not.toContainText('Customer 58');
    await page.keyboard.press('Escape');
    await expect(page.getByRole('dialog')).toHaveCount(0);
  });

  await test.step('one draft is rejected with a reason', async () => {
    await page.getByRole('checkbox', { name: 'Select all documents' }).uncheck();
    await expect(page.getByRole('button', { name: 'Nothing is selected' })).toBeDisabled();
    await page.getByRole('checkbox', { name: /^Select Invoice .*48310/ }).check();
    await page.getByRole('button', { name: 'Reject' }).click();
    const dialog = page.getByRole('dialog');
    await expect(dialog.getByRole('button', { name: 'Reject 1 document' })).toBeDisabled();
    await dialog.getByRole('textbox', { name: 'Reason' }).fill('The price is wrong');
    await dialog.getByRole('button', { name: 'Reject 1 document' }).click();
    await expect(page.getByRole('row', { name: /48310/ })).toHaveCount(0);
  });

  await test.step('above the limit a second approval is required', async () => {
    await product.api.data('POST', '/api/my/settings/', { approval_limit: '1000' });
    await page.reload();
    await expect(page.getByText(/two approvals because of the amount/)).toBeVisible();
    await expect(page.getByRole('button', { name: /as first of two$/ })).toBeVisible();
    await product.api.data('POST', '/api/my/settings/', { approval_limit: '0' });
    await page.reload();
  });

  await test.step('posts only the selected drafts', async () => {
    await page.getByRole('checkbox', { name: 'Select all documents' }).uncheck();
    await page.getByRole('checkbox', { name: /^Select Invoice .*48213/ }).check();
    await page.getByRole('button', { name: 'Post 1 invoice, $1,966.25, to QuickBooks' }).click();
    await expect(page.getByText('1 posted, $1,966.25')).toBeVisible({ timeout: 60_000 });
    await page.getByRole('link', { name: 'Back to Approval' }).click();
    await expect(page.getByRole('row', { name: /48213/ })).toHaveCount(0, { timeout: 60_000 });
    await expect.poll(made, { timeout: 60_000 }).toBeGreaterThan(before);
    await expect(page.getByRole('row', { name: /48308/ })).toBeVisible();
  });
  expect(defects).toEqual([]);
});

test('the page and a draft are accessible, and the printed page omits controls', async ({ page }) => {
  await prepareOne();
  await page.goto('/approval');
  await expect(page.getByRole('button', { name: /^Post 1 invoice/ })).toBeVisible();
  await isAccessible(page);
  await page.getByRole('row', { name: /48308/ }).focus();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('dialog').getByRole('article')).toBeVisible();
  await isAccessible(page);
  await page.keyboard.press('Escape');
  await expect(page.getByRole('dialog')).toHaveCount(0);
  await page.emulateMedia({ media: 'print' });
  await expect(page.getByRole('button', { name: /^Post 1 invoice/ })).toBeHidden();
  await expect(page.getByRole('button', { name: 'Print' })).toBeHidden();
  await expect(page.getByRole('region', { name: 'Accounts in CAD' })).toBeVisible();
});
