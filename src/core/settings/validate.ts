import type { Kind } from '../kinds.ts';
import { never } from '../values/assert.ts';
import { compare, decimal } from '../values/decimal.ts';
import { wrongAccount, holds, isAccountFor, type SettingDefinition, type SettingsFacts } from './definition.ts';
import { definitionOf, settingKeys, withDefaultAccounts, type SettingKey, type Settings } from './definitions.ts';

/** Error of one setting; `connections` stands for the whole form. */
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
  const inForce = withDefaultAccounts(settings, facts);
  return settingKeys.flatMap((key) => {
    // A field that the form hides cannot be corrected there.
    const error = holds(definitionOf(key).shownWhen, inForce) ? errorOf(key, inForce, facts) : null;
    return error === null ? [] : [{ key, error }];
  });
}

/**
 * Checks settings that a user has just changed, also those that the form hides or does not use now: a number within its
 * bounds, an account that the form would offer.
 *
 * @param after all settings as they would be saved.
 */
export const changeErrors = (
  changes: Readonly<Partial<Record<SettingKey, unknown>>>,
  after: Settings,
  facts: SettingsFacts,
): readonly SettingError[] =>
  settingKeys.flatMap((key) => {
    const value = changes[key];
    if (value === undefined || value === null) return [];
    const definition = definitionOf(key);
    const isWrongAccount = definition.type === 'account' && !hasAccount(value, definition.accepts, facts);
    const error = isWrongAccount ? wrongAccount(definition, accountOf(value, facts)) : errorOf(key, after, facts);
    return error === null ? [] : [{ key, error }];
  });

/** The kinds that the settings of a tab affect. Those of the other tabs affect all kinds. */
const kindsOfTab: Readonly<Partial<Record<SettingDefinition['tab'], readonly Kind[]>>> = {
  invoices: ['invoice', 'difference', 'payment', 'void'],
  purchase_orders: ['purchase_order'],
  expense_reports: ['expense_report'],
};

/** Says that the PSA has no purchase orders (specification 1, section 2). */
export const procurementIsOff = (psa: string): string =>
  `You must enable Procurement in ${psa} to use the Purchase Orders portion of the app.`;

/** Returns whether an error of a setting prevents the sync of a kind. */
export const stopsKind = (key: SettingError['key'], kind: Kind): boolean =>
  key === 'connections' || (kindsOfTab[definitionOf(key).tab]?.includes(kind) ?? true);

/** The flag behind “Complete your Settings”: computed, because the world around the settings changes too. */
export const settingsValid = (settings: Settings, facts: SettingsFacts): boolean =>
  validateSettings(settings, facts).length === 0;

function errorOf(key: SettingKey, settings: Settings, facts: SettingsFacts): string | null {
  const definition = definitionOf(key);
  const value = settings[key];
  switch (definition.type) {
    case 'integer':
      if (!Number.isInteger(value)) return `Enter a whole number of ${definition.unit}.`;
      return Number(value) < definition.min || Number(value) > definition.max
        ? `Must be between ${definition.min} and ${definition.max} ${definition.unit}.`
        : null;
    case 'amount':
      return amountError(value, definition);
    case 'choice':
      if (!definition.options.some((option) => option.value === value))
        return definition.wrong ?? 'Choose one of the options.';
      return key === 'inv_numbering_option' ? numberingError(settings, facts) : null;
    case 'account': {
      if (hasAccount(value, definition.accepts, facts)) return null;
      return isAccountNeeded(value, definition, settings) ? wrongAccount(definition, accountOf(value, facts)) : null;
    }
    case 'boolean':
      return key === 'po_sync_active' && value === true && facts.modules?.procurement === false
        ? procurementIsOff(facts.psaLabel)
        : null;
    case 'date':
      return value === null && isRequired(definition, settings) ? (definition.wrong ?? 'Choose a date.') : null;
    case 'list':
      return Array.isArray(value) && value.every((one) => /^[^\s@]+@[^\s@]+$/.test(String(one)))
        ? null
        : (definition.wrong ?? 'Enter email addresses only.');
    default:
      return never(definition);
  }
}

/** True while the setting must not be empty. */
const isRequired = (definition: SettingDefinition, settings: Settings): boolean =>
  definition.required === true || (definition.requiredWhen !== undefined && holds(definition.requiredWhen, settings));

const accountOf = (id: unknown, { accounts }: Pick<SettingsFacts, 'accounts'>) =>
  accounts.find((account) => account.id === id);

/** True when an active account of the right kind is chosen. */
const hasAccount = (
  id: unknown,
  use: Parameters<typeof isAccountFor>[0],
  facts: Pick<SettingsFacts, 'accounts'>,
): boolean => {
  const account = accountOf(id, facts);
  return account !== undefined && isAccountFor(use, account);
};

/** An account that nothing will use may be empty or stale; one that is merely optional may be empty. */
const isAccountNeeded = (value: unknown, definition: SettingDefinition, settings: Settings): boolean =>
  definition.required === true || definition.requiredWhen !== undefined
    ? isRequired(definition, settings)
    : value !== null;

function amountError(value: unknown, { min, max }: { readonly min: string; readonly max: string }): string | null {
  if (typeof value !== 'string' || !/^\d{1,12}(\.\d{1,5})?$/.test(value)) return 'Enter an amount, for example 0.05.';
  return compare(decimal(value), decimal(min)) < 0 || compare(decimal(value), decimal(max)) > 0
    ? `Must be between ${min} and ${max}.`
    : null;
}

function numberingError(settings: Settings, facts: SettingsFacts): string | null {
  if (facts.preferences === null) return null;
  const custom = facts.preferences.customTransactionNumbers;
  if (settings.inv_numbering_option === 'autotask' && !custom)
    return `Turn on Custom transaction numbers in QuickBooks (Account and settings, Sales) to use ${facts.psaLabel} invoice numbers, or let QuickBooks generate the invoice number.`;
  if (settings.inv_numbering_option === 'qbo' && custom)
    return `Turn off Custom transaction numbers in QuickBooks, or use the ${facts.psaLabel} invoice number. Otherwise the invoice number is empty.`;
  return null;
}
