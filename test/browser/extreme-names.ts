import { expect } from '@playwright/test';
import { submitted, textOf } from '../../scripts/seed.ts';
import type { ApiClient } from '../support/api-client.ts';
import { prepareMonth } from '../support/browser.ts';
import { password, type Product } from '../support/journey.ts';
import type { ProcessFixture } from '../support/process-fixture.ts';
import type { Control } from '../support/world.ts';

/** 500 characters with and without spaces, right-to-left text, emoji, quotes, colons, HTML and line breaks. */
const extreme = [
  'x'.repeat(500),
  `شركة الاختبار للتقنية "المحدودة" 🚀 ${'اسم طويل '.repeat(40)}`,
  `👩‍👩‍👧‍👦 O'Neill & "Sons": a/b\\c, ltd. ${'and one more word '.repeat(25)}`,
  '<b>bold</b> &amp; <img src=x onerror=hit(0)>',
  'one line\r\nand another\n- and a third',
];

/** Short enough for names in both services. Covers every HTML context and spreadsheets. */
export const hostile = [
  '<img src=x onerror=hit(1)>',
  '"><svg onload=hit(2)>',
  "';hit(3);//<script>hit(3)</script>",
  'javascript:hit(4)',
  '{{hit(5)}}${hit(5)}`',
  '</title><iframe srcdoc=x>',
  '=HYPERLINK("http://evil.example","click")',
];
export const names = [...extreme, ...hostile];

/** Fields that screens, logs or documents show, and the maximum length of the service. */
export const fields: readonly (readonly [
  service: 'autotask' | 'quickbooks',
  entity: string,
  field: string,
  most: number,
])[] = [
  ['autotask', 'Companies', 'companyName', 500],
  ['autotask', 'BillingCodes', 'name', 500],
  ['autotask', 'Products', 'name', 500],
  ['autotask', 'Contacts', 'firstName', 500],
  ['autotask', 'Contacts', 'lastName', 500],
  ['autotask', 'Resources', 'lastName', 500],
  ['autotask', 'Contracts', 'contractName', 500],
  ['autotask', 'OrganizationalLevel2s', 'name', 500],
  ['autotask', 'TaxRegions', 'name', 500],
  ['autotask', 'TaxCategories', 'name', 500],
  ['autotask', 'BillingItems', 'itemName', 500],
  ['autotask', 'BillingItems', 'description', 500],
  ['autotask', 'ExpenseItems', 'description', 500],
  ['autotask', 'ExpenseReports', 'name', 500],
  ['autotask', 'PurchaseOrders', 'purchaseOrderNumber', 500],
  ['autotask', 'PurchaseOrders', 'generalMemo', 500],
  ['quickbooks', 'Customer', 'DisplayName', 95],
  ['quickbooks', 'Vendor', 'DisplayName', 95],
  ['quickbooks', 'Item', 'Name', 95],
  ['quickbooks', 'Account', 'Name', 95],
  ['quickbooks', 'Class', 'Name', 95],
  ['quickbooks', 'CompanyInfo', 'CompanyName', 95],
];

export const accountant = 'ada.count@northwind-msp.example';
export const renamed: Record<string, number> = {};
/** Permanent URLs of an entry, a review and a month, and error pages. */
export const addresses: string[] = [];

async function rename(service: Control, entity: string, field: string, most: number): Promise<void> {
  for (const [index, row] of (await service.list(entity)).entries()) {
    const id = row['id'] ?? row['Id'];
    if (typeof id !== 'number' && typeof id !== 'string') continue;
    const place = index % names.length;
    const wanted = names[place] ?? '';
    // A number makes each name unique. After hostile names, because the start of a text matters.
    const name = (place < extreme.length ? `${index} ${wanted}` : `${wanted} ${index}`).slice(0, most);
    // QuickBooks rejects colons, quotes and line breaks in some names.
    for (const accepted of [name, name.replaceAll(/[:\t\r\n]/g, ' ').slice(0, 90)]) {
      const isAccepted = await service.put(entity, id, { [field]: accepted }).then(
        () => true,
        () => false,
      );
      if (!isAccepted) continue;
      renamed[`${entity} ${field}`] = (renamed[`${entity} ${field}`] ?? 0) + 1;
      break;
    }
  }
}

