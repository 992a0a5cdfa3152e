import { execFile } from 'node:child_process';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { expect, test, type Page } from '@playwright/test';
import { Secret, TOTP } from 'otpauth';
import { defectsOf, isAccessible, logIn } from '../support/browser.ts';
import { deployment } from '../support/deployment.ts';
import { newProcessFixture, type ProcessFixture } from '../support/process-fixture.ts';

const admin = 'admin@northwind-msp.example';
const password = 'Demo-Passw0rd!';

const codeOf = (secret: string): string => new TOTP({ secret: Secret.fromBase32(secret) }).generate();

/** Returns a code with enough of its 30 seconds left. */
async function freshCode(secret: string): Promise<string> {
  await expect.poll(() => 30 - ((Date.now() / 1_000) % 30), { timeout: 30_000 }).toBeGreaterThan(10);
  return codeOf(secret);
}

/** Returns an unused code of the current time step. */
async function nextCode(secret: string, used: string): Promise<string> {
  await expect.poll(() => codeOf(secret), { timeout: 60_000 }).not.toBe(used);
  return codeOf(secret);
}

/** Sets up two-step login on the open screen. Returns the secret and the recovery codes. */
async function setUp(page: Page): Promise<{ secret: string; codes: readonly string[] }> {
  await page.getByLabel('Your password').fill('wrong');
  await page.getByRole('button', { name: 'Set up an app' }).click();
  await expect(page.getByText('This is not your password.')).toBeVisible();
  await page.getByLabel('Your password').fill(password);
  await page.keyboard.press('Enter');
  await expect(page.getByRole('img', { name: 'QR code for the authenticator app' })).toBeVisible();
  await isAccessible(page);
  const secret = (await page.locator('code').innerText()).replaceAll(' ', '');
  await page.getByLabel('Code', { exact: true }).fill('000000');
  await page.getByRole('button', { name: 'Turn on' }).click();
  await expect(page.getByText('This code is wrong')).toBeVisible();
  await page.getByLabel('Code', { exact: true }).fill(await freshCode(secret));
  await page.keyboard.press('Enter');
  const list = page.getByRole('list', { name: 'Recovery codes' });
  await expect(list.getByRole('listitem')).toHaveCount(10);
  await isAccessible(page);
  const codes = await list.getByRole('listitem').allInnerTexts();
  const download = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Download' }).click();
  expect((await download).suggestedFilename()).toBe('tallybridge-recovery-codes.txt');
  await page.getByRole('button', { name: 'I saved the codes' }).click();
  await expect(page.getByText('You log in with your password and a code')).toBeVisible();
  return { secret, codes };
}

