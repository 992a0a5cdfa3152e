import { array, assert, boolean, constantFrom, integer, property, record, uniqueArray } from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { InvoiceHead } from '../documents/invoice.ts';
import type { SalesState } from '../documents/sales-state.ts';
import { calendarDate, instant } from '../values/dates.ts';
import { decimal, minus, sum } from '../values/decimal.ts';
import { agrees, keyOf, reconcileInvoices, type InvoiceReconciliationFacts } from './reconcile-invoices.ts';

const invoice = (id: number, total: string, more: Partial<InvoiceHead> = {}): InvoiceHead => ({
  id,
  companyId: 175,
  number: String(id),
  invoicedOn: calendarDate('2025-02-03'),
  createdAt: instant('2025-02-03T15:00:00Z'),
  dueOn: null,
  total: decimal(total),
  tax: decimal('0'),
  isVoided: false,
  voidedAt: null,
  exportedAt: null,
  paidOn: null,
  paymentTermId: null,
  taxRegionName: null,
  orderNumber: null,
  comments: null,
  ...more,
});
const document = (id: number, total: string, more: Partial<SalesState> = {}): SalesState => ({
  type: 'Invoice',
  id: String(id),
  syncToken: '0',
  number: String(id),
  customer: { id: '58', name: 'Acme Dental' },
  datedOn: calendarDate('2025-02-03'),
  total: decimal(total),
  tax: decimal('0'),
  balance: decimal(total),
  currency: 'USD',
  isVoided: false,
  privateNote: null,
  changedAt: instant('2025-02-03T15:00:08Z'),
  applied: [],
  document: {},
  ...more,
});
const posting = (psaId: number, id: number, targetType = 'Invoice') => ({ psaId, targetType, targetId: String(id) });
const reconciled = (of: Partial<InvoiceReconciliationFacts>) =>
  reconcileInvoices({
    invoices: [],
    postings: [],
    documents: [],
    elsewhere: new Set(),
    mappedCustomers: new Set(),
    currencyOf: () => 'USD',
    homeCurrency: 'USD',
    psaLabel: 'Autotask',
    ...of,
  });
const classesOf = (of: Partial<InvoiceReconciliationFacts>) => reconciled(of).rows.map((row) => row.class);

describe('one invoice', () => {
  const one = { invoices: [invoice(1, '108.25', { tax: decimal('8.25') })], postings: [posting(1, 11)] };
  const taxed = (total: string, tax: string) => document(11, total, { tax: decimal(tax) });
  test.each([
    ['agrees to the cent', [taxed('108.25', '8.25')], ['matched']],
    ['agrees but for a cent of tax', [taxed('108.26', '8.26')], ['matched']],
    ['was taxed otherwise', [taxed('110.13', '10.13')], ['tax_differs']],
    ['was changed', [taxed('100.25', '8.25')], ['amount_differs']],
    ['is gone', [], ['missing_in_books']],
    ['was voided there alone', [document(11, '0', { isVoided: true })], ['voided_on_one_side']],
    ['is paid there alone', [{ ...taxed('108.25', '8.25'), balance: decimal('0') }], ['paid_state_differs']],
  ] as const)('%s', (_what, documents, classes) => {
    expect(classesOf({ ...one, documents })).toEqual(classes);
  });

  test('that was voided in the PSA alone stands with all of its amount', () => {
    const found = reconciled({
      invoices: [invoice(1, '100', { isVoided: true })],
      postings: [posting(1, 11)],
      documents: [document(11, '100')],
    });
    expect(found.rows).toMatchObject([
      { class: 'voided_on_one_side', psaTotal: '0', booksTotal: '100', difference: '100' },
    ]);
  });

  test('that was voided on both sides, or comes to nothing, is no difference', () => {
    expect(
      classesOf({
        invoices: [invoice(1, '100', { isVoided: true }), invoice(2, '0'), invoice(3, '5', { isVoided: true })],
        postings: [posting(1, 11)],
        documents: [document(11, '0', { isVoided: true })],
      }),
    ).toEqual(['matched', 'matched', 'matched']);
  });

  test('with two live documents is there once too often, unless the other was voided', () => {
    const twice = { invoices: [invoice(1, '100')], postings: [posting(1, 11), posting(1, 12)] };
    expect(reconciled({ ...twice, documents: [document(11, '100'), document(12, '100')] }).rows).toMatchObject([
      { class: 'matched', document: { id: '12' } },
      { class: 'duplicate', document: { id: '11' }, difference: '100' },
    ]);
    const voided = document(11, '0', { isVoided: true });
    expect(classesOf({ ...twice, documents: [voided, document(12, '100')] })).toEqual(['matched']);
  });

  test('that became a credit memo counts with its sign', () => {
    const found = reconciled({
      invoices: [invoice(1, '-180')],
      postings: [posting(1, 11, 'CreditMemo')],
      documents: [document(11, '180', { type: 'CreditMemo' })],
    });
    expect(found.rows).toMatchObject([{ class: 'matched', psaTotal: '-180', booksTotal: '-180' }]);
    expect(agrees(found.rows)).toBe(true);
  });
});

