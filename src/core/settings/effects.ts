import type { SubmittableKind } from '../kinds.ts';
import { kinds } from '../kinds.ts';
import { dayText } from '../values/dates.ts';
import { type Decimal, format, plus, zero } from '../values/decimal.ts';
import { usesPsaNumber, type SettingKey, type Settings } from './definitions.ts';

/** Number of documents that an automatic run would pick up, with the settings as they are and as they would be. */
export interface Waiting {
  readonly before: number;
  readonly after: number;
  /** The documents of `after`, where they were read. */
  readonly documents?: readonly WaitingDocument[];
}

/** A waiting document with its newest result. */
export interface WaitingDocument {
  /** Null if a purchase order has no amount. */
  readonly amount: Decimal | null;
  readonly currency: string | null;
  /** What the newest test or sync of the document says about the next run; null if it says nothing. */
  readonly expected: ExpectedOutcome | null;
}

/** `posts`: its test succeeded. The others are what the newest test or sync did with it. */
export type ExpectedOutcome = 'posts' | 'failed' | 'held' | 'skipped';

/** Facts that a change of settings is judged by. */
export interface SettingsChange {
  readonly before: Settings;
  readonly after: Settings;
  /** Null for a kind that could not be counted, or whose settings do not change. */
  readonly waiting: Readonly<Record<SubmittableKind, Waiting | null>>;
  readonly psaLabel: string;
  /** Names of QuickBooks accounts by id. */
  readonly accountName: (id: string | null) => string;
}

/** The settings whose change moves how many documents of a kind are waiting. */
export const countedBy: Readonly<Record<SubmittableKind, readonly SettingKey[]>> = {
  invoice: [
    'inv_sync_active',
    'inv_max_age_days',
    'inv_numbering_option',
    'inv_email_automatically',
    'inv_ignore_zero_balance_invoices',
    'sync_start_date',
  ],
  purchase_order: ['po_sync_active', 'po_max_age_days', 'po_numbering_option', 'sync_start_date'],
  expense_report: ['exp_sync_active', 'exp_max_age_days', 'sync_start_date'],
};

/** The setting that turns on the automatic sync of each kind. */
export const autoSyncKeys = {
  invoice: 'inv_sync_active',
  purchase_order: 'po_sync_active',
  expense_report: 'exp_sync_active',
} as const satisfies Record<SubmittableKind, SettingKey>;

const waitingText = (kind: SubmittableKind, count: number): string =>
  `${count} waiting ${(count === 1 ? kinds[kind].label : kinds[kind].plural).toLowerCase()}`;

/**
 * Says what a change of settings will do to documents, before it is saved.
 *
 * @returns sentences in the order of importance; empty when nothing but the settings changes.
 */
export function effectsOf(change: SettingsChange): readonly string[] {
  const submittable = Object.keys(autoSyncKeys) as SubmittableKind[];
  return [
    ...submittable.flatMap((kind) => effectsOnKind(kind, change)),
    ...followingEffects(change),
    ...numberingEffects(change),
    ...itemEffects(change),
  ];
}

function effectsOnKind(kind: SubmittableKind, { before, after, waiting }: SettingsChange): readonly string[] {
  const count = waiting[kind];
  const key = autoSyncKeys[kind];
  if (!before[key] && after[key]) return turnedOnTexts(kind, count, after);
  if (before[key] && !after[key])
    return [
      `${kinds[kind].plural} would no longer sync automatically${count === null ? '' : `; ${waitingText(kind, count.after)} would stay where they are`}.`,
    ];
  if (count === null || !after[key] || count.after === count.before) return [];
  const difference = Math.abs(count.after - count.before);
  const noun = (difference === 1 ? kinds[kind].label : kinds[kind].plural).toLowerCase();
  return [
    count.after > count.before
      ? `${difference} more ${noun} would be picked up automatically.`
      : `${difference} waiting ${noun} would no longer be picked up automatically.`,
  ];
}

/**
 * Says what the next automatic run does with a kind that is turned on. Only documents that passed a test are promised;
 * the others are counted by their newest result.
 */
