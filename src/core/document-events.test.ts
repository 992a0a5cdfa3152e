import { expect, test } from 'vitest';
import { documentEventsOf } from './document-events.ts';
import type { DocumentDraft, DocumentEntry } from './records/document-history.ts';
import { month } from './reconciliation/month.ts';
import { instant } from './values/dates.ts';

const at = (minute: number) => instant(`2025-03-03T15:${String(minute).padStart(2, '0')}:00Z`);

const entry = (minute: number, of: Partial<DocumentEntry> = {}): DocumentEntry => ({
  key: `invoice/1/${minute}`,
  at: at(minute),
  type: 'invoice',
  psaId: 1,
  isTest: false,
  isManual: true,
  success: true,
  what: 'Invoice',
  number: '1042',
  party: 'Acme Dental',
  on: null,
  amount: null,
  currency: null,
  message: 'Invoice 1 was created in QuickBooks as 1042.',
  awaitsApproval: false,
  isOnHold: false,
  run: { id: `run ${minute}`, by: 'ann', outcome: 'succeeded', isUpdate: false },
  mailedTo: null,
  ...of,
});
const draft = (of: Partial<DocumentDraft>): DocumentDraft => ({
  id: 'd1',
  kind: 'invoice',
  state: 'posted',
  firstApprovedBy: null,
  decidedBy: 'bob',
  decidedAt: at(4),
  reason: null,
  ...of,
});
const nothing = { kind: 'invoice', entries: [], more: false, drafts: [], proof: null } as const;
const typesOf = (of: Partial<Parameters<typeof documentEventsOf>[0]>) =>
  documentEventsOf({ ...nothing, ...of }).map(({ event }) => event);

test.each<[Partial<DocumentEntry>, string]>([
  [{ isTest: true, success: false }, 'tested'],
  [{ awaitsApproval: true }, 'awaits_approval'],
  [{ success: false, isOnHold: true }, 'held'],
  [{ success: false }, 'failed'],
  [{}, 'posted'],
  [{ run: { id: 'r', by: null, outcome: 'skipped', isUpdate: false } }, 'skipped'],
  [{ run: { id: 'r', by: null, outcome: 'succeeded', isUpdate: true } }, 'updated'],
  [{ run: null, message: 'Skipped: zero balance.' }, 'skipped'],
  [{ run: null }, 'posted'],
  [{ type: 'payment' }, 'payment'],
  [{ type: 'void', run: { id: 'r', by: null, outcome: 'succeeded', isUpdate: true } }, 'voided'],
  [{ type: 'difference' }, 'difference_billed'],
  [{ type: 'expense_report' }, 'posted'],
])('an entry with %o is %s', (of, event) => {
  expect(typesOf({ entries: [entry(1, of)] })).toEqual([event]);
});

test('tells a whole life, newest first', () => {
  const entries = [
    entry(9, { type: 'payment', mailedTo: 'ap@acme.example', isManual: false }),
    entry(5, { mailedTo: 'ap@acme.example' }),
    entry(3, { awaitsApproval: true }),
    entry(1, { isTest: true }),
  ];
  const proof = {
    month: month('2025-03'),
    at: at(20),
    by: 'schedule',
    differences: 1,
    decisions: [{ at: at(21), by: 'ann', decision: 'accept', reason: 'A rounding.' }],
  } as const;
  const events = documentEventsOf({ ...nothing, entries, drafts: [draft({ firstApprovedBy: 'cy' })], proof });
  expect(events.map(({ event, by, message }) => [event, by, message])).toEqual([
    ['accepted', 'ann', 'A rounding.'],
    ['proved', 'schedule', 'The month-end proof has 1 difference of this document.'],
    ['payment', null, 'Invoice 1 was created in QuickBooks as 1042.'],
    ['mailed', null, 'QuickBooks emailed it to ap@acme.example.'],
    ['posted', 'ann', 'Invoice 1 was created in QuickBooks as 1042.'],
    ['approved', 'bob', 'First approval by cy.'],
    ['awaits_approval', 'ann', 'Invoice 1 was created in QuickBooks as 1042.'],
    ['tested', 'ann', 'Invoice 1 was created in QuickBooks as 1042.'],
  ]);
  expect(events.map(({ logKey, runId, month: of }) => [logKey, runId, of]).slice(1, 4)).toEqual([
    [null, null, '2025-03'],
    ['invoice/1/9', 'run 9', null],
    ['invoice/1/5', 'run 5', null],
  ]);
});

test('an email is shown once, when it was sent', () => {
  const to = 'ap@acme.example';
  const update = { mailedTo: to, run: { id: 'r', by: null, outcome: 'succeeded', isUpdate: true } } as const;
  expect(typesOf({ entries: [entry(7, update), entry(5, { mailedTo: to })] })).toEqual(['updated', 'mailed', 'posted']);
});

test('a rejection has its reason; a draft without a decision has no event', () => {
  expect(documentEventsOf({ ...nothing, drafts: [draft({ state: 'rejected', reason: 'Wrong price' })] })).toMatchObject(
    [{ event: 'rejected', message: 'Wrong price', success: false }],
  );
  expect(typesOf({ drafts: [draft({ state: 'waiting', decidedAt: null, decidedBy: null })] })).toEqual([]);
});

test('leaves out decisions from before the oldest entry while older entries exist', () => {
  const entries = [entry(5)];
  expect(typesOf({ entries, drafts: [draft({})] })).toEqual(['posted', 'approved']);
  expect(typesOf({ entries, drafts: [draft({})], more: true })).toEqual(['posted']);
});
