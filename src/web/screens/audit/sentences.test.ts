import { expect, test } from 'vitest';
import type { AuditEventReply } from '#contract/audit.ts';
import { settingKeys } from '#core/settings/definitions.ts';
import { changesOf, deedOf } from './sentences.ts';

const event = (change: Partial<AuditEventReply>): AuditEventReply => ({
  id: '1',
  at: '2025-03-03T15:00:00.000Z',
  username: 'ada@northwind-msp.example',
  masquerader: null,
  action: 'settings.saved',
  subject: null,
  before: null,
  after: null,
  ...change,
});

test.each([
  [{ action: 'connection.made', subject: 'qbo' }, 'connected QuickBooks Online'],
  [
    { action: 'job.submitted', after: { kind: 'invoice', mode: 'live', force: true, documents: 3 } },
    'started a live sync of 3 invoices, also of those synced already',
  ],
  [
    { action: 'job.submitted', after: { kind: 'invoice', mode: 'test', force: false, documents: 'all eligible' } },
    'started a test sync of all eligible invoices',
  ],
  [{ action: 'user.invited', subject: 'ben@example.com' }, 'invited ben@example.com'],
  [{ action: 'second_factor.requirement_saved', after: true }, 'required two-step login of everybody'],
  [
    {
      action: 'company.forgotten',
      before: { mappings: 4, accounts: {} },
      after: {
        jobs: 2,
        drafts: [{ kind: 'invoice', currency: 'USD', count: 3, sum: '1966.25' }],
        turned_off: ['inv_sync_active'],
        payments_owed: 0,
      },
    },
    'connected another company: mappings and chosen accounts were forgotten; jobs ended: 2; drafts closed: 3 invoices (1966.25 USD); automatic syncs turned off: 1',
  ],
  [{ action: 'moon_phase.changed', subject: 'x' }, 'moon phase: changed (x)'],
])('%j reads “%s”', (change, sentence) => {
  expect(deedOf(event(change))).toBe(sentence);
});

test('only what differs is told as a change, and everything of it', () => {
  const before = { inv_max_age_days: 14, inv_sync_active: false, po_payable_account: null, same: 'x' };
  const after = { inv_max_age_days: 30, inv_sync_active: true, po_payable_account: '33', same: 'x', list: ['a'] };
  expect(changesOf({ action: 'client.changed', before, after }, 'Autotask')).toEqual([
    { name: 'inv max age days', before: '14', after: '30' },
    { name: 'inv sync active', before: 'off', after: 'on' },
    { name: 'po payable account', before: '–', after: '33' },
    { name: 'list', before: '–', after: '["a"]' },
  ]);
  expect(changesOf({ action: 'client.changed', before: null, after: true }, 'Autotask')).toEqual([]);
});

test('what the sentence says stands there once', () => {
  const after = { kind: 'invoice', mode: 'live', force: false, documents: 3 };
  expect(changesOf({ action: 'job.submitted', before: null, after }, 'Autotask')).toEqual([]);
});

test('settings and what is chosen for them are called as on their screens', () => {
  const before = { inv_max_age_days: 14, inv_numbering_option: 'qbo', a_setting_of_old: 1 };
  const after = { inv_max_age_days: 30, inv_numbering_option: 'autotask', a_setting_of_old: 2 };
  expect(changesOf({ action: 'settings.saved', before, after }, 'Autotask')).toEqual([
    { name: 'Invoice max age', before: '14', after: '30' },
    {
      name: 'Invoice numbering',
      before: 'Let QuickBooks generate the invoice number',
      after: 'Use the Autotask invoice number',
    },
    { name: 'a setting of old', before: '1', after: '2' },
  ]);
  const items = { before: { labor: 'role' }, after: { labor: 'fixed' } };
  expect(changesOf({ action: 'item_settings.saved', ...items }, 'Autotask')).toEqual([
    { name: 'Labour', before: 'Role', after: 'One item for all' },
  ]);
});

test('no two settings are called the same', () => {
  const all = (value: unknown) => Object.fromEntries(settingKeys.map((key) => [key, value]));
  const names = changesOf({ action: 'settings.saved', before: all('a'), after: all('b') }, 'Autotask').map(
    ({ name }) => name,
  );
  expect(names).toContain('Create QuickBooks items automatically (purchase orders)');
  expect(new Set(names).size).toBe(settingKeys.length);
});
