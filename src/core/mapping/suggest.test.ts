import { describe, expect, test } from 'vitest';
import { accounting, mapping, item } from '#test/cases/sample-world.ts';
import type { Item } from '../documents/reference-data.ts';
import type { Mapping, MappingNamespace } from './mapping.ts';
import { suggestTargets, type SuggestionSource } from './suggest.ts';
import { targetsOf } from './targets.ts';

const itemOf = (id: string, name: string, more: Partial<Item> = {}) => item(id, name, '1', more);
const suggestItems = (
  namespace: MappingNamespace,
  sources: readonly SuggestionSource[],
  items: readonly Item[],
  mappings: readonly Mapping[],
) =>
  suggestTargets(namespace, sources, targetsOf(namespace, { ...accounting, items }), mappings).map(
    ({ sourceValue, targetValue, targetLabel, score }) => ({ sourceValue, targetValue, targetLabel, score }),
  );
const suggest = (name: string, items: readonly Item[], number: string | null = null) =>
  suggestItems('ItemBilling', [{ value: '29', name, number }], items, []);

describe('suggested items', () => {
  test.each([
    ['Remote Work', 'HW-1', itemOf('1', 'Something else', { sku: 'hw-1' }), 100],
    ['Remote Support', null, itemOf('1', 'REMOTE  support'), 95],
    ['The Managed Server', null, itemOf('1', 'Managed-Server (Service)'), 90],
    ['Workstation Managed', null, itemOf('1', 'Managed Workstation'), 100],
    ['Managed Workstations', null, itemOf('1', 'Managed Workstation'), 97],
  ] as const)('“%s” (%s) scores against %o', (name, number, target, score) => {
    expect(suggest(name, [target], number)).toEqual([
      { sourceValue: '29', targetValue: '1', targetLabel: target.fullyQualifiedName, score },
    ]);
  });

  test('suggests nothing for a weak match', () => {
    expect(suggest('Travel', [itemOf('1', 'Managed Workstation')])).toEqual([]);
    expect(suggest('Support', [itemOf('1', 'Service')])).toEqual([]);
  });

  test('suggests nothing when two items match almost equally well', () => {
    const twins = [itemOf('1', 'Managed Workstation A'), itemOf('2', 'Managed Workstation B')];
    expect(suggest('Managed Workstation', twins)).toEqual([]);
    expect(suggest('Managed Workstation', [...twins, itemOf('3', 'Managed Workstation')])).toEqual([]);
    expect(suggest('Remote', [itemOf('1', 'Remote'), itemOf('2', 'Remote Support', { sku: 'x' })], 'x')).toMatchObject([
      { targetValue: '2', score: 100 },
    ]);
    expect(suggest('Item: Remote', [itemOf('1', 'Remote'), itemOf('2', 'The Remote')])).toEqual([]);
  });

  test('suggests only active items that lines can use', () => {
    const name = 'Remote Support';
    expect(suggest(name, [itemOf('1', name, { isActive: false })])).toEqual([]);
    expect(suggest(name, [itemOf('1', name, { type: 'Category' })])).toEqual([]);
    expect(suggest(name, [itemOf('1', name, { incomeAccountId: null, expenseAccountId: '14' })])).toEqual([]);
    const purchasable = itemOf('1', name, { incomeAccountId: null, expenseAccountId: '14' });
    expect(suggestItems('ItemPurchasing', [{ value: '801', name, number: null }], [purchasable], [])).toHaveLength(1);
  });

  test('suggests nothing for a mapped source', () => {
    const mapped = mapping('ItemBilling', '29', '9', '');
    const source = { value: '29', name: 'Remote Support', number: null };
    expect(suggestItems('ItemBilling', [source], [itemOf('1', 'Remote Support')], [mapped])).toEqual([]);
    expect(
      suggestItems('ItemPurchasing', [source], [itemOf('1', 'Remote Support', { expenseAccountId: '14' })], [mapped]),
    ).toHaveLength(1);
  });

  test('explains each suggestion', () => {
    const sources = [
      { value: '1', name: 'Acme Dental', number: null },
      { value: '2', name: 'Birch Legal, LLP', number: null },
      { value: '3', name: 'Unrelated Company', number: null },
    ];
    expect(suggestTargets('Customer', sources, targetsOf('Customer', accounting), [])).toEqual([
      { sourceValue: '1', targetValue: '58', targetLabel: 'Acme Dental', score: 95, reason: 'Same name' },
      {
        sourceValue: '2',
        targetValue: '59',
        targetLabel: 'Birch Legal LLP',
        score: 90,
        reason: 'Same name except for common words and punctuation',
      },
    ]);
  });

  test('suggests no customer whose name two companies have, apart from punctuation and legal form', () => {
    const sources = ['Acme Dental', 'Acme Dental, Inc.'].map((name, at) => ({ value: String(at), name, number: null }));
    expect(suggestTargets('Customer', sources, targetsOf('Customer', accounting), [])).toEqual([]);
  });

  test('suggests nothing among long lists of similar names', () => {
    const names = Array.from({ length: 300 }, (_, at) => `Company ${at} of Springfield`);
    const sources = names.map((name, at) => ({ value: String(at), name, number: null }));
    const customers = names.map((displayName, at) => ({
      id: `c${at}`,
      displayName: displayName.toUpperCase(),
      companyName: null,
      isActive: true,
      email: null,
      billingAddress: null,
      shippingAddress: null,
      currency: null,
      isTaxable: true,
    }));
    const found = suggestTargets('Customer', sources, targetsOf('Customer', { ...accounting, customers }), []);
    expect(found).toHaveLength(0);
  });
});

