import type { Actor } from '#core/ports/store.ts';
import { Refusal, type FieldError } from '#core/refusal.ts';
import {
  defaultSettingsFor,
  settingKeys,
  type SettingKey,
  type Settings,
  type SettingsFacts,
} from '#core/settings/definitions.ts';
import { defaultItemSettings, type ItemSettingKey, type ItemSettings } from '#core/settings/item-settings.ts';
import { validateSettings } from '#core/settings/validate.ts';
import { dateIn } from '#core/values/dates.ts';
import type { Json, JsonObject } from '#core/values/json.ts';
import type { TenantContext } from '../context.ts';
import { activateIfReady, bothActive, settingsFacts, type Deployment } from './facts.ts';

/** A whole form or a part of it; an emptied field is null. */
export type SettingChanges = { readonly [Key in SettingKey]?: Settings[Key] | null };
export type ItemSettingChanges = { readonly [Key in ItemSettingKey]?: ItemSettings[Key] };

/**
 * Saves changed settings, or nothing when one of all settings would not fit afterwards; asked for on the Settings
 * screen.
 *
 * @returns the settings as they are now.
 * @throws Refusal `settings_invalid` (422) with an error per setting.
 */
export async function saveSettings(
  deployment: Deployment,
  context: TenantContext,
  changes: SettingChanges,
  actor: Actor,
): Promise<Settings> {
  const [before, facts] = await Promise.all([
    context.store.readSettings(),
    settingsFacts(deployment, context, { refresh: true }),
  ]);
  // An emptied field is null until the check has said that it may be.
  const wanted = { ...before, ...changes } as Settings;
  const errors = validateSettings(wanted, facts);
  if (errors.length > 0) throw unfit(errors);
  const after = await withStartDate(context, wanted);
  await keep(context, before, after, facts, actor, 'settings.saved');
  return after;
}

/**
 * Restores the default settings; accounts are empty afterwards, so the settings usually have to be completed again.
 *
 * @throws Refusal `settings_invalid` (422) while a service is not connected.
 */
export async function restoreSettings(deployment: Deployment, context: TenantContext, actor: Actor): Promise<Settings> {
  const [before, facts] = await Promise.all([
    context.store.readSettings(),
    settingsFacts(deployment, context, { refresh: true }),
  ]);
  if (!facts.isConnected) throw unfit(validateSettings(before, facts));
  const after = defaultSettingsFor(facts);
  await keep(context, before, after, facts, actor, 'settings.restored');
  return after;
}

/**
 * Saves changed naming conventions; asked for on the Item Settings screen.
 *
 * @throws Refusal `settings_invalid` (422) while a service is not connected.
 */
export async function saveItemSettings(
  deployment: Deployment,
  context: TenantContext,
  changes: ItemSettingChanges,
  actor: Actor,
): Promise<ItemSettings> {
  return keepItemSettings(deployment, context, (before) => ({ ...before, ...changes }), actor, 'item_settings.saved');
}

/** Restores the default naming conventions. */
export async function restoreItemSettings(
  deployment: Deployment,
  context: TenantContext,
  actor: Actor,
): Promise<ItemSettings> {
  return keepItemSettings(deployment, context, () => defaultItemSettings, actor, 'item_settings.restored');
}

async function keepItemSettings(
  { descriptors }: Deployment,
  context: TenantContext,
  change: (before: ItemSettings) => ItemSettings,
  actor: Actor,
  action: string,
): Promise<ItemSettings> {
  if (!bothActive(await context.store.listConnections())) {
    const { psa, accounting } = descriptors;
    const error = `You must be connected to both ${psa.label} and ${accounting.label} to modify settings.`;
    throw unfit([{ key: 'connections', error }]);
  }
  const before = await context.store.readItemSettings();
  const after = change(before);
  await context.store.saveItemSettings(after, actor);
  await audit(context, actor, action, differences(before, after));
  return after;
}

async function keep(
  context: TenantContext,
  before: Settings,
  after: Settings,
  facts: SettingsFacts,
  actor: Actor,
  action: string,
): Promise<void> {
  await context.store.saveSettings(after, actor);
  await audit(context, actor, action, differences(before, after));
  await activateIfReady(context, after, facts);
}

const automatic = settingKeys.filter((key) => key.endsWith('_sync_active'));
const isAutomatic = (settings: Settings): boolean => automatic.some((key) => settings[key] === true);

/** History must not be posted on go-live: the first automatic switch sets the day from which documents count. */
async function withStartDate(context: TenantContext, settings: Settings): Promise<Settings> {
  if (settings.sync_start_date !== null || !isAutomatic(settings)) return settings;
  const { timeZone } = await context.store.readTenant();
  return { ...settings, sync_start_date: dateIn(context.clock.now(), timeZone) };
}

function unfit(errors: readonly FieldError[]): Refusal {
  const [first] = errors;
  const message =
    errors.length === 1 && first !== undefined
      ? first.error
      : `${errors.length} settings do not fit. Nothing was saved.`;
  return new Refusal('unprocessable', 'settings_invalid', message, errors);
}

type Changed = { readonly before: JsonObject; readonly after: JsonObject };

function differences(before: Settings | ItemSettings, after: Settings | ItemSettings): Changed {
  const now = new Map<string, Json>(Object.entries(after));
  const changed = Object.entries(before as Readonly<Record<string, Json>>).filter(
    ([key, value]) => JSON.stringify(value) !== JSON.stringify(now.get(key)),
  );
  return {
    before: Object.fromEntries(changed),
    after: Object.fromEntries(changed.map(([key]) => [key, now.get(key)])),
  };
}

async function audit(context: TenantContext, actor: Actor, action: string, { before, after }: Changed): Promise<void> {
  if (Object.keys(after).length === 0) return;
  await context.store.addAudit({ at: context.clock.now(), actor, action, subject: null, before, after });
}
