import { expect, type Page } from '@playwright/test';
import { defectsOf, isAccessible, logIn } from '../support/browser.ts';
import { newProduct, password, type Product, test } from '../support/journey.ts';

/* Ben is the administrator of `page`; Ann is another one, in a second browser. Both open each form before one saves. */

const ann = 'ann@northwind-msp.example';
const product = newProduct({ settings: { inv_default_income_account: '2' }, after: addAnn });

async function addAnn({ url, api }: Product): Promise<void> {
  await api.data('POST', '/api/my/users/invitations', { email: ann, name: 'Ann' });
  const tokenIn = async () => /\/invitation\/([\w-]+)/.exec(await (await fetch(`${url}/demo/mails`)).text())?.[1] ?? '';
  await expect.poll(tokenIn).not.toBe('');
  const accepted = await fetch(`${url}/auth/accept-invitation`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ token: await tokenIn(), password }),
  });
  expect(accepted.status).toBe(200);
}

/** Opens the same screen for both users. */
async function openForBoth(page: Page, guest: Page, path: string): Promise<void> {
  await page.goto(path);
  if (guest.url() === 'about:blank') {
    await guest.goto(`${product.url}/login`);
    await logIn(guest, ann, password);
    await expect(guest.getByRole('heading', { name: 'Overview', level: 1 })).toBeVisible();
  }
  await guest.goto(`${product.url}${path}`);
}

const save = (page: Page) => page.getByRole('button', { name: 'Save', exact: true }).click();
const savedText = 'Saved changes.';
const setting = async (key: string) =>
  ((await product.api.data('GET', '/api/my/settings'))['settings'] as Readonly<Record<string, unknown>>)[key];

test('Settings keep what both users change, and show who changed the same field', async ({ page, guest }) => {
  const defects = [...defectsOf(page), ...defectsOf(guest)];
  const age = (of: Page) => of.getByLabel(/^Invoice max age/);
  await openForBoth(page, guest, '/settings');
  await age(page).waitFor();
  await age(guest).fill('20');
  await save(guest);
  await expect(guest.getByText(savedText)).toBeVisible();
  await page.getByLabel('Group invoice lines').check();
  await save(page);
  await expect(page.getByText(savedText)).toBeVisible();
  expect([await setting('inv_max_age_days'), await setting('inv_group_invoice_lines')]).toEqual([20, true]);
  await expect(age(page)).toHaveValue('20');

  await age(page).fill('30');
  await age(guest).fill('21');
  await save(guest);
  await expect.poll(() => setting('inv_max_age_days')).toBe(21);
  // Another tab of the form is open, so the field is not visible when the save is refused.
  await page.getByRole('tab', { name: /^Advanced/ }).click();
  await save(page);
  const error = `${ann} changed this to “21” after you opened it.`;
  await expect(page.getByText(error, { exact: true })).toBeVisible();
  await expect(age(page)).toBeFocused();
  await expect(age(page)).toHaveValue('30');
  expect(await setting('inv_max_age_days')).toBe(21);
  await isAccessible(page);
  await page.getByRole('button', { name: 'Overwrite with “30”' }).click();
  await save(page);
  await expect.poll(() => setting('inv_max_age_days')).toBe(30);

  await expect(age(page)).toHaveValue('30');
  await age(page).fill('31');
  await guest.reload();
  await age(guest).fill('22');
  await save(guest);
  await expect.poll(() => setting('inv_max_age_days')).toBe(22);
  await save(page);
  await page.getByRole('button', { name: 'Use “22”' }).click();
  await expect(age(page)).toHaveValue('22');
  expect(await setting('inv_max_age_days')).toBe(22);
  expect(defects).toEqual([]);
});

test('an automatic sync that another user turned off stays off', async ({ page, guest }) => {
  await product.api.data('POST', '/api/my/settings/', { inv_sync_active: true });
  await openForBoth(page, guest, '/settings');
  const sync = (of: Page) => of.getByLabel('Automatic invoice sync');
  await expect(sync(page)).toBeChecked();
  await sync(guest).uncheck();
  await save(guest);
  await expect.poll(() => setting('inv_sync_active')).toBe(false);
  await page.getByLabel('Group invoice lines').uncheck();
  await save(page);
  await expect.poll(() => setting('inv_group_invoice_lines')).toBe(false);
  expect(await setting('inv_sync_active')).toBe(false);
  await expect(sync(page)).not.toBeChecked();
});

test('Item Settings and chats show who changed the same field', async ({ page, guest }) => {
  await openForBoth(page, guest, '/item-settings');
  const choose = async (of: Page, name: string) => {
    await of.getByRole('combobox', { name: 'Labour' }).click();
    await of.getByRole('option', { name, exact: true }).click();
  };
  await choose(page, 'One item for all');
  await choose(guest, 'Role');
  await save(guest);
  await expect(guest.getByText(savedText)).toBeVisible();
  await save(page);
  await expect(page.getByText(`${ann} changed this to “Role” after you opened it.`, { exact: true })).toBeVisible();
  await expect(page.getByRole('combobox', { name: 'Labour' })).toBeFocused();
  await page.getByRole('button', { name: 'Use “Role”' }).click();
  await expect(page.getByRole('combobox', { name: 'Labour' })).toHaveValue('Role');

  await product.api.data('POST', '/api/my/webhooks', {
    kind: 'slack',
    name: 'Sales',
    address: 'https://hooks.slack.com/services/T0/B0/one',
    groups: ['failed_documents'],
  });
  await openForBoth(page, guest, '/notices?tab=chats');
  for (const of of [page, guest]) await of.getByRole('button', { name: 'Edit Sales' }).click();
  const dialog = (of: Page) => of.getByRole('dialog', { name: 'Edit webhook' });
  await dialog(guest).getByLabel('Name').fill('Finance');
  await dialog(guest).getByRole('button', { name: 'Save' }).click();
  await expect(dialog(guest)).toBeHidden();
  await dialog(page).getByLabel('Name').fill('Support');
  await dialog(page).getByRole('button', { name: 'Save' }).click();
  await expect(dialog(page).getByText(`${ann} changed this to “Finance” after you opened it.`)).toBeVisible();
  await dialog(page).getByRole('button', { name: 'Overwrite with “Support”' }).click();
  await dialog(page).getByRole('button', { name: 'Save' }).click();
  await expect(dialog(page)).toBeHidden();
  await expect(page.getByText('Support')).toBeVisible();
});

test('a mapping that another user saved is not overwritten', async ({ page, guest }) => {
  await openForBoth(page, guest, '/customer-mappings');
  const open = async (of: Page, names: readonly string[]) => {
    await of.getByRole('button', { name: 'Search', exact: true }).click();
    for (const name of names) await of.getByRole('row', { name }).first().getByRole('checkbox').check();
    await of.getByRole('button', { name: 'Map to Customer' }).click();
    const field = of.getByRole('dialog').getByRole('combobox', { name: 'QuickBooks Customer' });
    await field.fill('a');
    await of.getByRole('option').first().click();
  };
  await open(page, ['Ember Cafe']);
  await open(guest, ['Ember Cafe']);
  await guest.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
  await expect(guest.getByText('1 mapping saved.')).toBeVisible();
  await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
  await expect(page.getByRole('dialog').getByText(/^Another user changed this meanwhile: “Ember Cafe”/)).toBeVisible();
});
