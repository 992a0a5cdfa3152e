import { expect, test } from 'vitest';
import { books } from '#test/cases/sample-world.ts';
import type { Customer } from '../documents/reference-data.ts';
import type { SalesState } from '../documents/sales-state.ts';
import type { Mapping } from '../mapping/mapping.ts';
import { calendarDate, instant } from '../values/dates.ts';
import { decimal } from '../values/decimal.ts';
import { differencesOfLink, type LinkFacts } from './link-differences.ts';

const on = calendarDate('2025-03-03');
const standing: SalesState = {
  type: 'Invoice',
  id: '9177',
  syncToken: '0',
  number: '1042',
  customer: { id: '900', name: null },
  datedOn: on,
  total: decimal('100.00'),
  tax: decimal('0'),
  balance: decimal('100.00'),
  currency: null,
  isVoided: false,
  isMailed: false,
  privateNote: null,
  changedAt: instant('2025-03-03T15:00:00Z'),
  applied: [],
  document: {},
};
const [sample] = books.customers;
const customer = (id: string, more: Partial<Customer>): Customer => ({
  ...(sample as Customer),
  id,
  displayName: `Customer ${id}`,
  companyName: null,
  parentId: null,
  ...more,
});
const mapped = (targetValue: string): Mapping => ({
  id: 'm1',
  namespace: 'Customer',
  sourceEntity: 'Company',
  sourceValue: '175',
  sourceLabel: 'Acme Dental',
  targetEntity: 'Customer',
  targetValue,
  targetLabel: null,
});

interface Of extends Partial<Omit<LinkFacts, 'document' | 'books'>> {
  readonly document?: Partial<SalesState>;
  readonly customers?: readonly Customer[];
  readonly closedThrough?: string;
}
const differences = ({ document, customers = [], closedThrough, ...of }: Of = {}): string =>
  differencesOfLink({
    invoice: { id: 7, companyId: 175, invoicedOn: on, total: decimal('100.00') },
    company: { id: 175, name: 'Acme Dental' },
    document: { ...standing, ...document },
    postedTotal: null,
    books: {
      ...books,
      customers,
      preferences: {
        ...books.preferences,
        closedThrough: closedThrough === undefined ? null : calendarDate(closedThrough),
      },
    },
    mappings: [],
    psaLabel: 'Autotask',
    ...of,
  })
    .map(({ message }) => message)
    .join();

test.each<[string, Of, boolean]>([
  ['stands for somebody nobody knows', {}, false],
  ['names the company itself', { document: { customer: { id: '900', name: 'ACME  dental' } } }, true],
  ['has a customer of that display name', { customers: [customer('900', { displayName: 'Acme Dental' })] }, true],
  ['has a customer of that company name', { customers: [customer('900', { companyName: 'Acme Dental' })] }, true],
  ['has a customer of another name', { customers: [customer('900', {})] }, false],
  [
    'has a sub-customer of a payer of that name',
    { customers: [customer('900', { parentId: '901' }), customer('901', { displayName: 'Acme Dental' })] },
    true,
  ],
  ['has a sub-customer of nobody who is known', { customers: [customer('900', { parentId: '901' })] }, false],
  ['has the mapped customer', { mappings: [mapped('900')] }, true],
  ['has another one than the mapped customer', { mappings: [mapped('901')] }, false],
  ['cannot be compared, for its company cannot be read', { company: null }, true],
])('a document that %s', (_, of, isSame) => {
  const message = differences(of);
  if (isSame) expect(message).toBe('');
  else expect(message).toContain('Acme Dental');
});

const ours = { company: null } as const;
test.each<[string, Of, boolean]>([
  ['the total of the posting', { postedTotal: decimal('100.00'), document: { total: decimal('107.00') } }, true],
  ['another total than the posting', { postedTotal: decimal('99.99') }, false],
  ['the total that stands, where none was kept', { document: { total: decimal('99.99') } }, false],
])('%s is compared', (_, of, isSame) => {
  expect(differences({ ...ours, ...of }) === '').toBe(isSame);
});

test.each([
  ['2025-03-03', undefined, true],
  ['2025-03-04', undefined, false],
  ['2025-04-01', '2025-03-31', true],
  ['2025-04-01', '2025-03-03', true],
  ['2025-04-01', '2025-03-02', false],
  ['2025-03-02', '2025-03-31', false],
])('a document of 3 March that stands on %s, books closed through %s: the same is %s', (datedOn, closed, isSame) => {
  const of = {
    ...ours,
    document: { datedOn: calendarDate(datedOn) },
    ...(closed !== undefined && { closedThrough: closed }),
  };
  expect(differences(of) === '').toBe(isSame);
});
