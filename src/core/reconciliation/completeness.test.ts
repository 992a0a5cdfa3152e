import { array, assert, constantFrom, integer, property, tuple } from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { AccountingDocument } from '../documents/accounting-document.ts';
import { calendarDate } from '../values/dates.ts';
import { decimal, isZero, minus, negate, plus, sum, zero, type Decimal } from '../values/decimal.ts';
import { keyOf, type CompletenessFacts, type PostedDocument, type PsaDocument } from './completeness.ts';
import { differenceClasses, differenceClassNames, type DifferenceClass } from './difference-classes.ts';
import { month } from './month.ts';
import { documentOf, lineOf, postingOf, provedOf, sourceOf } from './testing.ts';

const february = month('2026-02');
const march = month('2026-03');

const prove = (of: Partial<CompletenessFacts>) =>
  provedOf({ mappedPartyIds: new Set(['58']), recorded: new Map([['Invoice 700', 7]]), ...of });

/** A planted difference: its records, and the expected classes with their amounts. */
interface Planted {
  readonly source?: PsaDocument;
  readonly documents?: readonly AccountingDocument[];
  readonly postings?: readonly PostedDocument[];
  readonly extras?: CompletenessFacts['extras'];
  readonly expected: Partial<Record<DifferenceClass, Decimal>>;
}

type Plant = (id: number, amount: string) => Planted;

/** Returns a source, its document, and its posting, with later changes on either side. */
const changed =
  (
    of: DifferenceClass | 'none',
    change: {
      readonly source?: (source: PsaDocument) => PsaDocument;
      readonly document?: (document: AccountingDocument) => AccountingDocument;
      readonly posting?: Partial<PostedDocument>;
    },
    amount: (source: PsaDocument) => Decimal = () => zero,
  ): Plant =>
  (id, net) => {
    const source = sourceOf(id, net);
    const document = documentOf(id, net);
    const now = change.source?.(source) ?? source;
    return {
      source: now,
      documents: [change.document?.(document) ?? document],
      postings: [postingOf(source, document, change.posting)],
      expected: of === 'none' ? {} : { [of]: amount(now) },
    };
  };

const missing =
  (ifMissing: PsaDocument['ifMissing']): Plant =>
  (id, net) => ({ source: sourceOf(id, net, { ifMissing }), expected: { [ifMissing]: negate(decimal(net)) } });

const stray =
  (of: DifferenceClass, more: Partial<AccountingDocument>, isNegative = false): Plant =>
  (id, net) => ({
    documents: [documentOf(id, net, more)],
    expected: { [of]: isNegative ? negate(decimal(net)) : decimal(net) },
  });

const oneLine = (document: AccountingDocument, more: Parameters<typeof lineOf>[1]): AccountingDocument => ({
  ...document,
  lines: document.lines.map((line) => ({ ...line, ...more })),
});
const inMarch = { datedOn: calendarDate('2026-03-01') };

