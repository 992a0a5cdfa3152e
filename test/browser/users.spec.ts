import { expect, test, type Browser, type Page } from '@playwright/test';
import { signIn } from '../support/api-client.ts';
import { clientMonth, defectsOf, isAccessible, logIn, prepareMonth } from '../support/browser.ts';
import { newProcessFixture, type ProcessFixture } from '../support/process-fixture.ts';

const admin = 'admin@northwind-msp.example';
const guest = 'grace.hopper@northwind-msp.example';
const password = 'Demo-Passw0rd!';
const chosen = 'Compiler-Moth-47';

let fixture: ProcessFixture;
let url: string;
test.beforeAll(async () => {
  fixture = await newProcessFixture();
  ({ url } = await fixture.start());
});
test.afterAll(() => fixture.close());

/** A user with a separate browser. */
async function person(browser: Browser): Promise<Page> {
  return (await browser.newContext({ viewport: { width: 1280, height: 900 } })).newPage();
}

async function chooseInMenu(page: Page, item: string): Promise<void> {
  await page.getByRole('button', { name: /^Account of/ }).click();
  await page.getByRole('menuitem', { name: item }).click();
}

/** Returns the link of the newest invitation from the demo's emails. */
async function invitationLink(page: Page): Promise<string> {
  const links = page.getByRole('link', { name: /\/invitation\// });
  await expect(async () => {
    await page.goto(`${url}/demo/mails`);
    await expect(links.first()).toBeVisible({ timeout: 1_000 });
  }).toPass();
  return (await links.first().getAttribute('href')) ?? '';
}

test('a user is invited, accepts, logs in, and loses access when deactivated', async ({ browser }) => {
  const [adminPage, grace] = [await person(browser), await person(browser)];
  const defects = [...defectsOf(adminPage), ...defectsOf(grace)];
  await adminPage.goto(`${url}/users`);
  await logIn(adminPage, admin, password);
  await expect(adminPage.getByRole('heading', { name: 'Users' })).toBeVisible();
  await expect(adminPage.getByRole('row', { name: admin })).toContainText('You');
  await expect(adminPage.getByRole('button', { name: `Actions for ${admin}` }), 'not for the own account').toHaveCount(
    0,
  );

  await adminPage.getByRole('button', { name: 'Invite user' }).click();
  const dialog = adminPage.getByRole('dialog');
  await dialog.getByLabel('Email').fill('grace.hopper');
  await adminPage.keyboard.press('Enter');
  await expect(dialog.getByText('Enter a name.')).toBeVisible();
  await expect(dialog.getByText('Enter an email address.')).toBeVisible();
  await isAccessible(adminPage);
  await dialog.getByLabel('Name').fill('Grace Hopper');
  await dialog.getByLabel('Email').fill(guest);
  await adminPage.keyboard.press('Enter');
  await expect(adminPage.getByText(`An invitation is on its way to ${guest}.`)).toBeVisible();
  const row = adminPage.getByRole('row', { name: guest });
  await expect(row).toContainText('Invited');

  const link = await invitationLink(grace);
  await grace.goto(link);
  await expect(grace.getByRole('heading', { name: 'Join Northwind IT Services' })).toBeVisible();
  await expect(grace, 'the URL does not contain the token').toHaveURL(`${url}/invitation/set`);
  await isAccessible(grace);
  const create = grace.getByRole('button', { name: 'Create account' });
  await grace.getByLabel('Password', { exact: true }).fill(guest);
  await expect(create).toBeDisabled();
  await grace.getByLabel('Password', { exact: true }).fill(chosen);
  await grace.getByLabel('Confirm Password').fill(`${chosen}x`);
  await create.click();
  await expect(grace.getByText('Passwords do not match.')).toBeVisible();
  await grace.reload();
  await grace.getByLabel('Password', { exact: true }).fill(chosen);
  await grace.getByLabel('Confirm Password').fill(chosen);
  await grace.keyboard.press('Enter');
  await expect(grace.getByText(`Your username is ${guest}.`)).toBeVisible();
  await grace.goto(link);
  await expect(grace.getByText('This invitation was used already')).toBeVisible();
  await grace.getByRole('link', { name: 'Go to Login' }).click();
  await logIn(grace, guest, chosen);
  await expect(grace.getByRole('heading', { name: 'Overview' })).toBeVisible();

  await adminPage.reload();
  await expect(row).toContainText('Active');
  await expect(row).toContainText('1 session open');
  // Keyboard only: the row's menu, the question, the answer.
  await adminPage.getByRole('button', { name: `Actions for ${guest}` }).press('Enter');
  await adminPage.getByRole('menuitem', { name: 'Deactivate' }).press('Enter');
  await expect(dialog.getByText(`${guest} is logged out everywhere`)).toBeVisible();
  await isAccessible(adminPage);
  await dialog.getByRole('button', { name: 'Deactivate' }).press('Enter');
  await expect(row).toContainText('Deactivated');
  await expect(dialog).toHaveCount(0);

  await grace.goto(`${url}/logs`);
  await expect(grace.getByRole('button', { name: 'Login' })).toBeVisible();
  await logIn(grace, guest, chosen);
  await expect(grace.getByText('Unauthorized.')).toBeVisible();

  await adminPage.getByRole('button', { name: `Actions for ${guest}` }).click();
  await adminPage.getByRole('menuitem', { name: 'Reactivate' }).click();
  await expect(row).toContainText('Active');
  await logIn(grace, guest, chosen);
  await expect(grace.getByRole('heading', { name: 'Logs' })).toBeVisible();

  await adminPage.getByRole('searchbox', { name: 'Search' }).fill('no user found');
  await expect(adminPage.getByText('No user matches this search.')).toBeVisible();
  await adminPage.getByRole('button', { name: 'Show all users' }).click();
  await expect(row).toBeVisible();
  await Promise.all([adminPage.waitForResponse(/logout/), chooseInMenu(adminPage, 'Logout')]);
  expect(defects).toEqual([]);
  await adminPage.context().close();
  await grace.context().close();
});

test('a user sees all sessions and ends unknown ones', async ({ browser }) => {
  const [here, there, elsewhere] = [await person(browser), await person(browser), await person(browser)];
  const defects = [...defectsOf(here), ...defectsOf(there), ...defectsOf(elsewhere)];
  for (const page of [elsewhere, there, here]) {
    await page.goto(`${url}/login`);
    await logIn(page, admin, password);
    await expect(page.getByRole('heading', { name: 'Overview' })).toBeVisible();
  }
  await chooseInMenu(here, 'Sessions');
  await expect(here.getByRole('heading', { name: 'Sessions' })).toBeVisible();
  const rows = here.getByRole('row').filter({ hasText: 'Chrome on Linux' });
  await expect(rows).toHaveCount(3);
  await expect(rows.first(), 'the newest is the current one').toContainText('This one');

  const end = rows.nth(1).getByRole('button', { name: 'End' });
  await end.click();
  await expect(rows, 'one click ends nothing').toHaveCount(3);
  await rows.nth(1).getByRole('button', { name: 'End it' }).click();
  await expect(rows).toHaveCount(2);
  // The Overview may have noticed it already, because it polls for jobs.
  await there.goto(`${url}/logs`);
  await expect(there.getByRole('button', { name: 'Login' })).toBeVisible();

  await here.getByRole('button', { name: 'End all others' }).click();
  await here.getByRole('button', { name: 'Click again to end' }).click();
  await expect(here.getByText('1 session was ended.')).toBeVisible();
  await expect(rows).toHaveCount(1);
  await expect(here.getByRole('button', { name: 'End all others' })).toBeDisabled();
  await elsewhere.goto(`${url}/logs`);
  await expect(elsewhere.getByRole('button', { name: 'Login' })).toBeVisible();
  await here.reload();
  await expect(rows).toHaveCount(1);
  expect(defects).toEqual([]);
  for (const page of [here, there, elsewhere]) await page.context().close();
});

test.describe('a user in another time zone', () => {
  test.use({ timezoneId: 'Pacific/Auckland' });

  test('sees all times in the client’s time zone, which each screen names once', async ({ page }) => {
    const api = await signIn(url);
    await api.connectQuickBooks();
    await prepareMonth(api, clientMonth());
    await page.goto(`${url}/audit`);
    await logIn(page, 'admin@northwind-msp.example', 'Demo-Passw0rd!');
    const said = (at: string, options: Intl.DateTimeFormatOptions) =>
      new Intl.DateTimeFormat('en-US', { timeZone: 'America/Chicago', ...options }).format(new Date(at));
    const zone = said(new Date().toISOString(), { timeZoneName: 'short' }).split(' ').at(-1) ?? '';
    const minute = { year: 'numeric', month: 'short', day: 'numeric', hour: 'numeric', minute: '2-digit' } as const;
    const first = page.locator('tbody time').first();
    await expect(first).toBeVisible();
    const at = (await first.getAttribute('datetime')) ?? '';
    await expect(first).toHaveText(said(at, minute));
    for (const path of [
      '/audit',
      '/sessions',
      '/users',
      '/my',
      '/my-invoices',
      '/my-purchase-orders',
      '/my-expenses',
      '/needs-attention',
      '/connections',
      '/month-end',
      `/month-end/${clientMonth()}`,
    ]) {
      await page.goto(`${url}${path}`);
      await expect(page.getByRole('main').getByText(new RegExp(`\\b${zone}\\b`)), path).toHaveCount(1);
      for (const time of await page.locator('main time[title]').all())
        await expect(time).toHaveAttribute('title', new RegExp(` ${zone}$`));
    }
  });
});
