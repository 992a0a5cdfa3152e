import { call } from '../define.ts';
import type * as routes from '../settings.ts';

export const readSettings = call<typeof routes.readSettings>('GET', '/api/my/settings');
export const readSettingsConfig = call<typeof routes.readSettingsConfig>('GET', '/api/my/settings/config');
export const saveSettings = call<typeof routes.saveSettings>('POST', '/api/my/settings/');
export const previewSettings = call<typeof routes.previewSettings>('POST', '/api/my/settings/preview');
export const readTimeZone = call<typeof routes.readTimeZone>('GET', '/api/my/time-zone');
export const saveTimeZone = call<typeof routes.saveTimeZone>('PUT', '/api/my/time-zone');
export const resetSettings = call<typeof routes.resetSettings>('POST', '/api/my/settings/reset');
export const readItemSettings = call<typeof routes.readItemSettings>('GET', '/api/my/item-settings');
export const readItemSettingsConfig = call<typeof routes.readItemSettingsConfig>('GET', '/api/my/item-settings/config');
export const saveItemSettings = call<typeof routes.saveItemSettings>('POST', '/api/my/item-settings/');
export const resetItemSettings = call<typeof routes.resetItemSettings>('POST', '/api/my/item-settings/reset');
