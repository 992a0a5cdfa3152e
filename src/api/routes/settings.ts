import { itemSettingsConfig } from '#core/settings/item-settings.ts';
import { actorOf } from '#flows/access/principal.ts';
import { readSettingsConfig, settingsFacts } from '#flows/settings/readiness.ts';
import { previewSettings } from '#flows/settings/preview.ts';
import { readDetected } from '#flows/settings/setup.ts';
import { readItemSettings, readSettings, readTimeZone } from '#flows/settings/read.ts';
import { saveTimeZone, timeZones } from '#flows/settings/time-zone.ts';
import { restoreItemSettings, restoreSettings, saveItemSettings, saveSettings } from '#flows/settings/save.ts';
import { serve, type Serving } from '../serve.ts';

export function settingsRoutes(serving: Serving): void {
  const { app } = serving;

  serve(serving, 'readSettings', async ({ context }) => ({ data: { settings: await readSettings(app, context) } }));

  serve(serving, 'readSettingsConfig', async ({ context }) => {
    return { data: { config: await readSettingsConfig(app, context) } };
  });

  serve(serving, 'saveSettings', async ({ context, body: { was, ...changes }, principal }) => ({
    data: { settings: await saveSettings(app, context, changes, actorOf(principal), was) },
  }));

  serve(serving, 'readDetected', async ({ context }) => ({
    data: { detected: [...(await readDetected(context, await settingsFacts(app, context)))] },
  }));

  serve(serving, 'previewSettings', async ({ context, body }) => {
    const { errors, effects } = await previewSettings(app, context, body);
    return { data: { errors, effects } };
  });

  serve(serving, 'readTimeZone', async ({ context }) => ({
    data: { time_zone: await readTimeZone(context), zones: timeZones() },
  }));

  serve(serving, 'saveTimeZone', async ({ context, body, principal }) => ({
    data: { time_zone: await saveTimeZone(context, body.time_zone, actorOf(principal), body.was) },
  }));

  serve(serving, 'resetSettings', async ({ context, body, principal }) => ({
    data: { settings: await restoreSettings(app, context, actorOf(principal), body?.was) },
  }));

  serve(serving, 'readItemSettings', async ({ context }) => ({
    data: { item_settings: await readItemSettings(context) },
  }));

  serve(serving, 'readItemSettingsConfig', async () => ({ data: { config: itemSettingsConfig() } }));

  serve(serving, 'saveItemSettings', async ({ context, body: { was, ...changes }, principal }) => ({
    data: { item_settings: await saveItemSettings(app, context, changes, actorOf(principal), was) },
  }));

  serve(serving, 'resetItemSettings', async ({ context, body, principal }) => ({
    data: { item_settings: await restoreItemSettings(app, context, actorOf(principal), body?.was) },
  }));
}