const plants: Readonly<Record<DifferenceClass | 'none', Plant>> = {
  none: changed('none', {}),
  missing_not_taken_up: missing('missing_not_taken_up'),
  missing_held: missing('missing_held'),
  missing_awaits_approval: missing('missing_awaits_approval'),
  missing_error: missing('missing_error'),
  missing_outside_age: missing('missing_outside_age'),
  missing_before_start: missing('missing_before_start'),
  missing_test_only: missing('missing_test_only'),
  missing_not_posting: missing('missing_not_posting'),
  zero_skipped: (id) => ({ source: sourceOf(id, '0'), expected: { zero_skipped: zero } }),
  deleted_in_accounting: (id, net) => {
    const source = sourceOf(id, net);
    return {
      source,
      postings: [postingOf(source, documentOf(id, net))],
      expected: { deleted_in_accounting: negate(source.total) },
    };
  },
  voided_in_accounting: changed(
    'voided_in_accounting',
    { document: (document) => ({ ...document, isVoided: true, total: zero, lines: [] }) },
    ({ total }) => negate(total),
  ),
  voided_in_psa: changed(
    'voided_in_psa',
    { source: (source) => ({ ...source, isVoided: true }) },
    ({ total }) => total,
  ),
  closed_in_accounting: changed(
    'closed_in_accounting',
    {
      source: (source) => ({ ...source, isVoided: true }),
      document: (document) => ({ ...document, isOpen: false }),
    },
    ({ total }) => total,
  ),
  credited_later: (id, net) => ({
    ...changed(
      'credited_later',
      { source: (source) => ({ ...source, isVoided: true }) },
      ({ total }) => total,
    )(id, net),
    documents: [
      documentOf(id, net),
      documentOf(id * 100, net, {
        ...inMarch,
        type: 'CreditMemo',
        privateNote: `Autotask invoice ${id} voided · credits 7`,
      }),
    ],
    extras: [{ role: 'reversal', psaId: id, type: 'CreditMemo', id: `${id}00` }],
  }),
  credit_of_void: (id, net) => ({
    ...stray(
      'credit_of_void',
      { type: 'CreditMemo', privateNote: `Autotask invoice ${id} voided · credits 7` },
      true,
    )(id, net),
    extras: [{ role: 'reversal', psaId: 1_000_000 + id, type: 'CreditMemo', id: String(id) }],
  }),
  entered_again: (id, net) => {
    const source = sourceOf(id, net, { mappedPartyId: String(id) });
    const party = { id: String(id), name: 'Acme Dental' };
    const was = documentOf(id, net, { party });
    return {
      source,
      documents: [{ ...was, isVoided: true, total: zero, balance: zero }, documentOf(id * 100, net, { party })],
      postings: [postingOf(source, was)],
      expected: { entered_again: zero },
    };
  },
  not_recorded: (id, net) => ({
    source: sourceOf(id, net),
    documents: [
      documentOf(id, net, { privateNote: `Autotask invoice ${id}, number AT-1 · synced 2026-02-10T12:00:00Z` }),
    ],
    expected: { not_recorded: zero },
  }),
  void_taken_back: (id, net) => {
    const psaId = 1_000_000 + id;
    const own = documentOf(id, net, {
      type: 'CreditMemo',
      privateNote: `Autotask invoice ${psaId} voided · credits 7`,
    });
    const source = sourceOf(psaId, net);
    const document = documentOf(psaId, net);
    return {
      expected: { void_taken_back: negate(decimal(net)) },
      source,
      postings: [postingOf(source, document)],
      documents: [document, own],
      extras: [{ role: 'reversal', psaId, type: 'CreditMemo', id: String(id) }],
    };
  },
  // The invoice was raised by 100 in the PSA after posting, and the 100 were billed in March.
  difference_billed: (id, net) => ({
    ...changed(
      'difference_billed',
      { source: (source) => ({ ...source, total: plus(source.total, decimal('100')) }) },
      () => decimal('-100'),
    )(id, net),
    documents: [
      documentOf(id, net),
      { ...documentOf(id + 70_000, '100'), ...inMarch, privateNote: `Difference 1 of Autotask invoice ${id} · 7` },
    ],
    extras: [{ role: 'difference', psaId: id, type: 'Invoice', id: String(id + 70_000) }],
  }),
  difference_document: (id, net) => ({
    ...stray('difference_document', { privateNote: `Difference 1 of Autotask invoice ${1_000_000 + id} · 7` })(id, net),
    extras: [{ role: 'difference', psaId: 1_000_000 + id, type: 'Invoice', id: String(id) }],
  }),
  duplicate: (id, net) => {
    const source = sourceOf(id, net);
    const first = documentOf(id, net);
    const second = documentOf(id + 50_000, net);
    return {
      source,
      documents: [first, second],
      postings: [postingOf(source, first), postingOf(source, second)],
      expected: { duplicate: decimal(net) },
    };
  },
  date_moved: changed(
    'date_moved',
    {
      document: (document) => ({
        ...document,
        ...inMarch,
        privateNote: 'Original date 2026-02-10 (books closed)',
      }),
      posting: { fingerprint: null },
    },
    ({ total }) => negate(total),
  ),
  date_edited: changed('date_edited', { document: (document) => ({ ...document, ...inMarch }) }, ({ total }) =>
    negate(total),
  ),
  dated_elsewhere_in_psa: changed(
    'dated_elsewhere_in_psa',
    { source: (source) => ({ ...source, datedOn: calendarDate('2026-01-31') }) },
    ({ total }) => total,
  ),
  edited_in_accounting: changed(
    'edited_in_accounting',
    { document: (document) => oneLine({ ...document, total: plus(document.total, decimal('7.77')) }, {}) },
    () => decimal('7.77'),
  ),
  discounted_in_accounting: changed(
    'discounted_in_accounting',
    {
      document: (document) => ({
        ...document,
        total: minus(document.total, decimal('5.55')),
        lines: [...document.lines, lineOf('-5.55', { itemId: null, isDiscount: true })],
      }),
    },
    () => decimal('-5.55'),
  ),
  edited_in_psa: changed(
    'edited_in_psa',
    { source: (source) => ({ ...source, total: minus(source.total, decimal('3.33')) }) },
    () => decimal('3.33'),
  ),
  lines_differ: (id, net) => {
    const source = sourceOf(id, net, { linesNet: decimal(net) });
    const document = documentOf(id, String(minus(decimal(net), decimal('9.5'))));
    return {
      source,
      documents: [document],
      postings: [postingOf(source, document)],
      expected: { lines_differ: decimal('-9.5') },
    };
  },
  header_differs: (id, net) => {
    const source = sourceOf(id, net, { linesNet: plus(decimal(net), decimal('10')) });
    const document = documentOf(id, String(source.linesNet));
    return {
      source,
      documents: [document],
      postings: [postingOf(source, document)],
      expected: { header_differs: decimal('10') },
    };
  },
  tax_differs: (id, net) => {
    const source = sourceOf(id, String(plus(decimal(net), decimal('41.25'))), { tax: decimal('41.25') });
    const document = documentOf(id, net, { total: plus(decimal(net), decimal('43.13')), tax: decimal('43.13') });
    return {
      source,
      documents: [document],
      postings: [postingOf(source, document)],
      expected: { tax_differs: decimal('1.88') },
    };
  },
  rounding: (id, net) => {
    const source = sourceOf(id, String(plus(decimal(net), decimal('0.01'))), {
      linesNet: decimal(net),
      linesAddUp: true,
    });
    const document = documentOf(id, net);
    return {
      source,
      documents: [document],
      postings: [postingOf(source, document)],
      expected: { rounding: decimal('-0.01') },
    };
  },
  currency_differs: (id, net) => {
    const source = sourceOf(id, net, { currency: 'CAD' });
    return {
      source,
      documents: [documentOf(id, net)],
      postings: [postingOf(source, documentOf(id, net))],
      expected: { currency_differs: zero },
    };
  },
  accounting_made_by_us: stray('accounting_made_by_us', {
    privateNote: 'Autotask invoice 99 · synced 2026-02-10T15:00:00Z',
  }),
  accounting_by_hand: (id, net) => ({
    documents: [oneLine(documentOf(id, net), { itemId: '77' })],
    expected: { accounting_by_hand: decimal(net) },
  }),
  possible_duplicate: stray('possible_duplicate', { privateNote: 'Autotask invoice 7, number AT-7' }),
  vendor_document: stray('vendor_document', { type: 'Bill' }),
  accounting_unmapped: stray('accounting_unmapped', { party: { id: '61', name: 'Delta School' } }),
  sales_receipt: stray('sales_receipt', { type: 'SalesReceipt' }),
  refund_receipt: stray('refund_receipt', { type: 'RefundReceipt' }, true),
  received_in_accounting: stray('received_in_accounting', { type: 'Payment' }),
  customer_differs: changed('customer_differs', {
    document: (document) => ({ ...document, party: { id: '59', name: 'Birch Legal LLP' } }),
  }),
  number_differs: changed('number_differs', { document: (document) => ({ ...document, number: 'X-1' }) }),
  date_differs: changed('date_differs', {
    document: (document) => ({ ...document, datedOn: calendarDate('2026-02-11') }),
  }),
  due_differs: changed('due_differs', { document: (document) => ({ ...document, dueOn: calendarDate('2026-04-30') }) }),
  item_differs: changed('item_differs', { document: (document) => oneLine(document, { itemId: '12' }) }),
  account_differs: (id, net) => {
    const source = sourceOf(id, net);
    const document = (accountId: string) => oneLine(documentOf(id, net), { accountId });
    return {
      source,
      documents: [document('80')],
      postings: [postingOf(source, document('79'))],
      expected: { account_differs: zero },
    };
  },
  amounts_moved: (id, net) => {
    const source = sourceOf(id, net);
    const document = (first: string, second: string) =>
      documentOf(id, net, { lines: [lineOf(first, { itemId: '11' }), lineOf(second, { itemId: '12' })] });
    const half = String(minus(decimal(net), decimal('1')));
    const moved = String(minus(decimal(net), decimal('0.4')));
    return {
      source,
      documents: [document(moved, '0.4')],
      postings: [postingOf(source, document(half, '1'))],
      expected: { amounts_moved: zero },
    };
  },
  rate_differs: changed('rate_differs', { document: (document) => ({ ...document, exchangeRate: decimal('0.76') }) }),
  class_differs: changed('class_differs', { document: (document) => oneLine(document, { classId: '5' }) }),
  location_differs: (id, net) => {
    const source = sourceOf(id, net);
    return {
      source,
      documents: [documentOf(id, net, { locationId: '8' })],
      postings: [postingOf(source, documentOf(id, net, { locationId: '7' }))],
      expected: { location_differs: zero },
    };
  },
  tax_code_differs: changed('tax_code_differs', { document: (document) => oneLine(document, { taxCode: 'TAX' }) }),
  tax_moved: (id, net) => {
    const source = sourceOf(id, String(plus(decimal(net), decimal('8'))), { tax: decimal('8') });
    const taxed = (rateId: string) =>
      documentOf(id, net, {
        total: source.total,
        tax: source.tax,
        balance: source.total,
        taxes: [{ rateId, amount: source.tax }],
      });
    return {
      source,
      documents: [taxed('4')],
      postings: [postingOf(source, taxed('3'))],
      expected: { tax_moved: zero },
    };
  },
  paid_differs: changed('paid_differs', { source: (source) => ({ ...source, isPaid: true }) }),
};

