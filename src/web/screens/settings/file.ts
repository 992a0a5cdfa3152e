import type { SettingConfigReply } from '#contract/settings.ts';
import type { SettingsConfigReply, SettingValue, SettingValues } from './form.ts';
import { fileWords } from './words.ts';

/** The text of a file of settings: to keep, to compare, to take to another company. */
export const toSettingsFile = (values: SettingValues): string => `${JSON.stringify(values, null, 2)}\n`;

/**
 * Reads a file of settings for the form; saving judges whether they fit. Anybody may have written it: what no field
 * could show is refused here.
 *
 * @returns the settings that it names, or why none of them is taken.
 */
export function readSettingsFile(
  text: string,
  config: SettingsConfigReply,
): { readonly values: SettingValues } | { readonly error: string } {
  let found: unknown;
  try {
    found = JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch {
    return { error: fileWords.unreadable };
  }
  const entries = typeof found === 'object' && found !== null ? Object.entries(found) : [];
  if (entries.length === 0) return { error: fileWords.empty };
  const unknown = entries.map(([key]) => key).filter((key) => !Object.hasOwn(config, key));
  if (unknown.length > 0) return { error: fileWords.unknown(unknown) };
  const values: Record<string, SettingValue> = {};
  for (const [key, value] of entries) {
    const entry = config[key];
    if (entry === undefined || !isOfType(entry.type, value)) return { error: fileWords.unfit(entry?.label ?? key) };
    values[key] = value;
  }
  return { values };
}

/** True when a field of the type can show the value. */
function isOfType(type: SettingConfigReply['type'], value: unknown): value is SettingValue {
  switch (type) {
    case 'boolean':
      return typeof value === 'boolean';
    case 'integer':
      return typeof value === 'number' || value === null;
    case 'list':
      return Array.isArray(value) && value.every((one) => typeof one === 'string');
    default:
      return typeof value === 'string' || value === null;
  }
}
