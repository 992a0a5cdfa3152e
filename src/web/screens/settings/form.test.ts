import { describe, expect, test } from 'vitest';
import type { SettingConfigReply } from '#contract/settings.ts';
import { boundsText, changesOf, groupsOf, tabsWithErrors } from './form.ts';

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
  test('shows applicable settings in order under their headings', () => {
    expect(shown({ a: true })).toEqual([
      ['Items', ['a', 'b*']],
      ['Numbering', ['c*']],
    ]);
    expect(shown({ a: false })).toEqual([
      ['Items', ['a']],
      ['Numbering', ['c*']],
    ]);
  });

  test('sends only changed settings', () => {
    expect(changesOf({ a: true, list: ['x'], b: 1 }, { a: true, list: ['x'], b: 2 })).toEqual({ b: 2 });
    expect(changesOf({ a: true }, { a: true })).toEqual({});
  });

  test('marks tabs with errors', () => {
    expect([...tabsWithErrors(config, { a: 'no', elsewhere: 'no', unknown: 'no' })]).toEqual(['invoices', 'advanced']);
    expect([...tabsWithErrors(config, {})]).toEqual([]);
  });

  test('shows the bounds of a number', () => {
    expect(boundsText(entry({ type: 'integer', min: 1, max: 90, unit: 'days' }))).toBe('1 to 90 days.');
    expect(boundsText(entry({}))).toBeNull();
  });
});
