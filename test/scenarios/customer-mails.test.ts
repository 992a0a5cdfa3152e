import { beforeEach, describe, expect, test } from 'vitest';
import { listAttention } from '#flows/attention/list.ts';
import { ProcessEnded } from '#flows/context.ts';
import type { JsonObject } from '#core/values/json.ts';
import { eachWorld } from '../support/each-world.ts';

const world = eachWorld({ settings: { inv_email_automatically: true } });
beforeEach(async () => {
  // QuickBooks also emails automatically, which must not cause a second email.
  await world.quickbooks.behave({ need_to_send: 'mails' });
});

/** Returns the emails that QuickBooks sent to customers. */
async function mails(): Promise<readonly JsonObject[]> {
  const answer = await fetch(`${world.quickbooks.url}/__sandbox/mails`);
  return ((await answer.json()) as { items: readonly JsonObject[] }).items;
}
const live = (psaId: number, force = false) => world.sync('invoice', { mode: 'live', force, psaIds: [psaId] });

test('row 67: an invoice is emailed once, not by a test sync, a second sync or a cleared status', async () => {
  await world.sync('invoice', { mode: 'test', psaIds: [48_213] });
  expect(await mails()).toEqual([]);
  const posted = world.resultOf(await live(48_213), 48_213);
  expect(await mails()).toMatchObject([{ to: 'ap@acmedental.example' }]);
  const log = await world.store.readLog(posted?.logKey ?? '');
  expect(log?.document, 'the log shows the state after the mail').toMatchObject({ EmailStatus: 'EmailSent' });
  await live(48_213);
  await world.autotask.put('Invoices', 48_213, { invoiceNumber: '', webServiceDate: null });
  expect(world.resultOf(await live(48_213), 48_213)?.message).toMatch(/^Relinked/);
  expect(await mails()).toHaveLength(1);
  await live(48_213, true);
  expect(await mails()).toHaveLength(2);
});

test('an invoice with a lost response is emailed once', async () => {
  await world.quickbooks.behave({ requestid: 'none' });
  await world.quickbooks.fault({ match: { path: '/invoice$' }, times: 1, action: { reset: 'after' } });
  await live(48_213);
  await world.advance(135);
  await world.work();
  expect(await world.store.readPosting('invoice', 48_213)).toMatchObject({ status: 'synced' });
  expect(await mails()).toHaveLength(1);
});

describe('the command that emails', () => {
  const sendCall = { method: 'POST', path: '/invoice/\\d+/send$' };

  test('is searched for after a lost response', async () => {
    await world.quickbooks.behave({ requestid: 'none' });
    await world.quickbooks.fault({ match: sendCall, times: 1, action: { reset: 'after' } });
    await live(48_213);
    expect((await world.store.readPosting('invoice', 48_213))?.status).toBe('unconfirmed');
    await world.advance(135);
    await world.work();
    expect(await world.store.readPosting('invoice', 48_213)).toMatchObject({ status: 'synced', drift: [] });
    expect(await mails()).toHaveLength(1);
  });

  test('is sent again when it did not arrive', async () => {
    await world.quickbooks.fault({ match: sendCall, times: 1, action: { reset: 'before' } });
    await live(48_213);
    expect(await mails()).toEqual([]);
    await world.advance(135);
    await world.work();
    expect(await mails()).toHaveLength(1);
  });

  test.each(['before', 'after'] as const)('emails once although its worker dies %s sending it', async (moment) => {
    let hasDied = false;
    const dying = world.sync('invoice', { mode: 'live', psaIds: [48_213] }, (name, when) => {
      if (name !== 'post:mail' || when !== moment || hasDied) return;
      hasDied = true;
      throw new ProcessEnded();
    });
    await expect(dying).rejects.toThrow(ProcessEnded);
    await world.advance(20);
    await world.work();
    await world.advance(135);
    await world.work();
    expect(await world.store.readPosting('invoice', 48_213)).toMatchObject({ status: 'synced' });
    expect(await mails()).toHaveLength(1);
  });

  test('reports a rejection by QuickBooks, and needs attention', async () => {
    await world.quickbooks.behave({ mails_per_day: 1 });
    await live(48_213);
    expect(await listAttention(world.tenant)).toEqual([]);
    const job = await live(48_213, true);
    expect(world.resultOf(job, 48_213)).toMatchObject({
      outcome: 'succeeded',
      message: expect.stringContaining('was not emailed to ap@acmedental.example'),
    });
    expect(await mails()).toHaveLength(1);
    expect(await listAttention(world.tenant)).toMatchObject([{ code: 'MAIL_NOT_SENT', state: 'needs_you' }]);
    // A user emails it in QuickBooks, and syncs its payments.
    const posting = await world.store.readPosting('invoice', 48_213);
    await world.quickbooks.put('Invoice', posting?.targetId ?? '', { EmailStatus: 'EmailSent' });
    await world.sync('payment', { mode: 'live', psaIds: [48_213] });
    expect(await listAttention(world.tenant)).toEqual([]);
  });
});

