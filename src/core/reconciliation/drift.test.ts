import { assert, boolean, constantFrom, property, record } from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { SalesState } from '../documents/sales-state.ts';
import { calendarDate, instant } from '../values/dates.ts';
import { decimal } from '../values/decimal.ts';
import { driftOf, standingMarks, type DriftFacts, type DriftKind } from './drift.ts';

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
