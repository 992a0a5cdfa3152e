import { expect, test } from '@playwright/test';
import { defectsOf, isAccessible, logIn } from '../support/browser.ts';
import { newProcessFixture, type ProcessFixture } from '../support/process-fixture.ts';

let fixture: ProcessFixture;
let url: string;
test.beforeAll(async () => {
  test.setTimeout(120_000);
  fixture = await newProcessFixture();
  ({ url } = await fixture.start());
});
test.afterAll(() => fixture.close());

const trust = async (secret: string) =>
  fetch(`${fixture.quickbooks.url}/__sandbox/event-secrets`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ secrets: [secret] }),
  });

test('an administrator adds an endpoint, a test event arrives, a failed one is sent again', async ({ page }) => {
  test.setTimeout(180_000);
  const defects = defectsOf(page);
  await page.goto(`${url}/webhooks`);
  await logIn(page, 'admin@northwind-msp.example', 'Demo-Passw0rd!');
  await expect(page.getByText('No endpoints yet.')).toBeVisible();
  await isAccessible(page);

  await page.getByRole('button', { name: 'Add endpoint' }).click();
  const dialog = page.getByRole('dialog', { name: 'Add endpoint' });
  await dialog.getByRole('textbox', { name: 'Address' }).fill('http://10.0.0.1/events');
  await page.keyboard.press('Enter');
  await expect(
    dialog.getByText('Enter an https address on the internet, without a port and a password.'),
  ).toBeVisible();
  await dialog
    .getByRole('textbox', { name: 'Address' })
    .fill(`${fixture.quickbooks.url}/webhooks/events/erp?key=hidden`);
  await dialog.getByRole('checkbox', { name: 'document.on_hold' }).uncheck();
  await isAccessible(page);
  await dialog.getByRole('button', { name: 'Add endpoint' }).click();
  await expect(dialog.getByText('Copy the secret now. It cannot be shown again.')).toBeVisible();
  const secret = (await dialog.getByLabel('Secret', { exact: true }).textContent()) ?? '';
  expect(secret).toMatch(/^whsec_/);
  await trust(secret);
  await dialog.getByRole('button', { name: 'Done' }).click();

  const row = page.getByRole('row', { name: /webhooks\/events\/erp\?…/ });
  await expect(row).toContainText('document.posted, document.failed, document.paid, month.signed');
  await expect(row).toContainText('Active');
  await expect(row).toContainText('never');
  await isAccessible(page);

  // With the keyboard: the menu of the row sends a test event and opens the deliveries.
  await row.getByRole('button', { name: /^Actions for/ }).focus();
  await page.keyboard.press('Enter');
  await page.getByRole('menuitem', { name: 'Send test event' }).press('Enter');
  await expect(page).toHaveURL(/\/webhooks\/[0-9a-f-]{36}$/);
  const delivery = page.getByRole('row', { name: /Test event/ }).first();
  await expect(delivery).toContainText('Delivered (200)', { timeout: 20_000 });
  await isAccessible(page);

  await page.getByRole('button', { name: 'Send test event', exact: true }).click();
  await expect(page.getByText(/one test event in 10 seconds/)).toBeVisible();
  await fixture.quickbooks.behave({ event_webhooks: 'fail' });
  await expect(async () => {
    await page.getByRole('button', { name: 'Send test event', exact: true }).click();
    await expect(page.getByText('The test event is on its way.')).toBeVisible({ timeout: 1_000 });
  }).toPass({ timeout: 30_000 });
  await expect(delivery).toContainText('Failed (500)', { timeout: 20_000 });
  await page.getByRole('tab', { name: 'Failed' }).click();
  await expect(page.getByRole('row', { name: /Test event/ })).toHaveCount(1);
  await expect(delivery).toContainText('The receiver has a problem.');
  await expect(page.getByText('Failing', { exact: true })).toBeVisible();
  await isAccessible(page);

  await fixture.quickbooks.behave({ event_webhooks: 'accept' });
  await delivery.getByRole('button', { name: 'Send Test event again' }).click();
  await expect(page.getByText('No failed deliveries.')).toBeVisible({ timeout: 20_000 });
  await page.getByRole('tab', { name: 'All' }).click();
  await expect(page.getByRole('row', { name: /Test event.*Delivered \(200\)/ })).toHaveCount(2);

  await page.getByRole('button', { name: /^Actions for/ }).click();
  await page.getByRole('menuitem', { name: 'Pause' }).click();
  await expect(page.getByText('Paused', { exact: true })).toBeVisible();
  await expect(page.getByRole('button', { name: 'Send test event', exact: true })).toBeDisabled();
  await page.getByRole('button', { name: /^Actions for/ }).click();
  await page.getByRole('menuitem', { name: 'Rotate secret' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Rotate secret' }).click();
  await expect(page.getByLabel('Secret', { exact: true })).not.toHaveText(secret);
  await page.getByRole('button', { name: 'Done' }).click();
  await page.getByRole('button', { name: /^Actions for/ }).click();
  await page.getByRole('menuitem', { name: 'Delete' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await expect(page.getByText('No endpoints yet.')).toBeVisible();
  expect(defects.filter((one) => !/status of (422|429)/.test(one))).toEqual([]);
});

test('the screens show failures to load, and an endpoint that does not exist', async ({ page }) => {
  await page.goto(`${url}/webhooks/9b8f0f5e-0000-4000-8000-000000000000`);
  await logIn(page, 'admin@northwind-msp.example', 'Demo-Passw0rd!');
  await expect(page.getByText('This endpoint does not exist.')).toBeVisible();
  await page.route('**/api/my/webhook-endpoints', (route) =>
    route.fulfill({ status: 500, json: { success: false, message: 'Out of order.', error: 'internal' } }),
  );
  await page.goto(`${url}/webhooks`);
  await expect(page.getByRole('alert')).toContainText('The endpoints could not be loaded.');
  await isAccessible(page);
});
