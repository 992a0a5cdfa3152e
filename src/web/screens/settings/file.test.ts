import { describe, expect, test } from 'vitest';
import { settingsConfig } from '#core/settings/config.ts';
import { defaultSettings } from '#core/settings/definitions.ts';
import { settingsFacts } from '#test/cases/sample-world.ts';
import { readSettingsFile, toSettingsFile } from './file.ts';
import type { SettingsConfigReply } from './form.ts';

const config = settingsConfig(settingsFacts, defaultSettings) as SettingsConfigReply;
const read = (content: unknown) =>
  readSettingsFile(typeof content === 'string' ? content : JSON.stringify(content), config);

describe('settings as a file', () => {
  test('parses a saved file', () => {
    expect(read(toSettingsFile({ ...defaultSettings }))).toEqual({ values: { ...defaultSettings } });
    expect(read({ inv_max_age_days: 30, alert_emails: ['a@b.example'], inv_default_income_account: null })).toEqual({
      values: { inv_max_age_days: 30, alert_emails: ['a@b.example'], inv_default_income_account: null },
    });
    // Some editors save a byte order mark.
    expect(read('\uFEFF{"inv_max_age_days":30}')).toEqual({ values: { inv_max_age_days: 30 } });
  });

  test.each([
    ['invalid JSON', '{', 'This file is not valid JSON.'],
    ['nothing', '{}', 'This file has no settings.'],
    ['a text', '"settings"', 'This file has no settings.'],
    ['null', 'null', 'This file has no settings.'],
    ['a list', '["inv_max_age_days"]', 'The file has unknown settings: 0.'],
    ['other keys', '{"a":1,"b":2,"c":3,"d":4}', 'The file has unknown settings: a, b, c.'],
    ['names that every object has', '{"toString":1}', 'The file has unknown settings: toString.'],
    ['a prototype', '{"__proto__":{"inv_max_age_days":1}}', 'The file has unknown settings: __proto__.'],
    ['numbers as addresses', '{"alert_emails":[1]}', 'The file has an invalid value for “Email alerts to”.'],
    ['a text as a list', '{"alert_emails":"a@b.example"}', 'The file has an invalid value for “Email alerts to”.'],
    ['a text as a switch', '{"inv_sync_active":"yes"}', 'The file has an invalid value for “Automatic invoice sync”.'],
    ['an object as a number', '{"inv_max_age_days":{}}', 'The file has an invalid value for “Invoice max age”.'],
    [
      'a number as an account',
      '{"inv_default_income_account":1}',
      'The file has an invalid value for “Income account to use”.',
    ],
    [
      'an amount as a number',
      '{"tax_hold_over":0.05}',
      'The file has an invalid value for “Hold when tax differs by more than”.',
    ],
  ])('with %s are rejected', (_, content, error) => {
    expect(read(content)).toEqual({ error });
  });

  test('keeps any text unchanged', () => {
    const name = '<img src=x onerror=alert(1)> 🚀 "a": שלום';
    expect(read({ inv_default_income_account: name })).toEqual({ values: { inv_default_income_account: name } });
  });
});
