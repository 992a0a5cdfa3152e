import { z } from 'zod';
import { settingTabs, type SettingDefinition, type SettingTab } from '#core/settings/definition.ts';
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
import { route } from './define.ts';

/** The type of one setting on the wire. Bounds and empty values are judged by the settings' own rules, with their texts. */
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

/** Settings as they are sent: any part of them; a cleared field is null. */
export type SettingsInput = { readonly [Key in SettingKey]?: Settings[Key] | null };
export type ItemSettingsInput = { readonly [Key in ItemSettingKey]?: ItemSettings[Key] };

// The shapes are made from the tables, so the compiler cannot follow; the tables' own types say what comes out.
/** All settings, as the server answers them. */
export const settingsSchema = z.strictObject(settingsShape) as unknown as z.ZodType<Settings, Settings>;
export const settingsInput = z.strictObject(settingsShape).partial() as unknown as z.ZodType<
  SettingsInput,
  SettingsInput
>;
export const itemSettingsSchema = z.strictObject(itemSettingsShape) as unknown as z.ZodType<ItemSettings, ItemSettings>;
export const itemSettingsInput = z.strictObject(itemSettingsShape).partial() as unknown as z.ZodType<
  ItemSettingsInput,
  ItemSettingsInput
>;

const option = z.strictObject({ value: z.string(), text: z.string() });
const condition = z.record(z.string(), z.union([z.boolean(), z.number(), z.string()]));
const bound = z.union([z.number(), z.string()]);

const settingConfig = z.strictObject({
  type: z.enum(['boolean', 'integer', 'amount', 'choice', 'account', 'date', 'list']),
  tab: z.enum(Object.keys(settingTabs) as SettingTab[]),
  group: z.string().describe('Heading on the tab.'),
  order: z.number().int().describe('Place on the screen, from 1.'),
  default: z.union([z.boolean(), z.number(), z.string(), z.array(z.string()), z.null()]),
  min: bound.optional(),
  max: bound.optional(),
  unit: z.string().optional(),
  options: z.array(option).optional(),
  chosen: option.nullable().optional().describe('The chosen account by name, also while it cannot be chosen any more.'),
  label: z.string(),
  help: z.string(),
  required: z.boolean().describe('Never empty.'),
  requiredWhen: condition.optional().describe('Not empty while these settings have these values.'),
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
  summary: 'The settings.',
  roles: ['clientadmin', 'accountant'],
  client: 'required',
  tenantIds: [],
  reply: settingsReply,
});

export const readSettingsConfig = route({
  method: 'GET',
  path: '/api/my/settings/config',
  summary: 'Type, bounds, options and texts of every setting, as they are now.',
  roles: ['clientadmin', 'accountant'],
  client: 'required',
  tenantIds: [],
  reply: z.strictObject({ config: z.record(z.string(), settingConfig) }),
});

export const saveSettings = route({
  method: 'POST',
  path: '/api/my/settings/',
  summary: 'Saves the settings that are sent, or none when one does not fit (422).',
  roles: ['clientadmin'],
  client: 'required',
  tenantIds: [],
  body: settingsInput,
  reply: settingsReply,
});

export const previewSettings = route({
  method: 'POST',
  path: '/api/my/settings/preview',
  summary: 'What saving these settings would do to documents that are waiting; nothing is saved.',
  roles: ['clientadmin'],
  client: 'required',
  reads: true,
  tenantIds: [],
  body: settingsInput,
  reply: z.strictObject({
    errors: z.array(z.strictObject({ key: z.string(), error: z.string() })),
    effects: z.array(z.string()).describe('Sentences for a person.'),
  }),
});

const timeZone = z.string().min(1, 'Choose a time zone.').max(64);

export const readTimeZone = route({
  method: 'GET',
  path: '/api/my/time-zone',
  summary: 'The time zone in which documents are dated, and every one that there is.',
  roles: ['clientadmin'],
  client: 'required',
  tenantIds: [],
  reply: z.strictObject({ time_zone: timeZone, zones: z.array(timeZone) }),
});

export const saveTimeZone = route({
  method: 'PUT',
  path: '/api/my/time-zone',
  summary: 'Dates documents in another time zone from now on; those that are posted keep their dates.',
  roles: ['clientadmin'],
  client: 'required',
  tenantIds: [],
  body: z.strictObject({ time_zone: timeZone }),
  reply: z.strictObject({ time_zone: timeZone }),
});

export const resetSettings = route({
  method: 'POST',
  path: '/api/my/settings/reset',
  summary: 'Restores the default settings.',
  roles: ['clientadmin'],
  client: 'required',
  tenantIds: [],
  reply: settingsReply,
});

export const readItemSettings = route({
  method: 'GET',
  path: '/api/my/item-settings',
  summary: 'The naming conventions of items.',
  roles: ['clientadmin', 'accountant'],
  client: 'required',
  tenantIds: [],
  reply: itemSettingsReply,
});

export const readItemSettingsConfig = route({
  method: 'GET',
  path: '/api/my/item-settings/config',
  summary: 'Options and texts of every naming convention.',
  roles: ['clientadmin', 'accountant'],
  client: 'required',
  tenantIds: [],
  reply: z.strictObject({ config: z.record(z.string(), itemSettingConfig) }),
});

export const saveItemSettings = route({
  method: 'POST',
  path: '/api/my/item-settings/',
  summary: 'Saves the naming conventions that are sent.',
  roles: ['clientadmin'],
  client: 'required',
  tenantIds: [],
  body: itemSettingsInput,
  reply: itemSettingsReply,
});

export const resetItemSettings = route({
  method: 'POST',
  path: '/api/my/item-settings/reset',
  summary: 'Restores the default naming conventions.',
  roles: ['clientadmin'],
  client: 'required',
  tenantIds: [],
  reply: itemSettingsReply,
});
