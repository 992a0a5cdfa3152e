import type { SettingConfigReply } from '#contract/settings.ts';
import { holds, settingTabs, type SettingTab } from '#core/settings/definition.ts';

/** A value of a setting as the wire carries it. */
export type SettingValue = boolean | number | string | readonly string[] | null;
export type SettingValues = Readonly<Record<string, SettingValue>>;
export type SettingsConfigReply = Readonly<Record<string, SettingConfigReply>>;

/** One setting on the screen. */
export interface Field {
  readonly key: string;
  readonly config: SettingConfigReply;
  /** Must not be empty as the form stands now. */
  readonly isRequired: boolean;
}

/** Edited settings by key: the saved value when the edit began, and the new one. */
export type Edits = Readonly<Record<string, { readonly base: SettingValue; readonly value: SettingValue }>>;

/** Settings under one heading. */
export interface FieldGroup {
  readonly title: string;
  readonly fields: readonly Field[];
}

/** The groups of fields on a tab while the form holds these values: only fields that apply beside the others. */
export function groupsOf(config: SettingsConfigReply, values: SettingValues, tab: SettingTab): readonly FieldGroup[] {
  const groups = new Map<string, Field[]>();
  for (const [key, entry] of Object.entries(config).sort(([, a], [, b]) => a.order - b.order)) {
    if (entry.tab !== tab || !entry.available || !holds(entry.shownWhen, values)) continue;
    const isRequired = entry.required || (entry.requiredWhen !== undefined && holds(entry.requiredWhen, values));
    groups.set(entry.group, [...(groups.get(entry.group) ?? []), { key, config: entry, isRequired }]);
  }
  return [...groups].map(([title, fields]) => ({ title, fields }));
}

/** The changed settings alone: what somebody else changed meanwhile stays as they left it. */
export function changesOf(saved: SettingValues, draft: SettingValues): Record<string, SettingValue> {
  return Object.fromEntries(
    Object.entries(draft).filter(([key, value]) => JSON.stringify(value) !== JSON.stringify(saved[key])),
  );
}

const isSame = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);

/** Keys of edited settings whose saved value is no longer the one that the edit started from, nor the new one. */
export const conflictsOf = (saved: SettingValues, edits: Edits): readonly string[] =>
  Object.entries(edits)
    .filter(([key, { base, value }]) => !isSame(saved[key] ?? null, base) && !isSame(saved[key] ?? null, value))
    .map(([key]) => key);

/** Removes empty entries of lists, which the user has begun and not typed. */
export const trimmed = (changes: SettingValues): Record<string, SettingValue> =>
  Object.fromEntries(
    Object.entries(changes).map(([key, value]) => [
      key,
      Array.isArray(value) ? value.map((one: string) => one.trim()).filter((one) => one !== '') : value,
    ]),
  );

/** Leaves out changes of fields that the form hides now: the user could not correct them. */
export const shownOnly = (
  config: SettingsConfigReply,
  draft: SettingValues,
  changes: SettingValues,
): Record<string, SettingValue> =>
  Object.fromEntries(Object.entries(changes).filter(([key]) => holds(config[key]?.shownWhen, draft)));

/** Keys with an error, in the order of the screen. */
export const fieldsInOrder = (
  config: SettingsConfigReply,
  errors: Readonly<Record<string, string>>,
): readonly string[] =>
  Object.keys(errors)
    .filter((key) => config[key] !== undefined)
    .sort((a, b) => (config[a]?.order ?? 0) - (config[b]?.order ?? 0));

/** One sentence that names the fields of a refused save; null when no field is to blame. */
export function errorText(config: SettingsConfigReply, errors: Readonly<Record<string, string>>): string | null {
  const [first, ...more] = fieldsInOrder(config, errors);
  if (first === undefined) return null;
  const label = config[first]?.label ?? first;
  if (more.length === 0) return `${label}: ${errors[first] ?? ''}`;
  const labels = [first, ...more].map((key) => config[key]?.label ?? key);
  return `Nothing was saved. Check ${labels.slice(0, -1).join(', ')} and ${labels.at(-1) ?? ''}.`;
}

/** A value as a person reads it: the text of an option, On or Off, or the value itself. */
export function shownValue(config: SettingConfigReply | undefined, value: SettingValue): string {
  if (typeof value === 'boolean') return value ? 'On' : 'Off';
  if (value === null || value === '') return 'empty';
  if (Array.isArray(value)) return value.length === 0 ? 'empty' : value.join(', ');
  return config?.options?.find((one) => one.value === value)?.text ?? String(value);
}

/** The tabs with an error. */
export function tabsWithErrors(config: SettingsConfigReply, errors: Readonly<Record<string, string>>): Set<SettingTab> {
  return new Set(Object.keys(errors).flatMap((key) => config[key]?.tab ?? []));
}

export const tabKeys = Object.keys(settingTabs) as readonly SettingTab[];

/** `1 to 90 days`, for a help text; null where there are no bounds. */
export function boundsText({ min, max, unit }: SettingConfigReply): string | null {
  if (min === undefined || max === undefined) return null;
  return `${min} to ${max}${unit === undefined ? '' : ` ${unit}`}.`;
}
