import { expect, test } from 'vitest';
import type { AuditEventReply } from '#contract/audit.ts';
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
  [{ action: 'second_factor.requirement_saved', after: true }, 'required two-step sign-in of everybody'],
  [{ action: 'moon_phase.changed', subject: 'x' }, 'moon phase: changed (x)'],
])('%j reads “%s”', (change, sentence) => {
  expect(deedOf(event(change))).toBe(sentence);
});

test('only what differs is told as a change, and everything of it', () => {
  const before = { inv_max_age_days: 14, inv_sync_active: false, po_payable_account: null, same: 'x' };
  const after = { inv_max_age_days: 30, inv_sync_active: true, po_payable_account: '33', same: 'x', list: ['a'] };
  expect(changesOf({ before, after })).toEqual([
    { name: 'inv max age days', before: '14', after: '30' },
    { name: 'inv sync active', before: 'off', after: 'on' },
    { name: 'po payable account', before: '–', after: '33' },
    { name: 'list', before: '–', after: '["a"]' },
  ]);
  expect(changesOf({ before: null, after: true })).toEqual([]);
});
