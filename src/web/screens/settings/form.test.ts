import { describe, expect, test } from 'vitest';
import type { SettingConfigReply } from '#contract/settings.ts';
import { settingsConfig } from '#core/settings/config.ts';
import { defaultSettings, settingDefinitions } from '#core/settings/definitions.ts';
import { accounting, settingsFacts } from '#test/cases/sample-world.ts';
import {
  boundsText,
  findFields,
  groupsOf,
  relatedOf,
  showsOwnGroup,
  type SettingsConfigReply,
  tabsWith,
} from './form.ts';

const entry = (of: Partial<SettingConfigReply>): SettingConfigReply => ({
  type: 'boolean',
  tab: 'invoices',
  group: 'Items',
  order: 1,
  default: false,
  label: 'A setting',
  help: 'Help.',
  required: false,
  available: true,
  ...of,
});
const config = {
  b: entry({ order: 2, shownWhen: { a: true }, requiredWhen: { a: true } }),
  a: entry({ order: 1 }),
  c: entry({ order: 3, group: 'Numbering', required: true }),
  gone: entry({ order: 4, available: false }),
  elsewhere: entry({ order: 5, tab: 'advanced' }),
};
const shown = (values: Record<string, boolean>) =>
  groupsOf(config, values, 'invoices').map(({ title, fields }) => [
    title,
    fields.map(({ key, isRequired }) => (isRequired ? `${key}*` : key)),
  ]);

describe('the settings form', () => {
  test('finds visible fields of all tabs by their label, help, group and key', () => {
    const found = (find: string, values = {}) =>
      findFields(config, values, find).flatMap(({ title, fields }) => fields.map(({ key }) => `${title} ${key}`));
    expect(found('setting numb')).toEqual(['Invoices: Numbering c']);
    expect(found('ADVANCED')).toEqual(['Advanced: Items elsewhere']);
    expect(found('items')).toEqual(['Invoices: Items a', 'Advanced: Items elsewhere']);
    expect(found('items', { a: true })).toContain('Invoices: Items b');
  });

  test.each([
    ['other', 'other', '', true],
    ['other', 'invoices', '', false],
    ['other', 'invoices', 'zone time', true],
    ['advanced', 'other', 'FILE', true],
    ['advanced', 'advanced', 'zone', false],
  ] as const)('shows the own group of “%s” on “%s” while searching for “%s”: %s', (group, tab, find, isShown) => {
    expect(showsOwnGroup(group, tab, find)).toBe(isShown);
  });

  test('shows available fields in their order and group', () => {
    expect(shown({ a: true })).toEqual([
      ['Items', ['a', 'b*']],
      ['Numbering', ['c*']],
    ]);
    expect(shown({ a: false })).toEqual([
      ['Items', ['a']],
      ['Numbering', ['c*']],
    ]);
  });

  test('marks the tabs with errors', () => {
    expect([...tabsWith(config, { a: 'no', elsewhere: 'no', unknown: 'no' })]).toEqual(['invoices', 'advanced']);
    expect([...tabsWith(config, {})]).toEqual([]);
  });

  test('describes the bounds of a number', () => {
    expect(boundsText(entry({ type: 'integer', min: 1, max: 90, unit: 'days' }))).toBe('1 to 90 days.');
    expect(boundsText(entry({}))).toBeNull();
  });
});

describe('the specified settings', () => {
  const config = settingsConfig(
    { ...settingsFacts, psaLabel: 'Ledgerline', preferences: { ...accounting.preferences, automatedSalesTax: true } },
    defaultSettings,
  ) as SettingsConfigReply;

  test('only invoice max age and numbering are required', () => {
    const required = Object.keys(config).filter((key) => config[key]?.required);
    expect(required.toSorted()).toEqual(['inv_max_age_days', 'inv_numbering_option']);
  });

  test('max ages are 1 to 90 days', () => {
    const maxAges = Object.entries(config).filter(([key]) => key.endsWith('_max_age_days'));
    expect(maxAges.map(([, entry]) => boundsText(entry))).toEqual(Array(4).fill('1 to 90 days.'));
  });

  test('the settings that an edit relies on are sent along', () => {
    expect(relatedOf(config, ['inv_group_invoice_lines'])).toEqual([]);
    expect(relatedOf(config, ['po_sync_active'])).toEqual(
      expect.arrayContaining(['sync_start_date', 'require_approval', 'po_max_age_days', 'po_payable_account']),
    );
    expect(relatedOf(config, ['require_approval'])).toEqual(
      expect.arrayContaining(['inv_sync_active', 'po_sync_active', 'exp_sync_active', 'pay_sync_active']),
    );
    expect(relatedOf(config, ['inv_default_income_account'])).toEqual(['inv_create_item_automatically']);
  });

  test('accounts depend on automatic item creation', () => {
    expect(config['inv_default_income_account']?.shownWhen).toEqual({ inv_create_item_automatically: true });
    expect(config['po_default_expense_account']?.shownWhen).toEqual({ po_create_item_automatically: true });
    expect(settingDefinitions.inv_ast_shipping_address.availableWhen).toBe('automated_sales_tax');
  });
});