function turnedOnTexts(kind: SubmittableKind, count: Waiting | null, after: Settings): readonly string[] {
  const since = after.sync_start_date === null ? '' : ` dated ${dayText(after.sync_start_date)} or later`;
  const many = kinds[kind].plural.toLowerCase();
  const how = after.require_approval ? 'prepared for approval' : 'posted';
  if (count === null) return [`From the next run on, ${many}${since} that pass every check will be ${how}.`];
  if (count.after === 0) return [`No ${many}${since} are waiting. New ones that pass every check will be ${how}.`];
  const untested = { amount: null, currency: null, expected: null };
  const documents = count.documents ?? Array.from({ length: count.after }, () => untested);
  const byOutcome = Map.groupBy(documents, ({ expected }) => expected);
  return outcomes.flatMap((outcome) => {
    const own = byOutcome.get(outcome) ?? [];
    if (own.length === 0) return [];
    const noun = own.length === 1 ? kinds[kind].label.toLowerCase() : many;
    const listedAmounts = amountsText(own);
    const what = `${own.length} ${noun}${since}${listedAmounts === '' ? '' : `, ${listedAmounts},`}`;
    return [`${what} ${outcomeText(outcome, own.length === 1, how)}`];
  });
}

/** The order of the sentences. */
const outcomes = ['posts', null, 'failed', 'held', 'skipped'] as const satisfies readonly (ExpectedOutcome | null)[];

function outcomeText(outcome: ExpectedOutcome | null, isOne: boolean, how: string): string {
  switch (outcome) {
    case 'posts':
      return `passed ${isOne ? 'its' : 'their'} last test and will be ${how} in the next run.`;
    case null:
      return `${isOne ? 'is' : 'are'} not tested yet. The next run checks ${isOne ? 'it' : 'them'}; what passes will be ${how}.`;
    case 'failed':
      return `failed last time and will fail again until you fix the cause. Test again to see the cause.`;
    case 'held':
      return `${isOne ? 'is' : 'are'} on hold.`;
    case 'skipped':
      return `${isOne ? 'was' : 'were'} skipped last time.`;
    default:
      return outcome satisfies never;
  }
}

/** Sums of amounts by currency, e.g. `$8,120.00 and CAD 90.00`; empty without any. */
function amountsText(amounts: readonly Pick<WaitingDocument, 'amount' | 'currency'>[]): string {
  const sums = new Map<string, Decimal>();
  for (const { amount, currency } of amounts)
    if (amount !== null) sums.set(currency ?? 'USD', plus(sums.get(currency ?? 'USD') ?? zero, amount));
  return [...sums]
    .map(([currency, total]) => (currency === 'USD' ? `$${format(total)}` : `${currency} ${format(total)}`))
    .join(' and ');
}

/** Payments and voids are found in what was posted before: nothing is counted in advance. */
function followingEffects({ before, after, psaLabel }: SettingsChange): readonly string[] {
  const texts = {
    pay_sync_active: `payments would be followed in ${psaLabel} and in QuickBooks`,
    void_sync_active: `invoices that were voided in ${psaLabel} would be voided in QuickBooks`,
  } as const;
  return (['pay_sync_active', 'void_sync_active'] as const).flatMap((key) =>
    !before[key] && after[key] ? [`From the next automatic run on, ${texts[key]}.`] : [],
  );
}

function numberingEffects({ before, after, waiting, psaLabel }: SettingsChange): readonly string[] {
  const options = { invoice: 'inv_numbering_option', purchase_order: 'po_numbering_option' } as const;
  return (['invoice', 'purchase_order'] as const).flatMap((kind) => {
    const key = options[kind];
    const count = waiting[kind];
    if (before[key] === after[key]) return [];
    const who = count === null ? `Every waiting ${kinds[kind].label.toLowerCase()}` : waitingText(kind, count.after);
    return usesPsaNumber(after[key])
      ? [`${who} would now keep ${count?.after === 1 || count === null ? 'its' : 'their'} ${psaLabel} number.`]
      : [`${who} would now be numbered by QuickBooks.`];
  });
}

function itemEffects({ before, after, waiting, accountName }: SettingsChange): readonly string[] {
  const effects: string[] = [];
  for (const [key, what] of [
    ['inv_create_item_automatically', 'An invoice line'],
    ['po_create_item_automatically', 'A purchase order line'],
  ] as const)
    if (before[key] !== after[key])
      effects.push(
        after[key]
          ? `${what} without a matching item would make a new one in QuickBooks.`
          : `${what} without a matching item would stop its document until the item is mapped.`,
      );
  for (const key of ['inv_default_income_account', 'po_default_expense_account'] as const)
    if (before[key] !== after[key] && after[key] !== null)
      effects.push(`New items would be booked to ${accountName(after[key])}. Items that exist keep their account.`);
  if (!before.inv_email_automatically && after.inv_email_automatically)
    effects.push(
      `QuickBooks would mail ${waiting.invoice === null ? 'each new invoice' : waitingText('invoice', waiting.invoice.after)} to the customer.`,
    );
  return effects;
}
