import { kinds, type SubmittableKind } from '#core/kinds.ts';
import type { SubscriptionStatus } from '#core/tenant.ts';
import { countOf, setCount } from '../../lib/format.ts';

/** Sentences of the Overview, most of them to the letter of the specification (specification 1, “Overview”). */

export const overviewWords = {
  title: 'Overview',
  refresh: 'Refresh',
  subscription: 'Your subscription',
  noSubscription: 'You do not have a current subscription.',
  ended: (status: SubscriptionStatus): string =>
    `This subscription is ${status}: nothing is synced. You can read and export everything, and change nothing; why stands in the audit trail. Please talk to support.`,
  pending:
    'This subscription is pending: nobody of this client has confirmed an email address yet. Until then nothing is posted to the books, and nothing syncs by itself.',
  openConnections: 'Open Connections',
  endsOn: (service: string, day: string): string =>
    `${service} lets Tallybridge in until ${day}. Connect it again before then, and nothing is interrupted.`,
} as const;

export const statusWords = {
  pending: 'Pending',
  active: 'Active',
  suspended: 'Suspended',
  cancelled: 'Cancelled',
} as const satisfies Readonly<Record<SubscriptionStatus, string>>;

/** Why nothing can be synced now. */
export const whyNotWords = {
  role: 'Only the administrator of a client can sync.',
  ended: (status: SubscriptionStatus): string => `This subscription is ${status}.`,
  connections: 'Connect both services first.',
  settings: 'Complete your settings first.',
} as const;

/** The reason that purchase orders cannot be synced while the PSA's module is off (specification 1, Settings). */
export const noProcurement = (psa: string): string =>
  `You must enable Procurement in ${psa} to use the Purchase Orders portion of the app.`;

/** Missing settings that the checklist names; the form marks all of them. */
const mostNamed = 3;

export const setupWords = {
  title: 'Setup',
  ok: 'Basic setup is OK',
  settings: 'Settings',
  doneAside: 'done',
  open: 'Open',
  unready: (kind: SubmittableKind | keyof typeof kinds, missing: readonly string[]): string =>
    `${kinds[kind].plural} are synced automatically, but cannot all succeed yet: ${missing.join(' ')}`,
  connect: (service: string): string => `Connect to ${service}`,
  psaHint: 'Lets Tallybridge read invoices, purchase orders and expense reports.',
  booksHint: (books: string): string => `You are taken to ${books} to give your consent.`,
  completeSettings: 'Complete your Settings',
  /** @param missing what to do, a sentence for each setting */
  settingsHint: (missing: readonly string[]): string =>
    missing.length === 0 ? 'Choose numbering, accounts and what is synced.' : missing.slice(0, mostNamed).join(' '),
  settingsLater: 'Available after you connect both services.',
  done: 'Done',
  notDone: 'Not done',
} as const;

export const activityWords = {
  title: 'Latest Activity',
  zone: (zone: string): string => `Times in ${zone}`,
  heads: { type: 'Type', checked: 'Last Checked', synced: 'Last Synced', info: 'Additional Info' },
  syncNow: 'Sync Now',
  syncNowOf: (kind: SubmittableKind): string => `Sync Now: ${kinds[kind].plural}`,
  never: 'never',
  bill: 'bill ',
  more: (count: number): string => ` and ${count} more`,
} as const;

export const monthWords = {
  soFar: (month: string | null): string => `${month ?? 'This month'} so far`,
  needs: (count: number): string => `${countOf(count, 'document')} ${count === 1 ? 'needs' : 'need'} attention`,
  difference: 'Difference',
  held: 'Held',
  documents: (count: number): string => countOf(count, 'document'),
  invoices: (count: number): string => countOf(count, 'invoice'),
  failed: (reason: string): string => `The comparison could not be made: ${reason}`,
  other: (currency: string, psa: readonly [string, string], books: readonly [string, string], rest: string): string =>
    `In ${currency}: ${psa.join(' ')}, ${books.join(' ')}, difference ${rest}`,
  lastDay: 'Last 24 hours:',
  unread: 'could not be read',
  failures: (count: number): string => `${setCount(count)} failed`,
  synced: (count: number): string => `${setCount(count)} synced`,
  allSynced: 'everything is synced',
  unsynced: (count: number): string => `${countOf(count, 'invoice')} not synced`,
  /** Stands before the id of the oldest one. */
  oldest: ', the oldest ',
} as const;

export const healthWords = {
  name: 'Connections',
  connected: 'Connected',
  needsLook: 'Connected, needs a look',
  notConnected: 'Not Connected',
  /** Stands before the time. */
  since: ', since ',
} as const;

export const masqueradeWords = {
  label: 'Masquerade as Client',
  hint: 'What you do then is recorded under your own name.',
  loading: 'Loading the clients…',
  type: 'Type a client’s name',
  nothingFound: 'No client is called that.',
  failed: (reason: string): string => `The clients could not be loaded. ${reason}`,
} as const;

export const switchWords = {
  settings: 'Choose in Settings',
  turnOn: 'Turn on',
  turnOnOf: (what: string): string => `Turn on ${what}`,
  turnOnSync: (what: string): string => `Turn on automatic sync of ${what}`,
  off: (what: readonly string[]): string => `Automatic sync of ${listed(what)} is off.`,
  connected: 'Another company was connected',
  turnedOff: (what: readonly string[]): string =>
    `Automatic sync of ${listed(what)} was turned off with it, and nothing of what waits was posted. Look at each before you turn it on.`,
  left: (books: string): string =>
    `Documents that do not belong into ${books} are left out by the start date in Settings. The sync can be turned off there at any time.`,
  saved: 'Saved changes.',
} as const;

const listed = (words: readonly string[]): string =>
  words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} and ${words.at(-1) ?? ''}`;

/** Drafts that wait for approval. */
export const draftsWords = {
  review: 'Review',
  waiting: (count: number, sum: string): string =>
    `${countOf(count, 'document')}${sum === '' ? '' : `, ${sum},`} ${count === 1 ? 'waits' : 'wait'} for approval.`,
} as const;
