import { z } from 'zod';
import { type SettingDefinition, type SettingTab, settingTabs } from '#core/settings/definition.ts';
import { settingDefinitions, settingKeys, type SettingKey, type Settings } from '#core/settings/definitions.ts';
import {
  itemSettingDefinitions,
  itemSettingKeys,
  namingConventions,
  type ItemSettingKey,
  type ItemSettings,
  type NamingConvention,
} from '#core/settings/item-settings.ts';
import { never } from '#core/values/assert.ts';
import { forAdmins, forUsers, route } from './define.ts';
import { wasOf } from './fields.ts';

/**
 * Returns the API type of one setting. The settings' own rules check limits and empty values and have their own
 * messages.
 */
function valueSchema(definition: SettingDefinition): z.ZodType {
  switch (definition.type) {
    case 'boolean':
      return z.boolean();
    case 'integer':
      return z.number().nullable();
    case 'amount':
      return z.string().trim().max(20).nullable();
    case 'choice':
      return z.enum(definition.options.map((option) => option.value)).nullable();
    case 'account':
      return z.string().min(1).max(50).nullable();
    case 'date':
      return z.iso.date().nullable();
    case 'list':
      return z.array(z.string().trim().min(1).max(254)).max(50);
    default:
      return never(definition);
  }
}

const settingsShape = Object.fromEntries(settingKeys.map((key) => [key, valueSchema(settingDefinitions[key])]));
const itemSettingsShape = Object.fromEntries(
  itemSettingKeys.map((key) => [key, z.enum<NamingConvention[]>([...itemSettingDefinitions[key].options])]),
);

/** Settings in a request: any subset of them; null clears a setting. */
export type SettingsInput = { readonly [Key in SettingKey]?: Settings[Key] | null };
export type ItemSettingsInput = { readonly [Key in ItemSettingKey]?: ItemSettings[Key] };

// The shapes are built from the tables, so the compiler cannot infer the types. The tables' own types define them.
/** All settings, as the server returns them. */
export const settingsSchema = z.strictObject(settingsShape) as unknown as z.ZodType<Settings, Settings>;
export const settingsInput = z.strictObject(settingsShape).partial() as unknown as z.ZodType<
  SettingsInput,
  SettingsInput
>;
export const itemSettingsSchema = z.strictObject(itemSettingsShape) as unknown as z.ZodType<ItemSettings, ItemSettings>;

const settingsWas = wasOf(settingKeys);
const itemSettingsWas = wasOf(itemSettingKeys);

// The same shapes with the values that the form read.
const settingsChange = z.strictObject({ ...settingsShape, was: settingsWas }).partial() as unknown as z.ZodType<
  SettingsInput & Seen<SettingKey>,
  SettingsInput & Seen<SettingKey>
>;
const itemSettingsChange = z
  .strictObject({ ...itemSettingsShape, was: itemSettingsWas })
  .partial() as unknown as z.ZodType<
  ItemSettingsInput & Seen<ItemSettingKey>,
  ItemSettingsInput & Seen<ItemSettingKey>
>;

/** Values that a form read, by field. */
interface Seen<Key extends string> {
  readonly was?: { readonly [One in Key]?: SeenValue };
}
type SeenValue = boolean | number | string | readonly string[] | null | undefined;

const option = z.strictObject({ value: z.string(), text: z.string() });
const condition = z.record(z.string(), z.union([z.boolean(), z.number(), z.string()]));
const bound = z.union([z.number(), z.string()]);

const settingConfig = z.strictObject({
  type: z.enum(['boolean', 'integer', 'amount', 'choice', 'account', 'date', 'list']),
  tab: z.enum(Object.keys(settingTabs) as SettingTab[]),
  group: z.string().describe('Heading on the tab.'),
  order: z.number().int().describe('Position on the screen, from 1.'),
  default: z.union([z.boolean(), z.number(), z.string(), z.array(z.string()), z.null()]),
  min: bound.optional(),
  max: bound.optional(),
  unit: z.string().optional(),
  options: z.array(option).optional(),
  chosen: option.nullable().optional().describe('Name of the selected account, even if it is no longer available.'),
  label: z.string(),
  help: z.string(),
  required: z.boolean().describe('Whether a value is required.'),
  requiredWhen: condition.optional().describe('A value is required while these settings have these values.'),
  shownWhen: condition.optional().describe('Hidden while these settings have other values.'),
  available: z.boolean().describe('False: the setting does not apply now.'),
});
export type SettingConfigReply = z.output<typeof settingConfig>;

