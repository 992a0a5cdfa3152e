import { expect, type Locator, type Page } from '@playwright/test';
import type { JsonObject } from '#core/values/json.ts';
import { defectsOf, isAccessible, logIn } from '../support/browser.ts';
import { newProduct, password, type Product, test } from '../support/journey.ts';

/*
 * Ben is the administrator of `page`; Ann is another one, in a second browser. Both open each form before one saves.
 *
 * docs/reference/two-users.md lists every form, and the test of each conflict.
 */

const ann = 'ann@northwind-msp.example';
const product = newProduct({ settings: { inv_default_income_account: '2' }, after: prepare });

async function prepare(started: Product): Promise<void> {
  await addAnn(started);
  await started.api.data('POST', '/api/my/webhooks', {
    kind: 'slack',
    name: 'Sales',
    address: 'https://hooks.slack.com/services/T0/B0/one',
    groups: ['failed_documents'],
  });
  await started.api.data('POST', '/api/my/webhook-endpoints', {
    address: 'https://erp.example.com/events',
    events: ['document.posted'],
  });
}

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

/** Waits until an invoice is in QuickBooks, and returns it. */
async function posted(psaId: number): Promise<JsonObject> {
  const find = async () =>
    (await product.quickbooks.list('Invoice')).find((row) =>
      String(row['PrivateNote'] ?? '').startsWith(`Autotask invoice ${psaId}`),
    );
  await expect.poll(find, { timeout: 60_000 }).toBeDefined();
  return (await find()) ?? {};
}

const save = (page: Page) => page.getByRole('button', { name: 'Save', exact: true }).click();
const savedText = 'Saved changes.';
const setting = async (key: string) =>
  ((await product.api.data('GET', '/api/my/settings'))['settings'] as Readonly<Record<string, unknown>>)[key];

const at =
  (path: string, ...keys: readonly (string | number)[]) =>
  async (): Promise<unknown> =>
    keys.reduce<unknown>(
      (found, key) => (found as Readonly<Record<string | number, unknown>> | null)?.[key],
      await product.api.data('GET', path),
    );
const dialogOf = (of: Page, name: string): Locator => of.getByRole('dialog', { name });

/** A form in which Ann and Ben change the same field. */
interface SharedForm {
  readonly path: string;
  /** Opens the dialog. Undefined if the screen is the form. */
  readonly open?: (of: Page) => Promise<void>;
  readonly edit: (of: Page, wanted: string) => Promise<void>;
  /** What has the focus after the refusal. */
  readonly field: (of: Page) => Locator;
  /** What Ann and Ben enter. */
  readonly wanted: readonly [anns: string, bens: string];
  /** The same as people read it. Undefined if it is as entered. */
  readonly shown?: readonly [anns: string, bens: string];
  readonly save: (of: Page) => Promise<void>;
  /** Reads the stored value. */
  readonly stored: () => Promise<unknown>;
  /** The stored values. Undefined if they are as entered. */
  readonly values?: readonly [anns: unknown, bens: unknown];
  /** Ben's choice. */
  readonly choice: 'overwrite' | 'use';
}

const saveIn = (name: string) => (of: Page) => dialogOf(of, name).getByRole('button', { name: 'Save' }).click();
const labor = (of: Page) => of.getByRole('combobox', { name: 'Labour' });
const zone = (of: Page) => of.getByRole('combobox', { name: 'Time zone of Autotask' });
const chat = (of: Page) => dialogOf(of, 'Edit chat');
const endpoint = (of: Page) => dialogOf(of, 'Edit events');
const provider = (of: Page) => dialogOf(of, 'Company sign-in');
const choose = async (of: Page, combobox: Locator, name: string) => {
  await combobox.click();
  await of.getByRole('option', { name, exact: true }).click();
};