test.describe('two-step login', () => {
  let fixture: ProcessFixture;
  test.beforeEach(async () => {
    fixture = await newProcessFixture();
  });
  test.afterEach(() => fixture.close());

  test('is set up, required at the next login, and turned off again', async ({ page }) => {
    const defects = defectsOf(page);
    const { url } = await fixture.start();
    await page.goto(`${url}/login`);
    await logIn(page, admin, password);
    await page.getByRole('button', { name: `Account of ${admin}` }).click();
    await page.getByRole('menuitem', { name: 'Security' }).click();
    await expect(page.getByRole('heading', { name: 'Two-step login' })).toBeVisible();
    await isAccessible(page);
    const { secret, codes } = await setUp(page);
    await isAccessible(page);
    await expect(page.getByText(/Times in C[SD]T\.$/), 'since when it is on').toHaveCount(1);

    const logOut = async () => {
      await page.getByRole('button', { name: `Account of ${admin}` }).click();
      await page.getByRole('menuitem', { name: 'Logout' }).click();
    };
    await logOut();
    await logIn(page, admin, 'wrong');
    await expect(
      page.getByRole('heading', { name: 'Enter your code' }),
      'required together with the password',
    ).toBeVisible();
    await isAccessible(page);
    const tried = await freshCode(secret);
    await page.getByLabel('Code').fill(tried);
    await page.getByRole('button', { name: 'Login' }).click();
    await expect(page.getByText('The username, password or code is wrong.')).toBeVisible();
    await page.getByRole('button', { name: 'Log in as another user' }).click();
    await logIn(page, admin, password);
    await expect(page.getByRole('heading', { name: 'Enter your code' })).toBeVisible();
    await page.getByLabel('Code').fill(await nextCode(secret, tried));
    await page.keyboard.press('Enter');
    await expect(page.getByRole('heading', { name: 'Overview' })).toBeVisible();

    // An unknown browser gets the same response for a wrong password, and the option to enter a code.
    const stranger = await page.context().browser()?.newContext();
    const elsewhere = await stranger?.newPage();
    if (elsewhere === undefined) throw new Error('no browser');
    await elsewhere.goto(`${url}/login`);
    const refused = elsewhere.getByRole('alert').filter({ hasText: 'Unauthorized.' });
    const refusals: (string | null)[] = [];
    for (const [username, tried] of [
      ['unknown@northwind-msp.example', password],
      [admin, 'wrong'],
      [admin, password],
    ] as const) {
      await elsewhere.goto(`${url}/login`);
      await logIn(elsewhere, username, tried);
      await expect(refused).toContainText('or a code is missing.');
      await expect(elsewhere.getByLabel('Code'), 'nothing appears after a wrong password').toHaveCount(0);
      refusals.push(await refused.textContent());
    }
    expect(new Set(refusals).size, 'the reason is not revealed').toBe(1);
    await isAccessible(elsewhere);
    await refused.getByRole('button', { name: 'Enter a code' }).click();
    await expect(refused).toHaveCount(0);
    await expect(elsewhere.getByLabel('Code')).toBeFocused();
    await elsewhere.getByLabel('Code').fill(codes[0] ?? '');
    await elsewhere.getByRole('button', { name: 'Login' }).click();
    await expect(elsewhere.getByRole('heading', { name: 'Overview' })).toBeVisible();
    await stranger?.close();

    await page.goto(`${url}/security`);
    await expect(page.getByText('9 recovery codes left')).toBeVisible();
    await page.getByRole('button', { name: 'Turn off' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Your password').fill(password);
    await dialog.getByLabel('Code').fill(codes[0] ?? '');
    await dialog.getByRole('button', { name: 'Turn off' }).click();
    await expect(dialog.getByText('This code is wrong or already used.')).toBeVisible();
    await isAccessible(page);
    await dialog.getByLabel('Code').fill(codes[1] ?? '');
    await dialog.getByRole('button', { name: 'Turn off' }).click();
    await expect(page.getByText('Two-step login is off.')).toBeVisible();
    await expect(page.getByRole('button', { name: 'Set up an app' })).toBeVisible();
    expect(defects).toEqual([]);
  });

  test('is required first for a system administrator of a deployment', async ({ page }) => {
    const defects = defectsOf(page);
    const environment = await deployment(fixture);
    const file = join(resolve(import.meta.dirname, '..', '..'), 'src', 'main', 'cli.ts');
    const { PATH = '', HOME = '' } = process.env;
    const env = { PATH, HOME, ...environment, DATA_DIR: fixture.dataDir, ADMIN_PASSWORD: password };
    await promisify(execFile)(process.execPath, [file, 'admin', 'create', 'ops@example.com'], { env });
    const { url } = await fixture.start(environment);
    await page.goto(`${url}/connections`);
    await logIn(page, 'ops@example.com', password);
    await expect(page).toHaveURL(`${url}/security`);
    await expect(page.getByText('System administrators need two-step login.')).toBeVisible();
    await isAccessible(page);
    await page.goto(`${url}/my`);
    await expect(page, 'no other page opens').toHaveURL(`${url}/security`);
    await setUp(page);
    await expect(page.getByText('System administrators cannot turn it off.')).toBeVisible();
    await page.goto(`${url}/my`);
    await expect(page.getByRole('combobox', { name: 'Masquerade as Client' })).toBeVisible();
    expect(defects).toEqual([]);
  });
});
