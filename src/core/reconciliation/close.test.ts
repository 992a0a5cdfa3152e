import { describe, expect, test } from 'vitest';
import type { AccountingDocument } from '../documents/accounting-document.ts';
import { calendarDate, instant } from '../values/dates.ts';
import { decimal, minus, zero } from '../values/decimal.ts';
import {
  changesBetween,
  closeState,
  contentText,
  currenciesOf,
  exceptionsOf,
  leftOutOf,
  obstaclesOf,
  rowKey,
  signedProof,
  totalsOf,
  type CloseHead,
  type Proof,
  type Signature,
} from './close.ts';
import { type Bridge, type CloseKind, type DocumentRow } from './completeness.ts';
import { month } from './month.ts';
import { noNames } from './record-names.ts';
import { documentOf, lineOf, postingOf, provedOf, sourceOf } from './testing.ts';
import { tieOut, type TieOut } from './tie-out.ts';
import { undecidedOf } from './undecided.ts';

const row = (id: number, of: Partial<DocumentRow>): DocumentRow => ({
  kind: 'invoice',
  currency: 'USD',
  psa: sourceOf(id, '100'),
  accounting: documentOf(id, '100'),
  psaAmount: decimal('100'),
  accountingAmount: decimal('100'),
  difference: zero,
  findings: [],
  unexplained: zero,
  changes: [],
  ...of,
});

const exceptions = (rows: readonly DocumentRow[], closedThrough: string | null = null) =>
  exceptionsOf({ rows, closedThrough: closedThrough === null ? null : calendarDate(closedThrough) });
const actionsOf = (of: Partial<DocumentRow>, closedThrough: string | null = null) =>
  exceptions([row(1, of)], closedThrough).map(({ actions }) => actions);

test('lists differences from largest to smallest and ignores expected ones', () => {
  const found = exceptions([
    row(1, { findings: [{ class: 'number_differs', amount: zero }] }),
    row(2, {
      findings: [
        { class: 'edited_in_accounting', amount: decimal('-30') },
        { class: 'zero_skipped', amount: zero },
      ],
      unexplained: decimal('5'),
    }),
    row(3, { findings: [{ class: 'received_in_accounting', amount: decimal('900') }] }),
  ]);
  expect(found.map(({ psaId, class: of, amount }) => [psaId, of, Number(amount)])).toEqual([
    [2, 'edited_in_accounting', -30],
    [2, 'unexplained', 5],
    [1, 'number_differs', 0],
  ]);
});

test('offers only accept and carry for an unexplained difference', () => {
  expect(actionsOf({ unexplained: decimal('5') })).toEqual([['accept', 'carry']]);
});

test.each([
  ['missing_error', ['post']],
  ['missing_not_posting', []],
  ['missing_held', []],
  ['missing_awaits_approval', []],
  ['deleted_in_accounting', ['post_again']],
  ['voided_in_accounting', ['post_again']],
  ['number_differs', ['update_accounting']],
  ['currency_differs', []],
] as const)('%s offers %j', (of, actions) => {
  const findings = [{ class: of, amount: zero }];
  expect(actionsOf({ findings })).toEqual([[...actions, 'accept', 'carry']]);
  // Payments, and documents that the PSA does not have, cannot be posted; a deleted payment is created by its sync.
  const isGone = of === 'deleted_in_accounting' || of === 'voided_in_accounting';
  expect(actionsOf({ findings, kind: 'payment' })).toEqual([[...(isGone ? ['sync_payment'] : []), 'accept', 'carry']]);
  expect(actionsOf({ findings, psa: null })).toEqual([['accept', 'carry']]);
});

test('offers no update for a document on a closed date or with a billed difference', () => {
  const findings = [{ class: 'edited_in_psa', amount: decimal('5') }] as const;
  const { datedOn } = documentOf(1, '100');
  expect(actionsOf({ findings })).toEqual([['update_accounting', 'accept', 'carry']]);
  expect(actionsOf({ findings }, datedOn)).toEqual([['bill_difference', 'accept', 'carry']]);
  expect(actionsOf({ findings: [...findings, { class: 'difference_billed', amount: zero }] })).toEqual([
    ['bill_difference', 'accept', 'carry'],
  ]);
  expect(actionsOf({ findings, kind: 'purchase_order' }, datedOn)).toEqual([['accept', 'carry']]);
});