const forms: Readonly<Record<string, SharedForm>> = {
  Settings: {
    path: '/settings',
    edit: (of, wanted) => of.getByLabel(/^Invoice max age/).fill(wanted),
    field: (of) => of.getByLabel(/^Invoice max age/),
    wanted: ['21', '30'],
    save,
    stored: () => setting('inv_max_age_days'),
    values: [21, 30],
    choice: 'overwrite',
  },
  'Time zone': {
    path: '/settings?tab=other',
    edit: (of, wanted) => choose(of, zone(of), wanted),
    field: zone,
    wanted: ['Europe/Paris', 'Europe/Berlin'],
    save: (of) => of.getByRole('button', { name: 'Change time zone' }).click(),
    stored: at('/api/my/time-zone', 'time_zone'),
    choice: 'overwrite',
  },
  'Item Settings': {
    path: '/item-settings',
    edit: (of, wanted) => choose(of, labor(of), wanted),
    field: labor,
    wanted: ['Role', 'One item for all'],
    save,
    stored: at('/api/my/item-settings', 'item_settings', 'labor'),
    values: ['role', 'fixed'],
    choice: 'use',
  },
  Chats: {
    path: '/notices?tab=chats',
    open: (of) => of.getByRole('button', { name: 'Edit Sales' }).click(),
    edit: (of, wanted) => chat(of).getByLabel('Name').fill(wanted),
    field: (of) => chat(of).getByLabel('Name'),
    wanted: ['Finance', 'Support'],
    save: saveIn('Edit chat'),
    stored: at('/api/my/webhooks', 'webhooks', 0, 'name'),
    choice: 'overwrite',
  },
  'Sync start date in Setup': {
    path: '/setup',
    open: (of) => of.getByRole('button', { name: /Go live/ }).click(),
    edit: (of, wanted) => of.getByLabel('Sync start date').fill(wanted),
    field: (of) => of.getByLabel('Sync start date'),
    wanted: ['2025-01-02', '2025-01-03'],
    shown: ['Jan 2, 2025', 'Jan 3, 2025'],
    save: (of) => of.getByRole('button', { name: 'Save the date' }).click(),
    stored: () => setting('sync_start_date'),
    choice: 'use',
  },
  Webhooks: {
    path: '/webhooks',
    open: async (of) => {
      await of.getByRole('button', { name: /^Actions for/ }).click();
      await of.getByRole('menuitem', { name: 'Edit events' }).click();
    },
    edit: (of, wanted) => endpoint(of).getByRole('checkbox', { name: wanted }).check(),
    field: (of) => endpoint(of).getByRole('checkbox').first(),
    wanted: ['month.signed', 'document.voided'],
    shown: ['document.posted, month.signed', 'document.posted, document.voided'],
    save: saveIn('Edit events'),
    stored: at('/api/my/webhook-endpoints', 'endpoints', 0, 'events'),
    values: [
      ['document.posted', 'month.signed'],
      ['document.posted', 'document.voided'],
    ],
    choice: 'use',
  },
  'Company sign-in': {
    path: '/security',
    open: (of) => of.getByRole('button', { name: 'Set up company sign-in' }).click(),
    edit: async (of, wanted) => {
      await provider(of).getByLabel('Provider', { exact: true }).selectOption('google');
      await provider(of).getByLabel('Client ID').fill(wanted);
      await provider(of).getByLabel('Client secret').fill('secret');
      await provider(of).getByLabel('Email domains').fill('northwind-msp.example');
    },
    field: (of) => provider(of).getByLabel('Client ID'),
    wanted: ['first', 'second'],
    save: saveIn('Company sign-in'),
    stored: at('/api/my/sign-in-provider', 'provider', 'client_id'),
    choice: 'overwrite',
  },
};

test('what another user decided meanwhile is named, and stays', async ({ page, guest }) => {
  await test.step('a mapping', async () => {
    await openForBoth(page, guest, '/customer-mappings');
    const dialog = (of: Page) => of.getByRole('dialog');
    for (const of of [page, guest]) {
      await of.getByRole('button', { name: 'Search', exact: true }).click();
      await of.getByRole('row', { name: 'Ember Cafe' }).first().getByRole('checkbox').check();
      await of.getByRole('button', { name: 'Map to Customer' }).click();
      await dialog(of).getByRole('combobox', { name: 'QuickBooks Customer' }).fill('a');
      await of
        .getByRole('option')
        .nth(of === page ? 0 : 1)
        .click();
    }
    await dialog(guest).getByRole('button', { name: 'Save' }).click();
    await expect(guest.getByText('1 mapping saved.')).toBeVisible();
    await dialog(page).getByRole('button', { name: 'Save' }).click();
    await expect(
      dialog(page).getByText(new RegExp(`^“Ember Cafe”: ${ann} changed this to “.+” after you opened it`)),
    ).toBeInViewport();
  });

  await test.step('a document that waits for approval', async () => {
    // With four eyes, a manual sync needs approval too.
    const rules = { require_approval: true, approval_limit: '0', approval_four_eyes: true };
    await product.api.data('POST', '/api/my/settings/', rules);
    await product.api.data('POST', '/api/my/invoices/sync/submit', { invoice_ids: [48_308], mode: 'live' });
    await expect.poll(at('/api/my/drafts', 'waiting'), { timeout: 60_000 }).toBe(1);
    await product.api.data('POST', '/api/my/settings/', { approval_four_eyes: false });
    await openForBoth(page, guest, '/approval');
    await guest.getByRole('button', { name: 'Reject' }).click();
    await guest.getByRole('dialog').getByRole('textbox', { name: 'Reason' }).fill('The price is wrong');
    const post = page.getByRole('button', { name: /^Post 1 invoice/ });
    await expect(post).toBeEnabled();
    await guest.getByRole('button', { name: 'Reject 1 document' }).click();
    await expect.poll(at('/api/my/drafts', 'waiting')).toBe(0);
    await post.click();
    await expect(
      page.getByText(new RegExp(`^Invoice 48308 .* was rejected by ${ann} after you opened it`)),
    ).toBeInViewport();
  });
  await product.api.data('POST', '/api/my/settings/', { require_approval: false });
});

