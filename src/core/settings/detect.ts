import type { AccountingLists, Item, PsaModules } from '../documents/reference-data.ts';
import { taxRegimeNames, taxRegimeOf } from '../planning/tax.ts';
import { type AccountUse, isAccountFor } from './definition.ts';
import type { SettingKey, Settings } from './definitions.ts';

/** A fact that need not be asked, because both systems say it. */
export interface Detected {
  readonly title: string;
  /** Sentence on what both systems say now. */
  readonly says: string;
  /** The consequence, as a sentence. */
  readonly follows: string;
  /** Setting that accepting it would save; null when nothing has to be saved. */
  readonly proposal: { readonly key: SettingKey; readonly value: string } | null;
}

/** Reads out of both systems what a new client would otherwise be asked: numbering, tax, currency, classes, accounts. */
export function detectSettings(
  accounting: AccountingLists,
  modules: PsaModules | null,
  settings: Settings,
  psaLabel: string,
): readonly Detected[] {
  const { preferences } = accounting;
  const custom = preferences.customTransactionNumbers;
  const multi = preferences.multiCurrency && modules?.multiCurrency === true;
  return [
    {
      title: 'Numbering',
      says: `Custom transaction numbers are ${custom ? 'on' : 'off'} in QuickBooks.`,
      follows: custom
        ? `Invoices keep the number that they have in ${psaLabel}, and one without a number is rejected. To have QuickBooks number them, turn custom transaction numbers off there.`
        : `QuickBooks numbers invoices, and the number is written back to ${psaLabel}.`,
      proposal: wanted(settings, 'inv_numbering_option', custom ? 'autotask' : 'qbo'),
    },
    ...accountsOf(accounting, settings),
    {
      title: 'Sales tax',
      says: taxSays(accounting),
      follows: `The tax of an invoice comes from: ${taxRegimeNames[taxRegimeOf(accounting)]}.`,
      proposal: null,
    },
    {
      title: 'Currency',
      says: `The home currency of QuickBooks is ${preferences.homeCurrency}; multicurrency is ${preferences.multiCurrency ? 'on' : 'off'} there and ${modules?.multiCurrency === true ? 'on' : 'off'} in ${psaLabel}.`,
      follows: multi
        ? 'Documents keep the currency of their customer.'
        : `All amounts are in ${preferences.homeCurrency}.`,
      proposal: null,
    },
    {
      title: 'Classes',
      says: classSays(accounting),
      follows:
        preferences.classPerLine || preferences.classPerTransaction
          ? 'Map lines of business to classes if you report by them.'
          : 'Nothing to map.',
      proposal: null,
    },
  ];
}

const wanted = (settings: Settings, key: SettingKey, value: string | null): Detected['proposal'] =>
  value === null || settings[key] === value ? null : { key, value };

function accountsOf(accounting: AccountingLists, settings: Settings): readonly Detected[] {
  const nameOf = (id: string) => accounting.accounts.find((account) => account.id === id)?.fullyQualifiedName ?? id;
  const choice = (
    title: string,
    key: 'inv_default_income_account' | 'po_payable_account' | 'po_default_expense_account',
    use: AccountUse,
    id: string | null,
    why: string,
    purpose: string,
  ): Detected[] => {
    const current = accounting.accounts.find((account) => account.id === settings[key]);
    // An account that a user selected is not questioned.
    if (current !== undefined && isAccountFor(use, current))
      return [{ title, says: `“${current.fullyQualifiedName}” is chosen.`, follows: purpose, proposal: null }];
    if (id === null) return [];
    return [{ title, says: `“${nameOf(id)}” ${why}.`, follows: purpose, proposal: wanted(settings, key, id) }];
  };
  const payable = accounting.accounts.filter((account) => isAccountFor('payable', account));
  return [
    ...choice(
      'Income account',
      'inv_default_income_account',
      'income',
      findMostUsed(accounting, 'income', ({ incomeAccountId }) => incomeAccountId),
      'is the income account of most items in QuickBooks',
      'New items for invoice lines are booked there.',
    ),
    ...choice(
      'Payable account',
      'po_payable_account',
      'payable',
      payable.length === 1 ? (payable[0]?.id ?? null) : null,
      'is the only payable account in QuickBooks',
      'Purchase orders and expense bills are owed there.',
    ),
    ...choice(
      'Expense account',
      'po_default_expense_account',
      'expense',
      findMostUsed(accounting, 'expense', ({ expenseAccountId }) => expenseAccountId),
      'is the expense account of most items in QuickBooks',
      'New items for purchase order lines are booked there.',
    ),
  ];
}

/** Returns the account of most active items. Ties go to the lowest id, so that the result is stable. */
function findMostUsed(
  { items, accounts }: AccountingLists,
  use: AccountUse,
  accountOf: (item: Item) => string | null,
): string | null {
  const counts = new Map<string, number>();
  for (const item of items) {
    const id = item.isActive ? accountOf(item) : null;
    if (id !== null) counts.set(id, (counts.get(id) ?? 0) + 1);
  }
  const fitting = accounts.filter((account) => isAccountFor(use, account) && counts.has(account.id));
  const [best] = fitting.toSorted(
    (a, b) => (counts.get(b.id) ?? 0) - (counts.get(a.id) ?? 0) || a.id.localeCompare(b.id, 'en', { numeric: true }),
  );
  return best?.id ?? null;
}

function taxSays(accounting: AccountingLists): string {
  if (!accounting.preferences.usesSalesTax) return 'QuickBooks charges no sales tax.';
  return accounting.preferences.automatedSalesTax
    ? 'QuickBooks has automated sales tax on.'
    : 'QuickBooks charges sales tax by tax codes.';
}

function classSays({ preferences, classes }: AccountingLists): string {
  if (preferences.classPerLine) return `QuickBooks tracks classes by line; it has ${classes.length}.`;
  return preferences.classPerTransaction
    ? `QuickBooks tracks classes by transaction; it has ${classes.length}.`
    : 'QuickBooks does not track classes.';
}