interface World extends Planted {
  readonly name: DifferenceClass | 'none';
  readonly id: number;
}

const amounts = integer({ min: 2_000, max: 9_999_999 }).map((cents) => (cents / 100).toFixed(2));
const worlds = array(tuple(constantFrom(...differenceClassNames, 'none' as const), amounts), { maxLength: 40 }).map(
  (planted): readonly World[] =>
    planted.map(([name, amount], index) => ({ name, id: 1_000 + index, ...plants[name](1_000 + index, amount) })),
);
const factsOf = (world: readonly World[], more: Partial<CompletenessFacts> = {}): Partial<CompletenessFacts> => ({
  sources: world.flatMap(({ source }) => source ?? []),
  documents: world.flatMap(({ documents }) => documents ?? []),
  postings: world.flatMap(({ postings }) => postings ?? []),
  extras: world.flatMap(({ extras }) => extras ?? []),
  ...more,
});

describe('a document whose values changed on both sides', () => {
  const source = sourceOf(1, '100');
  const posted = documentOf(1, '100');
  const found = (
    now: Partial<PsaDocument>,
    change: Partial<AccountingDocument>,
    then: Partial<AccountingDocument> = {},
  ) =>
    prove({
      sources: [{ ...source, ...now }],
      documents: [{ ...posted, ...then, ...change }],
      postings: [postingOf(source, { ...posted, ...then })],
    }).rows.flatMap(({ findings }) => findings.map((one) => one.class));
  const [day, other] = [calendarDate('2026-02-20'), calendarDate('2026-02-21')];

  test.each<[string, Partial<PsaDocument>, Partial<AccountingDocument>, readonly DifferenceClass[]]>([
    ['agrees after the same new date', { datedOn: day }, { datedOn: day }, []],
    ['differs after two new dates', { datedOn: day }, { datedOn: other }, ['date_differs']],
    ['differs after a new date in the PSA only', { datedOn: day }, {}, ['date_differs']],
    ['agrees after the same new due date', { dueOn: day }, { dueOn: day }, []],
    ['differs after two new due dates', { dueOn: day }, { dueOn: other }, ['due_differs']],
    ['agrees after the same new customer', { mappedPartyId: '59' }, { party: { id: '59', name: 'Birch' } }, []],
    [
      'differs after two new customers',
      { mappedPartyId: '59' },
      { party: { id: '60', name: 'C' } },
      ['customer_differs'],
    ],
  ])('%s', (_, now, change, expected) => {
    expect(found(now, change)).toEqual(expected);
  });

  test('reports an amount that moved from the tax to a line, at the same total', () => {
    const taxed = { total: decimal('108'), tax: decimal('8') };
    const moved = { total: decimal('108'), tax: zero, lines: [lineOf('108')] };
    expect(found({ total: decimal('108'), tax: decimal('8') }, moved, taxed)).toContain('amounts_moved');
  });

  test.each([
    ['reports a tax that changed in the PSA under the same total', '6.50', ['tax_differs']],
    ['accepts cents of rounding in the tax under the same total', '8.01', []],
  ] as const)('%s', (_, tax, expected) => {
    const taxed = { total: decimal('108'), tax: decimal('8') };
    const [then, document] = [sourceOf(1, '108', taxed), documentOf(1, '100', taxed)];
    const { rows } = prove({
      sources: [{ ...then, tax: decimal(tax) }],
      documents: [document],
      postings: [postingOf(then, document)],
    });
    expect(rows.flatMap(({ findings }) => findings)).toEqual(expected.map((of) => ({ class: of, amount: zero })));
  });

  test('does not compare the date of a document that the sync moved out of a closed period', () => {
    const note = { privateNote: 'Autotask invoice 1 · Original date 2026-01-31' };
    expect(found({ datedOn: day }, note, note)).toEqual([]);
  });
});

