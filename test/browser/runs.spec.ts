import { readFile } from 'node:fs/promises';
import { expect } from '@playwright/test';
import { submitted, textOf } from '../../scripts/seed.ts';
import { defectsOf, findingsInBothSchemes, findingsOn } from '../support/browser.ts';
import { newProduct, test } from '../support/journey.ts';

const product = newProduct({ settings: { inv_default_income_account: '2' } });

test('a run shows its documents, failures first, and retries what failed', async ({ page }) => {
  const run = await submitted(product.api, '/api/my/invoices/sync/submit/all', { mode: 'live' });
  expect(Number(run['failed'])).toBeGreaterThan(0);
  const defects = defectsOf(page);
  await page.goto('/runs');
  const row = page.getByRole('table', { name: 'Runs' }).getByRole('row').nth(1);
  await expect(row).toContainText('Synced invoices');
  await expect(row).toContainText('admin@northwind-msp.example');
  const { results } = (await product.api.data('GET', `/api/my/jobs/${textOf(run, 'id')}`))['job'] as {
    results: readonly { outcome: string; currency: string; amount: string }[];
  };
  const cents = results
    .filter(({ outcome, currency }) => outcome === 'succeeded' && currency === 'USD')
    .reduce((sum, { amount }) => sum + Math.round(Number(amount) * 100), 0);
  await expect(row, 'the posted amount').toContainText(
    (cents / 100).toLocaleString('en-US', { style: 'currency', currency: 'USD' }),
  );
  expect(await findingsOn(page)).toEqual([]);
  await expect(page.getByRole('main').getByText(/\bC[SD]T\b/), 'the time zone').toHaveCount(1);
  await row.focus();
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(`/runs/${textOf(run, 'id')}`);

  const failed = page.getByRole('tab', { name: new RegExp(`^Failed ${String(run['failed'])} `) });
  await expect(failed).toHaveAttribute('aria-selected', 'true');
  await failed.focus();
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('ArrowRight');
  const synced = page.getByRole('tab', { name: new RegExp(`^Synced ${String(run['succeeded'])} `) });
  await expect(synced).toHaveAttribute('aria-selected', 'true');
  await expect(page.getByRole('table', { name: 'Synced' })).toBeVisible();
  expect(await findingsOn(page)).toEqual([]);

  const saving = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Export' }).click();
  const lines = (await readFile(await (await saving).path(), 'utf8')).trim().split('\n');
  expect(lines.length).toBeGreaterThan(Number(run['succeeded']) + Number(run['failed']));

  await page.getByRole('button', { name: `Retry ${String(run['failed'])} failed` }).click();
  await expect(page).toHaveURL(/\/my\?review=/);
  expect(defects).toEqual([]);
});

test('the header shows the run in progress on every screen', async ({ page }) => {
  await page.goto('/audit');
  await expect(page.getByRole('heading', { name: 'Audit Trail', level: 1 })).toBeVisible();
  await product.autotask.fault({ match: { path: 'Invoices' }, action: { delay_ms: 4_000 } });
  const { job } = (await product.api.data('POST', '/api/my/invoices/sync/submit/all', {
    mode: 'test',
    force: false,
  })) as {
    job: { id: string };
  };
  await page.reload();
  const pill = page.getByRole('banner').getByRole('link', { name: /^Open run: TEST/ });
  await expect(pill).toHaveAttribute('href', `/runs/${job.id}`);
  await pill.click();
  await expect(page).toHaveURL(`/runs/${job.id}`);
  await product.autotask.clearFaults();
  await expect(page.getByRole('heading', { name: 'Tested invoices', level: 1 })).toBeVisible({ timeout: 60_000 });
  await expect(pill).toHaveCount(0);
});

