import { assert, boolean, constantFrom, integer, option, property, record } from 'fast-check';
import { describe, expect, test } from 'vitest';
import { unknownPayment, type PaymentState } from '../documents/payment.ts';
import type { SalesState } from '../documents/sales-state.ts';
import { addSeconds, calendarDate, instant } from '../values/dates.ts';
import { decimal, isPositive, isZero, type Decimal } from '../values/decimal.ts';
import { describeDocument, planPayment, type PaymentDecision, type PaymentFacts } from './plan-payment.ts';
import { salesState } from '#test/cases/sample-documents.ts';
import { menus } from '#test/cases/sample-world.ts';

const on = calendarDate;
const now = instant('2025-04-09T15:00:00Z');
const document = salesState({ changedAt: instant('2025-04-08T23:30:00-05:00') });
interface Of extends Partial<Omit<PaymentFacts, 'state' | 'settings' | 'document' | 'invoice'>> {
  readonly document?: Partial<SalesState> | null;
  readonly state?: Partial<PaymentState>;
  readonly settings?: Partial<PaymentFacts['settings']>;
  readonly paidOn?: string | null;
  readonly isVoided?: boolean;
}
const facts = ({
  document: changed,
  state,
  settings,
  paidOn = null,
  isVoided = false,
  ...of
}: Of = {}): PaymentFacts => ({
  invoice: {
    id: 48_213,
    number: '1042',
    total: decimal('1966.25'),
    paidOn: paidOn === null ? null : on(paidOn),
    isVoided,
  },
  link: { id: '9177', number: '1042', total: decimal('1966.25'), psaTotal: decimal('1966.25') },
  document: changed === null ? null : { ...document, ...changed },
  appliedOn: [],
  unapplied: decimal('0'),
  state: { ...unknownPayment(48_213), isDue: true, ...state },
  isPaidByUs: false,
  isAfterGap: false,
  isConfirmed: false,
  settings: {
    pay_direction: 'both',
    pay_grace_hours: 24,
    pay_deposit_account: null,
    closed_period_policy: 'hold',
    ...settings,
  },
  preferences: { closedThrough: on('2025-01-31') },
  paidFrom: on('2025-03-01'),
  now,
  timeZone: 'America/Chicago',
  psaLabel: 'Autotask',
  psaMenus: menus,
  ...of,
});
const paid = { balance: decimal('0') };
const open = (amount: string) => ({ balance: decimal(amount) });
const codes = (decision: PaymentDecision) =>
  decision.outcome === 'refuse' ? decision.problems.map(({ code }) => code) : decision.outcome;

