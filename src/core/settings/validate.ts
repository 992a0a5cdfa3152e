import { never } from '../values/assert.ts';
import { isAccountFor, settingDefinitions, settingKeys } from './definitions.ts';
import type { AccountUse, SettingDefinition, SettingKey, Settings, SettingsFacts } from './definitions.ts';

/** What is wrong with one setting; `connections` stands for the whole form. */
export interface SettingError {
  readonly key: SettingKey | 'connections';
  readonly error: string;
}

/**
 * Checks settings against the connections, preferences and accounts as they are now (domain reference 3.1).
 *
 * @returns one error per setting that does not fit, in the order of the table; empty when all do.
 */
export function validateSettings(settings: Settings, facts: SettingsFacts): readonly SettingError[] {
  if (!facts.isConnected)
    return [
      {
        key: 'connections',
        error: `You must be connected to both ${facts.psaLabel} and QuickBooks Online to modify settings.`,
      },
    ];
  return settingKeys.flatMap((key) => {
    const error = errorOf(key, settings, facts);
    return error === null ? [] : [{ key, error }];
  });
}

/** The flag behind “Complete your Settings”: computed, because the world around the settings changes too. */
export const settingsValid = (settings: Settings, facts: SettingsFacts): boolean =>
  validateSettings(settings, facts).length === 0;

function errorOf(key: SettingKey, settings: Settings, facts: SettingsFacts): string | null {
  const definition: SettingDefinition = settingDefinitions[key];
  const value = settings[key];
  switch (definition.type) {
    case 'integer':
      if (!Number.isInteger(value)) return `Enter a whole number of ${definition.unit}.`;
      return Number(value) < definition.min || Number(value) > definition.max
        ? `Must be between ${definition.min} and ${definition.max} ${definition.unit}.`
        : null;
    case 'choice':
      if (!definition.options.some((option) => option.value === value))
        return choiceTexts[key] ?? 'Choose one of the options.';
      return key === 'inv_numbering_option' ? numberingError(settings, facts) : null;
    case 'account': {
      const account = facts.accounts.find((one) => one.id === value);
      if (account !== undefined && isAccountFor(definition.accepts, account)) return null;
      return isAccountNeeded(key, settings) ? accountTexts[definition.accepts] : null;
    }
    case 'boolean':
      return key === 'po_sync_active' && value === true && facts.modules?.procurement === false
        ? `You must enable Procurement in ${facts.psaLabel} to use the Purchase Orders portion of the app.`
        : null;
    case 'date':
      return null;
    case 'list':
      return Array.isArray(value) && value.every((one) => /^[^\s@]+@[^\s@]+$/.test(String(one)))
        ? null
        : 'Enter e-mail addresses only.';
    default:
      return never(definition);
  }
}

const choiceTexts: Readonly<Partial<Record<SettingKey, string>>> = {
  inv_numbering_option: 'Choose how invoices are numbered.',
  po_numbering_option: 'Choose how purchase orders are numbered.',
};

const accountTexts: Readonly<Record<AccountUse, string>> = {
  income: 'Choose an active income account.',
  expense: 'Choose an active expense account.',
  payable: 'Choose an active payable account.',
  cash_advance: 'Choose an active cash advance account.',
  deposit: 'Choose an active deposit account.',
};

/** An account that nothing will use may be empty or stale; one that is merely optional may be empty. */
function isAccountNeeded(key: SettingKey, settings: Settings): boolean {
  switch (key) {
    case 'inv_default_income_account':
      return settings.inv_create_item_automatically;
    case 'po_payable_account':
      return settings.po_sync_active;
    case 'po_default_expense_account':
      return settings.po_sync_active && settings.po_create_item_automatically;
    default:
      return settings[key] !== null;
  }
}

function numberingError(settings: Settings, facts: SettingsFacts): string | null {
  if (facts.preferences === null) return null;
  const custom = facts.preferences.customTransactionNumbers;
  if (settings.inv_numbering_option === 'autotask' && !custom)
    return `Turn on Custom transaction numbers in QuickBooks (Account and settings, Sales) to use ${facts.psaLabel} invoice numbers.`;
  if (settings.inv_numbering_option === 'qbo' && custom)
    return 'Turn off Custom transaction numbers in QuickBooks, otherwise QuickBooks leaves the invoice number empty.';
  return null;
}
