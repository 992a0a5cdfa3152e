import { type CalendarDate, dayText } from '../values/dates.ts';
import type { RepairCandidate } from './problem.ts';
import { held, mapping, openIn, person, screens, setting, warning, type Source } from './entry.ts';

/** Namespaces that items are mapped from: billing codes of sales, products of purchases. */
export type ItemNamespace = 'ItemBilling' | 'ItemPurchasing';

/** The PSA record that an item is mapped from; absent where a line has none. */
export interface ItemSource extends Source {
  readonly namespace: ItemNamespace;
}

interface OneItem {
  readonly name: string;
  readonly source?: ItemSource;
  /** Id of the item that cannot be used any more. */
  readonly replaces?: string;
}

const mapped = (source: ItemSource | undefined, candidates?: readonly RepairCandidate[], replaces?: string) =>
  source === undefined ? [] : [mapping(source.namespace, source, candidates, replaces)];

/** `Jan 1, 2025 to Apr 30, 2025` */
function periodText(of: { readonly startsOn: CalendarDate | null; readonly endsOn: CalendarDate | null }): string {
  const [from, to] = [of.startsOn, of.endsOn].map((on) => (on === null ? null : dayText(on)));
  if (from === null) return `work up to ${to}`;
  return to === null ? `work from ${from}` : `${from} to ${to}`;
}

