import { expect } from '@playwright/test';
import { defectsOf, isAccessible } from '../support/browser.ts';
import { newProduct, test } from '../support/journey.ts';

const product = newProduct({
  settings: { inv_default_income_account: '2' },
  after: async ({ api }) => {
    await api.data('POST', '/api/my/invoices/sync/submit', { invoice_ids: [48_213], mode: 'live' });
    await expect.poll(async () => (await inAccounting())?.['TotalAmt'], { timeout: 60_000 }).toBe(1966.25);
  },
});

const inAccounting = async () =>
  (await product.quickbooks.list('Invoice')).find((row) =>
    String(row['PrivateNote'] ?? '').startsWith('Autotask invoice 48213'),
  );

test('an invoice changed in QuickBooks is listed on Month-end, then updated or its difference billed with one click', async ({
  page,
}) => {
  const defects = defectsOf(page);
  const posted = await inAccounting();
  const month = String(posted?.['TxnDate']).slice(0, 7);
  await product.quickbooks.put('Invoice', String(posted?.['Id']), {
    CustomerRef: { value: '59' },
    DocNumber: 'BY-HAND-1',
    TotalAmt: 9966.25,
    Balance: 9966.25,
  });
  await page.goto(`/month-end/${month}`);
  await page
    .getByRole('button', { name: /^Prepare/ })
    .first()
    .click();
  const row = page.getByRole('row', { name: /BY-HAND-1/ }).filter({ hasText: 'Amount changed in QuickBooks' });
  await expect(row).toBeVisible({ timeout: 60_000 });
  await isAccessible(page);
  await row.getByRole('button', { name: 'Update amounts' }).click();
  await expect(page.getByText(/^Please confirm you want to update this invoice/)).toBeVisible({ timeout: 60_000 });
  // The review sends nothing and is still there after a reload.
  expect((await inAccounting())?.['DocNumber']).toBe('BY-HAND-1');
  await page.reload();
  await isAccessible(page);
  await page.getByRole('button', { name: 'Update 1 invoice, $1,966.25, in QuickBooks' }).click();
  await expect(page).toHaveURL(new RegExp(`/month-end/${month}$`));
  await expect(page.getByRole('row').locator(':focus'), 'the focus moves to another difference').toHaveCount(1);
  await expect(row.locator(':focus')).toHaveCount(0);
  await expect.poll(async () => (await inAccounting())?.['DocNumber'], { timeout: 60_000 }).toBe(posted?.['DocNumber']);
  expect(await inAccounting()).toMatchObject({
    Id: posted?.['Id'],
    CustomerRef: posted?.['CustomerRef'],
    TotalAmt: 1966.25,
  });
  await page.getByRole('button', { name: 'Refresh' }).click();
  await expect(row).toHaveCount(0, { timeout: 60_000 });

  // The invoice was paid before its total increased, so the difference becomes a separate invoice.
  await product.quickbooks.add('Payment', {
    CustomerRef: posted?.['CustomerRef'] ?? null,
    TxnDate: String(posted?.['TxnDate']),
    TotalAmt: 1966.25,
    Line: [{ Amount: 1966.25, LinkedTxn: [{ TxnId: String(posted?.['Id']), TxnType: 'Invoice' }] }],
  });
  const [line] = (await product.autotask.list('BillingItems')).filter(
    (one) => one['invoiceID'] === 48_213 && one['totalAmount'] === 900,
  );
  const raised = { rate: 9900, extendedPrice: 9900, totalAmount: 9900, internalCurrencyTotalAmount: 9900 };
  await product.autotask.put('BillingItems', Number(line?.['id']), { ...raised, quantity: 1 });
  await product.autotask.put('Invoices', 48_213, { invoiceTotal: 10_966.25 });
  await page.getByRole('button', { name: 'Refresh' }).click();
  const difference = page
    .getByRole('row', { name: RegExp(String(posted?.['DocNumber'])) })
    .filter({ hasText: 'Amount changed in Autotask' });
  await expect(difference).toBeVisible({ timeout: 60_000 });
  await difference.getByRole('button', { name: /^(Bill|Credit) / }).click();
  await expect(page.getByText(/Each difference becomes a new document/)).toBeVisible({
    timeout: 60_000,
  });
  await page.getByRole('button', { name: /^Post 1 .*, \$9,000\.00, to QuickBooks$/ }).click();
  const billed = async () =>
    (await product.quickbooks.list('Invoice')).filter((one) =>
      String(one['PrivateNote'] ?? '').startsWith('Difference 1 of Autotask invoice 48213'),
    );
  await expect.poll(async () => (await billed()).map((one) => one['TotalAmt']), { timeout: 60_000 }).toEqual([9000]);
  await page.getByRole('button', { name: 'Refresh' }).click();
  await expect(difference).toHaveCount(0, { timeout: 60_000 });
  await expect(page.getByText('Documents that bill differences of invoices')).toBeVisible();
  expect(defects).toEqual([]);
});

