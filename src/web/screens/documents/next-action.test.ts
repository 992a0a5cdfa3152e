import { expect, test } from 'vitest';
import type { DocumentReply } from '#contract/documents.ts';
import { nextActionOf } from './next-action.ts';

const admin = { isAdmin: true, accounting: 'QuickBooks', psa: 'Autotask' };
const document: DocumentReply = {
  type: 'invoice',
  entityid: 48_213,
  what: 'Invoice',
  number: '1042',
  party: 'Acme Dental',
  date: '2025-03-03',
  amount: '1966.25',
  currency: 'USD',
  state: 'synced',
  problems: [],
  draft_id: null,
  plan: null,
  postings: [],
  events: [],
  more: false,
  pages: { psa: 'https://psa.example/1', accounting: 'https://accounting.example/1' },
};
const failure: DocumentReply['problems'][number] = {
  type: 'invoice',
  state: 'needs_you',
  at: '2025-03-03T15:00:00Z',
  message: 'No item is mapped.',
  problems: [],
  log_key: 'invoice/1/2',
};
const posting = {
  type: 'invoice',
  status: 'synced',
  form: 'Invoice',
  number: '1042',
  total: '1966.25',
  created_at: '2025-03-03T15:00:00Z',
} as const;
const proof: DocumentReply['events'][number] = {
  event: 'proved',
  type: 'invoice',
  at: '2025-04-01T15:00:00Z',
  by: 'ann',
  manual: true,
  success: false,
  message: 'The month-end proof has 1 difference of this document.',
  log_key: null,
  run_id: null,
  month: '2025-03',
};

test.each<[string, Partial<DocumentReply>, string | null]>([
  ['it is in QuickBooks', {}, 'Open in QuickBooks'],
  ['it is in QuickBooks, without a known page', { pages: { psa: null, accounting: null } }, null],
  ['it was not posted yet', { state: 'waiting' }, 'Test and review'],
  ['it syncs', { state: 'syncing', problems: [{ ...failure, state: 'needs_you' }] }, null],
  ['a draft waits', { state: 'awaits_approval' }, 'Review for approval'],
  ['it failed', { state: 'failed', problems: [{ ...failure, state: 'needs_you' }] }, 'Fix the cause'],
  ['it is on hold', { state: 'held', problems: [{ ...failure, state: 'held' }] }, 'See what it waits for'],
  ['only its payment failed', { problems: [{ ...failure, type: 'payment', state: 'needs_you' }] }, 'Fix the cause'],
  ['a service is retried', { state: 'waiting', problems: [{ ...failure, state: 'retrying' }] }, 'Test and review'],
  [
    'it changed after posting',
    { postings: [{ ...posting, drift: ['changed_in_accounting'] }] },
    'Settle the difference',
  ],
  ['its proof has a difference', { events: [proof] }, 'Settle the difference'],
  [
    'the difference is accepted',
    { events: [{ ...proof, event: 'accepted', success: true }, proof] },
    'Open in QuickBooks',
  ],
  ['it was voided', { state: 'voided' }, 'Open in QuickBooks'],
  [
    'it was deleted',
    { state: 'deleted', pages: { psa: 'https://psa.example/1', accounting: null } },
    'Open in Autotask',
  ],
])('%s', (_case, of, label) => {
  expect(nextActionOf({ ...document, ...of }, admin)?.label ?? null).toBe(label);
});

test('a reader opens the log of a failure, and tests nothing', () => {
  const reader = { ...admin, isAdmin: false };
  expect(nextActionOf({ ...document, state: 'failed', problems: [failure] }, reader)).toMatchObject({
    to: '/logs?key=invoice%2F1%2F2',
  });
  expect(nextActionOf({ ...document, state: 'waiting' }, reader)?.label).toBe('Open in Autotask');
});