describe('from QuickBooks to the PSA', () => {
  test('stores a partial payment without changing the PSA', () => {
    expect(planPayment(facts({ document: open('966.25'), appliedOn: [on('2025-03-20')] }))).toMatchObject({
      outcome: 'rest',
      state: { balance: '966.25', wasPaid: false, isDue: false },
    });
  });

  test('the last payment sets the paid date', () => {
    expect(planPayment(facts({ document: paid, appliedOn: [on('2025-04-02'), on('2025-03-20')] }))).toMatchObject({
      outcome: 'tell',
      paidOn: '2025-04-02',
      message: 'Invoice 1042 was paid on Apr 2, 2025.',
      state: { wasPaid: true, writtenOn: '2025-04-02', isDue: false },
    });
  });

  test('handles each of two invoices paid by one check', () => {
    expect(planPayment(facts({ document: paid, appliedOn: [on('2025-03-21')] }))).toMatchObject({
      paidOn: '2025-03-21',
    });
    const ofOther = { id: '9178', number: '1043', total: decimal('800'), psaTotal: null };
    const other = { total: decimal('800'), balance: decimal('266.25'), number: '1043' };
    expect(planPayment(facts({ document: other, link: ofOther, appliedOn: [on('2025-03-21')] }))).toMatchObject({
      outcome: 'rest',
      state: { balance: '266.25' },
    });
  });

  test('combines a credit memo and a payment', () => {
    const both = { total: decimal('420'), balance: decimal('0'), number: '1044' };
    expect(planPayment(facts({ document: both, appliedOn: [on('2025-03-28'), on('2025-03-10')] }))).toMatchObject({
      paidOn: '2025-03-28',
      message: 'Invoice 1044 was paid on Mar 28, 2025.',
    });
  });

  test("uses the date of the change in the PSA's time zone when no payment was made", () => {
    expect(planPayment(facts({ document: paid }))).toMatchObject({
      paidOn: '2025-04-08',
      message: 'Closed without a payment: invoice 1042, on Apr 8, 2025.',
    });
  });

  test('clears the paid date that we wrote when a payment bounces', () => {
    const state = { wasPaid: true, writtenOn: on('2025-04-02') };
    expect(planPayment(facts({ document: open('966.25'), paidOn: '2025-04-02', state }))).toMatchObject({
      outcome: 'tell',
      paidOn: null,
      message: 'Payment reversed: invoice 1042 has 966.25 open again.',
      state: { writtenOn: null, wasPaid: true },
    });
  });

  test('keeps a paid date that a person set and reports the conflict', () => {
    const decision = planPayment(facts({ document: open('966.25'), paidOn: '2025-04-01', state: { wasPaid: true } }));
    expect(codes(decision)).toEqual(['OPEN_AGAIN']);
    const own = { wasPaid: true, writtenOn: on('2025-04-02') };
    expect(codes(planPayment(facts({ document: open('966.25'), paidOn: '2025-04-01', state: own })))).toEqual([
      'OPEN_AGAIN',
    ]);
  });

  test.each([
    [{ unapplied: '966.25', isApplied: false }, '966.25 of payment PSA-1042 is not applied to any invoice'],
    [{ unapplied: '0', isApplied: false }, 'payment PSA-1042 of 1,966.25 is applied to another document'],
    [{ unapplied: '100', isApplied: true }, '100.00 of payment PSA-1042 is not applied to any invoice'],
    [{ unapplied: '0', isApplied: true }, 'payment PSA-1042 was reduced to 1,966.25'],
    [
      { unapplied: '0', isApplied: true, elsewhere: '966.25' },
      '966.25 of payment PSA-1042 is applied to another document',
    ],
  ])('asks the user to reapply a moved payment, never to enter it again: %o', (of, what) => {
    const ourPayment = {
      reference: 'PSA-1042',
      total: decimal('1966.25'),
      unapplied: decimal(of.unapplied),
      isApplied: of.isApplied,
      ...('elsewhere' in of && { elsewhere: decimal(of.elsewhere) }),
    };
    const given = { document: open('966.25'), paidOn: '2025-04-01', state: { wasPaid: true }, isPaidByUs: true };
    const decision = planPayment(facts({ ...given, ourPayment }));
    expect(codes(decision)).toEqual(['PAYMENT_MOVED']);
    const [problem] = decision.outcome === 'refuse' ? decision.problems : [];
    expect(problem?.message).toContain(what);
    expect(problem?.remedy).toMatch(/^(Apply payment PSA-1042 again|If you received the money, restore)/);
    expect(problem?.remedy).toMatch(/would count twice/);
    expect(problem?.remedy).not.toMatch(/enter it again/);
  });

  test('never overwrites an existing paid date', () => {
    expect(planPayment(facts({ document: paid, appliedOn: [on('2025-04-02')], paidOn: '2025-03-30' }))).toMatchObject({
      outcome: 'rest',
      state: { wasPaid: true, writtenOn: null },
    });
  });

  test.each([
    ['void there', { isVoided: true, total: decimal('0'), balance: decimal('0') }, 'VOIDED_IN_BOOKS'],
    ['void there with a total', { isVoided: true, balance: decimal('0') }, 'VOIDED_IN_BOOKS'],
    ['zero there after a positive total', { total: decimal('0'), balance: decimal('0') }, 'VOIDED_IN_BOOKS'],
    ['deleted', null, 'MISSING_IN_BOOKS'],
  ] as const)('does not mark an invoice as paid that is %s', (_what, changed, code) => {
    expect(codes(planPayment(facts({ document: changed })))).toEqual([code]);
    // When the PSA shows the void too, both sides agree.
    expect(planPayment(facts({ document: changed, isVoided: true })).outcome).toBe('rest');
  });

  test.each([
    [false, null],
    [true, { on: '2025-04-01', balance: '1966.25' }],
  ])('after payment, by us %s, stores a paid date set by a person as %j', (isPaidByUs, stored) => {
    const seen = { on: on('2025-04-01'), at: now, balance: decimal('1966.25') };
    const decision = planPayment(facts({ document: paid, paidOn: '2025-04-01', isPaidByUs, state: { seen } }));
    expect(decision).toMatchObject({ outcome: 'rest', state: { wasPaid: true, seen: stored } });
  });

  test.each([
    ['50', '2025-04-02', 'Invoice 1042 was paid on Apr 2, 2025. 50.00 that came in is not applied to any invoice.', 2],
    ['0', '2025-04-02', 'Invoice 1042 was paid on Apr 2, 2025.', 1],
    ['0', null, 'Closed without a payment: invoice 1042, on Apr 8, 2025.', 1],
  ])('with %s left over, applied on %s, reports: %s', (unapplied, appliedOn, message, notes) => {
    const of = { unapplied: decimal(unapplied), appliedOn: appliedOn === null ? [] : [on(appliedOn)] };
    const decision = planPayment(facts({ document: paid, ...of }));
    expect(decision).toMatchObject({ outcome: 'tell', message });
    expect(decision.outcome === 'tell' && decision.notes).toHaveLength(notes);
  });

  test('reports that a credit settled the invoice', () => {
    expect(planPayment(facts({ document: paid, appliedOn: [on('2025-04-02')], isCredited: true }))).toMatchObject({
      outcome: 'tell',
      paidOn: '2025-04-02',
      message: 'Invoice 1042 was settled by a credit on Apr 2, 2025: no money came in.',
    });
  });

  test('writes nothing to the PSA when only the other direction is on', () => {
    const settings = { pay_direction: 'psa_to_qbo' } as const;
    expect(planPayment(facts({ document: paid, appliedOn: [on('2025-04-02')], settings }))).toMatchObject({
      outcome: 'rest',
      why: 'Nothing to do: invoice 1042 is paid in QuickBooks; by your settings Autotask is not updated.',
      state: { wasPaid: true },
    });
  });
});

