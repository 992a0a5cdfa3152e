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

/** Settings that stand under one heading. */
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

/** The tabs on which something is wrong. */
export function tabsWithErrors(config: SettingsConfigReply, errors: Readonly<Record<string, string>>): Set<SettingTab> {
  return new Set(Object.keys(errors).flatMap((key) => config[key]?.tab ?? []));
}

export const tabKeys = Object.keys(settingTabs) as readonly SettingTab[];

/** `1 to 90 days`, for a help text; null where there are no bounds. */
export function boundsText({ min, max, unit }: SettingConfigReply): string | null {
  if (min === undefined || max === undefined) return null;
  return `${min} to ${max}${unit === undefined ? '' : ` ${unit}`}.`;
}