test.each([
  ['missing_outside_age', 'age'],
  ['missing_before_start', 'start'],
  ['missing_not_posting', 'status'],
] as const)('%s is left out because of %s', (of, because) => {
  const left = row(1, { accounting: null, findings: [{ class: of, amount: decimal('-100') }] });
  expect(leftOutOf({ rows: [left] }, null)).toMatchObject([{ psaId: 1, kind: 'invoice', because }]);
  expect(leftOutOf({ rows: [{ ...left, psa: null }] }, null)).toEqual([]);
});

test('leaves out a paid date before the payment start while the invoice is open in QuickBooks', () => {
  const psa = sourceOf(1, '100', { paidOn: calendarDate('2026-02-10') });
  const open = row(1, { psa, accounting: documentOf(1, '100', { balance: decimal('40') }) });
  expect(leftOutOf({ rows: [open] }, calendarDate('2026-02-11'))).toMatchObject([
    { kind: 'payment', because: 'age', amount: decimal('40') },
  ]);
  expect(leftOutOf({ rows: [open] }, calendarDate('2026-02-10'))).toEqual([]);
  expect(leftOutOf({ rows: [open] }, null)).toEqual([]);
  const paid = row(1, { psa, accounting: documentOf(1, '100', { balance: minus(decimal('40'), decimal('40')) }) });
  expect(leftOutOf({ rows: [paid] }, calendarDate('2026-02-11'))).toEqual([]);
});

test('leaves out no paid date of an invoice that is void or missing in QuickBooks', () => {
  const psa = sourceOf(1, '100', { paidOn: calendarDate('2026-02-10') });
  const paidFrom = calendarDate('2026-02-11');
  const without = [
    row(1, { psa, accounting: null }),
    row(1, { psa, accounting: documentOf(1, '100', { isVoided: true }) }),
    row(1, { psa, kind: 'expense_report' }),
  ];
  expect(leftOutOf({ rows: without }, paidFrom)).toEqual([]);
});

test('identifies a row by its source; without a source or as a duplicate, by its document', () => {
  expect(rowKey(row(1, {}))).toBe('invoice 1 USD');
  expect(rowKey(row(1, { accounting: null }))).toBe('invoice 1 USD');
  expect(rowKey(row(1, { psa: null }))).toBe('invoice Invoice 1 USD');
  expect(rowKey(row(1, { findings: [{ class: 'duplicate', amount: zero }] }))).toBe('invoice Invoice 1 USD');
});

const tie = (left: string, right: string, more: Partial<TieOut> = {}): TieOut => ({
  ...tieOut(
    {
      name: 'receivables_ageing',
      label: 'Accounts receivable',
      leftLabel: 'Ageing',
      rightLabel: 'Trial balance',
      mustBeZero: true,
      rows: [],
    },
    decimal(left),
    decimal(right),
  ),
  ...more,
});
const bridge = (kind: CloseKind, currency: string, unexplained: string, total = '0'): Bridge =>
  ({
    kind,
    currency,
    psaTotal: decimal(total),
    accountingTotal: decimal(total),
    difference: zero,
    explained: zero,
    unexplained: decimal(unexplained),
  }) as Bridge;
const proof = (rows: readonly DocumentRow[], of: Partial<Proof> = {}): Proof => ({
  month: month('2026-02'),
  homeCurrency: 'USD',
  rows,
  bridges: [],
  tieOuts: [],
  closedThrough: null,
  ...of,
});