/** Problems of items, and of the accounts that they are booked to. */
export const itemProblems = {
  ITEM_NOT_MAPPED: person<{
    readonly count: number;
    readonly list: string;
    readonly sources?: readonly ItemSource[];
  }>({
    message: ({ count, list }) =>
      count === 1 ? `1 line has no QuickBooks item: ${list}.` : `${count} lines have no QuickBooks item: ${list}.`,
    remedy: 'Map them under Item Mappings or turn on automatic item creation.',
    screen: screens.items,
    repairs: ({ sources = [] }) => {
      const distinct = new Map(sources.map((source) => [`${source.namespace} ${source.id}`, source]));
      const [first] = sources;
      const creation =
        first?.namespace === 'ItemPurchasing' ? 'po_create_item_automatically' : 'inv_create_item_automatically';
      return [...[...distinct.values()].flatMap((source) => mapped(source)), setting(creation, true)];
    },
  }),
  ITEM_AMBIGUOUS: person<OneItem & { readonly candidates?: readonly RepairCandidate[] }>({
    message: ({ name, candidates = [] }) =>
      candidates.length === 1
        ? `“${name}” matches only the last part of the QuickBooks item “${candidates[0]?.label}”.`
        : `Several QuickBooks items match “${name}”: ${candidates.map(({ label }) => `“${label}”`).join(', ')}.`,
    remedy: 'No item was created. Choose the right one under Item Mappings; the choice is saved.',
    screen: screens.items,
    repairs: ({ source, candidates }) => mapped(source, candidates),
  }),
  ITEM_NO_LONGER_ACTIVE: person<OneItem & { readonly used: string }>({
    message: ({ name, used }) => `The item “${used}”, used for “${name}” until now, is inactive or deleted.`,
    remedy:
      'No item was created. Choose another item under Item Mappings, or make it active in QuickBooks: Sales > Products and services > filter Inactive > Make active.',
    screen: screens.items,
    repairs: ({ used, source, replaces }) => [...mapped(source, [], replaces), openIn('accounting', used)],
  }),
  ITEM_INVALID: person<
    OneItem & { /** `is inactive or deleted`, unless something else is the matter. */ readonly wrong?: string }
  >({
    message: ({ name, wrong }) => `The mapped item “${name}” ${wrong ?? 'is inactive or deleted'}.`,
    remedy:
      'Choose another item under Item Mappings, or make it active in QuickBooks: Sales > Products and services > filter Inactive > Make active.',
    screen: screens.items,
    repairs: ({ name, source, replaces }) => [...mapped(source, [], replaces), openIn('accounting', name)],
  }),
  ITEM_NO_INCOME_ACCOUNT: person<OneItem>({
    message: ({ name }) => `The item “${name}” has no income account.`,
    remedy: 'Set its income account in QuickBooks, or map another item under Item Mappings.',
    screen: screens.items,
    repairs: ({ name, source }) => [...mapped(source), openIn('accounting', name)],
  }),
  ITEM_NO_EXPENSE_ACCOUNT: person<OneItem>({
    message: ({ name }) => `The item “${name}” has no expense account.`,
    remedy: 'Set its expense account in QuickBooks, or map another item under Item Mappings.',
    screen: screens.items,
    repairs: ({ name, source }) => [...mapped(source), openIn('accounting', name)],
  }),
  ITEM_NAME_TAKEN: person<OneItem & { /** Holder of the name: a category or a bundle. */ readonly what: string }>({
    message: ({ name, what }) => `QuickBooks has a ${what} “${name}”, so no item with that name can be created.`,
    remedy: 'Choose an item under Item Mappings. Lines cannot use categories or bundles.',
    screen: screens.items,
    repairs: ({ name, source }) => [...mapped(source), openIn('accounting', name)],
  }),
  OWN_ITEM_UNUSABLE: person<{
    readonly name: string;
    /** `has no income account`, or that a category or a bundle has the name. */
    readonly wrong: string;
  }>({
    message: ({ name, wrong }) => `The item “${name}” cannot be used: it ${wrong}.`,
    remedy:
      'In QuickBooks (Sales > Products and services > Edit), turn on selling and choose its income account. Or rename it, and Tallybridge creates an item with this name.',
    repairs: ({ name }) => [openIn('accounting', name)],
  }),
  ITEM_NAME_CUT: warning<OneItem & { /** The name in QuickBooks. */ readonly used: string }>({
    message: ({ name, used }) =>
      `The item name “${name}” was shortened to “${used}”: QuickBooks allows 100 characters.`,
    remedy:
      'Names with the same first 100 characters share one item. Map the billing codes to separate items under Item Mappings, or shorten their names.',
    screen: screens.items,
    repairs: ({ source }) => mapped(source),
  }),
  INCOME_ACCOUNT_REQUIRED: person({
    message: () => 'New items need an income account, and no usable one is chosen.',
    remedy: 'Choose an active income account in Settings, Invoices.',
    screen: screens.settings,
    repairs: () => [setting('inv_default_income_account')],
  }),
  MILESTONE_CREDIT_UNCLEAR: held<{
    readonly psa: string;
    readonly name: string;
    readonly amount: string;
    readonly list: string;
  }>({
    message: ({ name, amount, list }) =>
      `“${name}” (${amount}) may credit any of these milestones, whose items differ: ${list}. The invoice is not posted yet.`,
    remedy:
      'In {psa}, void the invoice, replace the adjustment with one per milestone, each with the exact amount of its milestone, and invoice again.',
    repairs: () => [openIn('psa', 'the invoice')],
  }),
  PREPAID_ACCOUNT_UNDECIDED: held<OneItem & { readonly amount: string }>({
    message: ({ name, amount }) =>
      `“${name}” (${amount}) is a prepaid sale, and no prepayment account is chosen. As income, it would be earned before the work.`,
    remedy:
      'Choose the liability account for blocks, retainers and tickets in Settings, Invoices. To book such sales as income at once, map their billing code to an item under Item Mappings.',
    screen: screens.settings,
    repairs: ({ source }) => [setting('prepaid_account'), ...mapped(source)],
  }),
  PREPAID_ITEM_ON_INCOME: person<OneItem & { readonly account: string; readonly prepaid: string }>({
    message: ({ name, account, prepaid }) =>
      `The item “${name}” books to ${account}, but prepaid sales belong to ${prepaid}.`,
    remedy:
      'Change the income account of the item in QuickBooks (Sales > Products and services > Edit), or map the billing code to another item under Item Mappings.',
    screen: screens.items,
    repairs: ({ name, source }) => [...mapped(source), openIn('accounting', name)],
  }),
  PREPAID_ACCOUNT_REQUIRED: person<{ /** Name of its item. */ readonly name: string }>({
    message: ({ name }) =>
      `The invoice has prepaid work, and neither an item “${name}” nor a usable prepayment account exists.`,
    remedy:
      'Choose the account for blocks and retainers in Settings, Invoices, or turn off earning prepaid hours as they are worked. Do not book the work as new income: it is already paid.',
    screen: screens.settings,
    repairs: () => [setting('prepaid_account'), setting('prepaid_drawdown', false)],
  }),
  PREPAID_SALE_NOT_SYNCED: held<{
    readonly psa: string;
    /** Ids of invoices. */
    readonly list: string;
    readonly amount: string;
  }>({
    message: ({ psa, list, amount }) =>
      `${psa} invoice ${list} sold work of ${amount} in advance and is not in QuickBooks yet.`,
    remedy: 'Sync that invoice first. The next sync then posts this one.',
  }),
  PREPAID_USED_UP: warning<{
    readonly psa: string;
    /** Name of the contract. */
    readonly name: string;
    /** Hours, money or tickets that no sale pays for. */
    readonly overage: string;
  }>({
    message: ({ name, overage }) =>
      `“${name}” covers ${overage} of work without prepaid money in QuickBooks. No income is posted for it.`,
    remedy:
      'If the client owes this work, bill it in {psa}. If it was sold before the first sync, post the income in QuickBooks by hand.',
  }),
  PREPAID_OUTSIDE_DATES: warning<{
    readonly psa: string;
    /** Name of the contract. */
    readonly name: string;
    /** Hours, money or tickets of the work. */
    readonly overage: string;
    /** Days of the work, ascending. */
    readonly worked: readonly CalendarDate[];
    /** First and last days of the contract's purchases; null: not limited. */
    readonly valid: readonly { readonly startsOn: CalendarDate | null; readonly endsOn: CalendarDate | null }[];
  }>({
    message: ({ name, overage, worked, valid }) =>
      `“${name}” covers ${overage} of work of ${worked.map(dayText).join(', ')}, but is valid only for ${valid.map(periodText).join(' and ')}. No income is posted for it.`,
    remedy:
      'If the purchase was extended, correct its dates in {psa}, then sync or update the invoice. If the client owes this work, bill it in {psa}.',
    repairs: ({ name }) => [openIn('psa', name)],
  }),
  EXPENSE_ACCOUNT_REQUIRED: person({
    message: () => 'New items and lines without a product need an expense account, and no usable one is chosen.',
    remedy: 'Choose an active expense account in Settings, Purchase Orders.',
    screen: screens.settings,
    repairs: () => [setting('po_default_expense_account')],
  }),
} as const;
