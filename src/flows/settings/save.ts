import { inParallel } from '#core/in-parallel.ts';
import type { Actor } from '#core/records/audit.ts';
import { Refusal, type FieldError } from '#core/refusal.ts';
import type { SettingsFacts } from '#core/settings/definition.ts';
import {
  defaultSettingsFor,
  settingKeys,
  withDefaultAccounts,
  type SettingKey,
  type Settings,
} from '#core/settings/definitions.ts';
import { defaultItemSettings, type ItemSettingKey, type ItemSettings } from '#core/settings/item-settings.ts';
import { changeErrors, type SettingError, validateSettings } from '#core/settings/validate.ts';
import { dateIn } from '#core/values/dates.ts';
import type { TenantContext } from '../context.ts';
import {
  accountNames,
  activateIfReady,
  bothActive,
  type Deployment,
  settingsFacts,
  storeAccountNames,
} from './readiness.ts';

/** All or some fields of the form; an empty field is null. */
export type SettingChanges = { readonly [Key in SettingKey]?: Settings[Key] | null };
export type ItemSettingChanges = { readonly [Key in ItemSettingKey]?: ItemSettings[Key] };

/**
 * Saves changed settings, or nothing if any setting would be invalid afterward; called from the Settings screen.
 *
 * @returns the settings in force now.
 * @throws Refusal `settings_invalid` (422) with an error per setting.
 * @throws ServiceError when a service does not respond and its lists were never read.
 */
export async function saveSettings(
  deployment: Deployment,
  context: TenantContext,
  changes: SettingChanges,
  actor: Actor,
): Promise<Settings> {
  const [before, facts] = await inParallel([
    context.store.readSettings(),
    settingsFacts(deployment, context, { refresh: true, fallback: 'kept' }),
  ]);
  // An empty field is null until it is validated.
  const wanted = { ...before, ...changes } as Settings;
  const errors = errorsOfChange(wanted, changes, facts);
  if (errors.length > 0) throw unfit(errors);
  const after = await withStartDate(context, wanted);
  await store(context, after, facts, actor);
  return withDefaultAccounts(after, facts);
}

/**
 * Returns the errors of all settings after a change, at most one per setting. A `connections` error is returned alone.
 */
export function errorsOfChange(
  after: Settings,
  changes: SettingChanges,
  facts: SettingsFacts,
): readonly SettingError[] {
  const errors = validateSettings(after, facts);
  if (!facts.isConnected) return errors;
  return [
    ...errors,
    ...changeErrors(changes, after, facts).filter(({ key }) => errors.every((one) => one.key !== key)),
  ];
}

/**
 * Restores the default settings, except the start date. Accounts are empty afterward, so settings usually must be
 * completed again.
 *
 * @throws Refusal `settings_invalid` (422) while a service is not connected.
 * @throws ServiceError when a service does not respond and its lists were never read.
 */
export async function restoreSettings(deployment: Deployment, context: TenantContext, actor: Actor): Promise<Settings> {
  const facts = await settingsFacts(deployment, context, { refresh: true, fallback: 'kept' });
  const before = await context.store.readSettings();
  if (!facts.isConnected) throw unfit(validateSettings(before, facts));
  // Moving the start date silently would post old documents.
  const after = { ...defaultSettingsFor(facts), sync_start_date: before.sync_start_date };
  await store(context, after, facts, actor);
  return after;
}

/**
 * Saves changed naming conventions; called from the Item Settings screen.
 *
 * @throws Refusal `settings_invalid` (422) while a service is not connected.
 */
export async function saveItemSettings(
  deployment: Deployment,
  context: TenantContext,
  changes: ItemSettingChanges,
  actor: Actor,
): Promise<ItemSettings> {
  return storeItemSettings(deployment, context, (before) => ({ ...before, ...changes }), actor);
}

/** Restores the default naming conventions. */
export async function restoreItemSettings(
  deployment: Deployment,
  context: TenantContext,
  actor: Actor,
): Promise<ItemSettings> {
  return storeItemSettings(deployment, context, () => defaultItemSettings, actor);
}

async function storeItemSettings(
  { descriptors }: Deployment,
  context: TenantContext,
  change: (before: ItemSettings) => ItemSettings,
  actor: Actor,
): Promise<ItemSettings> {
  if (!bothActive(await context.store.listConnections())) {
    const { psa, accounting } = descriptors;
    const error = `You must be connected to both ${psa.label} and ${accounting.label} to modify settings.`;
    throw unfit([{ key: 'connections', error }]);
  }
  const after = change(await context.store.readItemSettings());
  await context.store.saveItemSettings(after, actor);
  return after;
}

/** Saves the settings; the store logs the changes in the audit trail. */
async function store(context: TenantContext, after: Settings, facts: SettingsFacts, actor: Actor): Promise<void> {
  await context.store.saveSettings(after, actor, await accountNames(context, facts));
  await storeAccountNames(context, after, facts);
  await activateIfReady(context, after, facts);
}

const automatic = settingKeys.filter((key) => key.endsWith('_sync_active'));
const isAutomatic = (settings: Settings): boolean => automatic.some((key) => settings[key] === true);

/** Sets the start date to today when the first automatic sync is turned on, so that old documents are not posted. */
export async function withStartDate(context: TenantContext, settings: Settings): Promise<Settings> {
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