describe('the totals of a month', () => {
  const bridges = [
    bridge('payment', 'CAD', '3'),
    bridge('invoice', 'CAD', '0', '70'),
    bridge('invoice', 'AUD', '0'),
    bridge('invoice', 'USD', '5', '100'),
    bridge('payment', 'USD', '2', '40'),
  ];

  test('are listed by currency, home currency first even when empty', () => {
    expect(currenciesOf({ bridges, homeCurrency: 'USD' })).toEqual(['USD', 'AUD', 'CAD']);
    expect(currenciesOf({ bridges: [], homeCurrency: 'USD' })).toEqual(['USD']);
  });

  test('cover sales, and the unexplained difference of all documents', () => {
    const totals = totalsOf({ bridges, homeCurrency: 'USD' });
    expect(totals.map(({ currency, psaTotal, unexplained }) => [currency, psaTotal, unexplained])).toEqual([
      ['USD', '100', '7'],
      ['AUD', '0', '0'],
      ['CAD', '70', '3'],
    ]);
  });

  test('block signing when an amount that must be zero is not', () => {
    const ties = [tie('10', '10'), tie('10', '4'), tie('9', '4', { mustBeZero: false })];
    expect(obstaclesOf(proof([], { bridges, tieOuts: ties }))).toEqual([
      { label: 'Payments', currency: 'CAD', amount: '3' },
      { label: 'Invoices and credit memos', currency: 'USD', amount: '5' },
      { label: 'Payments', currency: 'USD', amount: '2' },
      { label: 'Accounts receivable', currency: 'USD', amount: '6' },
    ]);
  });
});

