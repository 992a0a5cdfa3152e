import { expect, test } from 'vitest';
import { documentStateOf, type StateFacts } from './document-state.ts';

const nothing: StateFacts = { isBusy: false, isDrafted: false, posting: null, newest: null };
const ended = (treatment?: 'person' | 'held' | 'transient') => ({
  success: treatment === undefined,
  problems: treatment === undefined ? [] : [{ treatment }],
});

test.each([
  ['nothing is known', {}, 'waiting'],
  ['it is in QuickBooks', { posting: { status: 'synced' }, newest: ended() }, 'synced'],
  ['it is in QuickBooks and Autotask is not updated yet', { posting: { status: 'unconfirmed' } }, 'synced'],
  ['it was voided', { posting: { status: 'voided' }, newest: ended() }, 'voided'],
  ['it was deleted in QuickBooks', { posting: { status: 'deleted_in_accounting' }, newest: ended() }, 'deleted'],
  ['QuickBooks rejected it', { posting: { status: 'refused' }, newest: ended('person') }, 'failed'],
  ['an update of the posted document failed', { posting: { status: 'synced' }, newest: ended('person') }, 'failed'],
  ['the books are closed for its date', { newest: ended('held') }, 'held'],
  ['a service did not respond', { newest: ended('transient') }, 'waiting'],
  [
    'a service did not respond after the posting',
    { posting: { status: 'synced' }, newest: ended('transient') },
    'synced',
  ],
  ['it was skipped', { newest: ended() }, 'waiting'],
  [
    'a draft waits, although an earlier attempt failed',
    { isDrafted: true, newest: ended('person') },
    'awaits_approval',
  ],
  ['a sync is in progress', { isBusy: true, isDrafted: true, posting: { status: 'synced' } }, 'syncing'],
] as const)('%s: %o', (_case, facts, state) => {
  expect(documentStateOf({ ...nothing, ...facts })).toBe(state);
});
