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
  settingsHint: 'Choose numbering, accounts and what is synced.',
  settingsLater: 'Comes when both services are connected.',
  done: 'Done',
  notDone: 'Not done',
} as const;

export const activityWords = {
  title: 'Latest Activity',
  heads: { type: 'Type', checked: 'Last Checked', synced: 'Last Synced', info: 'Additional Info' },
  syncNow: 'Sync Now',
  syncNowOf: (kind: SubmittableKind): string => `Sync Now: ${kinds[kind].plural}`,
  never: 'never',
  bill: 'bill ',
  more: (count: number): string => ` and ${count} more`,
} as const;

export const monthWords = {
  soFar: (month: string | null): string => `${month ?? 'This month'} so far`,
  needs: (count: number): string => `${countOf(count, 'document')} ${count === 1 ? 'needs' : 'need'} you`,
  difference: 'Difference',
  held: 'Held',
  documents: (count: number): string => countOf(count, 'document'),
  invoices: (count: number): string => countOf(count, 'invoice'),
  failed: (reason: string): string => `The comparison could not be made: ${reason}`,
  other: (currency: string, psa: readonly [string, string], books: readonly [string, string], rest: string): string =>
    `In ${currency}: ${psa.join(' ')}, ${books.join(' ')}, difference ${rest}`,
  lastDay: 'Last 24 hours:',
  unread: 'could not be read',
  through: (count: number): string => `${setCount(count)} went through`,
  notThrough: (count: number): string => `${setCount(count)} did not`,
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

/** The dialog behind Sync Now. */
export const syncNowWords = {
  title: (kind: SubmittableKind): string => `Sync ${many(kind)} now`,
  submitting: (kind: SubmittableKind): string => `Submitting ${one(kind)} sync job...`,
  mode: 'Mode',
  testHint: 'A simulation. Nothing is sent, neither service is changed.',
  liveHint: (books: string): string => `Creates documents in ${books}.`,
  looking: (kind: SubmittableKind): string => `Looking for eligible ${many(kind)}…`,
  lookFailed: (reason: string): string => `What is eligible could not be looked up: ${reason}`,
  none: (kind: SubmittableKind): string => `No ${one(kind)} is eligible now.`,
  /** @param most how many are reviewed at once, where there are more; else null */
  found: (worth: string, books: string, most: number | null): string =>
    `${worth}. You see the whole of it before anything is sent to ${books}.${most === null ? '' : ` The first ${setCount(most)} are reviewed now, the others after them.`}`,
  test: (kind: SubmittableKind): string =>
    `Every ${one(kind)} that is eligible now is prepared exactly as for live; the logs show what would be posted.`,
  documents: 'Documents',
  ifSynced: 'If already synced...',
  skip: 'Do not process',
  again: 'Sync it again',
  warning: (kind: SubmittableKind, books: string, psa: string): string =>
    `Each ${one(kind)} that is already synced gets a second document in ${books}: a duplicate, until you delete or void one. The earlier reference number in ${psa} is overwritten.`,
  cancel: 'Cancel',
  /** “12 invoices, $18,430.20”. @param sum empty where no amount is known */
  worth: (kind: SubmittableKind, count: number, sum: string): string =>
    sum === '' ? countOf(count, one(kind)) : `${countOf(count, one(kind))}, ${sum}`,
  /** @param worth null where it is not known, or not all of it is reviewed */
  review: (kind: SubmittableKind, worth: string | null, isAgain: boolean): string =>
    `Review ${worth ?? `eligible ${many(kind)}`}${isAgain ? ', again' : ''}`,
  submitTest: (kind: SubmittableKind): string => `TEST eligible ${many(kind)}`,
} as const;

const one = (kind: SubmittableKind): string => kinds[kind].label.toLowerCase();
const many = (kind: SubmittableKind): string => kinds[kind].plural.toLowerCase();