const itemSettingConfig = z.strictObject({
  type: z.literal('choice'),
  default: z.string(),
  options: z.array(
    z.strictObject({
      value: z.enum(Object.keys(namingConventions)),
      text: z.string(),
    }),
  ),
  label: z.string(),
  help: z.string(),
  available: z.boolean(),
});

const settingsReply = z.strictObject({ settings: settingsSchema });
const itemSettingsReply = z.strictObject({ item_settings: itemSettingsSchema });

export const readSettings = route({
  method: 'GET',
  path: '/api/my/settings',
  summary: 'Returns the settings.',
  ...forUsers,
  reply: settingsReply,
});

export const readSettingsConfig = route({
  method: 'GET',
  path: '/api/my/settings/config',
  summary: 'Returns the current type, limits, options and texts of every setting.',
  ...forUsers,
  reply: z.strictObject({ config: z.record(z.string(), settingConfig) }),
});

export const saveSettings = route({
  method: 'POST',
  path: '/api/my/settings/',
  summary: 'Saves the given settings, or none if one is invalid (422) or changed meanwhile (409).',
  ...forAdmins,
  body: settingsChange,
  reply: settingsReply,
});

export const previewSettings = route({
  method: 'POST',
  path: '/api/my/settings/preview',
  summary: 'Previews the effect of these settings on waiting documents; saves nothing.',
  ...forAdmins,
  reads: true,
  body: settingsInput,
  reply: z.strictObject({
    errors: z.array(z.strictObject({ key: z.string(), error: z.string() })),
    effects: z.array(z.string()).describe('Sentences for the user.'),
  }),
});

const timeZoneWasText =
  'The time zone that the caller read. If another one is stored, the response is a conflict (409).';
const timeZone = z.string().min(1, 'Choose a time zone.').max(64);

export const readTimeZone = route({
  method: 'GET',
  path: '/api/my/time-zone',
  summary: 'Returns the time zone for document dates, and all available time zones.',
  ...forAdmins,
  reply: z.strictObject({ time_zone: timeZone, zones: z.array(timeZone) }),
});

export const saveTimeZone = route({
  method: 'PUT',
  path: '/api/my/time-zone',
  summary: 'Changes the time zone for document dates. Posted documents keep their dates.',
  ...forAdmins,
  body: z.strictObject({ time_zone: timeZone, was: timeZone.optional().describe(timeZoneWasText) }),
  reply: z.strictObject({ time_zone: timeZone }),
});

export const resetSettings = route({
  method: 'POST',
  path: '/api/my/settings/reset',
  summary: 'Restores the default settings.',
  ...forAdmins,
  body: z.strictObject({ was: settingsWas.optional() }).nullish(),
  reply: settingsReply,
});

export const readItemSettings = route({
  method: 'GET',
  path: '/api/my/item-settings',
  summary: 'Returns the item naming conventions.',
  ...forUsers,
  reply: itemSettingsReply,
});

export const readItemSettingsConfig = route({
  method: 'GET',
  path: '/api/my/item-settings/config',
  summary: 'Returns the options and texts of every naming convention.',
  ...forUsers,
  reply: z.strictObject({ config: z.record(z.string(), itemSettingConfig) }),
});

export const saveItemSettings = route({
  method: 'POST',
  path: '/api/my/item-settings/',
  summary: 'Saves the given naming conventions, or none if one changed meanwhile (409).',
  ...forAdmins,
  body: itemSettingsChange,
  reply: itemSettingsReply,
});

export const resetItemSettings = route({
  method: 'POST',
  path: '/api/my/item-settings/reset',
  summary: 'Restores the default naming conventions.',
  ...forAdmins,
  body: z.strictObject({ was: itemSettingsWas.optional() }).nullish(),
  reply: itemSettingsReply,
});