test('a document of ours without a source is not a duplicate of itself, with or without its note, but its copy is', () => {
  const own = documentOf(700, '90', { privateNote: 'Autotask invoice 7 · synced' });
  const found = (documents: readonly AccountingDocument[]) =>
    prove({ documents }).rows.flatMap(({ findings }) => findings.map((one) => one.class));
  expect(found([own])).toEqual(['accounting_made_by_us']);
  expect(found([{ ...own, privateNote: 'changed' }])).toEqual(['accounting_made_by_us']);
  expect(found([own, { ...own, id: '701' }])).toEqual(['accounting_made_by_us', 'possible_duplicate']);
});

describe('paid states are compared on the last day of the month, and only while payments are synced', () => {
  const source = sourceOf(1, '100');
  const [last, later] = [calendarDate('2026-02-28'), calendarDate('2026-03-02')];
  const paid = (on: typeof last) => ({ isPaid: true, paidOn: on });
  const [isOpen, isClear] = [{ openKeys: new Set(['Invoice 1']) }, { openKeys: new Set<string>() }];
  test.each<[string, Partial<PsaDocument>, string, Partial<CompletenessFacts>, boolean]>([
    ['paid in the PSA only', paid(last), '100', isOpen, true],
    ['paid in QuickBooks only', {}, '0', isClear, true],
    ['paid in the PSA only, after the month', paid(later), '100', isOpen, false],
    ['paid in QuickBooks only, after the month', {}, '0', isOpen, false],
    ['paid on both sides, on different days', paid(later), '0', isClear, false],
    ['paid in the PSA, and after the month in QuickBooks', paid(last), '0', isOpen, false],
    ['partly paid in QuickBooks', {}, '40', isOpen, false],
    ['not synced', { ...paid(last), paymentSync: undefined } as never, '100', isOpen, false],
    ['paid in the PSA only, and the report has no ids', paid(last), '100', {}, true],
  ])('%s', (_, now, balance, facts, isFound) => {
    const document = documentOf(1, '100', { balance: decimal(balance) });
    const of = { sources: [{ ...source, ...now }], documents: [document], postings: [postingOf(source, document)] };
    const { rows } = prove({ ...of, asOf: last, ...facts });
    expect(rows.flatMap(({ findings }) => findings.map((one) => one.class))).toEqual(isFound ? ['paid_differs'] : []);
  });
});

