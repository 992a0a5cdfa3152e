import { expect, test } from 'vitest';
import type { AccountingLists, Customer, Item, Vendor } from '#core/documents/reference-data.ts';
import type { Command } from '#core/planning/plan.ts';
import { withCreatedRecord } from './shared-records.ts';

const party = { companyName: null, email: null, phone: null, currency: null };
const item = (id: string, isActive = true) => ({ id, name: 'Hardware', isActive }) as Item;
const named = (id: string, isActive = true) => ({ id, displayName: 'Pax Cloud', isActive, ...party });
const accounting = (of: { items?: readonly Item[]; customers?: readonly Customer[]; vendors?: readonly Vendor[] }) =>
  ({ items: [], customers: [], vendors: [], ...of }) as unknown as AccountingLists;
const commands = {
  items: { do: 'create_item', item: { name: 'Hardware', sku: null, incomeAccountId: '1', expenseAccountId: null } },
  customers: { do: 'create_customer', customer: { ...party, displayName: 'Pax Cloud' } },
  vendors: { do: 'create_vendor', vendor: { ...party, displayName: 'Pax Cloud' } },
} as unknown as Readonly<Record<'items' | 'customers' | 'vendors', Command>>;
const posted = { type: 'Item', id: '7', number: null, total: null, name: null, syncToken: '0', document: {} };

test.each([
  ['items', accounting({ items: [item('7')] }), accounting({ items: [item('7', false), item('8')] })],
  [
    'customers',
    accounting({ customers: [named('7')] as never }),
    accounting({ customers: [named('7', false)] as never }),
  ],
  ['vendors', accounting({ vendors: [named('7')] as never }), accounting({ vendors: [named('7', false)] as never })],
] as const)('a created record that the %s already have stays one record', (list, active, inactive) => {
  for (const before of [active, inactive]) {
    const after = withCreatedRecord(before, commands[list], posted as never, [])[list];
    expect(after.filter(({ id }) => id === '7')).toMatchObject([{ id: '7', isActive: true }]);
    expect(after).toHaveLength(before[list].length);
  }
  expect(withCreatedRecord(accounting({}), commands[list], posted as never, [])[list]).toHaveLength(1);
});
