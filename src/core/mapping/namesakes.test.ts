import { expect, test } from 'vitest';
import type { Customer } from '../documents/reference-data.ts';
import type { Plan } from '../planning/plan.ts';
import type { Mapping, PartyNamespace } from './mapping.ts';
import { claimsOfNamesakes, type NameFacts } from './namesakes.ts';

const found = (companyId: number, companyName: string, as: PartyNamespace = 'Customer', targetName = '') =>
  ({ commands: [], matches: [{ as, companyId, companyName, targetId: '5', targetName }] }) as unknown as Plan;
const source = (value: number, name: string) => ({ value: String(value), name, isActive: true });
const facts = (more: Partial<NameFacts> & { readonly names?: readonly string[] }): NameFacts => {
  const { names = [], ...others } = more;
  const customers = names.map((name, at) => source(at + 1, name));
  const sources = { customers, vendors: customers, employees: customers } as unknown as NameFacts['sources'];
  return { sources, mappings: [], accounting: { customers: [], vendors: [] }, ...others };
};
const claimed = (plan: Plan, of: NameFacts) =>
  claimsOfNamesakes(plan, of).map(({ sourceValue, targetValue }) => `${sourceValue} ${targetValue}`);

test.each([
  ['Summit Group', ['Summit Group', 'summit  group'], ['2 create:Summit Group']],
  ['Summit Group', ['Summit Group', 'Summit Group, Inc.'], ['2 create:Summit Group']],
  [
    'Summit Group',
    ['Summit Group', 'The Summit-Group LLC', 'Summit Group'],
    ['2', '3'].map((id) => `${id} create:Summit Group`),
  ],
  ['Ｓｕｍｍｉｔ', ['Ｓｕｍｍｉｔ', 'SUMMIT'], ['2 create:Ｓｕｍｍｉｔ']],
  // One “é” is a single character, the other an “e” with an accent.
  ['Café Noir', ['Café Noir', 'Cafe\u0301 Noir'], ['2 create:Café Noir']],
  ['Café Noir', ['Café Noir', 'Cafe Noir'], ['2 create:Café Noir']],
  ['Summit Group', ['Summit Group', 'SUMMIT\u00a0GROUP'], ['2 create:Summit Group']],
  // QuickBooks accepts no colon, so both would be named alike.
  ['Acme:North', ['Acme:North', 'Acme North'], ['2 create:Acme North']],
  ['Acme:North', ['Acme:North', 'Birch:North', 'Acme', 'North'], []],
  ['Summit Group', ['Summit Group', 'Summit Partners'], []],
  ['Summit Group', ['Summit Group'], []],
])('claims the name %j among %j, for customers and vendors', (name, names, expected) => {
  for (const as of ['Customer', 'Vendor'] as const)
    expect(claimed(found(1, name, as), facts({ names }))).toEqual(expected);
});

test.each(['Customer', 'Vendor'] as const)('an inactive company and a later name count for a %s as well', (as) => {
  const facts2 = facts({ names: ['Summit Group', 'Summit Group'] });
  const [first, second] = facts2.sources.customers;
  const withSecond = (change: object) => {
    const all = [first, { ...second, ...change }] as typeof facts2.sources.customers;
    return { ...facts2, sources: { ...facts2.sources, customers: all, vendors: all } };
  };
  expect(claimed(found(1, 'Summit Group', as), withSecond({ isActive: false }))).toEqual(['2 create:Summit Group']);
  // Renamed since: the name belongs to the first company alone.
  expect(claimed(found(1, 'Summit Group', as), withSecond({ name: 'Summit Partners' }))).toEqual([]);
  // The first company was renamed to the name of the second.
  expect(claimed(found(2, 'Summit Group', as), facts2)).toEqual(['1 create:Summit Group']);
});

test('a company that is mapped, or has a separate record with its exact name, claims nothing', () => {
  const names = ['Acme Inc', 'Acme LLC'];
  const mapped = { namespace: 'Customer', sourceValue: '2', targetValue: '8' } as Mapping;
  expect(claimed(found(1, 'Acme Inc'), facts({ names }))).toHaveLength(1);
  expect(claimed(found(1, 'Acme Inc'), facts({ names, mappings: [mapped] }))).toEqual([]);
  expect(claimed(found(1, 'Acme Inc'), facts({ names, mappings: [{ ...mapped, isClaim: true }] }))).toHaveLength(1);
  const own = { id: '8', displayName: 'Acme LLC', companyName: null, isActive: true } as Customer;
  expect(claimed(found(1, 'Acme Inc'), facts({ names, accounting: { customers: [own], vendors: [] } }))).toEqual([]);
  const inactive = { ...own, isActive: false };
  expect(
    claimed(found(1, 'Acme Inc'), facts({ names, accounting: { customers: [inactive], vendors: [] } })),
  ).toHaveLength(1);
});

test('an employee with the same name claims the name of the vendor', () => {
  const plan = found(1, 'Maria Garcia', 'Employee', 'v-Garcia, Maria');
  expect(claimed(plan, facts({ names: ['Maria Garcia', 'Maria Garcia'] }))).toEqual(['2 create:v-Garcia, Maria']);
});
