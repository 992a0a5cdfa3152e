import { expect, type Page } from '@playwright/test';
import { signIn } from '../support/api-client.ts';
import { clientMonth, defectsOf, isAccessible, logIn } from '../support/browser.ts';
import { newProduct, test } from '../support/journey.ts';
import { addDays, calendarDate } from '#core/values/dates.ts';

const ben = { email: 'ben@northwind-msp.example', name: 'Ben Booker', role: 'clientadmin' };
const ada = { email: 'ada@northwind-msp.example', name: 'Ada Accountant', role: 'accountant' };
const password = 'Second-Passw0rd!';

const product = newProduct({
  settings: { inv_default_income_account: '2' },
  after: async ({ api }) => {
    for (const user of [ben, ada]) {
      await api.data('POST', '/api/my/users/invitations', user);
      let token = '';
      // The page of emails lists the newest one first.
      const pattern = new RegExp(`${user.email}[\\s\\S]*?/invitation/(?:set#)?([\\w-]+)`);
      await expect.poll(async () => (token = await inMails(pattern)), { timeout: 60_000 }).not.toBe('');
      await api.data('POST', '/auth/accept-invitation', { token, password });
    }
  },
});

const inMails = async (pattern: RegExp): Promise<string> => {
  const mails = await (await fetch(`${product.url}/demo/mails`)).text();
  return pattern.exec(mails)?.[1] ?? '';
};

/** Opens the menu with the keyboard, closes it, and opens it again; returns its items. */
async function openMenu(page: Page, name: string) {
  const button = page.getByRole('button', { name });
  await button.focus();
  await page.keyboard.press('Enter');
  const items = page.getByRole('menuitem');
  await expect(items.first()).toBeFocused();
  await expect(items.filter({ hasText: 'Ben Booker' })).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(items).toHaveCount(0);
  await expect(button).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(items.filter({ hasText: 'Ben Booker' })).toBeVisible();
  await isAccessible(page);
  return items;
}

test('a user asks another one for approval, whose email opens the documents after the login', async ({
  page,
  guest: other,
}) => {
  const defects = defectsOf(page);
  const rules = { require_approval: true, approval_limit: '0', approval_four_eyes: true };
  await product.api.data('POST', '/api/my/settings/', rules);
  await product.api.data('POST', '/api/my/invoices/sync/submit', { invoice_ids: [48_308], mode: 'live' });
  const waiting = async () => (await product.api.data('GET', '/api/my/drafts'))['waiting'];
  await expect.poll(waiting, { timeout: 60_000 }).toBe(1);

  await page.goto('/approval');
  // An accountant may not approve.
  const items = await openMenu(page, 'Ask for approval');
  await expect(items).toHaveCount(1);
  await items.click();
  await expect(page.getByText(`Asked ${ben.email}.`)).toBeVisible();
  await page.getByRole('button', { name: 'Ask for approval' }).click();
  await page.getByRole('menuitem', { name: /Ben Booker/ }).click();
  await expect(page.getByText('This user was asked in the last 10 minutes.')).toBeVisible();

  await expect.poll(() => inMails(/(1 document waits for your approval)/), { timeout: 60_000 }).not.toBe('');
  await other.goto('/approval');
  await logIn(other, ben.email, password);
  await expect(other.getByRole('heading', { name: 'Approval', exact: true })).toBeVisible();
  await other.getByRole('link', { name: /^Notices, \d unread$/ }).click();
  await other.getByRole('link', { name: '1 document waits for your approval' }).click();
  // The worker reports the new draft to users who may approve it.
  const own = await signIn(product.url, ben.email, password);
  const titles = async () => JSON.stringify(await own.data('GET', '/api/my/notices'));
  await expect.poll(titles, { timeout: 60_000 }).toContain('1 document waits for approval');
  await expect(other.getByRole('heading', { name: 'Approval', exact: true })).toBeVisible();
  expect(defects).toEqual([]);
});

test('a user who signed a month asks all others for the second signature', async ({ page, guest: other }) => {
  const defects = defectsOf(page);
  const month = addDays(calendarDate(`${clientMonth()}-01`), -1).slice(0, 7);
  await product.api.data('POST', `/api/my/closes/${month}/prepare`, {});
  const read = async () => {
    const { close } = (await product.api.data('GET', `/api/my/closes/${month}`)) as unknown as {
      readonly close: { readonly id: string | null; readonly checklist: readonly { readonly key: string }[] };
    };
    return close;
  };
  await expect.poll(async () => (await read()).id, { timeout: 60_000 }).not.toBeNull();
  const { id, checklist } = await read();
  const checked = checklist.map(({ key }) => key);
  const signature = { close_id: id, as: 'preparer', checked, reason: 'Carried to the next month.' };
  await product.api.data('POST', `/api/my/closes/${month}/sign`, signature);

  await page.goto(`/month-end/${month}`);
  const items = await openMenu(page, 'Ask for the second signature');
  await expect(items).toHaveText([/Ada Accountant/, /Ben Booker/, 'All 2 users']);
  await items.last().click();
  await expect(page.getByText(`Asked ${ada.email}, ${ben.email}.`)).toBeVisible();

  const title = /([A-Z][a-z]+ \d{4} waits for your signature)/;
  await expect.poll(() => inMails(title), { timeout: 60_000 }).not.toBe('');
  await other.goto('/notices');
  await logIn(other, ada.email, password);
  await other.getByRole('link', { name: title }).click();
  await expect(other).toHaveURL(new RegExp(`/month-end/${month}$`));
  await expect(other.getByText('Prepared by admin@northwind-msp.example')).toBeVisible();
  expect(defects).toEqual([]);
});