export async function renameAll(fixture: ProcessFixture): Promise<void> {
  for (const [service, entity, field, most] of fields) await rename(fixture[service], entity, field, most);
}

/** Posts, fails, changes, reconciles and drafts documents, so that every screen has content. */
export async function fillScreens({ url, api, autotask, quickbooks }: Product): Promise<void> {
  const map = async (namespace: string, source: string, target: string, to: string) => {
    const { rows } = (await api.data('GET', `/api/my/mappings/${namespace}`)) as unknown as {
      rows: readonly { source_value: string; label: string }[];
    };
    const gone = hostile.map((label, index) => ({ source_value: `${900 + index}`, label }));
    await api.data('POST', `/api/my/xrefs/${namespace}/multiple`, {
      xrefs: [...rows.slice(0, 4), ...gone].map(({ source_value, label }) => ({
        source_entity: source,
        source_value,
        source_value_label: label.slice(0, 500),
        target_entity: target,
        target_value: to,
        target_value_label: label.slice(0, 500),
      })),
    });
  };
  await map('ItemBilling', 'BillingCode', 'Item', '21');
  await map('ExpenseCategoryNonBillable', 'ExpenseCategory', 'Account', '12');
  for (const kind of ['invoices', 'expense-reports'])
    await submitted(api, `/api/my/${kind}/sync/submit/all`, { mode: 'test' });
  const review = await submitted(api, '/api/my/purchase-orders/sync/submit/all', { mode: 'test' });
  await submitted(api, '/api/my/invoices/sync/submit', { invoice_ids: [48_213, 48_302, 48_309], mode: 'live' });
  const posted = (await quickbooks.list('Invoice')).find((one) =>
    /^Autotask invoice 48213\b/.test(textOf(one, 'PrivateNote')),
  );
  const month = textOf(posted ?? {}, 'TxnDate').slice(0, 7);
  await autotask.put('Invoices', 48_213, { invoiceTotal: Number(posted?.['TotalAmt']) + 100 });
  await prepareMonth(api, month);
  // With four eyes, the user who starts a sync cannot approve it, so its document remains a draft.
  await api.data('POST', '/api/my/settings/', { require_approval: true, approval_four_eyes: true });
  await api.data('POST', '/api/my/invoices/sync/submit', { invoice_ids: [48_310], mode: 'live' });
  await expect.poll(async () => (await api.data('GET', '/api/my/drafts'))['waiting'], { timeout: 60_000 }).toBe(1);
  await invite(url, api, accountant);
  await api.data('POST', '/api/my/users/invitations', {
    email: `${'very.long.'.repeat(6)}@northwind-msp.example`,
    name: '‏שם <b>bold</b> "Grace": 🚀 Hopper'.slice(0, 100),
  });
  const { logs } = (await api.data('GET', '/api/my/logs')) as { logs: readonly { Key: string }[] };
  addresses.push(
    `/logs?key=${encodeURIComponent(logs[0]?.Key ?? '')}`,
    `/month-end/${month}`,
    `/my-purchase-orders?review=${textOf(review, 'id')}`,
    '/my-invoices?by=id&id=1',
    '/no-such-page',
    '/autotask?message=Zone+not+found&error=E-17',
    '/unauthorized',
  );
}

/** Invites a user who accepts with the emailed link. */
async function invite(url: string, api: ApiClient, email: string): Promise<void> {
  await api.data('POST', '/api/my/users/invitations', { email, name: 'Ada Count', role: 'accountant' });
  let token = '';
  await expect
    .poll(async () => {
      const mails = await (await fetch(`${url}/demo/mails`)).text();
      return (token = /\/invitation\/(?:set#)?([\w-]+)/.exec(mails)?.[1] ?? '');
    })
    .not.toBe('');
  await api.data('POST', '/auth/accept-invitation', { token, password });
}
