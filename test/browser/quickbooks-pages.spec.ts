import { expect, test, type Page } from '@playwright/test';
import { signIn } from '../support/api-client.ts';
import { defectsOf, isAccessible, logIn } from '../support/browser.ts';
import { newProcessFixture, type ProcessFixture } from '../support/process-fixture.ts';

const admin = 'admin@northwind-msp.example';
const sysadmin = 'sysadmin@tallybridge.example';
const password = 'Demo-Passw0rd!';

let fixture: ProcessFixture;
let url: string;
let realmId: string;

test.beforeAll(async () => {
  fixture = await newProcessFixture();
  ({ url } = await fixture.start());
  await (await signIn(url)).connectQuickBooks();
  const calls = await fixture.quickbooks.journal();
  realmId = calls.map(({ path }) => /^\/v3\/company\/(\d+)/.exec(path)?.[1]).find((id) => id !== undefined) ?? '';
});
test.afterAll(() => fixture.close());

const open = (page: Page, place: string, realm = realmId) => page.goto(`${url}/quickbooks/${place}?realmId=${realm}`);
const status = async () => {
  const { connections } = (await (await signIn(url)).data('GET', '/api/my')) as {
    connections: readonly { service: string; status: string }[];
  };
  return connections.find(({ service }) => service === 'qbo')?.status;
};

test('a launch from QuickBooks opens the Overview after the login', async ({ page }) => {
  const defects = defectsOf(page);
  await open(page, 'launch');
  await logIn(page, admin, password);
  await expect(page.getByRole('heading', { name: 'Overview' })).toBeVisible();
  await expect(page).toHaveURL(`${url}/my`);

  await open(page, 'launch', '999999');
  await expect(page.getByText('Northwind IT Services uses a different QuickBooks company.')).toBeVisible();
  await isAccessible(page);
  await page.getByRole('button', { name: 'Log in as another user' }).click();
  await logIn(page, admin, password);
  await expect(page, 'the previous page').toHaveURL(`${url}/quickbooks/launch?realmId=999999`);
  expect(defects).toEqual([]);
});

test('the disconnect page marks the connection only after QuickBooks rejected it', async ({ page }) => {
  const defects = defectsOf(page);
  await open(page, 'disconnected');
  await expect(page.getByRole('heading', { name: 'Disconnecting from QuickBooks' })).toBeVisible();
  await isAccessible(page);
  await page.getByRole('button', { name: 'Log in to check the connection' }).click();
  await logIn(page, admin, password);
  await expect(page.getByText('QuickBooks still accepts the connection of Northwind IT Services.')).toBeVisible();
  await isAccessible(page);
  expect(await status()).toBe('active');

  await fixture.quickbooks.fault({ match: { path: 'companyinfo' }, action: { status: 503 } });
  await page.reload();
  await expect(page.getByText('The connection could not be checked.')).toBeVisible();
  await isAccessible(page);
  expect(await status()).toBe('active');
  await fixture.quickbooks.clearFaults();
  await page.getByRole('button', { name: 'Try again' }).click();
  await expect(page.getByText('QuickBooks still accepts the connection')).toBeVisible();

  await fetch(`${fixture.quickbooks.url}/__sandbox/revoke`, { method: 'POST' });
  await page.reload();
  await expect(page.getByRole('heading', { name: 'QuickBooks disconnected' })).toBeVisible();
  await expect(page.getByText('Northwind IT Services is no longer connected to QuickBooks.')).toBeVisible();
  await isAccessible(page);
  expect(await status()).toBe('inactive');
  await page.getByRole('button', { name: 'Connect to QuickBooks Online' }).click();
  await page.getByRole('button', { name: 'Connect' }).click();
  await expect(page.getByText('QuickBooks is connected to Northwind IT Services.')).toBeVisible();
  expect(defects).toEqual([]);
});

test('a reconnect selects the client of the company', async ({ page }) => {
  const defects = defectsOf(page);
  await open(page, 'reconnect');
  await logIn(page, sysadmin, password);
  await expect(page.getByText('This QuickBooks company belongs to Northwind IT Services.')).toBeVisible();
  await isAccessible(page);
  await page.getByRole('button', { name: 'Act as Northwind IT Services' }).click();
  await expect(page.getByText('Choose the QuickBooks company of Northwind IT Services again.')).toBeVisible();
  await isAccessible(page);
  await page.getByRole('button', { name: 'Connect to QuickBooks Online' }).click();
  await page.getByRole('button', { name: 'Connect' }).click();
  await expect(page.getByText('QuickBooks is connected to Northwind IT Services.')).toBeVisible();
  await page.goto(`${url}/quickbooks/reconnect`);
  await expect(page.getByRole('button', { name: 'Connect to QuickBooks Online' })).toBeVisible();
  expect(defects).toEqual([]);
});
