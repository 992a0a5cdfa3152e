import { expect, test } from 'vitest';
import type { AuditEventReply } from '#contract/audit.ts';
import { definitionOf, settingKeys } from '#core/settings/definitions.ts';
import { changesOf, sentenceOf } from './sentences.ts';

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
    'started a live sync of 3 invoices, including already synced documents',
  ],
  [
    { action: 'job.submitted', after: { kind: 'invoice', mode: 'test', force: false, documents: 'all eligible' } },
    'started a test sync of all eligible invoices',
  ],
  [{ action: 'user.invited', subject: 'ben@example.com' }, 'invited ben@example.com'],
  [{ action: 'second_factor.requirement_saved', after: true }, 'required two-step login for all users'],
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
    'connected another company: 4 mappings and all chosen accounts were removed; jobs ended: 2; drafts closed: 3 invoices (1966.25 USD); automatic syncs turned off: 1',
  ],
  [
    { action: 'time_zone.saved', before: 'UTC', after: 'America/Chicago' },
    'changed the time zone from UTC to America/Chicago',
  ],
  [{ action: 'mappings.saved', subject: 'LineOfBusiness' }, 'saved mappings of lines of business to classes'],
  [{ action: 'mapping.deleted', subject: 'Customer' }, 'deleted one of the customer mappings'],
  [{ action: 'user.sessions_ended', subject: 'ben@example.com' }, 'logged ben@example.com out everywhere'],
  [{ action: 'moon_phase.changed', subject: 'x' }, 'moon phase: changed (x)'],
])('describes %j as “%s”', (change, sentence) => {
  expect(sentenceOf(event(change), 'Autotask')).toBe(sentence);
});

test('lists all changed values and only those', () => {
  const before = { inv_max_age_days: 14, inv_sync_active: false, po_payable_account: null, same: 'x' };
  const after = { inv_max_age_days: 30, inv_sync_active: true, po_payable_account: '33', same: 'x', list: ['a'] };
  expect(changesOf({ action: 'client.changed', before, after }, 'Autotask')).toEqual([
    { name: 'inv max age days', before: '14', after: '30' },
    { name: 'inv sync active', before: 'off', after: 'on' },
    { name: 'po payable account', before: '–', after: '33' },
    { name: 'list', before: '–', after: 'a' },
  ]);
  expect(changesOf({ action: 'client.changed', before: null, after: true }, 'Autotask')).toEqual([]);
});

test('omits values that the description contains', () => {
  const after = { kind: 'invoice', mode: 'live', force: false, documents: 3 };
  expect(changesOf({ action: 'job.submitted', before: null, after }, 'Autotask')).toEqual([]);
});