test.each<[string, Of, string]>([
  [
    'its age',
    { paidOn: '2025-02-28' },
    'Nothing was recorded: Autotask shows that invoice 1042 was paid on Feb 28, 2025, before Mar 1, 2025, where payments begin. 1,966.25 is open in QuickBooks: record the payment there, or in Month-end close.',
  ],
  [
    'the direction',
    { paidOn: '2025-04-07', settings: { pay_direction: 'qbo_to_psa' } },
    'Nothing to do: Autotask shows that invoice 1042 was paid on Apr 7, 2025; 1,966.25 is open in QuickBooks, where your settings record no payments.',
  ],
  [
    'the grace period',
    { paidOn: '2025-04-07' },
    'Waiting: Autotask shows that invoice 1042 was paid on Apr 7, 2025, and 1,966.25 is open in QuickBooks. A payment is recorded 24 hours after the date was first seen, unless QuickBooks gets it before.',
  ],
  [
    'an amount that only QuickBooks charges',
    { paidOn: '2025-04-07', document: { total: decimal('1986.25'), balance: decimal('20') }, isPaidByUs: true },
    'Nothing to do: invoice 1042 is paid as billed in Autotask; another 20.00 is open in QuickBooks.',
  ],
])('explains why a paid date creates no payment: %s', (_, of, why) => {
  const link = {
    id: '9177',
    number: '1042',
    total: of.document?.total ?? decimal('1966.25'),
    psaTotal: decimal('1966.25'),
  };
  expect(planPayment(facts({ ...of, link }))).toMatchObject({ outcome: 'rest', why });
});

