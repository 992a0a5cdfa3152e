import type { SettingConfigReply } from '#contract/settings.ts';
import type { SettingsConfigReply, SettingValue, SettingValues } from './form.ts';

/** Maximum number of unknown keys in an error message. */
const maxNamed = 3;

/** Returns settings as the text of a JSON file. */
export const toSettingsFile = (values: SettingValues): string => `${JSON.stringify(values, null, 2)}\n`;

/**
 * Parses a settings file for the form. Rejects unknown keys and wrong types; the server validates the values on save.
 *
 * @returns the settings, or an error message.
 */
export function readSettingsFile(
  text: string,
  config: SettingsConfigReply,
): { readonly values: SettingValues } | { readonly error: string } {
  let found: unknown;
  try {
    found = JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch {
    return { error: 'This file is not valid JSON.' };
  }
  const entries = typeof found === 'object' && found !== null ? Object.entries(found) : [];
  if (entries.length === 0) return { error: 'This file has no settings.' };
  const unknown = entries.map(([key]) => key).filter((key) => !Object.hasOwn(config, key));
  if (unknown.length > 0) return { error: `The file has unknown settings: ${unknown.slice(0, maxNamed).join(', ')}.` };
  const values: Record<string, SettingValue> = {};
  for (const [key, value] of entries) {
    const entry = config[key];
    if (entry === undefined || !isOfType(entry.type, value))
      return { error: `The file has an invalid value for “${entry?.label ?? key}”.` };
    values[key] = value;
  }
  return { values };
}

/** Returns true if a field of this type can show the value. */
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
