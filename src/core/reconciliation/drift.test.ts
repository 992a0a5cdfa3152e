import { assert, boolean, constantFrom, property, record } from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { SalesState } from '../documents/sales-state.ts';
import { calendarDate, instant } from '../values/dates.ts';
import { decimal, negate } from '../values/decimal.ts';
import { driftOf, editsOf, standingMarks, type BilledDifference, type DriftFacts, type DriftKind } from './drift.ts';

const document: SalesState = {
  type: 'Invoice',
  id: '9177',
  syncToken: '0',
  number: '1042',
  customer: { id: '58', name: 'Acme Dental' },
  datedOn: calendarDate('2025-03-03'),
  total: decimal('1968.13'),
  balance: decimal('1968.13'),
  currency: 'USD',
  isVoided: false,
  tax: decimal('0'),
  isMailed: false,
  privateNote: null,
  changedAt: instant('2025-03-03T15:00:00Z'),
  applied: [],
  document: {},
};
const facts = (of: Partial<DriftFacts> = {}): DriftFacts => ({
  link: { id: '9177', number: '1042', total: decimal('1968.13'), psaTotal: decimal('1966.25') },
  invoice: { id: 48_213, total: decimal('1966.25'), isVoided: false },
  document,
  psaLabel: 'Autotask',
  ...of,
});
const lineOf = (itemId: string, amount: string) => ({
  itemId,
  accountId: null,
  classId: null,
  taxCode: 'NON',
  quantity: null,
  amount: decimal(amount),
});
const kindsOf = (of: Partial<DriftFacts>) => driftOf(facts(of)).map(({ kind }) => kind);