describe('from the PSA to QuickBooks', () => {
  const seen = { on: on('2025-04-07'), at: addSeconds(now, -24 * 3_600), balance: decimal('1966.25') };

  test('waits the grace period after a paid date is first seen', () => {
    const first = planPayment(facts({ paidOn: '2025-04-07' }));
    expect(first).toMatchObject({
      outcome: 'rest',
      state: { seen: { on: '2025-04-07', at: now, balance: '1966.25' } },
    });
    const early = { ...seen, at: addSeconds(seen.at, 1) };
    expect(planPayment(facts({ paidOn: '2025-04-07', state: { seen: early } }))).toMatchObject({
      outcome: 'rest',
      state: { seen: early },
    });
  });

  test.each([{}, { isDecided: true }, { isConfirmed: true }])(
    'a paid date in the future waits until that day: %j',
    (more) => {
      const settings = { pay_grace_hours: 0 };
      const ahead = on('2025-04-10');
      const decision = planPayment({ ...facts({ paidOn: ahead, settings }), ...more });
      expect(decision).toMatchObject({
        outcome: 'rest',
        why: expect.stringContaining('which is in the future'),
        state: { seen: { on: ahead } },
      });
      const later = { ...facts({ paidOn: ahead, settings }), ...more, now: addSeconds(now, 86_400) };
      expect(planPayment(later)).toMatchObject({ plan: { commands: [{ payment: { paidOn: ahead } }] } });
    },
  );

  test('then creates a payment of the open amount on that date', () => {
    const decision = planPayment(facts({ paidOn: '2025-04-07', state: { seen } }));
    expect(decision).toMatchObject({
      outcome: 'plan',
      plan: {
        commands: [
          {
            do: 'create_payment',
            payment: {
              customerId: '58',
              invoiceId: '9177',
              amount: '1966.25',
              paidOn: '2025-04-07',
              depositAccountId: null,
              reference: 'PSA-1042',
              privateNote: 'Autotask invoice 48213 marked paid',
              currency: 'USD',
            },
          },
        ],
      },
    });
  });

  test('creates a payment at once without a grace period, on the deposit account if set', () => {
    const settings = { pay_grace_hours: 0, pay_deposit_account: '35' };
    expect(planPayment(facts({ paidOn: '2025-04-07', settings }))).toMatchObject({
      plan: { commands: [{ payment: { depositAccountId: '35' } }] },
    });
  });

  test.each([
    ['another date', { ...seen, on: on('2025-04-06') }],
    ['another balance after a payment or credit', { ...seen, balance: decimal('2000') }],
  ])('%s restarts the grace period', (_what, before) => {
    expect(planPayment(facts({ paidOn: '2025-04-07', state: { seen: before } }))).toMatchObject({
      outcome: 'rest',
      state: { seen: { on: '2025-04-07', at: now, balance: '1966.25' } },
    });
  });

  test('never pays an invoice that QuickBooks showed as paid before', () => {
    expect(codes(planPayment(facts({ paidOn: '2025-04-07', state: { seen, wasPaid: true } })))).toEqual(['OPEN_AGAIN']);
  });

  test('creates no payment before the start date or for the other direction', () => {
    expect(codes(planPayment(facts({ paidOn: '2025-02-28', state: { seen } })))).toBe('rest');
    const settings = { pay_direction: 'qbo_to_psa' } as const;
    expect(codes(planPayment(facts({ paidOn: '2025-04-07', state: { seen }, settings })))).toBe('rest');
  });

  test('creates a payment on the start date', () => {
    expect(codes(planPayment(facts({ paidOn: '2025-03-01', settings: { pay_grace_hours: 0 } })))).toBe('plan');
  });

  test.each([
    ['our payment was reversed in QuickBooks', { isPaidByUs: true }, '1966.25', ['OPEN_AGAIN']],
    ['only an amount that the PSA did not bill remains open', { isPaidByUs: true }, '20', 'rest'],
    ['more than that remains open', { isPaidByUs: true }, '20.01', ['OPEN_AGAIN']],
    ['a payment of another user leaves that amount open', { isPaidByUs: false }, '20', ['OPEN_AGAIN']],
  ])("when %s, the PSA's paid date results in %j", (_what, by, balance, answer) => {
    const document = { total: decimal('1986.25'), ...open(balance) };
    const link = { id: '9177', number: '1042', total: decimal('1986.25'), psaTotal: decimal('1966.25') };
    const decision = planPayment(facts({ ...by, document, link, paidOn: '2025-04-07', state: { wasPaid: true } }));
    expect(codes(decision)).toEqual(answer);
  });

  test.each([
    ['confirmed without being on hold', null, true, false, 'rest'],
    ['on hold, not confirmed', '2025-04-07', false, false, ['PAID_DATE_UNCONFIRMED']],
    ['on hold and confirmed', '2025-04-07', true, false, 'plan'],
    ['on hold for another date, confirmed', '2025-04-06', true, false, 'rest'],
    ['on hold and confirmed after records were lost', '2025-04-07', true, true, ['PAID_DATE_UNCONFIRMED']],
    ['not on hold, after records were lost', null, false, true, ['PAID_DATE_UNCONFIRMED']],
  ])('a paid date that is %s', (_what, heldOn, isConfirmed, isAfterGap, answer) => {
    const state = { heldOn: heldOn === null ? null : on(heldOn) };
    expect(codes(planPayment(facts({ paidOn: '2025-04-07', isConfirmed, isAfterGap, state })))).toEqual(answer);
  });

  test('a closed period puts it on hold or moves it to the next open day', () => {
    const closed = { preferences: { closedThrough: on('2025-04-07') }, paidOn: '2025-04-07', state: { seen } };
    expect(codes(planPayment(facts(closed)))).toEqual(['PERIOD_CLOSED']);
    const moved = planPayment(facts({ ...closed, settings: { closed_period_policy: 'next_open_day' } }));
    expect(moved).toMatchObject({ plan: { commands: [{ payment: { paidOn: '2025-04-08' } }] } });
  });

  test('reports a cleared paid date without reversing the payment', () => {
    expect(codes(planPayment(facts({ document: paid, isPaidByUs: true, state: { wasPaid: true } })))).toEqual([
      'PAID_DATE_CLEARED',
    ]);
  });

  test('keeps the date of a user whose payment was posted at once, so that its removal is noticed', () => {
    const state = (more: Partial<PaymentState>) =>
      planPayment(facts({ document: paid, isPaidByUs: true, paidOn: '2025-04-07', state: { wasPaid: true, ...more } }))
        .state.seen;
    expect(state({})).toEqual({ on: '2025-04-07', at: now, balance: '0' });
    expect(state({ seen })).toEqual(seen);
    // Tallybridge set it itself.
    expect(state({ writtenOn: on('2025-04-07') })).toBeNull();
  });

  test('shortens the reference of a long number', () => {
    const decision = planPayment(
      facts({ paidOn: '2025-04-07', state: { seen }, document: { number: 'INV-2025-000000000042' } }),
    );
    expect(decision).toMatchObject({ plan: { commands: [{ payment: { reference: 'PSA-INV-2025-00000000' } }] } });
  });
});