test('uses the screen labels of settings and options', () => {
  const before = { inv_max_age_days: 14, inv_numbering_option: 'qbo', a_setting_of_old: 1 };
  const after = { inv_max_age_days: 30, inv_numbering_option: 'autotask', a_setting_of_old: 2 };
  expect(changesOf({ action: 'settings.saved', before, after }, 'Autotask')).toEqual([
    { name: 'Invoice max age', before: '14 days', after: '30 days' },
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

test('gives every setting a unique name', () => {
  const all = (value: unknown) => Object.fromEntries(settingKeys.map((key) => [key, value]));
  const names = changesOf({ action: 'settings.saved', before: all('a'), after: all('b') }, 'Autotask').map(
    ({ name }) => name,
  );
  expect(names).toContain('Create QuickBooks items automatically (purchase orders)');
  expect(new Set(names).size).toBe(settingKeys.length);
});

test('shows names of accounts and mapped records instead of IDs', () => {
  const settings = {
    before: {
      po_payable_account: null,
      inv_default_income_account: { id: '2', name: 'Services' },
      sync_start_date: null,
    },
    after: {
      po_payable_account: { id: '20', name: 'Accounts Payable (A/P)' },
      inv_default_income_account: '7',
      sync_start_date: '2025-03-03',
      alert_emails: ['a@example.com', 'b@example.com'],
    },
  };
  expect(changesOf({ action: 'settings.saved', ...settings }, 'Autotask')).toEqual([
    { name: 'Payable account', before: '–', after: 'Accounts Payable (A/P)' },
    // Kept by an earlier version.
    { name: definitionOf('inv_default_income_account').label, before: 'Services', after: 'QuickBooks account 7' },
    { name: definitionOf('sync_start_date').label, before: '–', after: 'Mar 3, 2025' },
    { name: definitionOf('alert_emails').label, before: '–', after: 'a@example.com, b@example.com' },
  ]);
  const acme = { source: 'Acme Dental', sourceValue: '175', target: 'Acme Dental LLC', targetValue: '58' };
  const other = { ...acme, target: 'Acme, Inc.', targetValue: '59' };
  const changed = (before: unknown, after: unknown) =>
    changesOf({ action: 'mappings.saved', before, after }, 'Autotask');
  expect(changed([], [acme])).toEqual([{ name: 'Acme Dental', before: '–', after: 'Acme Dental LLC' }]);
  expect(changed([acme], [other])).toEqual([{ name: 'Acme Dental', before: 'Acme Dental LLC', after: 'Acme, Inc.' }]);
  expect(changed([acme], [])).toEqual([{ name: 'Acme Dental', before: 'Acme Dental LLC', after: 'not mapped' }]);
});

test('shows no stored record or name with underscores for any event', () => {
  const company = { name: 'Northwind', user: 'ada@example.com', status: 'active' };
  const entries: readonly Partial<AuditEventReply>[] = [
    { action: 'client.registered', subject: 'Northwind', after: { username: 'a', psaDatabase: 'x', psaResource: 7 } },
    { action: 'connection.made', subject: 'qbo', before: { ...company, status: 'inactive' }, after: company },
    { action: 'connection.removed', subject: 'qbo', before: company },
    { action: 'company.forgotten', before: { mappings: 4, accounts: 1 }, after: { turned_off: ['inv_sync_active'] } },
    { action: 'sync_status.cleared', subject: 'invoice', before: { 48_213: 'ERROR' }, after: { 48_213: '' } },
    { action: 'drafts.approved', after: { approved: 2, first_of_two: 1 } },
    { action: 'drafts.rejected', after: { rejected: 2, reason: 'not yet' } },
    { action: 'close.signed', subject: '2025-03', after: { as: 'reviewer', sha256: 'ab12', reason: null } },
    { action: 'close.difference_accepted', after: { difference: 'invoice:9', amount: '1.00', reason: 'small' } },
    { action: 'close.differences_accepted', subject: '2025-03', after: { count: 14, reason: 'Rounding' } },
    { action: 'close.difference_settled', after: { difference: 'invoice:9', amount: '1.00', by: 'post', job: 'j1' } },
    { action: 'sign_in.succeeded', after: { address: '127.0.0.1' } },
    { action: 'sessions.ended', after: { sessions: 2 } },
    { action: 'user.joined', after: { name: 'Ben' } },
    {
      action: 'subscription.suspended',
      before: { status: 'active' },
      after: { status: 'suspended', reason: 'unpaid' },
    },
  ];
  const sentences = entries.map((one) => ({
    sentence: sentenceOf(event(one), 'Autotask'),
    changes: changesOf(event(one), 'Autotask'),
  }));
  expect(JSON.stringify(sentences)).not.toMatch(/_|\{\\"|undefined|psa[A-Z]|invoice:9/);
  expect(
    sentences.map(({ changes }) => changes.map(({ name, before, after }) => `${name}: ${before} > ${after}`)),
  ).toEqual([
    [],
    [],
    ['company: Northwind > –', 'user: ada@example.com > –'],
    [],
    ['Autotask id 48213: ERROR > –'],
    [],
    [],
    ['SHA-256 of the file: – > ab12'],
    [],
    [],
    [],
    ['network address: – > 127.0.0.1'],
    [],
    [],
    [],
  ]);
});