test('a document without an invoice is looked at when we made it, or when its customer is mapped', () => {
  const documents = [
    document(21, '10', { privateNote: 'Autotask invoice 99 · synced 2025-02-03T15:00:00Z' }),
    document(22, '20', { customer: { id: '59', name: 'Birch Legal LLP' } }),
    document(23, '40', { customer: { id: '61', name: 'Delta School' } }),
    document(24, '80', { customer: { id: '59', name: null } }),
  ];
  const found = reconciled({
    documents,
    mappedCustomers: new Set(['59']),
    elsewhere: new Set([keyOf('Invoice', '24')]),
  });
  expect(found.rows.map((row) => [row.class, row.document?.id])).toEqual([
    ['only_in_books', '21'],
    ['only_in_books', '22'],
  ]);
});

test('the example of February: 212 invoices, one missing, one taxed otherwise, together -203.87', () => {
  const count = 212;
  const invoices = Array.from({ length: count }, (_, index) => {
    // 210 of 699.00, the missing one of 205.75, and what is left over of 148,220.15.
    const total = index === 0 ? '205.75' : index === 1 ? '1224.4' : '699';
    return invoice(index + 1, total, index === 1 ? { tax: decimal('41.25') } : {});
  });
  const documents = invoices
    .slice(1)
    .map(({ id, total, tax }) =>
      id === 2
        ? document(1_000 + id, '1226.28', { tax: decimal('43.13') })
        : document(1_000 + id, String(total), { tax }),
    );
  const postings = invoices.slice(1).map(({ id }) => posting(id, 1_000 + id));
  const { totals } = reconciled({ invoices, documents, postings });
  expect(totals).toEqual([
    {
      currency: 'USD',
      psaTotal: '148220.15',
      booksTotal: '148016.28',
      difference: '-203.87',
      byClass: {
        missing_in_books: { count: 1, difference: '-205.75' },
        tax_differs: { count: 1, difference: '1.88' },
        matched: { count: 210, difference: '0' },
      },
    },
  ]);
});

test('every invoice and every document counts once, and the classes add up to the difference', () => {
  const cents = integer({ min: -50_000, max: 50_000 });
  const ids = integer({ min: 1, max: 12 });
  const books = record({
    id: integer({ min: 100, max: 120 }),
    cents,
    isVoided: boolean(),
    customer: constantFrom('58', '59'),
    currency: constantFrom('USD', 'CAD'),
  });
  assert(
    property(
      uniqueArray(record({ id: ids, cents, isVoided: boolean() }), { selector: ({ id }) => id }),
      uniqueArray(books, { selector: ({ id }) => id }),
      array(record({ psaId: ids, id: integer({ min: 100, max: 120 }) })),
      (inPsa, inBooks, links) => {
        const amount = (value: number) => decimal((value / 100).toFixed(2));
        const owners = new Map(links.map(({ id, psaId }) => [id, psaId]));
        const invoices = inPsa.map((one) => invoice(one.id, String(amount(one.cents)), { isVoided: one.isVoided }));
        const documents = inBooks.map(({ id, customer, cents: value, isVoided, currency }) =>
          document(id, isVoided ? '0' : String(amount(Math.abs(value))), {
            isVoided,
            currency,
            type: value < 0 ? 'CreditMemo' : 'Invoice',
            customer: { id: customer, name: null },
          }),
        );
        const { rows, totals } = reconciled({
          invoices,
          documents,
          postings: [...owners].flatMap(([id, psaId]) =>
            documents.filter((one) => one.id === String(id)).map(({ type }) => posting(psaId, id, type)),
          ),
          mappedCustomers: new Set(['58', '59']),
        });
        const first = rows.filter((row) => row.psaId !== null && row.class !== 'duplicate');
        expect(first.map((row) => row.psaId)).toEqual(invoices.map(({ id }) => id));
        const named = rows.flatMap((row) => (row.document === null ? [] : [keyOf(row.document.type, row.document.id)]));
        expect(new Set(named).size).toBe(named.length);
        for (const { isVoided, type, id } of documents.filter((one) => owners.get(Number(one.id)) === undefined))
          expect(named.includes(keyOf(type, id))).toBe(!isVoided);
        for (const total of totals) {
          const differences = Object.values(total.byClass).map((one) => one.difference);
          expect(sum(differences)).toBe(total.difference);
          expect(minus(total.booksTotal, total.psaTotal)).toBe(total.difference);
        }
      },
    ),
  );
});