test('an invoice with a different tax is not emailed, and needs attention until QuickBooks has the amount', async () => {
  await world.saveSettings({ pay_sync_active: true });
  const [preferences] = await world.quickbooks.list('Preferences');
  await world.quickbooks.put('Preferences', '1', {
    TaxPrefs: { ...(preferences?.['TaxPrefs'] as JsonObject), PartnerTaxEnabled: true },
  });
  const job = await live(48_213);
  const found = world.resultOf(job, 48_213);
  expect(found?.outcome).toBe('succeeded');
  expect(found?.message).toContain('Tax: QuickBooks');
  expect(await mails()).toEqual([]);
  expect(await world.store.readPosting('invoice', 48_213)).toMatchObject({ drift: ['total_differs'] });
  expect(await listAttention(world.tenant)).toMatchObject([
    { code: 'TAX_DIFFERS', state: 'needs_you', documents: [{ psaId: 48_213, success: true }] },
  ]);
  // A user overrides the tax in QuickBooks.
  const posting = await world.store.readPosting('invoice', 48_213);
  await world.quickbooks.put('Invoice', posting?.targetId ?? '', {
    TotalAmt: 1966.25,
    Balance: 1966.25,
    TxnTaxDetail: { TotalTax: 41.25 },
  });
  await world.advance(3_600);
  await world.cycle();
  expect(await world.store.readPosting('invoice', 48_213)).toMatchObject({ drift: [] });
  expect(await listAttention(world.tenant)).toEqual([]);
});

test('an invoice whose contact has no valid email is posted and not emailed, and test and live name the contact', async () => {
  // isAccountingEmail has tests of each form.
  const emailAddress = 'a@x; ask the front desk';
  await world.quickbooks.put('Customer', '59', { PrimaryEmailAddr: null });
  const contact = (await world.autotask.list('Contacts')).find((row) => row['companyID'] === 176);
  await world.autotask.put('Contacts', Number(contact?.['id']), {
    primaryContact: true,
    firstName: 'Maria',
    lastName: 'Garcia',
    emailAddress,
  });
  for (const mode of ['test', 'live'] as const) {
    const job = await world.sync('invoice', { mode, psaIds: [48_214] });
    expect(world.resultOf(job, 48_214)).toMatchObject({ outcome: 'succeeded' });
    const log = (await world.logs()).findLast((one) => one.psaId === 48_214);
    expect(log?.transcript).toContain(`“${emailAddress}”, the email address of Maria Garcia`);
  }
  expect(await mails()).toEqual([]);
  expect(await world.store.readPosting('invoice', 48_214)).toMatchObject({ status: 'synced' });
});

test('a credit memo is not emailed, nor is anything while the setting is off', async () => {
  await live(48_301);
  expect(await world.quickbooks.list('CreditMemo')).toContainEqual(
    expect.objectContaining({ PrivateNote: expect.stringContaining('Autotask invoice 48301') }),
  );
  await world.saveSettings({ inv_email_automatically: false });
  await live(48_213);
  expect(await mails()).toEqual([]);
});
