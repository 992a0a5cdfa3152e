import { expect, test } from 'vitest';
import type { Customer } from '../documents/reference-data.ts';
import type { Plan } from '../planning/plan.ts';
import type { Mapping } from './mapping.ts';
import { claimsOfNamesakes, type NameFacts } from './namesakes.ts';

const found = (companyId: number, companyName: string, as: 'Customer' | 'Employee' = 'Customer', targetName = '') =>
  ({ commands: [], matches: [{ as, companyId, companyName, targetId: '5', targetName }] }) as unknown as Plan;
const source = (value: number, name: string) => ({ value: String(value), name, isActive: true });
const facts = (more: Partial<NameFacts> & { readonly names?: readonly string[] }): NameFacts => {
  const { names = [], ...others } = more;
  const customers = names.map((name, at) => source(at + 1, name));
  const sources = { customers, vendors: [], employees: customers } as unknown as NameFacts['sources'];
  return { sources, mappings: [], books: { customers: [], vendors: [] }, ...others };
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
  ['Summit Group', ['Summit Group', 'Summit Partners'], []],
  ['Summit Group', ['Summit Group'], []],
])('claims the name %j among %j', (name, names, expected) => {
  expect(claimed(found(1, name), facts({ names }))).toEqual(expected);
});

test('a company that is mapped, or has a separate record with its exact name, claims nothing', () => {
  const names = ['Acme Inc', 'Acme LLC'];
  const mapped = { namespace: 'Customer', sourceValue: '2', targetValue: '8' } as Mapping;
  expect(claimed(found(1, 'Acme Inc'), facts({ names }))).toHaveLength(1);
  expect(claimed(found(1, 'Acme Inc'), facts({ names, mappings: [mapped] }))).toEqual([]);
  expect(claimed(found(1, 'Acme Inc'), facts({ names, mappings: [{ ...mapped, isClaim: true }] }))).toHaveLength(1);
  const own = { id: '8', displayName: 'Acme LLC', companyName: null, isActive: true } as Customer;
  expect(claimed(found(1, 'Acme Inc'), facts({ names, books: { customers: [own], vendors: [] } }))).toEqual([]);
  const inactive = { ...own, isActive: false };
  expect(claimed(found(1, 'Acme Inc'), facts({ names, books: { customers: [inactive], vendors: [] } }))).toHaveLength(
    1,
  );
});

test('an employee with the same name claims the name of the vendor', () => {
  const plan = found(1, 'Maria Garcia', 'Employee', 'v-Garcia, Maria');
  expect(claimed(plan, facts({ names: ['Maria Garcia', 'Maria Garcia'] }))).toEqual(['2 create:v-Garcia, Maria']);
});