test('one difference is decided alone and the others with one reason; the focus moves on each time', async ({
  page,
}) => {
  const posted = await inAccounting();
  await page.goto(`/month-end/${String(posted?.['TxnDate']).slice(0, 7)}`);
  const panel = page.getByRole('region', { name: /^C\b/ });
  const accept = panel.getByRole('button', { name: 'Accept', exact: true });
  const prepare = page.getByRole('button', { name: /^Prepare/ }).first();
  await expect(prepare.or(accept.first()).first()).toBeVisible({ timeout: 60_000 });
  if (await prepare.isVisible()) await prepare.click();
  await expect(accept.first()).toBeVisible({ timeout: 60_000 });
  const dialog = page.getByRole('dialog');
  const decide = async () => {
    await dialog.getByRole('textbox', { name: 'Reason' }).fill('Agreed with the customer');
    await dialog.getByRole('button', { name: 'Accept' }).click();
  };
  const open = await accept.count();
  expect(open).toBeGreaterThan(2);
  await accept.first().click();
  await decide();
  await expect(accept).toHaveCount(open - 1);
  await expect(panel.getByRole('row').locator(':focus')).toBeFocused();

  // The others with one reason.
  await expect(panel.getByRole('button', { name: 'Accept selected' })).toBeDisabled();
  await panel.getByRole('checkbox', { name: /^Select all/ }).check();
  // The list has a second page.
  const [count = ''] = /\d+/.exec(await panel.getByText(/ differences selected$/).innerText()) ?? [];
  expect(Number(count)).toBeGreaterThan(open);
  await isAccessible(page);
  await panel.getByRole('button', { name: 'Accept selected' }).click();
  await expect(dialog.getByRole('heading', { name: `Accept ${count} differences` })).toBeVisible();
  await decide();
  await expect(accept).toHaveCount(0);
  await expect(panel.getByRole('heading')).toBeFocused();
});

test('two fields that both sides changed get the values that the user chooses in the review', async ({ page }) => {
  const defects = defectsOf(page);
  const posted = async () =>
    (await product.quickbooks.list('Invoice')).find((row) =>
      String(row['PrivateNote'] ?? '').startsWith('Autotask invoice 48307'),
    );
  await product.api.data('POST', '/api/my/invoices/sync/submit', { invoice_ids: [48_307], mode: 'live' });
  await expect.poll(async () => (await posted())?.['DocNumber'], { timeout: 60_000 }).toBeTruthy();
  const id = String((await posted())?.['Id']);
  const postedOn = Date.parse(String((await posted())?.['TxnDate']));
  const dayAfter = (days: number) => new Date(postedOn + days * 86_400_000).toISOString().slice(0, 10);
  const [date, due, dateThere, dueThere] = [dayAfter(1), dayAfter(50), dayAfter(2), dayAfter(60)];
  await product.autotask.put('Invoices', 48_307, {
    invoiceDateTime: `${date}T00:00:00Z`,
    dueDate: `${due}T00:00:00Z`,
  });
  await product.quickbooks.put('Invoice', id, { TxnDate: dateThere, DueDate: dueThere });
  const update = { invoice_ids: [48_307], mode: 'live', update: true };
  await product.api.data('POST', '/api/my/invoices/sync/submit', update);
  await page.goto('/needs-attention');
  const causes = page.getByRole('navigation', { name: 'Causes' }).getByRole('link');
  await causes.filter({ hasText: '$228.00' }).first().click({ timeout: 60_000 });
  await page.getByRole('button', { name: 'Choose for each field' }).click({ timeout: 60_000 });
  const choose = (field: string, value: string) =>
    page.getByRole('radiogroup', { name: field, exact: true }).getByText(value).click({ timeout: 60_000 });
  const review = page.getByRole('button', { name: 'Review choices' });
  await expect(review).toBeDisabled({ timeout: 60_000 });
  await choose('Date', 'Take Autotask');
  await choose('Due date', 'Keep QuickBooks');
  await isAccessible(page);
  await review.click();
  await expect(review).toHaveCount(0, { timeout: 60_000 });
  await expect(page.getByText(/^Date: .+ → .+/)).toHaveCount(1, { timeout: 60_000 });
  await expect(page.getByText(/^Due date: .+ → .+/)).toHaveCount(0);
  await page.getByRole('button', { name: /^Update 1 invoice, .*, in QuickBooks$/ }).click();
  await expect.poll(async () => (await posted())?.['TxnDate'], { timeout: 60_000 }).toBe(date);
  expect(await posted()).toMatchObject({ Id: id, DueDate: dueThere });
  expect(defects).toEqual([]);
});
