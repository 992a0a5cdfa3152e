import { describe, expect, test } from 'vitest';
import { accounting, companies, factsFor, invoice, mapping, mappings, settings } from '#test/cases/sample-world.ts';
import type { Company } from '../documents/party.ts';
import type { Customer } from '../documents/reference-data.ts';
import { decimal } from '../values/decimal.ts';
import { differencesOfLink } from './link-differences.ts';
import { isOrBelow } from './child-work.ts';
import type { InvoiceFacts } from './invoice-content.ts';
import { planInvoice } from './plan-invoice.ts';
import { indexAccounting } from './reference-index.ts';
import { salesState } from '#test/cases/sample-documents.ts';

const amount = decimal('150');
const work = (companyId: number | null) => ({ itemName: 'Call', billingCodeId: 29, rate: amount, amount, companyId });
const [sample] = accounting.customers;
if (sample === undefined) throw new Error('The sample data has no customer');
const child: Customer = {
  ...sample,
  id: '70',
  displayName: 'Acme Dental North',
  companyName: null,
  email: 'north@acmedental.example',
  parentId: '58',
};
const payer: Partial<Company> = { taxId: 'TX-1', email: 'ap@acme.example' };

const planned = (
  of: readonly (number | null)[],
  more: Partial<InvoiceFacts> & { readonly customers?: readonly Customer[] } = {},
) => {
  const { customers = [...accounting.customers, child], ...facts } = more;
  const decision = planInvoice(
    factsFor(invoice({ total: decimal(150 * of.length), lines: of.map(work) }), {
      settings: { ...settings, inv_child_work: 'sub_customer' },
      accounting: { ...accounting, customers },
      ...facts,
    }),
  );
  if (decision.outcome !== 'plan') throw new Error(JSON.stringify(decision));
  const last = decision.plan.commands.at(-1);
  if (last?.do !== 'create_invoice') throw new Error('No invoice');
  return { ...decision.plan, document: last.document };
};

describe('work of a child company paid by its parent', () => {
  test('goes to the sub-customer of its name, is mailed to the payer, and saves the match', () => {
    const { document, matches } = planned([181, 181]);
    expect(document.customer).toEqual({ id: '70', name: 'Acme Dental North' });
    expect(document.email?.address).toBe('ap@acmedental.example');
    expect(document.lines.map(({ description }) => description)).toEqual(['Call', 'Call']);
    expect(matches?.map(({ companyId, targetId }) => [companyId, targetId])).toEqual([[181, '70']]);
  });

  test('goes to the mapped sub-customer at any depth below the parent', () => {
    const deep = { ...child, id: '71', displayName: 'Branch', parentId: '70' };
    const { document } = planned([181], {
      customers: [...accounting.customers, child, deep],
      mappings: [...mappings, mapping('Customer', '181', '71')],
    });
    expect(document.customer).toMatchObject({ id: '71' });
  });

  test('creates parent and child; the child is billed, taxed, and mailed like the parent', () => {
    const parent = { ...companies.find(({ id }) => id === 175), ...payer, isTaxExempt: true } as Company;
    const { commands, document } = planned([181], {
      company: parent,
      mappings: mappings.filter(({ namespace }) => namespace !== 'Customer'),
      customers: accounting.customers.filter(({ id }) => id !== '58'),
    });
    expect(commands.map((one) => (one.do === 'create_customer' ? one.customer : one.do))).toMatchObject([
      { displayName: 'Acme Dental' },
      {
        displayName: 'Acme Dental North',
        parent: { fromCommand: 0 },
        billingAddress: { line1: '400 Congress Ave' },
        email: 'ap@acme.example',
        isTaxable: false,
      },
      'create_invoice',
    ]);
    expect(document.customer).toEqual({ fromCommand: 1 });
  });

  test.each([
    ['of no other company', [null]],
    ['of the payer', [175]],
    ['of the tenant', [0]],
  ] as const)('work %s goes to the customer', (_, of) => {
    const { document } = planned(of);
    expect(document.customer).toMatchObject({ id: '58' });
    expect(document.lines.map(({ description }) => description)).toEqual(['Call']);
  });

  test('bills the parent and names a child that could not be read by its ID', () => {
    const { document } = planned([999]);
    expect(document.customer).toMatchObject({ id: '58' });
    expect(document.lines[0]?.description).toBe('Company 999 – Call');
  });

  test('never groups lines of different companies', () => {
    const { document } = planned([181, 175, 181], {
      settings: { ...settings, inv_group_invoice_lines: true },
    });
    expect(document.lines.map(({ description, amount: of }) => [description, of])).toEqual([
      ['Acme Dental North – Remote Support (2 entries)', decimal('300')],
      ['Call', decimal('150')],
    ]);
  });

  test('refuses a child that does not exist and may not be created', () => {
    const facts = factsFor(invoice({ total: amount, lines: [work(181)] }), {
      settings: { ...settings, inv_child_work: 'sub_customer', customer_create_automatically: false },
    });
    expect(planInvoice(facts)).toMatchObject({ outcome: 'refuse', problems: [{ code: 'CUSTOMER_NOT_MAPPED' }] });
  });

  test('recognizes its document at a sub-customer after a lost response', () => {
    const { invoice: of } = factsFor(invoice({ total: amount }));
    const document = salesState({
      customer: { id: '70', name: 'Acme Dental North' },
      total: amount,
      balance: amount,
      currency: null,
    });
    const link = (customers: readonly Customer[], by: typeof mappings) =>
      differencesOfLink({
        invoice: of,
        company: { id: 175, name: 'Acme Dental' },
        document,
        postedTotal: amount,
        accounting: { ...accounting, customers },
        mappings: by,
        psaLabel: 'Autotask',
      });
    expect(link([...accounting.customers, child], mappings)).toEqual([]);
    expect(link([...accounting.customers, child], [])).toEqual([]);
    expect(link([...accounting.customers, { ...child, parentId: '59' }], mappings)).toHaveLength(1);
  });
});

test.each([
  ['itself', '1', '1', true],
  ['its parent', '2', '1', true],
  ['the parent of its parent', '3', '1', true],
  ['its own child', '1', '2', false],
  ['a sibling', '4', '1', false],
  ['a customer that QuickBooks does not list', '9', '1', false],
  // Two customers that are each other's parent. QuickBooks rejects this, but the search must end.
  ['a customer outside its circle', '5', '1', false],
])('a customer belongs to %s: %s below %s is %s', (_, id, ancestor, isBelow) => {
  const parents = { 1: null, 2: '1', 3: '2', 4: null, 5: '6', 6: '5' };
  const customers = Object.entries(parents).map(([one, parentId]) => ({ ...sample, id: one, parentId }));
  expect(isOrBelow(id, ancestor, indexAccounting({ ...accounting, customers }))).toBe(isBelow);
});
