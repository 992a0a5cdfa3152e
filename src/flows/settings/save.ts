import { requireUnchanged, type FieldText, type FieldValues } from '#core/changed-meanwhile.ts';
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
import {
  defaultItemSettings,
  itemSettingDefinitions,
  namingConventions,
  type ItemSettingKey,
  type ItemSettings,
} from '#core/settings/item-settings.ts';
import { settingText } from '#core/settings/setting-text.ts';
import { changeErrors, type SettingError, validateSettings } from '#core/settings/validate.ts';
import { dateIn, type CalendarDate } from '#core/values/dates.ts';
import { reportingConflicts, type ConflictTexts } from '../changed-meanwhile.ts';
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
 * Saves changed settings, or nothing if any setting would be invalid afterward or is not what the form read; called from
 * the Settings screen.
 *
 * @param was values that the form read; see `requireUnchanged`.
 * @returns the settings in force now.
 * @throws Refusal `settings_invalid` (422) with an error per setting; `changed_meanwhile` (409).
 * @throws ServiceError when a service does not respond and its lists were never read.
 */
export async function saveSettings(
  deployment: Deployment,
  context: TenantContext,
  changes: SettingChanges,
  actor: Actor,
  was?: FieldValues,
): Promise<Settings> {
  const [facts, today] = await inParallel([
    settingsFacts(deployment, context, { refresh: true, fallback: 'kept' }),
    localDay(context),
  ]);
  const after = await store(context, facts, actor, (now) => {
    requireUnchanged(was, { ...withDefaultAccounts(now, facts) }, changes);
    // An empty field is null until it is validated.
    const wanted = { ...now, ...changes } as Settings;
    const errors = errorsOfChange(wanted, changes, facts);
    if (errors.length > 0) throw unfit(errors);
    return startedOn(wanted, today);
  });
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
export async function restoreSettings(
  deployment: Deployment,
  context: TenantContext,
  actor: Actor,
  was?: FieldValues,
): Promise<Settings> {
  const facts = await settingsFacts(deployment, context, { refresh: true, fallback: 'kept' });
  if (!facts.isConnected) throw unfit(validateSettings(await context.store.readSettings(), facts));
  return store(context, facts, actor, (now) => {
    requireUnchanged(was, { ...withDefaultAccounts(now, facts) });
    // Moving the start date silently would post old documents.
    return { ...defaultSettingsFor(facts), sync_start_date: now.sync_start_date };
  });
}

/**
 * Saves changed naming conventions; called from the Item Settings screen.
 *
 * @param was values that the form read; see `requireUnchanged`.
 * @throws Refusal `settings_invalid` (422) while a service is not connected; `changed_meanwhile` (409).
 */
export const saveItemSettings = (
  deployment: Deployment,
  context: TenantContext,
  changes: ItemSettingChanges,
  actor: Actor,
  was?: FieldValues,
): Promise<ItemSettings> =>
  storeItemSettings(deployment, context, actor, (now) => {
    requireUnchanged(was, { ...now }, changes);
    return { ...now, ...changes };
  });

/** Restores the default naming conventions. @throws Refusal as {@link saveItemSettings}. */
export const restoreItemSettings = (
  deployment: Deployment,
  context: TenantContext,
  actor: Actor,
  was?: FieldValues,
): Promise<ItemSettings> =>
  storeItemSettings(deployment, context, actor, (now) => {
    requireUnchanged(was, { ...now });
    return defaultItemSettings;
  });

async function storeItemSettings(
  { descriptors }: Deployment,
  context: TenantContext,
  actor: Actor,
  decide: (now: ItemSettings) => ItemSettings,
): Promise<ItemSettings> {
  if (!bothActive(await context.store.listConnections())) {
    const { psa, accounting } = descriptors;
    const error = `You must be connected to both ${psa.label} and ${accounting.label} to modify settings.`;
    throw unfit([{ key: 'connections', error }]);
  }
  const texts: ConflictTexts = { actor, actions: ['item_settings.saved'], textOf: itemSettingText };
  return reportingConflicts(context, texts, () => context.store.changeItemSettings(decide, actor));
}

function itemSettingText(key: string, stored: FieldValues): FieldText {
  const value = String(stored[key]);
  return {
    label: itemSettingDefinitions[key as ItemSettingKey].label,
    value: value in namingConventions ? namingConventions[value as keyof typeof namingConventions] : value,
  };
}

/** Saves the settings; the store logs the changes in the audit trail. */
async function store(
  context: TenantContext,
  facts: SettingsFacts,
  actor: Actor,
  decide: (now: Settings) => Settings,
): Promise<Settings> {
  const names = await accountNames(context, facts);
  const textOf = (key: string, stored: FieldValues) => settingText(key as SettingKey, stored[key], facts, names);
  const after = await reportingConflicts(context, { actor, actions: ['settings.saved'], textOf }, () =>
    context.store.changeSettings(decide, actor, names),
  );
  await storeAccountNames(context, after, facts);
  await activateIfReady(context, after, facts);
  return after;
}

const automatic = settingKeys.filter((key) => key.endsWith('_sync_active'));
const isAutomatic = (settings: Settings): boolean => automatic.some((key) => settings[key] === true);

/** Sets the start date to today when the first automatic sync is turned on, so that old documents are not posted. */
export const startedOn = (settings: Settings, today: CalendarDate): Settings =>
  settings.sync_start_date !== null || !isAutomatic(settings) ? settings : { ...settings, sync_start_date: today };

/** Returns the present day in the time zone of the client. */
export const localDay = async ({ store, clock }: TenantContext): Promise<CalendarDate> =>
  dateIn(clock.now(), (await store.readTenant()).timeZone);

function unfit(errors: readonly FieldError[]): Refusal {
  const [first] = errors;
  const message =
    errors.length === 1 && first !== undefined
      ? first.error
      : `${errors.length} settings do not fit. Nothing was saved.`;
  return new Refusal('unprocessable', 'settings_invalid', message, errors);
}
