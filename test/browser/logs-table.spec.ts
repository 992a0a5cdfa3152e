import { expect, test } from '@playwright/test';
import { signIn, type ApiClient } from '../support/api-client.ts';
import { hasSettled, logIn } from '../support/browser.ts';
import { newProcessFixture, type ProcessFixture } from '../support/process-fixture.ts';

let fixture: ProcessFixture;
let url: string;
let api: ApiClient;

test.beforeAll(async () => {
  test.setTimeout(240_000);
  fixture = await newProcessFixture();
  ({ url } = await fixture.start());
  api = await signIn(url);
  await api.connectQuickBooks();
  await api.data('POST', '/api/my/settings/', { inv_default_income_account: '2', po_default_expense_account: '14' });
  for (const kind of ['invoices', 'purchase-orders', 'expense-reports'])
    await api.data('POST', `/api/my/${kind}/sync/submit/all`, { mode: 'test' });
  await jobsFinished(3);
});
test.afterAll(() => fixture.close());

const jobsFinished = (count: number) =>
  expect
    .poll(
      async () =>
        ((await api.data('GET', '/api/my/jobs'))['jobs'] as unknown as readonly { readonly status: string }[]).filter(
          ({ status }) => status === 'finished',
        ).length,
      { timeout: 120_000 },
    )
    .toBe(count);

/** The overflow of the table in pixels, and cells with cut or overlapping content. */
const overflowScript = `(() => {
  const table = document.querySelector('table[aria-busy="false"]');
  const panel = table.parentElement;
  return {
    overflow: Math.max(0, panel.scrollWidth - panel.clientWidth),
    cells: [...table.querySelectorAll('th, td')]
      .filter((cell) => cell.offsetParent !== null && cell.scrollWidth > cell.clientWidth + 1)
      .map((cell) => cell.textContent),
  };
})()`;

test('the table of Logs fits its panel, with each message and the time zone', async ({ page }) => {
  await page.goto(`${url}/logs`);
  await logIn(page, 'admin@northwind-msp.example', 'Demo-Passw0rd!');
  await expect(page.getByRole('heading', { name: 'Logs' })).toBeVisible();
  const at = page.getByRole('columnheader', { name: /^Date and Time \(C[SD]T\)$/ });
  const message = page.getByRole('cell', { name: /would|Nothing|has no/ }).first();
  for (const query of ['', '?type=purchase_order', '?type=expense_report'])
    for (const width of [1440, 1280, 1100, 1024, 900, 720, 390, 320]) {
      await page.setViewportSize({ width, height: 900 });
      await page.goto(`${url}/logs${query}`);
      await hasSettled(page);
      await expect(page.getByRole('row').nth(1)).toBeVisible();
      expect.soft(await page.evaluate(overflowScript), `${width} ${query}`).toEqual({ overflow: 0, cells: [] });
      await expect(at).toBeVisible();
      if (width >= 1280)
        expect(
          await page.locator('tbody tr').evaluateAll((rows) => Math.max(...rows.map((row) => row.clientHeight))),
          'at most two lines',
        ).toBeLessThan(48);
      if (width >= 900 || width < 720) await expect(message, `${width}`).toBeVisible();
      if (width >= 900) await expect(page.getByRole('columnheader', { name: 'Message' })).toBeVisible();
    }
});

test('a test shows the shipping address of the later document', async ({ page }) => {
  // Customers with and without an address in QuickBooks, and a customer that the sync creates.
  const ids = [48_213, 48_214, 48_307, 48_308];
  await fixture.quickbooks.put('Customer', '59', { ShipAddr: null });
  await api.data('POST', '/api/my/settings/', { inv_create_item_automatically: true });
  for (const mode of ['test', 'live'])
    await api.data('POST', '/api/my/invoices/sync/submit', { invoice_ids: ids, mode });
  await jobsFinished(5);
  await page.goto(`${url}/logs`);
  await logIn(page, 'admin@northwind-msp.example', 'Demo-Passw0rd!');
  await expect(page.getByRole('heading', { name: 'Logs' })).toBeVisible();
  const addressIn = async (mode: string, id: number): Promise<string> => {
    await page.goto(`${url}/logs?mode=${mode}&success=true&q=${id}`);
    await page
      .getByRole('row', { name: new RegExp(`^invoice ${id}, ${mode}, succeeded`) })
      .first()
      .click();
    const fact = page.getByRole('dialog').getByText('Shipping address', { exact: true }).locator('xpath=..');
    return (await fact.innerText()).replace('Shipping address', '').trim();
  };
  const addresses = new Set<string>();
  for (const id of ids) {
    const planned = await addressIn('test', id);
    expect(await addressIn('live', id), `invoice ${id}`).toBe(planned);
    addresses.add(planned);
  }
  expect(addresses.size).toBeGreaterThan(1);
});