test.each([
  ['exists', { isVoided: false }, 'credit_of_void'],
  ['was voided in QuickBooks as well', { isVoided: true }, 'void_taken_back'],
  ['was deleted in QuickBooks as well', null, 'void_taken_back'],
])('a credit memo of March for a voided invoice of February that %s', (_, now, wanted) => {
  const source = sourceOf(1, '100', { isVoided: true });
  const document = documentOf(1, '100');
  const privateNote = 'Autotask invoice 1 voided · credits 7';
  const { rows } = prove({
    month: march,
    sources: [source],
    documents: [
      ...(now === null ? [] : [{ ...document, ...now }]),
      documentOf(2, '100', { ...inMarch, type: 'CreditMemo', privateNote }),
    ],
    postings: [postingOf(source, document)],
    extras: [{ role: 'reversal', psaId: 1, type: 'CreditMemo', id: '2' }],
  });
  expect(rows.flatMap(({ findings }) => findings)).toEqual([{ class: wanted, amount: decimal('-100') }]);
});

test.each([
  ['invoice', ['deleted_in_accounting']],
  ['payment', []],
] as const)(
  'a deleted %s of 0.00 is named once: the open invoice names a payment that only applied credits',
  (kind, wanted) => {
    const source = sourceOf(1, '0');
    const { rows } = prove({ kind, sources: [source], postings: [postingOf(source, documentOf(1, '0'))] });
    expect(rows.flatMap(({ findings }) => findings.map((one) => one.class))).toEqual(wanted);
  },
);