describe('an invoice with a billed difference', () => {
  type Billed = Pick<SalesState, 'type' | 'id' | 'number' | 'customer'> & { total: string; balance: string };
  const difference = ({ total, balance, ...of }: Partial<Billed> & { balance: string }) => ({
    document: {
      ...document,
      id: '9201',
      number: '1043',
      ...of,
      total: decimal(total ?? '100'),
      balance: decimal(balance),
    },
    total: decimal(total ?? '100'),
    psaTotal: of.type === 'CreditMemo' ? decimal('-100') : decimal('100'),
  });
  const credit = (balance: string) => difference({ type: 'CreditMemo', balance });
  const decided = (total: string, differences: NonNullable<PaymentFacts['differences']>, of: Of = {}) => {
    const { invoice, ...all } = facts(of);
    return planPayment({ ...all, invoice: { ...invoice, total: decimal(total) }, differences });
  };

  test.each([
    ['both are paid', paid, difference({ balance: '0' }), '2066.25', 'tell'],
    ['the difference is open', paid, difference({ balance: '100' }), '2066.25', 'rest'],
    ['the difference is open in part', paid, difference({ balance: '0.01' }), '2066.25', 'rest'],
    ['the invoice is open', {}, difference({ balance: '0' }), '2066.25', 'rest'],
    ['a credit memo covers the open amount', open('100'), credit('100'), '1866.25', 'tell'],
    ['a credit memo exceeds the open amount', paid, credit('100'), '1866.25', 'tell'],
    ['the open amount exceeds the credit memo', open('100.01'), credit('100'), '1866.25', 'rest'],
  ] as const)('updates the PSA when %s', (_what, changed, billed, total, answer) => {
    expect(codes(decided(total, [billed], { document: changed }))).toEqual(answer);
  });

  test('loses the paid date that we wrote while the difference is open', () => {
    const state = { wasPaid: true, writtenOn: on('2025-03-20') };
    const decision = decided('2066.25', [difference({ balance: '100' })], {
      document: paid,
      state,
      paidOn: '2025-03-20',
    });
    expect(decision).toMatchObject({
      outcome: 'tell',
      paidOn: null,
      message: 'Invoice 1042 has 100.00 open: a difference was billed after it was paid.',
    });
  });

  test.each([
    ['asks about an earlier date', null, false, ['DIFFERENCE_OPEN']],
    ['asks until a person confirms', '2025-04-07', false, ['DIFFERENCE_OPEN']],
    ['pays a date that a person confirmed', '2025-04-07', true, 'plan'],
    ['pays a later date', '2025-04-01', false, 'plan'],
  ] as const)('%s', (_what, heldOn, isConfirmed, answer) => {
    const state = { wasPaid: true, heldOn: heldOn === null ? null : on(heldOn) };
    const settings = { pay_grace_hours: 0 };
    const of = { document: paid, isPaidByUs: true, paidOn: '2025-04-07', state, settings, isConfirmed };
    expect(codes(decided('2066.25', [difference({ balance: '100' })], of))).toEqual(answer);
  });

  test.each([
    ['both', {}, difference({ balance: '100' }), '2066.25', '2066.25', ['9177 1966.25', '9201 100']],
    [
      'the rest of both',
      open('66.25'),
      difference({ balance: '100' }),
      '2066.25',
      '166.25',
      ['9177 66.25', '9201 100'],
    ],
    ['the invoice minus the credit', {}, credit('100'), '1866.25', '1866.25', ['9177 1966.25', '9201 100']],
    [
      'at most the amount paid in the PSA',
      {},
      difference({ balance: '100' }),
      '2000',
      '2000',
      ['9177 1966.25', '9201 33.75'],
    ],
  ] as const)('is paid by one payment of %s', (_what, changed, billed, total, amount, covers) => {
    const of = { document: changed, paidOn: '2025-04-07', settings: { pay_grace_hours: 0 } };
    const decision = decided(total, [billed], of);
    const [command] = decision.outcome === 'plan' ? decision.plan.commands : [];
    if (command?.do !== 'create_payment') throw new Error('no payment');
    expect(command.payment.amount).toBe(amount);
    expect(command.payment.covers?.map((one) => `${one.id} ${one.amount}`)).toEqual(covers);
    expect(command.payment.privateNote).toBe('Autotask invoice 48213 marked paid · covers 1042, 1043');
  });

  test('omits a difference that was moved to another customer', () => {
    const moved = difference({ balance: '100', customer: { id: '59', name: 'Birch Legal' } });
    const decision = decided('2066.25', [moved], { paidOn: '2025-04-07', settings: { pay_grace_hours: 0 } });
    expect(decision).toMatchObject({
      plan: {
        commands: [{ payment: { invoiceId: '9177', amount: '1966.25' } }],
        warnings: [{ code: 'PAYMENT_LEAVES_OPEN' }],
      },
    });
  });
});

