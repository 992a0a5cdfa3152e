import { sql } from 'kysely';
import type { Actor } from '#core/records/audit.ts';
import type { AccountNames } from '#core/settings/config.ts';
import { defaultSettings, definitionOf, settingKeys, type Settings } from '#core/settings/definitions.ts';
import { defaultItemSettings, type ItemSettings } from '#core/settings/item-settings.ts';
import type { Json } from '#core/values/json.ts';
import { insertAudit } from './audit.ts';
import type { TenantWork } from './scope.ts';
import { toJson } from './tables.ts';

type Section = 'settings' | 'item_settings';

const actions = { settings: 'settings.saved', item_settings: 'item_settings.saved' } as const;

/** Settings and item settings of a tenant. */
export const settings = {
  readSettings: (work: TenantWork): Promise<Settings> => read(work, 'settings', defaultSettings),
  /**
   * Saves the settings and records the change in the audit trail.
   *
   * @param accountNames of old and new accounts; the audit trail stores them with the ids.
   */
  saveSettings: (work: TenantWork, value: Settings, actor: Actor, accountNames?: AccountNames): Promise<void> =>
    save(work, 'settings', defaultSettings, value, actor, named(accountNames)),
  /**
   * Changes the settings and records the change in the audit trail. No other user changes them between the values that
   * `decide` receives and the save. Its errors are rethrown, and nothing is saved.
   *
   * @returns the saved settings.
   */
  changeSettings: (
    work: TenantWork,
    decide: (now: Settings) => Settings,
    actor: Actor,
    accountNames?: AccountNames,
  ): Promise<Settings> => change(work, 'settings', defaultSettings, decide, actor, named(accountNames)),
  readItemSettings: (work: TenantWork): Promise<ItemSettings> => read(work, 'item_settings', defaultItemSettings),
  saveItemSettings: (work: TenantWork, value: ItemSettings, actor: Actor): Promise<void> =>
    save(work, 'item_settings', defaultItemSettings, value, actor),
  /** Like `changeSettings`. */
  changeItemSettings: (
    work: TenantWork,
    decide: (now: ItemSettings) => ItemSettings,
    actor: Actor,
  ): Promise<ItemSettings> => change(work, 'item_settings', defaultItemSettings, decide, actor),
};

/** Returns the settings from the saved values; null means that nothing was saved. */
export const toSettings = (saved: object | null): Settings => withDefaults(saved, defaultSettings);

async function read<T extends object>({ tx, tenantId }: TenantWork, section: Section, defaults: T): Promise<T> {
  const row = await tx
    .selectFrom('settings')
    .select('value')
    .where('tenant_id', '=', tenantId)
    .where('section', '=', section)
    .executeTakeFirst();
  return withDefaults(row?.value ?? null, defaults);
}

/** Fills missing keys with their default; drops keys that the program no longer knows. */
function withDefaults<T extends object>(value: object | null, defaults: T): T {
  const saved = Object.entries(value ?? {}).filter(([key]) => Object.hasOwn(defaults, key));
  return { ...defaults, ...(Object.fromEntries(saved) as Partial<T>) };
}

/** Converts a value to the form stored in the audit trail. */
type Noted = (key: string, value: unknown) => unknown;

const accountKeys: ReadonlySet<string> = new Set(settingKeys.filter((key) => definitionOf(key).type === 'account'));

/** Stores accounts by id and current name, because the account may be renamed or deleted later. */
const named =
  (names: AccountNames = {}): Noted =>
  (key, value) =>
    accountKeys.has(key) && typeof value === 'string' && names[value] !== undefined
      ? { id: value, name: names[value] }
      : value;

const save = async <T extends object>(
  work: TenantWork,
  section: Section,
  defaults: T,
  value: T,
  actor: Actor,
  noted?: Noted,
): Promise<void> => {
  await change(work, section, defaults, () => value, actor, noted);
};

/** Saves the values and, in the same transaction, the audit event with the user and the old and new values. */
async function change<T extends object>(
  work: TenantWork,
  section: Section,
  defaults: T,
  decide: (now: T) => T,
  actor: Actor,
  noted: Noted = (_, one) => one,
): Promise<T> {
  const { tx, tenantId, clock } = work;
  // A row that does not exist yet cannot be locked.
  await sql`select pg_advisory_xact_lock(hashtextextended(${`${section} ${tenantId}`}, 0))`.execute(tx);
  const before = await read(work, section, defaults);
  const value = decide(before);
  await tx
    .insertInto('settings')
    .values({ tenant_id: tenantId, section, value: toJson(value) })
    .onConflict((conflict) =>
      conflict.columns(['tenant_id', 'section']).doUpdateSet((row) => ({ value: row.ref('excluded.value') })),
    )
    .execute();
  const old = new Map<string, unknown>(Object.entries(before));
  const changed = Object.entries(value).filter(([key, now]) => toJson(now) !== toJson(old.get(key)));
  if (changed.length === 0) return value;
  await insertAudit(tx, tenantId, {
    at: clock.now(),
    actor,
    action: actions[section],
    subject: null,
    before: Object.fromEntries(changed.map(([key]) => [key, noted(key, old.get(key) ?? null)])) as Json,
    after: Object.fromEntries(changed.map(([key, now]) => [key, noted(key, now)])) as Json,
  });
  return value;
}
