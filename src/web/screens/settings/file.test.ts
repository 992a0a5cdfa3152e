import { describe, expect, test } from 'vitest';
import { settingsConfig } from '#core/settings/config.ts';
import { defaultSettings } from '#core/settings/definitions.ts';
import { books } from '#test/cases/sample-world.ts';
import { readSettingsFile, toSettingsFile } from './file.ts';
import type { SettingsConfigReply } from './form.ts';

const config = settingsConfig(
  {
    psaLabel: 'Autotask',
    isConnected: true,
    preferences: books.preferences,
    accounts: books.accounts,
    modules: { procurement: true, multiCurrency: false },
    voidsEnabled: true,
    paymentsAvailable: true,
  },
  defaultSettings,
) as SettingsConfigReply;
const read = (content: unknown) =>
  readSettingsFile(typeof content === 'string' ? content : JSON.stringify(content), config);

describe('settings as a file', () => {
  test('restore the form as saved', () => {
    expect(read(toSettingsFile({ ...defaultSettings }))).toEqual({ values: { ...defaultSettings } });
    expect(read({ inv_max_age_days: 30, alert_emails: ['a@b.example'], inv_default_income_account: null })).toEqual({
      values: { inv_max_age_days: 30, alert_emails: ['a@b.example'], inv_default_income_account: null },
    });
    // As some editors save it.
    expect(read('\uFEFF{"inv_max_age_days":30}')).toEqual({ values: { inv_max_age_days: 30 } });
  });

  test.each([
    ['invalid JSON', '{', 'This file cannot be read as JSON.'],
    ['nothing', '{}', 'This file holds no settings.'],
    ['a text', '"settings"', 'This file holds no settings.'],
    ['null', 'null', 'This file holds no settings.'],
    ['a list', '["inv_max_age_days"]', 'This file names what is no setting: 0.'],
    ['other keys', '{"a":1,"b":2,"c":3,"d":4}', 'This file names what is no setting: a, b, c.'],
    ['names that every object has', '{"toString":1}', 'This file names what is no setting: toString.'],
    ['a prototype', '{"__proto__":{"inv_max_age_days":1}}', 'This file names what is no setting: __proto__.'],
    ['numbers as addresses', '{"alert_emails":[1]}', '“Email alerts to” cannot be what this file says.'],
    ['a text as a list', '{"alert_emails":"a@b.example"}', '“Email alerts to” cannot be what this file says.'],
    ['a text as a switch', '{"inv_sync_active":"yes"}', '“Automatic invoice sync” cannot be what this file says.'],
    ['an object as a number', '{"inv_max_age_days":{}}', '“Invoice max age” cannot be what this file says.'],
    [
      'a number as an account',
      '{"inv_default_income_account":1}',
      '“Income account to use” cannot be what this file says.',
    ],
    [
      'an amount as a number',
      '{"tax_hold_over":0.05}',
      '“Hold when tax differs by more than” cannot be what this file says.',
    ],
  ])('are rejected with a message for %s', (_, content, error) => {
    expect(read(content)).toEqual({ error });
  });

  test('keep texts unchanged; saving validates them', () => {
    const name = '<img src=x onerror=alert(1)> 🚀 "a": שלום';
    expect(read({ inv_default_income_account: name })).toEqual({ values: { inv_default_income_account: name } });
  });
});
