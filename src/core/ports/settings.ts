import type { AccountNames } from '../settings/config.ts';
import type { Settings } from '../settings/definitions.ts';
import type { ItemSettings } from '../settings/item-settings.ts';
import type { Actor } from './audit.ts';

/** Settings and item settings of a tenant. */
export interface SettingsStore {
  readSettings(): Promise<Settings>;
  /**
   * Saves the settings and records the change in the audit trail.
   *
   * @param accountNames of old and new accounts; the audit trail stores them with the ids.
   */
  saveSettings(settings: Settings, actor: Actor, accountNames?: AccountNames): Promise<void>;
  readItemSettings(): Promise<ItemSettings>;
  saveItemSettings(settings: ItemSettings, actor: Actor): Promise<void>;
}
