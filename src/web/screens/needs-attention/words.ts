import type { AttentionReply } from '#contract/attention.ts';
import type { SubmittableKind } from '#core/kinds.ts';
import { kinds } from '#core/kinds.ts';
import { countOf, setMoney, setMonth } from '../../lib/format.ts';

/** Sentences of “Needs attention”. */

export const attentionWords = {
  title: 'Needs attention',
  lead: 'Fix the cause, test again, then release.',
  inDocuments: (count: number, held: number): string =>
    `in ${countOf(count, 'document')}${held === 0 ? '' : `, ${held} of them held`}`,
  refresh: 'Refresh',
  what: 'What needs attention',
  nothing: 'Nothing needs attention.',
  held: 'Held',
  heldHint: 'These documents wait for a date or a limit. Automatic syncs post them when the cause is gone.',
  retrying: 'Retrying',
  retryingHint: 'A service did not answer. The next sync tries again.',
  count: (count: number): string => countOf(count, 'document'),
  goTo: (screen: string): string => `Go to ${screen}`,
  showAll: (count: number): string => `Show all ${count}`,
  showFewer: 'Show fewer',
  testAgain: 'Test again',
  release: (count: number): string => (count === 1 ? 'Release' : `Release all ${count}`),
  tried: 'tried',
  wouldPass: 'would pass now',
  wouldFail: 'would still fail',
} as const;

export const mendingWords = {
  reconnect: 'Connect again',
  open: (what: string): string => `Open ${what}`,
  clear: 'Clear Sync Status',
  cleared: (count: number): string => `Cleared: ${count}. The next sync takes them up again.`,
  update: (books: string): string => `Update ${books}`,
  readLists: 'Read the lists anew',
  listsRead: 'The lists are up to date.',
  account: 'Account',
  chooseAccount: 'Choose an account',
  save: 'Save',
  saved: 'Saved changes.',
  nothingFound: 'Nothing found.',
  searching: 'Searching…',
  map: 'Map',
  linkTo: (name: string): string => `Link to “${name}”`,
  createAs: (name: string): string => `Create “${name}”`,
  toCreate: (name: string): string => `“${name}” will be created. Test again, or release what waits.`,
  mapTo: (source: string): string => `Map “${source}” to`,
  search: (targets: string): string => `Search ${targets}`,
  mapped: (source: string): string => `“${source}” is mapped. Test again, or release what waits.`,
} as const;

/** Documents that an earlier try has marked, of which the log knows nothing. @param mark the word in the PSA */
export const marksWords = {
  title: (kind: SubmittableKind, count: number, mark: string): string =>
    `${countOf(count, kinds[kind].label.toLowerCase())} ${count === 1 ? 'is' : 'are'} marked ${mark}`,
  text: (psa: string, ids: readonly number[]): string =>
    `An earlier try has left the mark in ${psa}, so no sync takes ${ids.length === 1 ? 'it' : 'them'} up: ${ids.slice(0, mostNamed).join(', ')}${ids.length > mostNamed ? ` and ${ids.length - mostNamed} more` : ''}.`,
  clear: 'Clear and try again',
} as const;

/** So many ids are named. */
const mostNamed = 10;

/** Differences that came up after posting. */
export const changedWords = {
  title: ({ month, count, amounts }: AttentionReply['changed_since'][number]): string =>
    [
      `${countOf(count, 'difference')} in ${setMonth(`${month}-01`)} came up after posting`,
      ...(amounts.length === 0
        ? []
        : [amounts.map(({ amount, currency }) => setMoney(amount, currency)).join(' and ')]),
    ].join(', '),
  text: 'Somebody changed documents in one of the services since they were synced. The month’s proof shows each with what to do.',
  look: (month: string): string => `Look at ${setMonth(`${month}-01`)}`,
} as const;