test('cents are rounding only if the lines can round to them', () => {
  const classes = (total: string, more: Partial<PsaDocument>) => {
    const source = sourceOf(1, total, more);
    const document = documentOf(1, '100');
    const { rows } = prove({ sources: [source], documents: [document], postings: [postingOf(source, document)] });
    return rows.flatMap((row) => [...row.findings.map((one) => one.class), row.unexplained]);
  };
  expect(classes('100.04', {})).toEqual(['-0.04']);
  expect(classes('100.04', { linesNet: decimal('100') })).toEqual(['header_differs', '0']);
  expect(classes('100.01', { linesNet: decimal('100'), linesAddUp: true })).toEqual(['rounding', '0']);
  expect(classes('100.01', { tax: decimal('0.01'), linesNet: decimal('100') })).toEqual(['rounding', '0']);
  expect(classes('100.04', { tax: decimal('0.04'), linesNet: decimal('100') })).toEqual(['tax_differs', '0']);
});

describe('a month with planted differences', () => {
  test('finds and names each difference once, and the explanations add up to the cent', () => {
    assert(
      property(worlds, (world) => {
        const { rows, bridges } = prove(factsOf(world));
        for (const { id, expected, name } of world) {
          const own = rows.filter(
            ({ psa, accounting }) => psa?.id === id || (psa === null && accounting?.id === String(id)),
          );
          const found = own.flatMap(({ findings }) => findings);
          const amountOf = (of: DifferenceClass) => sum(found.flatMap((one) => (one.class === of ? [one.amount] : [])));
          const named = [...new Set(found.map((one) => one.class))].sort();
          expect({ name, named }).toEqual({ name, named: Object.keys(expected).sort() });
          for (const of of Object.keys(expected) as DifferenceClass[])
            expect({ of, amount: amountOf(of) }).toEqual({ of, amount: expected[of] });
        }
        for (const row of rows) {
          const classes = row.findings.map((one) => one.class);
          expect(new Set(classes).size).toBe(classes.length);
          expect(isZero(row.unexplained)).toBe(true);
        }
        for (const bridge of bridges) {
          expect(minus(bridge.accountingTotal, bridge.psaTotal)).toBe(bridge.difference);
          expect(sum(bridge.classes.map(({ amount }) => amount))).toBe(bridge.difference);
          expect(bridge.unexplained).toBe('0');
          for (const { class: of, amount } of bridge.classes)
            if (!differenceClasses[of].moves) expect(amount).toBe('0');
        }
      }),
      { seed: 20_260_222, numRuns: 300 },
    );
  });

  test('counts each source and document once, in its own currency', () => {
    assert(
      property(worlds, (world) => {
        const facts = factsOf(world);
        const { rows, bridges } = prove(facts);
        const inMonth = (facts.sources ?? []).filter(({ datedOn }) => datedOn.startsWith('2026-02'));
        for (const currency of ['USD', 'CAD']) {
          const bridge = bridges.find((one) => one.currency === currency);
          const psa = sum(inMonth.flatMap((one) => (one.currency === currency && !one.isVoided ? [one.total] : [])));
          expect(bridge?.psaTotal ?? zero).toBe(psa);
        }
        const documents = rows.flatMap(({ accounting, accountingAmount }) =>
          accounting === null || isZero(accountingAmount) ? [] : [keyOf(accounting.type, accounting.id)],
        );
        expect(new Set(documents).size).toBe(documents.length);
      }),
      { seed: 7, numRuns: 200 },
    );
  });

  test('differences between two months add up to zero', () => {
    assert(
      property(worlds, (world) => {
        const facts = factsOf(world);
        const moved = [february, march].map((of) =>
          sum(
            prove({ ...facts, month: of })
              .rows.flatMap(({ findings }) => findings)
              .filter((one) => ['date_moved', 'date_edited'].includes(one.class))
              .map(({ amount }) => amount),
          ),
        );
        const arrived = sum(
          prove({ ...facts, month: march })
            .rows.flatMap(({ findings }) => findings)
            .filter((one) => one.class === 'dated_elsewhere_in_psa')
            .map(({ amount }) => amount),
        );
        expect(sum([...moved, arrived])).toBe('0');
      }),
      { seed: 11, numRuns: 200 },
    );
  });
});

