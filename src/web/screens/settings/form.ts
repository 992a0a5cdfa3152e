import { settingHelp } from '../../data/help.ts';
import type { FieldValue, FieldValues } from '../../data/edits.ts';
import { formatDate } from '../../data/format.ts';
import { findRows } from '../../data/find-rows.ts';
import type { SettingConfigReply } from '#contract/settings.ts';
import { autoSyncKeys, countedBy } from '#core/settings/effects.ts';
import { holds, type SettingTab, settingTabs } from '#core/settings/definition.ts';

export type SettingValue = FieldValue;
export type SettingValues = FieldValues;
export type SettingsConfigReply = Readonly<Record<string, SettingConfigReply>>;

/** One setting on the screen. */
export interface Field {
  readonly key: string;
  readonly config: SettingConfigReply;
  /** True if the field must not be empty with the current values of the form. */
  readonly isRequired: boolean;
}

export interface FieldGroup {
  /** Anchor of the group in the address, e.g. `invoices-sales-tax`. */
  readonly id: string;
  readonly title: string;
  /** Address of its article. */
  readonly help: string;
  readonly fields: readonly Field[];
}

/** Returns the visible fields of a tab by group; the form’s values decide which conditional fields are visible. */
export function groupsOf(config: SettingsConfigReply, values: SettingValues, tab: SettingTab): readonly FieldGroup[] {
  const groups = new Map<string, Field[]>();
  for (const [key, entry] of Object.entries(config).sort(([, a], [, b]) => a.order - b.order)) {
    if (entry.tab !== tab || !entry.available || !holds(entry.shownWhen, values)) continue;
    const isRequired = entry.required || (entry.requiredWhen !== undefined && holds(entry.requiredWhen, values));
    groups.set(entry.group, [...(groups.get(entry.group) ?? []), { key, config: entry, isRequired }]);
  }
  return [...groups].map(([title, fields]) => ({
    id: `${tab}-${slugOf(title)}`,
    title,
    help: settingHelp(tab, title),
    fields,
  }));
}

const slugOf = (title: string): string => title.toLowerCase().replaceAll(/[^a-z]+/g, '-');

/** Returns the groups of all tabs with the visible fields whose texts contain all words of a search. */
export function findFields(config: SettingsConfigReply, values: SettingValues, find: string): readonly FieldGroup[] {
  return tabKeys.flatMap((tab) =>
    groupsOf(config, values, tab).flatMap(({ title, fields, ...group }) => {
      const text = ({ key, config: { label, help } }: Field) => `${label} ${help} ${title} ${settingTabs[tab]} ${key}`;
      const found = findRows(fields, find, text) ?? [];
      return found.length === 0 ? [] : [{ ...group, title: `${settingTabs[tab]}: ${title}`, fields: found }];
    }),
  );
}

/** Removes empty entries of lists. */
export const trimmed = (changes: SettingValues): Record<string, SettingValue> =>
  Object.fromEntries(
    Object.entries(changes).map(([key, value]) => [
      key,
      Array.isArray(value) ? value.map((one: string) => one.trim()).filter((one) => one !== '') : value,
    ]),
  );

/** Removes changes of hidden fields, because the user could not correct them. */
export const shownOnly = (
  config: SettingsConfigReply,
  draft: SettingValues,
  changes: SettingValues,
): Record<string, SettingValue> =>
  Object.fromEntries(Object.entries(changes).filter(([key]) => holds(config[key]?.shownWhen, draft)));

/** Automatic syncs, and the settings that limit what they post. */
const syncKeys: readonly string[] = [...Object.values(autoSyncKeys), 'pay_sync_active', 'void_sync_active'];
const limitKeys: readonly string[] = ['require_approval', 'sync_start_date'];

/**
 * Returns the settings whose values give the edited ones their effect, in either direction: what an edit shows, requires
 * or posts depends on them. A user who edits one has relied on the others.
 */
export function relatedOf(config: SettingsConfigReply, edited: readonly string[]): readonly string[] {
  const related = new Set<string>();
  const conditionsOf = (key: string) => Object.keys({ ...config[key]?.shownWhen, ...config[key]?.requiredWhen });
  for (const key of edited) {
    for (const other of conditionsOf(key)) related.add(other);
    for (const other of Object.keys(config)) if (conditionsOf(other).includes(key)) related.add(other);
    for (const group of Object.values(countedBy))
      if (group.some((one) => one === key)) for (const other of group) related.add(other);
    if (syncKeys.includes(key)) for (const other of limitKeys) related.add(other);
    if (limitKeys.includes(key)) for (const other of syncKeys) related.add(other);
  }
  return [...related].filter((key) => config[key] !== undefined && !edited.includes(key));
}

/** Returns the keys with an error in the order of the screen. */
export const fieldsInOrder = (
  config: SettingsConfigReply,
  errors: Readonly<Record<string, string>>,
): readonly string[] =>
  Object.keys(errors)
    .filter((key) => config[key] !== undefined)
    .sort((a, b) => (config[a]?.order ?? 0) - (config[b]?.order ?? 0));

/** Returns a sentence that names the invalid fields; null if no field is invalid. */
export function errorText(config: SettingsConfigReply, errors: Readonly<Record<string, string>>): string | null {
  const [first, ...more] = fieldsInOrder(config, errors);
  if (first === undefined) return null;
  const label = config[first]?.label ?? first;
  if (more.length === 0) return `${label}: ${errors[first] ?? ''}`;
  const labels = [first, ...more].map((key) => config[key]?.label ?? key);
  return `Nothing was saved. Check ${labels.slice(0, -1).join(', ')} and ${labels.at(-1) ?? ''}.`;
}

/** Formats a value: the text of an option, On or Off, or the value itself. */
export function formatValue(config: SettingConfigReply | undefined, value: SettingValue): string {
  if (typeof value === 'boolean') return value ? 'On' : 'Off';
  if (value === null || value === '') return 'empty';
  if (Array.isArray(value)) return value.length === 0 ? 'empty' : value.join(', ');
  if (config?.type === 'date') return formatDate(String(value));
  return config?.options?.find((one) => one.value === value)?.text ?? String(value);
}

/** Returns the tabs that have one of the settings. */
export function tabsWith(config: SettingsConfigReply, settings: Readonly<Record<string, unknown>>): Set<SettingTab> {
  return new Set(Object.keys(settings).flatMap((key) => config[key]?.tab ?? []));
}

/** Groups that are not in the settings config, by their tab. */
export const ownGroups = {
  other: { id: 'other-time-zone', title: 'Time zone' },
  advanced: { id: 'advanced-settings-as-a-file', title: 'Settings as a file' },
} as const;

/** Returns true if an own group belongs to the open tab, or contains all words of a search. */
export const showsOwnGroup = (of: keyof typeof ownGroups, tab: SettingTab, find: string): boolean =>
  find === '' ? tab === of : findRows([`${settingTabs[of]} ${ownGroups[of].title}`], find, String)?.length === 1;

export const tabKeys = Object.keys(settingTabs) as readonly SettingTab[];

/** Returns e.g. `1 to 90 days.` for a help text; null without bounds. */
export function boundsText({ min, max, unit }: SettingConfigReply): string | null {
  if (min === undefined || max === undefined) return null;
  return `${min} to ${max}${unit === undefined ? '' : ` ${unit}`}.`;
}