test('a form that another user saved names the user and both values, and saves nothing', async ({ page, guest }) => {
  const defects = [...defectsOf(page), ...defectsOf(guest)];
  for (const [name, form] of Object.entries(forms))
    await test.step(name, async () => {
      const [anns, bens] = form.wanted;
      const [annsText, bensText] = form.shown ?? form.wanted;
      const [annsValue, bensValue] = form.values ?? form.wanted;
      await openForBoth(page, guest, form.path);
      for (const of of [page, guest]) await form.open?.(of);
      await form.edit(page, bens);
      await form.edit(guest, anns);
      await form.save(guest);
      await expect.poll(form.stored).toEqual(annsValue);
      await form.save(page);
      const error = page.getByText(`${ann} changed this to “${annsText}” after you opened it.`, { exact: true });
      await expect(error.first()).toBeInViewport();
      await expect(form.field(page)).toBeFocused();
      const button = (label: string) => page.getByRole('button', { name: label, exact: true });
      const [use, overwrite] = [button(`Use “${annsText}”`), button(`Overwrite with “${bensText}”`)];
      await expect(use).toBeVisible();
      // Two forms have all kinds of fields that show a conflict.
      if (form.path === '/settings' || form.path === '/security') await isAccessible(page);
      expect(await form.stored()).toEqual(annsValue);
      if (form.choice === 'use') {
        await use.click();
        await expect(overwrite).toHaveCount(0);
        expect(await form.stored()).toEqual(annsValue);
        return;
      }
      await overwrite.click();
      await form.save(page);
      await expect.poll(form.stored).toEqual(bensValue);
    });
  expect(defects).toEqual([]);
});

test('Settings keep what both users change, and find the field in another tab', async ({ page, guest }) => {
  const age = (of: Page) => of.getByLabel(/^Invoice max age/);
  await product.api.data('POST', '/api/my/settings/', { inv_sync_active: true, inv_max_age_days: 14 });
  await openForBoth(page, guest, '/settings');
  await expect(page.getByLabel('Automatic invoice sync')).toBeChecked();
  await guest.getByLabel('Automatic invoice sync').uncheck();
  await age(guest).fill('20');
  await save(guest);
  await expect(guest.getByText(savedText)).toBeVisible();
  await page.getByLabel('Group invoice lines').check();
  await save(page);
  await expect(page.getByText(savedText)).toBeVisible();
  const keys = ['inv_max_age_days', 'inv_group_invoice_lines', 'inv_sync_active'];
  expect(await Promise.all(keys.map(setting))).toEqual([20, true, false]);
  await expect(age(page)).toHaveValue('20');
  await expect(page.getByLabel('Automatic invoice sync')).not.toBeChecked();

  await age(page).fill('30');
  await age(guest).fill('21');
  await save(guest);
  await expect.poll(() => setting('inv_max_age_days')).toBe(21);
  // Another tab of the form is open, so the field is not visible when the save is refused.
  await page.getByRole('tab', { name: /^Advanced/ }).click();
  await save(page);
  await expect(age(page)).toBeFocused();
  await expect(age(page)).toHaveValue('30');
  await page.getByRole('button', { name: 'Use “21”' }).click();
  await expect(age(page)).toHaveValue('21');
  expect(await setting('inv_max_age_days')).toBe(21);
});

