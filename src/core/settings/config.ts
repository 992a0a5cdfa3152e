import {
  applies,
  type Condition,
  isAccountFor,
  type SettingDefinition,
  type SettingsFacts,
  type SettingTab,
} from './definition.ts';
import {
  defaultSettingsFor,
  definitionOf,
  settingKeys,
  withDefaultAccounts,
  type SettingKey,
  type Settings,
} from './definitions.ts';

interface Option {
  readonly value: string;
  readonly text: string;
}

/** One entry of the config reply; the screen draws a control from it. */
export interface SettingConfig {
  readonly type: SettingDefinition['type'];
  readonly tab: SettingTab;
  readonly group: string;
  /** Place on the screen, from 1. */
  readonly order: number;
  readonly default: boolean | number | string | readonly string[] | null;
  readonly min?: number | string;
  readonly max?: number | string;
  readonly unit?: string;
  readonly options?: readonly Option[];
  /** The selected account, even if it is no longer allowed or QuickBooks is not connected. */
  readonly chosen?: Option | null;
  readonly label: string;
  readonly help: string;
  readonly required: boolean;
  /** Must not be empty while these settings have these values. */
  readonly requiredWhen?: Condition;
  /** Hidden while these settings have other values. */
  readonly shownWhen?: Condition;
  /** False: the setting does not apply now, e.g. purchase orders without procurement. */
  readonly available: boolean;
}

/** Names of accounts as they were when they were chosen, by id. */
export type AccountNames = Readonly<Record<string, string>>;

/**
 * The reply of `GET /api/my/settings/config`: one entry per setting, with options as they are now.
 *
 * @param names of selected accounts, used while QuickBooks is not connected.
 */
export function settingsConfig(
  facts: SettingsFacts,
  settings: Settings,
  names: AccountNames = {},
): Readonly<Record<SettingKey, SettingConfig>> {
  const defaults = defaultSettingsFor(facts);
  const inForce = withDefaultAccounts(settings, facts);
  const entries = settingKeys.map((key, at): [SettingKey, SettingConfig] => {
    const definition = definitionOf(key);
    const { type, tab, group, label, help, required = false, requiredWhen, shownWhen } = definition;
    return [
      key,
      {
        type,
        tab,
        group,
        order: at + 1,
        default: defaults[key],
        ...boundsOf(definition, facts),
        ...optionsOf(definition, facts),
        ...(type === 'account' ? { chosen: chosenOf(inForce[key], facts, names) } : {}),
        label,
        help: named(help, facts.psaLabel),
        required,
        ...(requiredWhen === undefined ? {} : { requiredWhen }),
        ...(shownWhen === undefined ? {} : { shownWhen }),
        available: isAvailable(key, facts),
      },
    ];
  });
  return Object.fromEntries(entries) as Record<SettingKey, SettingConfig>;
}

/** True when the setting applies now (domain reference 3, “available”). */
export function isAvailable(key: SettingKey, facts: SettingsFacts): boolean {
  return applies(definitionOf(key).availableWhen, facts);
}

function boundsOf(
  definition: SettingDefinition,
  { preferences }: SettingsFacts,
): Pick<SettingConfig, 'min' | 'max' | 'unit'> {
  if (definition.type === 'integer') return { min: definition.min, max: definition.max, unit: definition.unit };
  if (definition.type !== 'amount') return {};
  const { min, max } = definition;
  return preferences === null ? { min, max } : { min, max, unit: preferences.homeCurrency };
}

function optionsOf(definition: SettingDefinition, facts: SettingsFacts): Pick<SettingConfig, 'options'> {
  if (definition.type === 'choice')
    return { options: definition.options.map(({ value, text }) => ({ value, text: named(text, facts.psaLabel) })) };
  if (definition.type === 'account') {
    const fitting = facts.accounts.filter((account) => isAccountFor(definition.accepts, account));
    return { options: fitting.map(({ id, fullyQualifiedName }) => ({ value: id, text: fullyQualifiedName })) };
  }
  return {};
}

function chosenOf(id: unknown, { accounts }: SettingsFacts, names: AccountNames): Option | null {
  if (typeof id !== 'string') return null;
  const account = accounts.find((one) => one.id === id);
  if (account === undefined) return { value: id, text: names[id] ?? `Account ${id}` };
  return { value: id, text: `${account.fullyQualifiedName}${account.isActive ? '' : ' (inactive)'}` };
}

const named = (text: string, psaLabel: string): string => text.replaceAll('{psa}', psaLabel);