describe('the changes between two proofs of a month', () => {
  const changes = (before: Proof, after: Proof) =>
    changesBetween(before, after).map(({ label, details }) => [label, ...details]);
  const changed = (of: Partial<DocumentRow>, was: Partial<DocumentRow> = {}) =>
    changes(proof([row(1, was)]), proof([row(1, of)]));

  test('are empty for an unchanged month', () => {
    const same = proof([row(1, {}), row(2, { psa: null }), row(3, { accounting: null })], { tieOuts: [tie('1', '1')] });
    expect(changesBetween(same, same)).toEqual([]);
  });

  test('include new and removed documents with their amounts', () => {
    const [one, two] = [proof([row(1, {})]), proof([row(2, {})])];
    expect(changesBetween(one, two)).toMatchObject([
      { key: 'invoice 2 USD', before: null, after: { psaAmount: '100' }, details: ['new in the month'] },
      { key: 'invoice 1 USD', before: { accountingAmount: '100' }, after: null, details: ['gone from the month'] },
    ]);
  });

  test('label a document with its QuickBooks number and PSA name, otherwise with the available ones', () => {
    const accounting = documentOf(1, '100', { number: 'QB-1', party: { id: '58', name: 'Acme (accounting)' } });
    const labels = (of: Partial<DocumentRow>) => changes(proof([]), proof([row(1, of)])).map(([label]) => label);
    expect(labels({ accounting })).toEqual(['QB-1 · Acme Dental']);
    expect(labels({ accounting, psa: null })).toEqual(['QB-1 · Acme (accounting)']);
    expect(labels({ accounting: null })).toEqual(['AT-1 · Acme Dental']);
    expect(
      labels({ psa: null, accounting: documentOf(1, '1', { number: null, party: { id: '58', name: '' } }) }),
    ).toEqual(['']);
  });

  const psa = sourceOf(1, '100');
  const accounting = documentOf(1, '100');

  test('show record names and separate two records with the same name', () => {
    const lines = (classId: string) => ({ accounting: { ...accounting, lines: [lineOf('100', { classId })] } });
    const names = { ...noNames, item: { '11': 'Support' }, class: { '7': 'Projects', '8': 'Projects' } };
    const [change] = changesBetween(proof([row(1, lines('7'))]), proof([row(1, lines('8'))]), names);
    expect(change?.details).toEqual([
      'QuickBooks line 1: Support / – / Projects / NON / 1 / 100 → Support / – / Projects / NON / 1 / 100',
    ]);
  });

  test.each<[string, Partial<DocumentRow>, readonly string[]]>([
    ['total in the PSA', { psa: { ...psa, total: decimal('101') } }, ['PSA total: 100 → 101']],
    ['tax in the PSA', { psa: { ...psa, tax: decimal('8') } }, ['PSA tax: 0 → 8']],
    [
      'date in the PSA',
      { psa: { ...psa, datedOn: calendarDate('2026-02-11') } },
      ['PSA date: Feb 10, 2026 → Feb 11, 2026'],
    ],
    ['missing due date', { psa: { ...psa, dueOn: null } }, ['PSA due: Mar 12, 2026 → –']],
    ['void in the PSA', { psa: { ...psa, isVoided: true } }, ['PSA void: no → yes']],
    ['total in QuickBooks', { accounting: { ...accounting, total: decimal('99') } }, ['QuickBooks total: 100 → 99']],
    ['void in QuickBooks', { accounting: { ...accounting, isVoided: true } }, ['QuickBooks void: no → yes']],
    ['deleted number', { accounting: { ...accounting, number: '' } }, ['QuickBooks number: AT-1 → –']],
    [
      'customer without a name',
      { accounting: { ...accounting, party: { id: '58', name: null } } },
      ['QuickBooks customer: Acme Dental → 58'],
    ],
    [
      'second line',
      { accounting: { ...accounting, lines: [lineOf('100'), lineOf('5', { itemId: null, accountId: '3' })] } },
      ['QuickBooks line 2: – → – / 3 / – / NON / 1 / 5'],
    ],
    [
      'class of a line',
      { accounting: { ...accounting, lines: [lineOf('100', { classId: '7' })] } },
      ['QuickBooks line 1: 11 / – / – / NON / 1 / 100 → 11 / – / 7 / NON / 1 / 100'],
    ],
    [
      'billed difference',
      { findings: [{ class: 'difference_billed', amount: decimal('-20') }] },
      ['Billed by separate documents: – → 20'],
    ],
  ])('include only another %s', (_, of, details) => {
    const label = of.accounting?.number === '' ? 'Acme Dental' : 'AT-1 · Acme Dental';
    expect(changed(of)).toEqual([[label, ...details]]);
  });

  test('show a document that appeared in QuickBooks with all its values', () => {
    expect(changed({}, { accounting: null })[0]).toContain('QuickBooks document: – → Invoice 1');
    expect(changed({ psa: null }, { accounting: null, psa: null })).toHaveLength(2);
  });

  test.each<[string, TieOut, TieOut, readonly (readonly string[])[]]>([
    ['left', tie('1', '1'), tie('2', '1'), [['Accounts receivable', 'Ageing: 1 → 2']]],
    ['right', tie('1', '1'), tie('1', '2'), [['Accounts receivable', 'Trial balance: 1 → 2']]],
    ['neither', tie('1', '1'), tie('1', '1'), []],
    ['none for an informational tie-out', tie('1', '1'), tie('2', '1', { mustBeZero: false }), []],
    ['none for a new tie-out', tie('1', '1', { name: 'unbilled' }), tie('2', '1'), []],
  ])('show the changed side of a tie-out: %s', (_, was, is, wanted) => {
    const changes = changesBetween(proof([], { tieOuts: [was] }), proof([], { tieOuts: [is] }));
    expect(changes.map(({ label, details }) => [label, ...details])).toEqual(wanted);
    for (const one of changes)
      expect(one).toMatchObject({
        key: 'tie_out receivables_ageing',
        currency: 'USD',
        before: { psaAmount: was.left, accountingAmount: was.right },
        after: { psaAmount: is.left, accountingAmount: is.right },
      });
  });

  test('have equal content text for equal findings, ignoring order and later payments', () => {
    const [a, b] = [row(1, {}), row(2, {})];
    const read = contentText(proof([a, b], { tieOuts: [tie('1', '1'), tie('5', '1', { mustBeZero: false })] }));
    const paid = { ...a, accounting: documentOf(1, '100', { balance: zero }) };
    expect(contentText(proof([b, paid], { tieOuts: [tie('1', '1'), tie('6', '1', { mustBeZero: false })] }))).toBe(
      read,
    );
    for (const other of [
      proof([a], { tieOuts: [tie('1', '1')] }),
      proof([a, b], { tieOuts: [tie('2', '1')] }),
      proof([a, { ...b, accountingAmount: decimal('99') }], { tieOuts: [tie('1', '1')] }),
      proof([a, { ...b, psa: sourceOf(2, '100', { isVoided: true }) }], { tieOuts: [tie('1', '1')] }),
    ])
      expect(contentText(other)).not.toBe(read);
    // Rows are sorted by key.
    expect(read.indexOf('invoice 1 USD')).toBeLessThan(read.indexOf('invoice 2 USD'));
  });
});