describe('unexplained differences', () => {
  test('remain unexplained without any tolerance', () => {
    const source = sourceOf(1, '100.06');
    const document = documentOf(1, '100');
    const { bridges, rows } = prove({
      sources: [source],
      documents: [document],
      postings: [postingOf(source, document)],
    });
    expect(rows).toMatchObject([{ findings: [], unexplained: '-0.06' }]);
    expect(bridges).toMatchObject([{ difference: '-0.06', explained: '0', unexplained: '-0.06' }]);
  });

  test('add up: a cent on a hundred documents is a dollar of rounding', () => {
    const world = Array.from({ length: 100 }, (_, id) => ({
      name: 'rounding' as const,
      id,
      ...plants.rounding(id, '50'),
    }));
    expect(prove(factsOf(world)).bridges).toMatchObject([
      { difference: '-1', classes: [{ class: 'rounding', count: 100, amount: '-1' }], unexplained: '0' },
    ]);
  });

  test('never adds up Canadian and US dollars', () => {
    const { bridges } = prove(factsOf([{ name: 'currency_differs', id: 3, ...plants.currency_differs(3, '1620') }]));
    expect(bridges).toMatchObject([
      {
        currency: 'CAD',
        psaTotal: '1620',
        accountingTotal: '0',
        classes: [{ class: 'currency_differs', amount: '-1620' }],
      },
      {
        currency: 'USD',
        psaTotal: '0',
        accountingTotal: '1620',
        classes: [{ class: 'currency_differs', amount: '1620' }],
      },
    ]);
  });

  test('reports several classes of one document', () => {
    const source = sourceOf(1, '108.25', { tax: decimal('8.25'), isPaid: true });
    const document = documentOf(1, '100', { total: decimal('110'), tax: decimal('10') });
    const posting = postingOf(source, document);
    const { rows } = prove({
      sources: [source],
      documents: [{ ...document, dueOn: calendarDate('2026-04-01'), party: { id: '59', name: 'Birch Legal LLP' } }],
      postings: [posting],
    });
    expect(rows[0]?.findings).toEqual([
      { class: 'tax_differs', amount: '1.75' },
      { class: 'customer_differs', amount: '0' },
      { class: 'due_differs', amount: '0' },
      { class: 'paid_differs', amount: '0' },
    ]);
  });

  test('reports a changed amount on the wrong date in its own month, once', () => {
    const source = sourceOf(1, '100');
    const document = documentOf(1, '100');
    const facts = {
      sources: [source],
      documents: [{ ...document, ...inMarch, total: decimal('110') }],
      postings: [postingOf(source, document)],
    };
    expect(prove(facts).rows[0]?.findings).toMatchObject([
      { class: 'edited_in_accounting', amount: '10' },
      { class: 'date_edited', amount: '-110' },
    ]);
    expect(prove({ ...facts, month: march }).rows[0]?.findings).toEqual([
      { class: 'dated_elsewhere_in_psa', amount: '110' },
    ]);
  });
});