test('the list of runs is filtered, and counts documents that wait for approval as on hold', async ({ page }) => {
  await product.api.data('POST', '/api/my/settings/', {
    po_default_expense_account: '14',
    require_approval: true,
    approval_limit: '0',
    approval_four_eyes: true,
  });
  await submitted(product.api, '/api/my/purchase-orders/sync/submit/all', { mode: 'test' });
  const run = await submitted(product.api, '/api/my/purchase-orders/sync/submit/all', { mode: 'live' });
  await page.goto('/runs');
  const table = page.getByRole('table', { name: 'Runs' });
  const row = table.getByRole('row').nth(1);
  await expect(row).toContainText('No purchase orders synced');
  const cells = (await row.getByRole('cell').allInnerTexts()).map((text) => text.trim());
  expect(cells.slice(1, 5), 'failed, on hold, synced, skipped').toEqual(['0', String(run['total']), '0', '0']);

  const shown = async (tab: 'All' | 'With failures' | 'On hold', mode: '' | 'test' | 'live') => {
    await page.getByLabel('Test/Live').selectOption(mode);
    await page.getByRole('tab', { name: new RegExp(`^${tab}`) }).click();
    const label = page.getByRole('tab', { name: new RegExp(`^${tab} \\d+$`), selected: true });
    await expect(page.getByRole('table', { name: 'Runs' })).toHaveAttribute('aria-busy', 'false');
    const count = Number(/\d+$/.exec(await label.innerText())?.[0]);
    await expect(table.getByRole('row')).toHaveCount(1 + count);
    return count;
  };
  const [live, test, all] = [await shown('All', 'live'), await shown('All', 'test'), await shown('All', '')];
  expect(live + test).toBe(all);
  const held = await shown('On hold', 'live');
  await expect(table.getByRole('row', { name: 'No purchase orders synced' })).toHaveCount(1);
  for (const one of (await table.getByRole('row').all()).slice(1))
    expect(Number(await one.getByRole('cell').nth(2).innerText())).toBeGreaterThan(0);
  await expect(page).toHaveURL(/\/runs\?(mode=live&tab=held|tab=held&mode=live)$/);
  await page.reload();
  await expect(table.getByRole('row'), 'after a reload').toHaveCount(1 + held);
  const failed = await shown('With failures', '');
  expect(failed).toBeLessThan(all);
  for (const one of (await table.getByRole('row').all()).slice(1))
    expect(Number(await one.getByRole('cell').nth(1).innerText())).toBeGreaterThan(0);

  await page.getByLabel('Document type').selectOption('purchase_order');
  await page.getByRole('tab', { name: /^All/ }).click();
  await expect(table.getByRole('row')).toHaveCount(3);
  await expect(page).toHaveURL('/runs?type=purchase_order');
  expect(await findingsInBothSchemes(page)).toEqual([]);
  const saving = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Export' }).click();
  await page.getByRole('menuitem', { name: 'CSV' }).click();
  const lines = (await readFile(await (await saving).path(), 'utf8')).trim().split('\n');
  expect(lines).toHaveLength(3);
  expect(lines[1]).toMatch(/^"?Purchase order"?,"?live"?,"?finished"?/);

  await page.goto(`/runs/${textOf(run, 'id')}`);
  await expect(page.getByRole('tab', { name: /^On hold \d/ })).toHaveAttribute('aria-selected', 'true');
  await expect(page.getByText('Waiting for approval', { exact: true }).first()).toBeVisible();
});

test('shows an error for an unknown run', async ({ page }) => {
  await page.goto('/runs/7d9f4c9e-3f7e-4b57-9a53-0f1f5e9a1c11');
  await expect(page.getByText('The run could not be loaded.')).toBeVisible();
});

/** Tests an invoice, also if it is synced, and returns the path of its review. */
async function reviewOf(id: number): Promise<string> {
  const test = await submitted(product.api, '/api/my/invoices/sync/submit', {
    mode: 'test',
    force: true,
    invoice_ids: [id],
  });
  return `/my?review=${textOf(test, 'id')}`;
}
const create = { inv_create_item_automatically: true, require_approval: false };

test('Post whose answer is lost opens the run, and posts once', async ({ page }) => {
  await product.api.data('POST', '/api/my/settings/', create);
  const posted = async () =>
    (await product.quickbooks.list('Invoice')).filter((row) =>
      /invoice 48307[ ,]/.test(String(row['PrivateNote'] ?? '')),
    ).length;
  const before = await posted();
  await page.goto(await reviewOf(48_307));
  const answered = Promise.withResolvers<void>();
  await page.route('**/api/my/invoices/sync/submit', async (route) => {
    await route.fetch();
    answered.resolve();
    await route.abort('connectionreset');
  });
  await page.getByRole('button', { name: /^Post 1 invoice/ }).click();
  await answered.promise;
  await expect(page).toHaveURL(/\/runs\//);
  await expect(page.getByText('1 posted, $228.00')).toBeVisible({ timeout: 60_000 });
  await expect(page.getByRole('alert')).toHaveCount(0);
  expect(await posted()).toBe(before + 1);
});

test('a review that another user posts meanwhile leads to that run', async ({ page }) => {
  await product.api.data('POST', '/api/my/settings/', create);
  const path = await reviewOf(48_308);
  await page.goto(path);
  const post = page.getByRole('button', { name: /^Post 1 invoice/ });
  await expect(post).toBeEnabled();
  const { job } = (await product.api.data('POST', '/api/my/invoices/sync/submit', {
    mode: 'live',
    force: true,
    invoice_ids: [48_308],
    reviewed: path.split('=')[1] ?? '',
  })) as { job: { id: string } };
  await post.click();
  await expect(page.getByText(/^This review was already posted, by another user or in another window\./)).toBeVisible();
  await page.getByRole('link', { name: 'Open run', exact: true }).click();
  await expect(page).toHaveURL(`/runs/${job.id}`);
  await expect(page.getByText(/^1 posted, /)).toBeVisible({ timeout: 60_000 });
});

test('a run that waits for another one says so', async ({ page }) => {
  await product.autotask.behave({ latency_ms: 4_000 });
  try {
    const submit = async (path: string) =>
      ((await product.api.data('POST', path, { mode: 'test', force: false })) as { job: { id: string } }).job.id;
    const first = await submit('/api/my/invoices/sync/submit/all');
    const second = await submit('/api/my/expense-reports/sync/submit/all');
    await page.goto(`/runs/${second}`);
    await expect(page.getByText(/^Starts after the run in progress: Testing invoices\.$/)).toBeVisible();
    await page.getByRole('link', { name: 'Open that run' }).click();
    await expect(page).toHaveURL(`/runs/${first}`);
  } finally {
    await product.autotask.behave({ latency_ms: 0 });
  }
  await expect(page.getByRole('heading', { name: 'Tested invoices', level: 1 })).toBeVisible({ timeout: 60_000 });
});
