import { expect, test } from '@playwright/test';
import { defectsOf, isAccessible, logIn } from '../support/browser.ts';
import { newProcessFixture, type ProcessFixture } from '../support/process-fixture.ts';

const admin = 'admin@northwind-msp.example';
const sysadmin = 'sysadmin@tallybridge.example';
const password = 'Demo-Passw0rd!';

let fixture: ProcessFixture;
let url: string;
test.beforeAll(async () => {
  fixture = await newProcessFixture();
  ({ url } = await fixture.start());
});
test.afterAll(() => fixture.close());

test('a system administrator turns maintenance on, and users see its page until it is off', async ({
  page,
  browser,
}) => {
  const defects = defectsOf(page);
  const user = await browser.newPage();
  await user.goto(`${url}/login`);
  await logIn(user, admin, password);
  await expect(user.getByRole('heading', { name: 'Overview' })).toBeVisible();

  await page.goto(`${url}/login`);
  await logIn(page, sysadmin, password);
  await page.getByRole('link', { name: 'Status' }).click();
  await expect(page.getByRole('heading', { name: 'Status', level: 1 })).toBeVisible();
  await expect(page.getByRole('region', { name: 'Running processes' })).toContainText('Server and worker');
  await expect(page.getByText('Take a backup every day')).toBeVisible();
  await isAccessible(page);
  await page.getByRole('button', { name: 'Turn on maintenance…' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Message to users').fill('Back at noon.');
  await isAccessible(page);
  await dialog.getByRole('button', { name: 'Turn on maintenance' }).click();
  await expect(page.getByText(/^Maintenance has been on since .* Your message: “Back at noon.”$/)).toBeVisible();
  await isAccessible(page);
  // The server still shows the screens to system administrators.
  await page.reload();
  await expect(page.getByRole('button', { name: 'Turn off maintenance' })).toBeVisible();

  const opened = await user.goto(`${url}/my-invoices`);
  expect([opened?.status(), opened?.headers()['retry-after']]).toEqual([503, '60']);
  await expect(user.getByRole('heading', { name: 'Maintenance' })).toBeVisible();
  await expect(
    user.getByText(/^Tallybridge has been in maintenance since .* Back at noon\. Nothing is lost/),
  ).toBeVisible();
  await isAccessible(user);
  const visitor = await browser.newPage();
  await visitor.goto(`${url}/login`);
  await logIn(visitor, admin, password);
  await expect(visitor.getByText(/^Tallybridge has been in maintenance since /)).toBeVisible();
  await visitor.close();

  await page.getByRole('button', { name: 'Turn off maintenance' }).click();
  await expect(page.getByText('Maintenance is off.')).toBeVisible();
  await user.reload();
  await expect(user.getByRole('heading', { name: 'Invoices', level: 1 })).toBeVisible();
  await user.close();
  expect(defects).toEqual([]);
});
