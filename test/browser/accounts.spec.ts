import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { Secret, TOTP } from 'otpauth';
import { signIn } from '../support/api-client.ts';
import { defectsOf, isAccessible, logIn } from '../support/browser.ts';
import { apiUser, deployment } from '../support/deployment.ts';
import { newProcessFixture, type ProcessFixture, type ProductProcess } from '../support/process-fixture.ts';

const admin = 'admin@northwind-msp.example';
const first = 'Demo-Passw0rd!';
const second = 'Second-Passw0rd!';

test.describe('on a demo', () => {
  let fixture: ProcessFixture;
  let url: string;
  let product: ProductProcess;
  // One before each test, because the first test changes a password.
  test.beforeEach(async () => {
    fixture = await newProcessFixture();
    product = await fixture.start();
    ({ url } = product);
  });
  test.afterEach(() => fixture.close());

  test('resets a forgotten password with the emailed link', async ({ page }) => {
    const defects = defectsOf(page);
    await page.goto(`${url}/logs`);
    await expect(page.getByRole('button', { name: 'Login' })).toBeVisible();
    await isAccessible(page);
    await page.getByRole('link', { name: 'Forgot your password?' }).click();
    await page.getByRole('button', { name: 'Reset Password' }).click();
    await expect(page.getByText('Enter your email address.', { exact: true })).toBeVisible();
    await isAccessible(page);
    await page.getByLabel('Email').fill(admin.toUpperCase());
    await page.keyboard.press('Enter');
    await expect(page.getByText('If this address belongs to an account')).toBeVisible();
    await expect(page.getByLabel('Email')).toHaveCount(0);
    await isAccessible(page);

    await page.getByRole('link', { name: 'View demo emails' }).click();
    await expect(async () => {
      await page.reload();
      await expect(page.getByText('Set a new password').first()).toBeVisible({ timeout: 1_000 });
    }).toPass();
    await isAccessible(page);
    const folder = join(fixture.dataDir, 'mail');
    const [file = ''] = await readdir(folder);
    const link = await page.getByRole('link', { name: /\/password\// }).getAttribute('href');
    expect(await readFile(join(folder, file), 'utf8'), 'the file opens without a mail program').toContain(link);

    await page.getByRole('link', { name: /\/password\// }).click();
    await expect(page.getByRole('heading', { name: 'Set your password.' })).toBeVisible();
    await expect(page).toHaveURL(`${url}/password/set`);
    const save = page.getByRole('button', { name: 'Save' });
    const password = page.getByLabel('Password', { exact: true });
    await password.pressSequentially('Password1');
    await expect(save).toBeDisabled();
    await expect(password).toHaveAttribute('aria-invalid', 'true');
    const rule = page.getByRole('listitem').filter({ hasText: 'Do not use a common password.' });
    await expect(rule.getByRole('img', { name: 'Not met yet:' })).toBeVisible();
    await isAccessible(page);
    await page.reload();
    await expect(page, 'the link still works after a reload').toHaveURL(`${url}/password/set`);
    await password.fill(second);
    await expect(password).not.toHaveAttribute('aria-invalid');
    await page.getByLabel('Confirm Password').fill(`${second}x`);
    await expect(page.getByText('Passwords do not match.')).toHaveCount(0);
    await page.keyboard.press('Tab');
    await expect(page.getByLabel('Confirm Password'), 'after leaving the field').toHaveAccessibleDescription(
      'Passwords do not match.',
    );
    await save.click();
    await expect(page.getByText('Passwords do not match.')).toBeVisible();
    await page.getByLabel('Confirm Password').fill(second);
    await page.keyboard.press('Enter');
    await expect(page.getByText('Your password was changed successfully.')).toBeVisible();
    await isAccessible(page);

    await page.getByRole('link', { name: 'Please Login' }).click();
    await logIn(page, admin, first);
    await expect(page.getByText('Unauthorized.')).toBeVisible();
    await logIn(page, admin, second);
    // The page that was opened first.
    await expect(page.getByRole('heading', { name: 'Logs' })).toBeVisible();

    await page.goto(String(link));
    await password.fill('Third-Passw0rd!');
    await page.getByLabel('Confirm Password').fill('Third-Passw0rd!');
    await save.click();
    await expect(page.getByText('This link has expired or was used already.')).toBeVisible();
    await expect(page.getByRole('link', { name: 'Get a new link' })).toBeVisible();
    await expect.poll(async () => (await readdir(folder)).length, { message: 'an email confirms it' }).toBe(2);
    expect(defects).toEqual([]);
  });

  test('every email that cannot be written waits for a retry, and is reported to the operator', async ({
    page,
    browser,
  }) => {
    const folder = join(fixture.dataDir, 'mail');
    const api = await signIn(url);
    await api.connectQuickBooks();
    // A file in its place fails like a full disk.
    await rm(folder, { recursive: true, force: true });
    await writeFile(folder, '');
    const waiting = async () =>
      Number(/^tallybridge_mails_waiting (\d+)/m.exec(await (await fetch(`${url}/metrics`)).text())?.[1]);

    await test.step('a lost connection', async () => {
      await fetch(`${fixture.quickbooks.url}/__sandbox/revoke`, { method: 'POST', body: '{}' });
      await api.data('PUT', '/api/my/connections/qbo/test');
    });
    await test.step('a password reset', async () => {
      await page.goto(`${url}/forgot-password`);
      await page.getByLabel('Email').fill(admin);
      await page.keyboard.press('Enter');
      await expect(page.getByText('If this address belongs to an account')).toBeVisible();
    });
    await test.step('the proof of an address', async () => {
      const visitor = await browser.newPage();
      await visitor.goto(`${url}/register`);
      await visitor.getByRole('button', { name: 'Fill in Lakeside Technology Partners' }).click();
      await visitor.getByRole('button', { name: 'Connect', exact: true }).click();
      await visitor.getByRole('button', { name: 'Verify User' }).click();
      await visitor.getByLabel('Password', { exact: true }).fill('Lakeside-Horse-10');
      await visitor.getByLabel('Confirm Password').fill('Lakeside-Horse-10');
      await visitor.getByRole('button', { name: 'Create Account' }).click();
      await expect(visitor.getByRole('heading', { name: 'Connections' })).toBeVisible();
      await visitor.close();
    });
    await test.step('an invitation', async () => {
      await page.goto(`${url}/users`);
      await logIn(page, admin, first);
      await page.getByRole('button', { name: 'Invite user' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByLabel('Name').fill('Nora New');
      await dialog.getByLabel('Email').fill('nora@northwind-msp.example');
      await dialog.getByRole('button', { name: /Invite|Send/ }).click();
      await expect(page.getByRole('row', { name: /nora@/ })).toBeVisible();
    });
    await test.step('two-step login', async () => {
      await page.goto(`${url}/security`);
      await page.getByLabel('Your password').fill(first);
      await page.keyboard.press('Enter');
      const secret = (await page.locator('code').innerText()).replaceAll(' ', '');
      await page.getByLabel('Code', { exact: true }).fill(new TOTP({ secret: Secret.fromBase32(secret) }).generate());
      await page.keyboard.press('Enter');
      await expect(page.getByRole('list', { name: 'Recovery codes' })).toBeVisible();
    });
    await expect.poll(waiting, { timeout: 60_000 }).toBe(5);
    await expect.poll(() => product.output().split('an email failed').length - 1).toBeGreaterThanOrEqual(5);
  });

  test('a link from Autotask logs in after proof, and asks before it ends another user’s session', async ({ page }) => {
    const defects = defectsOf(page);
    const asked: string[] = [];
    page.on('request', (request) => {
      const { referer = '' } = request.headers();
      if (!request.isNavigationRequest()) asked.push(`${request.url()} ${referer}`);
    });
    const link = `${url}/logs?type=invoice&tenant_id=${await databaseId(fixture)}&resource_id=20`;
    const sysadmin = 'sysadmin@tallybridge.example';
    await page.goto(`${url}/login`);
    await logIn(page, sysadmin, first);
    await expect(page.getByRole('heading', { name: 'Overview' })).toBeVisible();

    await page.goto(link);
    await expect(page.getByRole('heading', { name: 'Confirm that it is you' })).toBeVisible();
    await isAccessible(page);
    await page.getByLabel('Username').fill(sysadmin);
    await page.getByLabel('Password').fill(first);
    await page.getByRole('button', { name: 'Continue' }).click();
    await expect(page.getByText('The user name or the password is not correct.')).toBeVisible();
    await page.getByLabel('Username').fill(admin);
    await page.getByLabel('Password').fill(first);
    await page.getByRole('button', { name: 'Continue' }).click();
    await expect(page.getByRole('heading', { name: `Continue as ${admin} of Northwind IT Services?` })).toBeVisible();
    await expect(page.getByText(`${sysadmin} is logged in`)).toBeVisible();
    await isAccessible(page);
    await page.getByRole('button', { name: 'Continue' }).click();
    await expect(page.getByRole('heading', { name: 'Logs' })).toBeVisible();
    await expect(page).toHaveURL(`${url}/logs?type=invoice`);
    expect(
      asked.filter((one) => one.includes('kiss')),
      'the code is not added to links',
    ).toEqual([]);

    await page.goto(link);
    await expect(page.getByRole('heading', { name: 'Logs' }), 'no question remains').toBeVisible();
    await page.goto(`${url}/logs?kiss=made-up`);
    await expect(page.getByRole('heading', { name: 'Logs' }), 'an unknown code ends no session').toBeVisible();
    expect(page.url()).not.toContain('kiss');
    await page.goto(`${url}/logs?tenant_id=1&resource_id=2`);
    await expect(page.getByRole('heading', { name: 'Logs' }), 'an unknown user changes nothing').toBeVisible();
    expect(defects).toEqual([]);
  });
});

test.describe('on a deployment', () => {
  let fixture: ProcessFixture;
  let url: string;
  test.beforeAll(async () => {
    fixture = await newProcessFixture();
    ({ url } = await fixture.start(await deployment(fixture)));
  });
  test.afterAll(() => fixture.close());

  test('a company registers once and continues to its connections', async ({ page }) => {
    const defects = defectsOf(page);
    const { userName, secret } = await apiUser(fixture);
    await page.goto(`${url}/login`);
    await expect(page.getByText('demonstration')).toHaveCount(0);
    await page.getByRole('link', { name: 'Register' }).click();
    const key = page.getByLabel('API Key (Username)');
    const apiSecret = page.getByLabel('API Secret (Password)');
    await expect(page.getByText('Must be associated with the QuickBooks Online integration vendor.')).toBeVisible();
    await isAccessible(page);

    await key.fill(userName);
    await apiSecret.fill('wrong');
    await page.getByRole('button', { name: 'Connect', exact: true }).click();
    await expect(page.getByText('Autotask did not accept this key and secret.')).toBeVisible();
    await isAccessible(page);
    await apiSecret.fill(secret);
    await page.keyboard.press('Enter');
    await expect(page.getByText('Connected to Northwind IT Services')).toBeVisible();
    await expect(key).not.toBeEditable();
    await expect(apiSecret).not.toBeEditable();
    await isAccessible(page);

    await page.getByLabel('First Name').fill('Betty');
    await page.getByLabel('Last Name').fill('Unknown');
    await page.getByLabel('Primary Email Address').fill('betty.decker@northwind-msp.example');
    await page.getByRole('button', { name: 'Verify User' }).click();
    await expect(page.getByText('Autotask has no active resource with this name')).toBeVisible();
    await page.getByLabel('Last Name').fill('Decker');
    await page.getByRole('button', { name: 'Verify User' }).click();
    await expect(page.getByLabel('Last Name')).not.toBeEditable();

    const password = page.getByLabel('Password', { exact: true });
    await expect(password).toBeFocused();
    await expect(page.getByLabel('Email', { exact: true })).toHaveValue('betty.decker@northwind-msp.example');
    const create = page.getByRole('button', { name: 'Create Account' });
    await password.fill('BettyHorse12');
    await expect(create).toBeDisabled();
    await isAccessible(page);
    await password.fill('Betty-Horse-12');
    await page.getByLabel('Confirm Password').fill('Betty-Horse-13');
    await create.click();
    await expect(page.getByText('Passwords do not match.')).toBeVisible();
    await page.getByLabel('Confirm Password').fill('Betty-Horse-12');
    await create.click();
    await expect(page.getByRole('heading', { name: 'Connections' })).toBeVisible();
    await expect(page).toHaveURL(`${url}/connections`);
    await expect(page.getByText('Connected as Northwind IT Services')).toHaveCount(1);
    await expect(page.getByText('Northwind IT Services', { exact: true }).first()).toBeVisible();
    const stored = await page.evaluate(() => JSON.stringify([localStorage, sessionStorage]));
    for (const one of [secret, 'Betty-Horse-12']) expect(stored).not.toContain(one);

    await page.getByRole('button', { name: /Connect to QuickBooks/ }).click();
    await page.getByRole('button', { name: 'Connect', exact: true }).click();
    await expect(page.getByText('QuickBooks is connected to Northwind IT Services.')).toBeVisible();
    await page.getByRole('button', { name: /^Account of/ }).click();
    await page.getByRole('menuitem', { name: 'Logout' }).click();
    await page.getByRole('link', { name: 'Register' }).click();
    await page.getByLabel('API Key (Username)').fill(userName);
    await page.getByLabel('API Secret (Password)').fill(secret);
    await page.keyboard.press('Enter');
    await expect(page.getByText('“Northwind IT Services” is already registered.')).toBeVisible();
    await expect(page.getByLabel('First Name')).toHaveCount(0);
    await expect(key).toBeEditable();
    await isAccessible(page);
    expect(defects).toEqual([]);
  });

  test('hides emails of other users', async ({ page }) => {
    expect((await page.goto(`${url}/demo/mails`))?.status()).toBe(404);
  });
});

/** Returns the number of Autotask's database, as its zone service reports it. */
async function databaseId(of: ProcessFixture): Promise<string> {
  const { userName } = await apiUser(of);
  const answer = await fetch(
    `${of.autotask.url}/ATServicesRest/V1.0/zoneInformation?user=${encodeURIComponent(userName)}`,
  );
  return String(((await answer.json()) as { ci: unknown }).ci);
}