test('scores a target by its best name and explains the match', () => {
  const target = (label: string, ...names: readonly string[]) => ({
    value: label,
    label,
    detail: null,
    names,
    number: null,
    whyNot: null,
  });
  const found = (...targets: readonly ReturnType<typeof target>[]) =>
    suggestTargets('Customer', [{ value: '1', name: 'Acme Dental', number: null }], targets, []).map(
      ({ targetValue, score, reason }) => [targetValue, score, reason],
    );
  const wanted = [['Acme Dental', 95, 'Same name']];
  expect(found(target('Acme Dental', 'Something else'))).toEqual(wanted);
  expect(found(target('Something else', 'Acme Dental'))).toEqual([['Something else', 95, 'Same name']]);
  // A lead of five points suffices in any order of the targets; a smaller lead does not.
  const [same, common, close] = [target('Acme Dental'), target('The Acme-Dental'), target('Acme Dentals')];
  expect(found(same, common)).toEqual(wanted);
  expect(found(common, same)).toEqual(wanted);
  expect(found(same, close)).toEqual([]);
  expect(found(close, same)).toEqual([]);
});

describe('suggested customers and vendors', () => {
  const [acme] = accounting.customers;
  const targets = targetsOf('Customer', { ...accounting, customers: acme === undefined ? [] : [acme] });
  const named = (value: string, name: string) => ({ value, name, number: null });
  const suggested = (sources: readonly SuggestionSource[], mappings: readonly Mapping[] = []) =>
    suggestTargets('Customer', sources, targets, mappings).map(({ sourceValue }) => sourceValue);

  test('choose the best match among several companies', () => {
    expect(suggested([named('1', 'Acme Dental')])).toEqual(['1']);
    expect(suggested([named('1', 'Acme Dental'), named('2', 'acme  dental')])).toEqual([]);
    expect(suggested([named('1', 'Acme Dental'), named('2', 'Acme Dentals')])).toEqual([]);
    expect(suggested([named('1', 'Acme Dental'), named('2', 'Acme Dental West')])).toEqual(['1']);
  });

  test('exclude records mapped to another company or employee', () => {
    expect(suggested([named('1', 'Acme Dental')], [mapping('Customer', '9', acme?.id ?? '')])).toEqual([]);
    const betty = [named('21', 'Betty Decker')];
    const vendors = targetsOf('Employee', accounting);
    expect(suggestTargets('Employee', betty, vendors, [])).toMatchObject([{ targetLabel: 'v-Decker, Betty' }]);
    expect(suggestTargets('Employee', betty, vendors, [mapping('Vendor', '301', '91')])).toEqual([]);
  });
});
