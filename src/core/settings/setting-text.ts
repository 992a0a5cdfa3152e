import type { FieldText } from '../changed-meanwhile.ts';
import { dayText, isCalendarDate } from '../values/dates.ts';
import type { AccountNames } from './config.ts';
import type { SettingsFacts } from './definition.ts';
import { definitionOf, type SettingKey } from './definitions.ts';

/**
 * Returns the name of a setting and a value of it, for people.
 *
 * @param names of accounts that QuickBooks no longer lists.
 */
export function settingText(
  key: SettingKey,
  value: unknown,
  { accounts, psaLabel }: Pick<SettingsFacts, 'accounts' | 'psaLabel'>,
  names: AccountNames,
): FieldText {
  const definition = definitionOf(key);
  return { label: definition.label, value: textOf() };

  function textOf(): string {
    if (typeof value === 'boolean') return value ? 'On' : 'Off';
    if (value === null || value === undefined || value === '') return 'empty';
    if (Array.isArray(value)) return value.length === 0 ? 'empty' : value.join(', ');
    if (typeof value !== 'string') return JSON.stringify(value);
    if (definition.type === 'account')
      return accounts.find(({ id }) => id === value)?.fullyQualifiedName ?? names[value] ?? `Account ${value}`;
    if (definition.type === 'date' && isCalendarDate(value)) return dayText(value);
    if (definition.type !== 'choice') return value;
    const option = definition.options.find((one) => one.value === value);
    return option?.text.replaceAll('{psa}', psaLabel) ?? value;
  }
}