describe('both sides of a synced invoice', () => {
  test('agree although the books computed another tax when it was synced', () => {
    expect(driftOf(facts())).toEqual([]);
  });
  test.each([
    ['gone in the books', { document: null }, ['missing_in_books']],
    ['voided in the books', { document: { ...document, isVoided: true, total: decimal('0') } }, ['voided_in_books']],
    ['zero in the books, and was not', { document: { ...document, total: decimal('0') } }, ['voided_in_books']],
    ['another total in the books', { document: { ...document, total: decimal('1968.14') } }, ['changed_in_books']],
    ['another number in the books', { document: { ...document, number: '1043' } }, ['renumbered_in_books']],
    [
      'another total in the PSA',
      { invoice: { id: 48_213, total: decimal('1966.24'), isVoided: false } },
      ['changed_in_psa'],
    ],
  ] satisfies (readonly [string, Partial<DriftFacts>, readonly string[]])[])(
    'have come apart: %s',
    (_what, of, kinds) => {
      expect(kindsOf(of)).toEqual(kinds);
    },
  );
  test('have come apart by an edit in QuickBooks at the same total, which is named', () => {
    const before = {
      datedOn: calendarDate('2025-03-03'),
      dueOn: calendarDate('2025-04-02'),
      partyId: '58',
      number: '1042',
      currency: 'CAD',
      exchangeRate: decimal('0.7402'),
      lines: [lineOf('21', '1000'), lineOf('22', '968.13')],
    };
    const names: Readonly<Record<string, string>> = {
      58: 'Acme Dental',
      59: 'Birch Legal',
      21: 'Support',
      22: 'Hardware',
    };
    const nameOf = (_of: string, id: string) => names[id] ?? id;
    const sentence = (change: Partial<typeof before>, now = document) => {
      const [found] = driftOf(facts({ document: now, edits: editsOf(before, { ...before, ...change }, nameOf) }));
      return found?.problem.message;
    };
    const said = 'Invoice 1042 was changed in QuickBooks since it was synced: ';
    expect(sentence({})).toBeUndefined();
    expect(sentence({ partyId: '59' })).toBe(`${said}customer Acme Dental → Birch Legal.`);
    expect(sentence({ datedOn: calendarDate('2025-02-28') })).toBe(`${said}date Mar 3, 2025 → Feb 28, 2025.`);
    expect(sentence({ dueOn: calendarDate('2025-05-02') })).toBe(`${said}due date Apr 2, 2025 → May 2, 2025.`);
    expect(sentence({ exchangeRate: decimal('0.76') })).toBe(`${said}exchange rate 0.7402 → 0.76.`);
    expect(sentence({ lines: [lineOf('22', '1000'), lineOf('22', '968.13')] })).toBe(
      `${said}line 1, item Support → Hardware.`,
    );
    expect(sentence({ lines: [lineOf('21', '900'), lineOf('22', '1068.13')] })).toBe(
      `${said}line 1, amount 1,000.00 → 900.00; line 2, amount 968.13 → 1,068.13.`,
    );
    expect(sentence({ lines: [lineOf('21', '1968.13')] })).toBe(`${said}number of lines 2 → 1.`);
    // A changed total covers changed amounts. A changed customer is listed as well.
    const other = { ...document, total: decimal('1868.13') };
    const both = editsOf(
      before,
      { ...before, partyId: '59', lines: [lineOf('21', '900'), lineOf('22', '968.13')] },
      nameOf,
    );
    expect(driftOf(facts({ document: other, edits: both })).map(({ problem }) => problem.message)).toEqual([
      'Invoice 1042 was synced with 1,968.13, and comes to 1,868.13 in QuickBooks since.',
      `${said}customer Acme Dental → Birch Legal.`,
    ]);
  });

  test('have not come apart by a class or a tax code that a person set in QuickBooks', () => {
    const before = {
      datedOn: calendarDate('2025-03-03'),
      dueOn: null,
      partyId: null,
      number: null,
      currency: null,
      lines: [lineOf('21', '10')],
    };
    const now = { ...before, lines: [{ ...lineOf('21', '10'), classId: '5', taxCode: 'TAX' }] };
    expect(editsOf(before, now, (_of, id) => id)).toEqual([]);
  });

  const billed = (total: string, of: Partial<SalesState> = {}, posted = total): BilledDifference => ({
    document: { ...document, id: '9201', number: '1043', total: decimal(total), ...of },
    total: decimal(posted),
    psaTotal: of.type === 'CreditMemo' ? negate(decimal(posted)) : decimal(posted),
  });
  const raised = { id: 48_213, total: decimal('2068.13'), isVoided: false };
  const lowered = { id: 48_213, total: decimal('1868.13'), isVoided: false };
  test.each<[string, Partial<DriftFacts>, readonly DriftKind[]]>([
    ['without the document that bills it', { invoice: raised }, ['changed_in_psa']],
    ['with the document that bills it', { invoice: raised, differences: [billed('100')] }, []],
    ['with the two that bill it', { invoice: raised, differences: [billed('60'), billed('40')] }, []],
    ['with a credit memo', { invoice: lowered, differences: [billed('100', { type: 'CreditMemo' })] }, []],
    ['billed only in part', { invoice: raised, differences: [billed('60')] }, ['changed_in_psa']],
    [
      'whose document changed in QuickBooks',
      { invoice: raised, differences: [billed('80', {}, '100')] },
      ['changed_in_books'],
    ],
    [
      'where QuickBooks computed a cent more, as on the day of posting',
      { invoice: raised, differences: [{ ...billed('100.01'), psaTotal: decimal('100') }] },
      [],
    ],
    ['that QuickBooks was brought to by hand', { invoice: raised, document: { ...document, total: raised.total } }, []],
  ])('compare a changed total %s', (_what, of, kinds) => {
    expect(kindsOf(of)).toEqual(kinds);
  });
  test('name the total after the last difference, and the difference document that changed', () => {
    const differences = [billed('100')];
    const sentenceOf = (of: Partial<DriftFacts>) => driftOf(facts(of)).map(({ problem }) => problem.message);
    expect(sentenceOf({ invoice: { ...raised, total: decimal('2100') }, differences })).toEqual([
      'Invoice 1042 was synced with 2,068.13, and comes to 2,100.00 in Autotask since.',
    ]);
    expect(sentenceOf({ invoice: raised, differences: [billed('80', {}, '100')] })).toEqual([
      'Invoice 1043 was synced with 100.00, and comes to 80.00 in QuickBooks since.',
    ]);
  });

  test('have not come apart by a void in the PSA: that is sent', () => {
    expect(kindsOf({ document: null, invoice: { id: 48_213, total: decimal('1'), isVoided: true } })).toEqual([]);
  });
  test('of which nothing was known at the time say nothing', () => {
    expect(kindsOf({ link: { id: '9177', number: null, total: null, psaTotal: null } })).toEqual([]);
  });
  test('are told with code, sentence and remedy, each kind once', () => {
    const situations = record({
      total: constantFrom('1968.13', '0', '5'),
      number: constantFrom('1042', '7', null),
      psaTotal: constantFrom('1966.25', '9'),
      isVoided: boolean(),
    });
    assert(
      property(situations, ({ total, number, psaTotal, isVoided }) => {
        const found = driftOf(
          facts({
            document: { ...document, total: decimal(total), number, isVoided },
            invoice: { id: 48_213, total: decimal(psaTotal), isVoided: false },
          }),
        );
        expect(new Set(found.map(({ kind }) => kind)).size).toBe(found.length);
        for (const { problem } of found) {
          expect(problem.message).toMatch(/^Invoice .+\.$/);
          expect(problem.remedy).not.toMatch(/^$|\{psa\}/);
        }
      }),
    );
  });
});

test.each<[string, readonly DriftKind[], Partial<SalesState> | null, boolean, readonly DriftKind[]]>([
  ['still differs by more than the limit', ['total_differs'], { total: decimal('1971.26') }, false, ['total_differs']],
  ['differs by the limit', ['total_differs'], { total: decimal('1971.25') }, false, []],
  ['came to the same since', ['total_differs'], { total: decimal('1966.25') }, false, []],
  ['was not mailed', ['not_mailed'], { isMailed: false }, false, ['not_mailed']],
  ['was mailed by a person', ['not_mailed'], { isMailed: true }, false, []],
  ['differs, but was not marked', [], { total: decimal('1') }, false, []],
  ['was not mailed, but was not marked', ['total_differs'], { total: decimal('1966.25') }, false, []],
  ['is marked with something else', ['renumbered_in_books'], { total: decimal('1') }, false, []],
  ['is gone', ['not_mailed', 'total_differs'], null, false, []],
  ['is void', ['not_mailed', 'total_differs'], { isVoided: true }, false, []],
  ['is void in the PSA', ['not_mailed', 'total_differs'], { total: decimal('1') }, true, []],
])('of a document that %s the marks of its day hold as they should', (_, marked, changed, isVoided, wanted) => {
  const of = facts({ document: changed === null ? null : { ...document, ...changed } });
  expect(standingMarks(marked, { ...of, invoice: { ...of.invoice, isVoided } }, decimal('5'))).toEqual(wanted);
});
