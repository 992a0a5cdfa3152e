import { assert, boolean, constantFrom, property, record } from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { SalesState } from '../documents/sales-state.ts';
import { calendarDate } from '../values/dates.ts';
import { decimal, negate } from '../values/decimal.ts';
import { driftOf, editsOf, unresolvedMarks, type BilledDifference, type DriftFacts, type DriftKind } from './drift.ts';
import { salesState } from '#test/cases/sample-documents.ts';
import { menus } from '#test/cases/sample-world.ts';

const document = salesState({ syncToken: '0', total: decimal('1968.13'), balance: decimal('1968.13'), document: {} });
const facts = (of: Partial<DriftFacts> = {}): DriftFacts => ({
  link: { id: '9177', number: '1042', total: decimal('1968.13'), psaTotal: decimal('1966.25') },
  invoice: { id: 48_213, total: decimal('1966.25'), isVoided: false },
  document,
  psaLabel: 'Autotask',
  psaMenus: menus,
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
  test('match even if QuickBooks computed another tax at the sync', () => {
    expect(driftOf(facts())).toEqual([]);
  });
  test.each([
    ['deleted in QuickBooks', { document: null }, ['missing_in_accounting']],
    [
      'voided in QuickBooks',
      { document: { ...document, isVoided: true, total: decimal('0') } },
      ['voided_in_accounting'],
    ],
    [
      'zero in QuickBooks after a positive total',
      { document: { ...document, total: decimal('0') } },
      ['voided_in_accounting'],
    ],
    [
      'another total in QuickBooks',
      { document: { ...document, total: decimal('1968.14') } },
      ['changed_in_accounting'],
    ],
    ['another number in QuickBooks', { document: { ...document, number: '1043' } }, ['renumbered_in_accounting']],
    [
      'another total in the PSA',
      { invoice: { id: 48_213, total: decimal('1966.24'), isVoided: false } },
      ['changed_in_psa'],
    ],
  ] satisfies (readonly [string, Partial<DriftFacts>, readonly string[]])[])('differ: %s', (_what, of, kinds) => {
    expect(kindsOf(of)).toEqual(kinds);
  });
  test('differ by a QuickBooks edit at the same total, which is described', () => {
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
    const prefix = 'Invoice 1042 was changed in QuickBooks after it was synced: ';
    expect(sentence({})).toBeUndefined();
    expect(sentence({ partyId: '59' })).toBe(`${prefix}customer Acme Dental → Birch Legal.`);
    expect(sentence({ datedOn: calendarDate('2025-02-28') })).toBe(`${prefix}date Mar 3, 2025 → Feb 28, 2025.`);
    expect(sentence({ dueOn: calendarDate('2025-05-02') })).toBe(`${prefix}due date Apr 2, 2025 → May 2, 2025.`);
    expect(sentence({ exchangeRate: decimal('0.76') })).toBe(`${prefix}exchange rate 0.7402 → 0.76.`);
    expect(sentence({ lines: [lineOf('22', '1000'), lineOf('22', '968.13')] })).toBe(
      `${prefix}line 1, item Support → Hardware.`,
    );
    expect(sentence({ lines: [lineOf('21', '900'), lineOf('22', '1068.13')] })).toBe(
      `${prefix}line 1, amount 1,000.00 → 900.00; line 2, amount 968.13 → 1,068.13.`,
    );
    expect(sentence({ lines: [lineOf('21', '1968.13')] })).toBe(`${prefix}number of lines 2 → 1.`);
    // A changed total covers changed amounts. A changed customer is listed as well.
    const other = { ...document, total: decimal('1868.13') };
    const both = editsOf(
      before,
      { ...before, partyId: '59', lines: [lineOf('21', '900'), lineOf('22', '968.13')] },
      nameOf,
    );
    expect(driftOf(facts({ document: other, edits: both })).map(({ problem }) => problem.message)).toEqual([
      'Invoice 1042 was synced with 1,968.13 and is now 1,868.13 in QuickBooks.',
      `${prefix}customer Acme Dental → Birch Legal.`,
    ]);
  });

  test('match when the customer is a project of the same customer now', () => {
    const posted = {
      datedOn: calendarDate('2025-03-03'),
      dueOn: null,
      partyId: '58',
      number: null,
      currency: null,
      lines: [],
    };
    const moved = (partyId: string) =>
      editsOf(
        posted,
        { ...posted, partyId },
        (_, id) => id,
        (one, other) => one === '58' && other === '580',
      );
    expect(moved('580')).toEqual([]);
    expect(moved('59')).toMatchObject([{ field: 'customer', after: '59' }]);
  });

  test('match when a user only set a class or tax code in QuickBooks', () => {
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
    ['without a difference document', { invoice: raised }, ['changed_in_psa']],
    ['with its difference document', { invoice: raised, differences: [billed('100')] }, []],
    ['with two difference documents', { invoice: raised, differences: [billed('60'), billed('40')] }, []],
    ['with a credit memo', { invoice: lowered, differences: [billed('100', { type: 'CreditMemo' })] }, []],
    [
      'in another currency, after its difference was billed',
      { invoice: { ...raised, total: decimal('900') }, differences: [billed('100')], isConverted: true },
      [],
    ],
    ['that is partly billed', { invoice: raised, differences: [billed('60')] }, ['changed_in_psa']],
    [
      'whose difference document changed in QuickBooks',
      { invoice: raised, differences: [billed('80', {}, '100')] },
      ['changed_in_accounting'],
    ],
    [
      'when QuickBooks computed an extra cent on the posting day',
      { invoice: raised, differences: [{ ...billed('100.01'), psaTotal: decimal('100') }] },
      [],
    ],
    [
      'that a user already updated in QuickBooks',
      { invoice: raised, document: { ...document, total: raised.total } },
      [],
    ],
  ])('compare a changed total %s', (_what, of, kinds) => {
    expect(kindsOf(of)).toEqual(kinds);
  });
  test('show the total after the last difference, and a changed difference document', () => {
    const differences = [billed('100')];
    const sentenceOf = (of: Partial<DriftFacts>) => driftOf(facts(of)).map(({ problem }) => problem.message);
    expect(sentenceOf({ invoice: { ...raised, total: decimal('2100') }, differences })).toEqual([
      'Invoice 1042 was synced with 2,068.13 and is now 2,100.00 in Autotask.',
    ]);
    expect(sentenceOf({ invoice: raised, differences: [billed('80', {}, '100')] })).toEqual([
      'Invoice 1043 was synced with 100.00 and is now 80.00 in QuickBooks.',
    ]);
  });

  test('ignore a void in the PSA because it is synced separately', () => {
    expect(kindsOf({ document: null, invoice: { id: 48_213, total: decimal('1'), isVoided: true } })).toEqual([]);
  });
  test('match when the posted values are unknown', () => {
    expect(kindsOf({ link: { id: '9177', number: null, total: null, psaTotal: null } })).toEqual([]);
  });
  test('report each kind once with code, message, and remedy', () => {
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
  ['differs by exactly the limit', ['total_differs'], { total: decimal('1971.25') }, false, []],
  ['matches now', ['total_differs'], { total: decimal('1966.25') }, false, []],
  ['was not emailed', ['not_mailed'], { isMailed: false }, false, ['not_mailed']],
  ['was emailed by a user', ['not_mailed'], { isMailed: true }, false, []],
  ['differs without a flag', [], { total: decimal('1') }, false, []],
  ['was not emailed, without a flag', ['total_differs'], { total: decimal('1966.25') }, false, []],
  ['has a different flag', ['renumbered_in_accounting'], { total: decimal('1') }, false, []],
  ['was deleted', ['not_mailed', 'total_differs'], null, false, []],
  ['is void', ['not_mailed', 'total_differs'], { isVoided: true }, false, []],
  ['is void in the PSA', ['not_mailed', 'total_differs'], { total: decimal('1') }, true, []],
])('returns the remaining flags of a document that %s', (_, marked, changed, isVoided, wanted) => {
  const of = facts({ document: changed === null ? null : { ...document, ...changed } });
  expect(unresolvedMarks(marked, { ...of, invoice: { ...of.invoice, isVoided } }, decimal('5'))).toEqual(wanted);
});
