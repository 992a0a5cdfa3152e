import type { Settings } from '../settings/definitions.ts';
import type { ItemSettings } from '../settings/item-settings.ts';
import type { Actor } from './audit.ts';

/** Settings and item settings of a tenant. */
export interface SettingsStore {
  readSettings(): Promise<Settings>;
  saveSettings(settings: Settings, actor: Actor): Promise<void>;
  readItemSettings(): Promise<ItemSettings>;
  saveItemSettings(settings: ItemSettings, actor: Actor): Promise<void>;
}