describe('a month is', () => {
  const head = (id: string, sha256: string, isProved = true, undecided = 0): CloseHead => ({
    id,
    sha256,
    isProved,
    undecided,
  });
  const sign = (closeId: string, ...as: readonly Signature['as'][]): readonly Signature[] =>
    as.map((one) => ({ closeId, as: one, by: 'Ann', at: instant('2026-03-02T15:00:00Z'), reason: null }));
  const [first, second] = [head('1', 'a'), head('2', 'b')];

  test.each<[string, readonly CloseHead[], readonly Signature[], string | null]>([
    ['open', [], [], null],
    ['open', [head('1', 'a', false)], [], null],
    ['open', [head('1', 'a', true, 1)], [], null],
    ['ready', [head('1', 'a', false), second], [], null],
    ['open', [first, head('2', 'b', false)], [], null],
    ['ready', [first], sign('1', 'preparer'), null],
    ['ready', [first], sign('1', 'reviewer', 'reviewer'), null],
    ['ready', [first, second], [...sign('1', 'preparer'), ...sign('2', 'reviewer')], null],
    ['signed', [first], sign('1', 'preparer', 'reviewer'), '1'],
    ['signed', [first, head('2', 'a')], sign('1', 'preparer', 'reviewer'), '1'],
    ['changed', [first, second], sign('1', 'preparer', 'reviewer'), '1'],
    ['signed', [first, second], [...sign('1', 'preparer', 'reviewer'), ...sign('2', 'preparer', 'reviewer')], '2'],
  ])('%s', (state, proofs, signatures, signed) => {
    expect(closeState(proofs, signatures)).toBe(state);
    expect(signedProof(proofs, signatures)?.id ?? null).toBe(signed);
  });
});

test.each<[string, Partial<DocumentRow>, boolean]>([
  ['exists on both sides', {}, true],
  ['is not an invoice', { kind: 'purchase_order' }, false],
  ['is missing in QuickBooks', { accounting: null }, false],
  ['is void in the PSA', { psa: sourceOf(1, '100', { isVoided: true }) }, false],
  ['is void in QuickBooks', { accounting: documentOf(1, '100', { isVoided: true }) }, false],
])('bills the difference of a document on a closed date that %s: %s', (_, of, isBilled) => {
  const findings = [{ class: 'edited_in_psa', amount: decimal('5') }] as const;
  expect(actionsOf({ findings, ...of }, '2026-02-28')).toEqual([
    [...(isBilled ? ['bill_difference'] : []), 'accept', 'carry'],
  ]);
});

test.each<[string, Partial<DocumentRow>, string | null, boolean]>([
  ['is open on both sides', {}, null, true],
  ['is dated after the closed date', {}, '2026-02-09', true],
  [
    'has a closed date in the PSA',
    { psa: sourceOf(1, '100', { datedOn: calendarDate('2026-02-09') }) },
    '2026-02-09',
    false,
  ],
  [
    'has a closed date in QuickBooks',
    { accounting: documentOf(1, '100', { datedOn: calendarDate('2026-02-09') }) },
    '2026-02-09',
    false,
  ],
  ['was partly paid', { accounting: documentOf(1, '100', { balance: decimal('60') }) }, null, false],
  [
    'was moved by the sync',
    { accounting: documentOf(1, '100', { privateNote: 'Original date 2026-01-31' }) },
    null,
    false,
  ],
  ['is missing in QuickBooks', { accounting: null }, null, false],
  ['is void in the PSA', { psa: sourceOf(1, '100', { isVoided: true }) }, null, false],
  ['is void in QuickBooks', { accounting: documentOf(1, '100', { isVoided: true }) }, null, false],
])('updates a document that %s: %s', (_, of, closedThrough, isUpdated) => {
  const findings = [{ class: 'date_differs', amount: zero }] as const;
  expect(actionsOf({ findings, ...of }, closedThrough)).toEqual([
    [...(isUpdated ? ['update_accounting'] : []), 'accept', 'carry'],
  ]);
});

