import { expect, test } from '@playwright/test';
import { defectsOf, isAccessible, logIn } from '../support/browser.ts';
import { newProcessFixture, type ProcessFixture } from '../support/process-fixture.ts';

const admin = 'admin@northwind-msp.example';
const sysadmin = 'sysadmin@tallybridge.example';
const password = 'Demo-Passw0rd!';
const client = 'Northwind IT Services';

test.describe('a client', () => {
  let fixture: ProcessFixture;
  test.beforeEach(async () => {
    fixture = await newProcessFixture();
  });
  test.afterEach(() => fixture.close());

  test('is changed for another one on the Overview, also after a failure', async ({ page, browser }) => {
    const { url } = await fixture.start();
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

    await page.goto(`${url}/login`);
    await logIn(page, sysadmin, password);
    const chooser = page.getByRole('combobox', { name: 'Masquerade as Client' });
    const choose = async (name: string) => {
      await chooser.click();
      await page.getByRole('option', { name }).click();
    };
    await page.route('**/auth/masquerade', (route) => route.abort());
    await choose(client);
    await expect(page.getByText('Disconnected. Please check your internet connection.')).toBeVisible();
    await page.unroute('**/auth/masquerade');
    await choose(client);
    await expect(page.getByText(`${sysadmin} acts as ${client}.`)).toBeVisible();
    await choose('Lakeside Technology Partners');
    await expect(page.getByText(`${sysadmin} acts as Lakeside Technology Partners.`)).toBeVisible();
    await expect(page.getByRole('heading', { name: 'Setup' })).toBeVisible();
    await page.getByRole('button', { name: 'Stop acting as this client' }).click();
    await expect(page.getByText(/ acts as /)).toHaveCount(0);
    await expect(chooser).toHaveValue('');
  });

  test('is suspended, reads and exports its data, and is deleted by typing its name', async ({ page }) => {
    const defects = defectsOf(page);
    const { url } = await fixture.start();
    const logOut = async (username: string) => {
      await page.getByRole('button', { name: `Account of ${username}` }).click();
      await page.getByRole('menuitem', { name: 'Logout' }).click();
      await expect(page.getByRole('button', { name: 'Login' })).toBeVisible();
      const kept = await page.evaluate<string[]>('Object.keys(localStorage)');
      expect(kept.filter((key) => key !== 'color-scheme' && key !== 'lists')).toEqual([]);
    };
    const openClient = async () => {
      await page.goto(`${url}/clients`);
      await page.getByLabel('Find clients').fill('northwind');
      await expect(page).toHaveURL(/q=northwind/);
      await page.getByRole('row', { name: client }).focus();
      await page.keyboard.press('Enter');
      await expect(page.getByRole('dialog').getByText('Active users')).toBeVisible();
    };
    await page.goto(`${url}/login`);
    await logIn(page, sysadmin, password);
    await expect(page.getByRole('heading', { name: 'Overview' })).toBeVisible();
    await page.goto(`${url}/clients`);
    const row = page.getByRole('row', { name: client });
    await expect(row).toContainText('Pending');
    await expect(page.getByRole('tab', { name: 'Need help 0' })).toBeVisible();
    await isAccessible(page);
    await page.getByRole('button', { name: `Finish setup: ${client}` }).click();
    await expect(page.getByText(`${sysadmin} acts as ${client}.`)).toBeVisible();
    await expect(page).toHaveURL(`${url}/setup`);
    await page.getByRole('button', { name: 'Stop acting as this client' }).click();
    // The list of clients is also the home of an operator.
    await expect(page).toHaveURL(`${url}/my`);
    await page.getByRole('button', { name: `Open as client: ${client}` }).click();
    await expect(page.getByText(`${sysadmin} acts as ${client}.`)).toBeVisible();
    await page.getByRole('button', { name: 'Stop acting as this client' }).click();
    await expect(page.getByText(`${sysadmin} acts as ${client}.`)).toHaveCount(0);
    await openClient();
    await isAccessible(page);
    await expect(page.getByRole('dialog').getByText(/^America\/Chicago \(times in C[SD]T\)$/)).toBeVisible();
    for (const time of await page.getByRole('dialog').locator('time').all())
      await expect(time).toHaveAttribute('title', / C[SD]T$/);
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Suspend…' }).click();
    await expect(dialog.getByRole('button', { name: 'Suspend' })).toBeDisabled();
    await dialog.getByLabel('Reason').fill('The bill is open.');
    await isAccessible(page);
    await dialog.getByRole('button', { name: 'Suspend' }).click();
    await expect(dialog.getByText('The bill is open.')).toBeVisible();
    await page.keyboard.press('Escape');
    await logOut(sysadmin);

    await logIn(page, admin, password);
    await expect(
      page.getByText('This subscription is suspended. Syncs and changes are off; you can read and export.'),
    ).toBeVisible();
    await isAccessible(page);
    const saving = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Export all data' }).click();
    expect((await saving).suggestedFilename()).toMatch(/^tallybridge-northwind-it-services-.*\.zip$/);
    await page.goto(`${url}/audit`);
    await expect(page.getByText('suspended the subscription: The bill is open.')).toBeVisible();
    await isAccessible(page);
    await page.getByLabel('Search').fill('export');
    await expect(page.getByText('exported all data')).toBeVisible();
    await expect(page.getByText('suspended the subscription')).toHaveCount(0);
    await page.getByLabel('Person').fill('unknown');
    await expect(page.getByText('No matches.')).toBeVisible();
    await logOut(admin);

    await logIn(page, sysadmin, password);
    await expect(page.getByRole('heading', { name: 'Overview' })).toBeVisible();
    await openClient();
    await dialog.getByRole('button', { name: 'Delete…' }).click();
    const remove = dialog.getByRole('button', { name: 'Delete client' });
    await dialog.getByLabel(`Type “${client}” to confirm`).fill('Northwind');
    await expect(remove).toBeDisabled();
    await dialog.getByLabel(`Type “${client}” to confirm`).fill(client);
    await isAccessible(page);
    await remove.click();
    await expect(page.getByText(`Deleted ${client}.`)).toBeVisible();
    await logOut(sysadmin);
    await logIn(page, admin, password);
    await expect(page.getByText('Unauthorized.')).toBeVisible();
    expect(defects).toEqual([]);
  });
});