test.each([
  [
    'an invoice',
    {},
    { what: 'Invoice', number: '1042', party: 'Acme Dental', on: '2025-03-03', amount: '1966.25', currency: 'USD' },
  ],
  ['a credit memo', { type: 'CreditMemo' }, { what: 'Credit memo', amount: '-1966.25' }],
  ['an invoice without a number', { number: null }, { number: '1042' }],
  [
    'a deleted invoice',
    null,
    { what: 'Invoice', number: '1042', party: null, on: null, amount: '1966.25', currency: null },
  ],
] as const)('a problem describes %s', (_, changed, document) => {
  const of = facts({ document: changed });
  expect(describeDocument(of)).toMatchObject({ psaId: 48_213, ...document });
});

test('reports deleted and changed documents and ignores a void in the PSA', () => {
  expect(codes(planPayment(facts({ document: null })))).toHaveLength(1);
  expect(planPayment(facts({ document: null, state: { balance: decimal('5') } })).state.balance).toBe('5');
  expect(planPayment(facts({ document: null, isVoided: true }))).toMatchObject({
    outcome: 'rest',
    state: { isDue: false },
  });
  const voided = planPayment(facts({ document: { isVoided: true, total: decimal('0'), balance: decimal('0') } }));
  expect(voided).toMatchObject({ outcome: 'refuse', state: { balance: '0', isDue: false } });
});