test.each(['edited_in_psa', 'deleted_in_accounting', 'voided_in_accounting'] as const)(
  'offers no fix for %s while the total in the PSA is not the sum of its lines',
  (of) => {
    const findings = [{ class: of, amount: decimal('5') }];
    const psa = (linesNet: string) => sourceOf(1, '100', { linesNet: decimal(linesNet) });
    const rounded = { ...psa('99.96'), linesAddUp: true };
    expect(actionsOf({ findings, psa: rounded })[0]).toHaveLength(3);
    expect(actionsOf({ findings, psa: psa('100') })[0]).toHaveLength(3);
    expect(actionsOf({ findings, psa: psa('99.96') })).toEqual([['accept', 'carry']]);
    expect(actionsOf({ findings, psa: psa('90') })).toEqual([['accept', 'carry']]);
    const paid = documentOf(1, '100', { balance: decimal('60') });
    expect(actionsOf({ findings, psa: psa('90'), accounting: paid })).toEqual([['accept', 'carry']]);
  },
);

test('a difference refers to the QuickBooks document if it exists', () => {
  const findings = [{ class: 'missing_error', amount: decimal('-100') }] as const;
  const [missing, existing] = [row(1, { accounting: null, findings }), row(2, { findings })].map(
    (one) => exceptions([one])[0],
  );
  expect(missing).toMatchObject({ accounting: null, number: 'AT-1', since: null });
  expect(existing).toMatchObject({ accounting: { type: 'Invoice', id: '2' }, number: 'AT-2' });
});

test.each([
  ['edited_in_accounting', true],
  ['voided_in_accounting', true],
  ['number_differs', true],
  ['edited_in_psa', false],
  ['voided_in_psa', false],
  ['dated_elsewhere_in_psa', false],
  ['tax_differs', false],
  ['rounding', false],
  ['customer_differs', false],
] as const)('%s names the editor in QuickBooks: %s', (of, isEdit) => {
  const accounting = documentOf(1, '100', { changedBy: 'Dana Reed' });
  const [found] = exceptions([row(1, { accounting, findings: [{ class: of, amount: decimal('5') }] })]);
  expect([found?.by, found?.since]).toEqual(isEdit ? ['Dana Reed', accounting.changedAt] : [null, null]);
});

test('a detail names the editor when the document shows the edit, and a paid date only when it is paid in QuickBooks', () => {
  const accounting = documentOf(1, '100', { changedBy: 'Dana Reed' });
  const by = (of: Partial<DocumentRow>) => exceptions([row(1, { accounting, ...of })])[0]?.by;
  const changes = [{ field: 'customer', line: null, before: '58', after: '59' }] as const;
  expect(by({ findings: [{ class: 'customer_differs', amount: zero }], changes })).toBe('Dana Reed');
  const findings = [{ class: 'paid_differs', amount: zero }] as const;
  expect(by({ findings })).toBeNull();
  expect(by({ findings, accounting: { ...accounting, balance: zero } })).toBe('Dana Reed');
});

test.each<readonly [name: string, first: Partial<AccountingDocument>, second: Partial<AccountingDocument>]>([
  ['customer', { party: { id: '59', name: 'Birch' } }, { party: { id: '60', name: 'Cedar' } }],
  ['number', { number: 'X-1' }, { number: 'X-2' }],
  ['day', { datedOn: calendarDate('2026-02-11') }, { datedOn: calendarDate('2026-02-12') }],
  ['due date', { dueOn: calendarDate('2026-04-01') }, { dueOn: calendarDate('2026-12-31') }],
  ['item', { lines: [lineOf('100', { itemId: '12' })] }, { lines: [lineOf('100', { itemId: '13' })] }],
  ['rate', { exchangeRate: decimal('0.7') }, { exchangeRate: decimal('0.8') }],
])('a decision about another %s ends when it changes again', (_, first, second) => {
  const source = sourceOf(1, '100');
  const posted = documentOf(1, '100');
  const proofWith = (change: Partial<AccountingDocument>) =>
    provedOf({
      sources: [source],
      documents: [{ ...posted, ...change }],
      postings: [postingOf(source, posted)],
    });
  const decisions = exceptionsOf(proofWith(first)).map(({ key, amount }) => ({ key, amount }));
  expect(decisions).toHaveLength(1);
  expect(undecidedOf(proofWith(first), decisions)).toEqual([]);
  expect(undecidedOf(proofWith(second), decisions)).toMatchObject([{ count: 1 }]);
});