describe('a document of 100 whose source changed', () => {
  const found = (now: string, billed: string, edited = '100') => {
    const source = sourceOf(1, now);
    const was = documentOf(1, '100');
    const isCredit = billed.startsWith('-');
    const own = documentOf(2, billed.replace('-', ''), { type: isCredit ? 'CreditMemo' : 'Invoice' });
    const { rows } = prove({
      sources: [source],
      documents: [documentOf(1, edited), own],
      postings: [postingOf(sourceOf(1, '100'), was)],
      extras: [{ role: 'difference', psaId: 1, type: own.type, id: own.id }],
    });
    return Object.fromEntries(
      (rows[0]?.findings ?? []).flatMap(({ class: of, amount }) => (isZero(amount) ? [] : [[of, amount]])),
    );
  };

  test.each([
    ['higher, fully billed', '130', '30', '100', { difference_billed: '-30' }],
    ['higher, partly billed', '130', '20', '100', { edited_in_psa: '-10', difference_billed: '-20' }],
    ['higher, billed a cent too much', '130', '30.01', '100', { rounding: '0.01', difference_billed: '-30.01' }],
    ['higher, billed far too much', '130', '40', '100', { edited_in_psa: '10', difference_billed: '-40' }],
    ['lower, fully credited', '70', '-30', '100', { difference_billed: '30' }],
    ['lower, partly credited', '70', '-20', '100', { edited_in_psa: '10', difference_billed: '20' }],
    ['lower, though more was billed', '70', '20', '100', { edited_in_psa: '50', difference_billed: '-20' }],
    ['unchanged, QuickBooks lower, billed', '100', '30', '70', { difference_billed: '-30' }],
    ['higher, QuickBooks lower, both partly billed', '120', '30', '90', { difference_billed: '-30' }],
    ['higher, QuickBooks higher, billed', '120', '20', '110', { edited_in_accounting: '10', difference_billed: '-20' }],
  ])('%s', (_, now, billed, edited, wanted) => {
    expect(found(now, billed, edited)).toEqual(wanted);
  });
});

describe('a document with the same total differs in', () => {
  const details = (
    source: Partial<PsaDocument>,
    document: Partial<AccountingDocument> = {},
    posting: Partial<PostedDocument> = {},
  ) => {
    const [of, current] = [sourceOf(1, '100', source), documentOf(1, '100', document)];
    const posted = { ...postingOf(of, documentOf(1, '100')), ...posting };
    const { rows } = prove({ sources: [of], documents: [current], postings: [posted] });
    return rows.flatMap(({ findings }) => findings.map((one) => one.class));
  };
  const other = { party: { id: '59', name: 'Birch Legal' } };
  const late = { dueOn: calendarDate('2026-04-01') };
  const byTerm = { fingerprint: null };

  test.each<[string, Parameters<typeof details>, readonly DifferenceClass[]]>([
    ['nothing', [{}], []],
    ['its customer, compared to the posting', [{ mappedPartyId: null }, other], ['customer_differs']],
    ['its customer, compared to the mapping', [{}, other, byTerm], ['customer_differs']],
    ['nothing without a mapped customer', [{ mappedPartyId: null }, other, byTerm], []],
    ['nothing for a child of the mapped customer', [{ childPartyIds: ['59'] }, other, byTerm], []],
    ['its number', [{}, { number: 'X' }, byTerm], ['number_differs']],
    ['nothing when its posted number is unknown', [{}, { number: 'X' }, { number: null, ...byTerm }], []],
    ['its due date, compared to the posting', [{ dueOn: null }, late], ['due_differs']],
    ['its due date when a term set it', [{}, late, byTerm], ['due_differs']],
    ['nothing without a due date in the PSA', [{ dueOn: null }, late, byTerm], []],
    [
      'nothing for the due date of a credit memo',
      [
        { total: decimal('-100') },
        { ...late, type: 'CreditMemo' },
        { type: 'CreditMemo', ...byTerm, psaTotal: decimal('-100') },
      ],
      [],
    ],
    ['the payment, paid only in the PSA', [{ isPaid: true }], ['paid_differs']],
    ['the payment, paid only in QuickBooks', [{ isPaid: false }, { balance: zero }], ['paid_differs']],
    ['nothing when both show it as paid', [{ isPaid: true }, { balance: zero }], []],
  ])('%s', (_, of, wanted) => {
    expect(details(...of)).toEqual(wanted);
  });
});