test('sets a paid date only when nothing is open, clears only its own, and pays only the open amount', () => {
  const cents = (max: number) => integer({ min: 0, max }).map((value): Decimal => decimal(`${value}e-2`));
  const day = constantFrom('2025-03-10', '2025-04-02', '2025-04-07');
  const situations = record({
    total: cents(300),
    share: integer({ min: 0, max: 2 }),
    paidOn: option(day),
    writtenOn: option(day),
    wasPaid: boolean(),
    isPaidByUs: boolean(),
    applied: boolean(),
    direction: constantFrom('both' as const, 'qbo_to_psa' as const, 'psa_to_qbo' as const),
  });
  assert(
    property(situations, ({ total, share, paidOn, writtenOn, wasPaid, isPaidByUs, applied, direction }) => {
      const balance = share === 0 ? decimal('0') : share === 1 ? total : decimal('0.01');
      const decision = planPayment(
        facts({
          document: { total, balance },
          link: { id: '9177', number: '1042', total, psaTotal: decimal('1966.25') },
          paidOn,
          isPaidByUs,
          appliedOn: applied ? [on('2025-04-02')] : [],
          state: { wasPaid, writtenOn: writtenOn === null ? null : on(writtenOn) },
          settings: { pay_direction: direction, pay_grace_hours: 0 },
        }),
      );
      expect(decision.state.isDue).toBe(false);
      if (decision.outcome === 'tell' && decision.paidOn !== null) {
        expect([isZero(balance), isPositive(total), paidOn]).toEqual([true, true, null]);
      } else if (decision.outcome === 'tell') {
        expect(isZero(balance)).toBe(false);
        expect(paidOn === null || paidOn === writtenOn).toBe(true);
      } else if (decision.outcome === 'plan') {
        expect([wasPaid, paidOn === null, direction === 'qbo_to_psa']).toEqual([false, false, false]);
        const [command] = decision.plan.commands;
        expect(command?.do === 'create_payment' && command.payment.amount).toBe(balance);
        expect(isPositive(balance)).toBe(true);
      }
    }),
    { seed: 8, numRuns: 2_000 },
  );
});
