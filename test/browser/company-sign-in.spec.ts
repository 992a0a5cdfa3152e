import { expect, test } from '@playwright/test';
import { defectsOf, isAccessible, logIn } from '../support/browser.ts';
import { newProcessFixture, type ProcessFixture } from '../support/process-fixture.ts';
import { directoryId, startProvider, type TestProvider } from '../support/sign-in-provider.ts';

const admin = 'admin@northwind-msp.example';

let fixture: ProcessFixture;
let provider: TestProvider;
let url: string;
test.beforeAll(async () => {
  fixture = await newProcessFixture();
  ({ url } = await fixture.start());
  provider = await startProvider('microsoft', { redirectUri: `${url}/auth/provider/callback` });
  provider.accounts.set('admin', { sub: 'pairwise', oid: 'object-1', tid: directoryId, preferred_username: admin });
  provider.choose('admin');
});
test.afterAll(async () => {
  await provider.close();
  await fixture.close();
});

test('an administrator sets up, tests and requires company sign-in, and logs in with it', async ({ page }) => {
  const defects = defectsOf(page);
  await page.goto(`${url}/security`);
  await logIn(page, admin, 'Demo-Passw0rd!');
  await page.getByRole('button', { name: 'Set up company sign-in' }).click();
  const dialog = page.getByRole('dialog');
  await expect(dialog.getByText(`${url}/auth/provider/callback`)).toBeVisible();
  await dialog.getByLabel('Issuer').fill('https://login.microsoftonline.com/common/v2.0');
  await dialog.getByLabel('Client ID').fill(provider.clientId);
  await dialog.getByLabel('Client secret').fill(provider.clientSecret);
  await dialog.getByLabel('Email domains').fill('northwind-msp.example');
  await isAccessible(page);
  await page.screenshot({ path: test.info().outputPath('dialog.png') });
  await dialog.getByRole('button', { name: 'Save' }).click();
  await expect(dialog.getByText('Use the issuer of your directory')).toBeVisible();
  defects.splice(0);
  await dialog.getByLabel('Issuer').fill(provider.issuer);
  await dialog.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByText('Not tested')).toBeVisible();
  await expect(page.getByRole('switch', { name: 'Require company sign-in for all users' })).toBeDisabled();

  await page.getByRole('button', { name: 'Test sign-in' }).click();
  await expect(page.getByText('Not tested')).toBeHidden();
  await expect(page).toHaveURL(`${url}/security`);
  await page.getByRole('switch', { name: 'Require company sign-in for all users' }).click();
  await expect(dialog.getByLabel('Can still log in with a password')).toHaveValue(admin);
  await dialog.getByRole('button', { name: 'Require it' }).click();
  await expect(page.getByText(`Passwords are rejected, except for ${admin}.`)).toBeVisible();
  await isAccessible(page);

  await page.getByRole('button', { name: /^Account of/ }).click();
  await page.getByRole('menuitem', { name: 'Logout' }).click();
  const button = page.getByRole('button', { name: 'Sign in with Microsoft or Google' });
  await button.click();
  await expect(page.getByText('Enter your username first.')).toBeVisible();
  defects.splice(0);
  await page.getByLabel('Username').fill(admin);
  await button.click();
  await expect(page.getByRole('heading', { name: 'Overview' })).toBeVisible();
  expect(defects).toEqual([]);
});
