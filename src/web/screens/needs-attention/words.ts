import type { AttentionReply } from '#contract/attention.ts';
import type { SubmittableKind } from '#core/kinds.ts';
import { kinds } from '#core/kinds.ts';
import type { MappingNamespace } from '#core/mapping/mapping.ts';
import { settingDefinitions } from '#core/settings/definitions.ts';
import { countOf, setMoney, setMonth } from '../../lib/format.ts';
import { type Counted, worthWithin } from './headline.ts';
import type { KnownRepair } from './repairs.ts';

/** Sentences of “Needs you”. */

export const attentionWords = {
  title: 'Needs you',
  lead: 'What is not through, by cause. Mend the cause here, test again, then release what waits for it.',
  refresh: 'Refresh',
  what: 'What needs you',
  nothing: 'Nothing needs you.',
  held: 'Held',
  heldHint: 'They wait for a date or a limit, and continue automatically.',
  retrying: 'Tried again',
  retryingHint: 'A service did not answer. The next sync tries them again.',
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

const mappingNouns = {
  Customer: 'customer',
  Vendor: 'vendor',
  Employee: 'employee',
  ExpenseCategoryBillable: 'billable expense category',
  ExpenseCategoryNonBillable: 'non-billable expense category',
  ItemBilling: 'item',
  ItemPurchasing: 'item',
  ItemName: 'item name',
  LineOfBusiness: 'line of business',
  Location: 'location',
  TaxRegion: 'tax region',
  SalesCustomField: 'custom field',
} as const satisfies Readonly<Record<MappingNamespace, string>>;

/**
 * The head of a cause: “12 invoices, $18,430.20, wait for one item mapping: Managed Workstation”. Where one repair does
 * not say it all, the message below does.
 */
export function waitText(documents: readonly Counted[], repairs: readonly KnownRepair[]): string {
  const waits = `${worthWithin(documents)} ${documents.length === 1 ? 'waits' : 'wait'}`;
  const [first] = repairs;
  const maps = repairs.flatMap((one) => (one.do === 'map' ? [one] : []));
  const [map] = maps;
  if (map !== undefined && repairs.every((one) => one.do === 'map' || one.do === 'create_as')) {
    if (maps.length === 1) return `${waits} for one ${mappingNouns[map.namespace]} mapping: ${map.sourceLabel}`;
    const nouns = new Set(maps.map(({ namespace }) => mappingNouns[namespace]));
    return `${waits} for ${countOf(maps.length, nouns.size === 1 ? `${[...nouns].join('')} mapping` : 'mapping')}`;
  }
  if (repairs.length !== 1 || first === undefined) return waits;
  if (first.do === 'choose_setting') return `${waits} for an account: ${settingDefinitions[first.key].label}`;
  return first.do === 'reconnect' ? `${waits} for a connection` : waits;
}

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
