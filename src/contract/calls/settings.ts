import type { Call } from '../define.ts';
import type * as routes from '../settings.ts';

export const readSettings: Call<typeof routes.readSettings> = { method: 'GET', path: '/api/my/settings' };
export const readSettingsConfig: Call<typeof routes.readSettingsConfig> = {
  method: 'GET',
  path: '/api/my/settings/config',
};
export const saveSettings: Call<typeof routes.saveSettings> = { method: 'POST', path: '/api/my/settings/' };
export const previewSettings: Call<typeof routes.previewSettings> = {
  method: 'POST',
  path: '/api/my/settings/preview',
};
export const readTimeZone: Call<typeof routes.readTimeZone> = { method: 'GET', path: '/api/my/time-zone' };
export const saveTimeZone: Call<typeof routes.saveTimeZone> = { method: 'PUT', path: '/api/my/time-zone' };
export const resetSettings: Call<typeof routes.resetSettings> = { method: 'POST', path: '/api/my/settings/reset' };
export const readItemSettings: Call<typeof routes.readItemSettings> = { method: 'GET', path: '/api/my/item-settings' };
export const readItemSettingsConfig: Call<typeof routes.readItemSettingsConfig> = {
  method: 'GET',
  path: '/api/my/item-settings/config',
};
export const saveItemSettings: Call<typeof routes.saveItemSettings> = {
  method: 'POST',
  path: '/api/my/item-settings/',
};
export const resetItemSettings: Call<typeof routes.resetItemSettings> = {
  method: 'POST',
  path: '/api/my/item-settings/reset',
};