test('a save whose answer was lost, and a double click, are no conflict with oneself', async ({ page }) => {
  const age = page.getByLabel(/^Invoice max age/);
  const conflict = page.getByText(/after you opened (it|them)/);
  await page.goto('/settings');
  await age.fill('25');
  let saves = 0;
  await page.route('**/api/my/settings/', async (route) => {
    saves += 1;
    if (saves > 1) return route.continue();
    await route.fetch();
    return route.abort();
  });
  await save(page);
  await expect.poll(() => setting('inv_max_age_days')).toBe(25);
  await expect(page.getByRole('alert').first()).toBeVisible();
  await expect(age).toHaveValue('25');
  await page.getByLabel('Group invoice lines').uncheck();
  await page.getByRole('button', { name: 'Save', exact: true }).dblclick();
  await expect.poll(() => setting('inv_group_invoice_lines')).toBe(false);
  await expect(page.getByText(savedText)).toBeVisible();
  await expect(conflict).toHaveCount(0);
  expect([saves, await setting('inv_max_age_days')]).toEqual([2, 25]);
});

test('a dialog reports that another user removed, withdrew or decided what it shows', async ({ page, guest }) => {
  const confirm = (of: Page, label: string) => of.getByRole('dialog').getByRole('button', { name: label });

  await test.step('a difference of a month', async () => {
    await product.api.data('POST', '/api/my/invoices/sync/submit', { invoice_ids: [48_213], mode: 'live' });
    const { Id: id, TxnDate: day } = await posted(48_213);
    await product.quickbooks.put('Invoice', String(id), { TotalAmt: 2_000, Balance: 2_000 });
    await openForBoth(page, guest, `/month-end/${String(day).slice(0, 7)}`);
    await page
      .getByRole('button', { name: /^Prepare/ })
      .first()
      .click();
    const accept = (of: Page) => of.getByRole('button', { name: 'Accept', exact: true });
    await expect(accept(page).first()).toBeVisible({ timeout: 60_000 });
    await guest.reload();
    for (const of of [page, guest]) {
      await accept(of).first().click();
      const reason = of === page ? 'Agreed with the customer' : 'A discount';
      await of.getByRole('dialog').getByRole('textbox', { name: 'Reason' }).fill(reason);
    }
    await accept(guest).last().click();
    await expect(guest.getByRole('dialog')).toHaveCount(0);
    await accept(page).last().click();
    await expect(page.getByRole('dialog').getByText(new RegExp(`${ann} changed this to`))).toBeVisible();
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
  });

  await test.step('an invitation', async () => {
    await product.api.data('POST', '/api/my/users/invitations', { email: 'cy@northwind-msp.example', name: 'Cy' });
    await openForBoth(page, guest, '/users');
    for (const of of [page, guest]) {
      await of.getByRole('button', { name: /^Actions for .*cy@/ }).click();
      await of.getByRole('menuitem', { name: 'Withdraw' }).click();
    }
    await confirm(guest, 'Withdraw').click();
    await expect(guest.getByText('The invitation was withdrawn.')).toBeVisible();
    await confirm(page, 'Withdraw').click();
    await expect(page.getByText('Invitation not found.')).toBeVisible();
  });

  await test.step('a chat', async () => {
    await openForBoth(page, guest, '/notices?tab=chats');
    for (const of of [page, guest]) await of.getByRole('button', { name: 'Remove', exact: true }).click();
    await guest.getByRole('button', { name: 'Remove it' }).click();
    await expect(guest.getByText('The chat was removed.')).toBeVisible();
    await page.getByRole('button', { name: 'Remove it' }).click();
    await expect(page.getByText('Chat not found.')).toBeVisible();
  });

  await test.step('a webhook endpoint', async () => {
    await openForBoth(page, guest, '/webhooks');
    for (const of of [page, guest]) {
      await of.getByRole('button', { name: /^Actions for/ }).click();
      await of.getByRole('menuitem', { name: 'Delete' }).click();
    }
    await confirm(guest, 'Delete').click();
    await expect(guest.getByText('The endpoint was deleted.')).toBeVisible();
    await confirm(page, 'Delete').click();
    await expect(page.getByText('This endpoint or delivery no longer exists.')).toBeVisible();
  });
});
