import { array, assert, constantFrom, integer, property, record } from 'fast-check';
import { describe, expect, test } from 'vitest';
import { accounting } from '#test/cases/sample-world.ts';
import type { AccountingDocument, AccountingLine } from '../documents/accounting-document.ts';
import { signedTax, signedTotal } from '../reconciliation/signed.ts';
import { documentOf, lineOf } from '../reconciliation/testing.ts';
import { calendarDate } from '../values/dates.ts';
import { decimal, isNegative, isZero, negate, plus, sum, zero, type Decimal } from '../values/decimal.ts';
import { differenceSource, planDifference, type DifferenceFacts } from './plan-difference.ts';
import { lastCommand, type Plan, type SalesDocument, type SalesLine } from './plan.ts';
import { salesDocument, salesLine } from '#test/cases/sample-documents.ts';

const today = calendarDate('2026-04-03');

/** Returns the plan of an invoice as of today. Amounts of a credit memo have its sign, as in the planner. */
function planOf(lines: readonly SalesLine[], tax = '0', more: Partial<SalesDocument> = {}, isCredit = false): Plan {
  const document = salesDocument(lines, {
    customer: { id: '58', name: 'Acme Dental' },
    number: 'AT-7',
    datedOn: today,
    dueOn: calendarDate('2026-03-12'),
    customerMessage: 'Thank you',
    privateNote: 'Autotask invoice 7',
    email: { address: 'ap@acmedental.example', send: true },
    onlinePayment: { card: true, bank: true },
    currency: 'USD',
    ...more,
  });
  return {
    commands: [{ do: isCredit ? 'create_credit_memo' : 'create_invoice', document }],
    notes: [],
    warnings: [],
    expected: { subtotal: sum(lines.map(({ amount }) => amount)), tax: decimal(tax), dueOn: null },
  };
}

const facts = (plan: Plan, of: Partial<DifferenceFacts> = {}): DifferenceFacts => ({
  invoice: { id: 7, isVoided: false },
  name: 'Invoice 7',
  plan,
  current: documentOf(900, '100.00'),
  earlier: [],
  ordinal: 1,
  accounting,
  psaLabel: 'Autotask',
  ...of,
});

function made(of: DifferenceFacts): {
  readonly isCredit: boolean;
  readonly document: SalesDocument;
  readonly plan: Plan;
} {
  const decision = planDifference(of);
  if (decision.outcome !== 'plan') throw new Error(JSON.stringify(decision));
  const command = lastCommand(decision.plan);
  if (command.do !== 'create_invoice' && command.do !== 'create_credit_memo') throw new Error(command.do);
  return { isCredit: command.do === 'create_credit_memo', document: command.document, plan: decision.plan };
}

const because = (of: DifferenceFacts): string => {
  const decision = planDifference(of);
  if (decision.outcome !== 'refuse') return decision.outcome;
  return decision.problems.map(({ message }) => message).join();
};

describe('billing the difference of an invoice', () => {
  test('creates a separate invoice with the increase of each item, a number, and a note, without email', () => {
    const { isCredit, document, plan } = made(
      facts(planOf([salesLine('130.00'), salesLine('20.00', { item: { id: '12' } })]), {
        accounting: { ...accounting, preferences: { ...accounting.preferences, customTransactionNumbers: true } },
        ordinal: 2,
      }),
    );
    expect(isCredit).toBe(false);
    expect(document).toMatchObject({
      customer: { id: '58' },
      number: 'AT-900-D2',
      datedOn: '2026-04-03',
      dueOn: null,
      customerMessage: null,
      email: null,
      privateNote: 'Difference 2 of Autotask invoice 7 · AT-900 of 2026-02-10',
    });
    expect(document.lines.map(({ item, amount, quantity, unitPrice }) => [item, amount, quantity, unitPrice])).toEqual([
      [{ id: '11' }, '30', '1', '30'],
      [{ id: '12' }, '20', '1', '20'],
    ]);
    expect(plan.expected).toMatchObject({ subtotal: '50', tax: '0' });
  });

  test.each([
    ['a term', { termId: '3', dueOn: calendarDate('2026-05-03') }, { termId: '3', dueOn: null }],
    ['a future due date', { dueOn: calendarDate('2026-05-03') }, { termId: null, dueOn: '2026-05-03' }],
    ['today', { dueOn: today }, { termId: null, dueOn: '2026-04-03' }],
    ['a past due date', { dueOn: calendarDate('2026-04-02') }, { termId: null, dueOn: null }],
    ['neither', { dueOn: null }, { termId: null, dueOn: null }],
  ])("uses today's terms when the plan has %s", (_, of, due) => {
    expect(made(facts(planOf([salesLine('130.00')], '0', of))).document).toMatchObject(due);
    expect(made(facts(planOf([salesLine('30.00')], '0', of))).document).toMatchObject({ termId: null, dueOn: null });
  });

  test('creates a credit memo of positive amounts without payment options', () => {
    const { isCredit, document, plan } = made(facts(planOf([salesLine('70.00')])));
    expect(isCredit).toBe(true);
    expect(document).toMatchObject({ number: null, onlinePayment: null, termId: null, lines: [{ amount: '30' }] });
    expect(plan.expected).toMatchObject({ subtotal: '30', tax: '0' });
  });

  test('reverses the direction for a credit memo', () => {
    const current = documentOf(900, '100.00', { type: 'CreditMemo' });
    const { isCredit, document } = made(facts(planOf([salesLine('130.00')], '0', {}, true), { current }));
    expect(isCredit).toBe(true);
    expect(document.lines).toMatchObject([{ amount: '30' }]);
  });

  test('subtracts earlier difference documents unless they are void', () => {
    const earlier = documentOf(901, '30.00');
    const plan = planOf([salesLine('150.00')]);
    expect(made(facts(plan, { earlier: [earlier] })).document.lines).toMatchObject([{ amount: '20' }]);
    expect(made(facts(plan, { earlier: [{ ...earlier, isVoided: true }] })).document.lines).toMatchObject([
      { amount: '50' },
    ]);
    expect(planDifference(facts(planOf([salesLine('130.00')]), { earlier: [earlier] })).outcome).toBe('skip');
  });

  test('creates missing records first and keeps the tax limit of the invoice', () => {
    const item = { name: 'Toner', sku: null, incomeAccountId: '2', expenseAccountId: null, isTaxable: false };
    const plan = planOf([salesLine('100.00'), salesLine('20.00', { item: { fromCommand: 0 } })]);
    const { plan: whole } = made(
      facts({
        ...plan,
        commands: [{ do: 'create_item', item }, ...plan.commands],
        expected: { ...plan.expected, taxHoldOver: decimal('5') },
      }),
    );
    expect(whole.commands.map((one) => one.do)).toEqual(['create_item', 'create_invoice']);
    expect(whole.expected.taxHoldOver).toBe('5');
    expect(made(facts(plan)).plan.expected).not.toHaveProperty('taxHoldOver');
  });

  test.each([
    ['QuickBooks has no currency', 'USD', null],
    ['the plan has no currency', null, 'CAD'],
    ['both have the same currency', 'CAD', 'CAD'],
  ])('bills when %s', (_, planned, current) => {
    const plan = planOf([salesLine('130.00')], '0', { currency: planned });
    expect(made(facts(plan, { current: documentOf(900, '100.00', { currency: current }) })).document.currency).toBe(
      planned,
    );
  });

  test('keeps the tax of the PSA', () => {
    const current = documentOf(900, '100.00', { total: decimal('108.25'), tax: decimal('8.25') });
    const plan = planOf([salesLine('120.00')], '9.90', { taxOverride: decimal('9.90') });
    expect(made(facts(plan, { current })).document.taxOverride).toBe('1.65');
    expect(made(facts(planOf([salesLine('120.00')], '9.90'), { current })).document.taxOverride).toBeUndefined();
  });
});

const line = record({
  item: constantFrom('11', '12', '27'),
  class: constantFrom(null, '5'),
  tax: constantFrom('TAX', 'NON'),
  cents: integer({ min: -50_000, max: 200_000 }),
});
const amountOf = (cents: number): string => (cents / 100).toFixed(2);
type Line = { readonly item: string; readonly class: string | null; readonly tax: string; readonly cents: number };
const accountingLine = (one: Line): AccountingLine =>
  lineOf(amountOf(one.cents), { itemId: one.item, classId: one.class, taxCode: one.tax });
const documentWith = (
  id: number,
  lines: readonly AccountingLine[],
  tax: Decimal,
  more: Partial<AccountingDocument> = {},
) => {
  const net = sum(lines.map(({ amount }) => amount));
  return documentOf(id, net, { lines, tax, total: plus(net, tax), ...more });
};

test('makes QuickBooks match the PSA by item, class, and tax code, and leaves nothing to bill afterward', () => {
  assert(
    property(
      array(line, { minLength: 1, maxLength: 6 }),
      array(line, { maxLength: 6 }),
      integer({ min: 0, max: 9_999 }),
      (now, then, cents) => {
        const tax = amountOf(cents);
        const plan = planOf(
          now.map((one) =>
            salesLine(amountOf(one.cents), { item: { id: one.item }, classId: one.class, taxCode: one.tax }),
          ),
          tax,
        );
        const current = documentWith(900, then.map(accountingLine), decimal('3.10'));
        const decision = planDifference(facts(plan, { current }));
        if (decision.outcome !== 'plan') return;
        const { isCredit, document, plan: made_ } = made(facts(plan, { current }));
        const own = documentWith(
          901,
          document.lines.map(({ item, amount, classId, taxCode }) =>
            lineOf(amount, { itemId: 'id' in item ? item.id : null, classId, taxCode }),
          ),
          made_.expected.tax,
          { type: isCredit ? 'CreditMemo' : 'Invoice' },
        );
        // The total of a difference document is always positive, also for a credit memo.
        expect(isNegative(own.total) || isZero(own.total)).toBe(false);
        expect(plus(signedTotal(current), signedTotal(own))).toBe(plus(plan.expected.subtotal, decimal(tax)));
        expect(plus(signedTax(current), signedTax(own))).toBe(decimal(tax));
        const groups = new Map<string, Decimal>();
        const add = (key: string, amount: Decimal) => groups.set(key, plus(groups.get(key) ?? zero, amount));
        for (const one of now) add(`${one.item} ${one.class} ${one.tax}`, negate(decimal(amountOf(one.cents))));
        for (const { type, lines } of [current, own])
          for (const one of lines)
            add(`${one.itemId} ${one.classId} ${one.taxCode}`, type === 'CreditMemo' ? negate(one.amount) : one.amount);
        expect([...groups.values()].filter((amount) => !isZero(amount))).toEqual([]);
        expect(planDifference(facts(plan, { current, earlier: [own], ordinal: 2 })).outcome).toBe('skip');
      },
    ),
    { seed: 20_260_403, numRuns: 500 },
  );
});

describe('bills nothing', () => {
  const plan = planOf([salesLine('130.00')]);
  test.each([
    ['for a void invoice', facts(plan, { invoice: { id: 7, isVoided: true } }), 'it is voided'],
    ['when QuickBooks has no document', facts(plan, { current: null }), 'no longer exists in QuickBooks'],
    [
      'when the document in QuickBooks is void',
      facts(plan, { current: documentOf(900, '0', { isVoided: true }) }),
      'no longer exists in QuickBooks',
    ],
    [
      'for another customer',
      facts(plan, { current: documentOf(900, '100.00', { party: { id: '59', name: 'Birch Legal' } }) }),
      'belongs to another customer',
    ],
    [
      'for a customer that does not exist yet',
      facts(planOf([salesLine('130.00')], '0', { customer: { fromCommand: 0 } })),
      'belongs to another customer',
    ],
    [
      'in another currency',
      facts(plan, { current: documentOf(900, '100.00', { currency: 'CAD' }) }),
      'another currency',
    ],
    [
      'for lines without an item',
      facts(plan, { current: documentOf(900, '100.00', { lines: [lineOf('100.00', { itemId: null })] }) }),
      'lines without an item',
    ],
    ['when only the tax differs', facts(planOf([salesLine('100.00')], '8.25')), 'only its sales tax differs'],
    [
      'when the plan has no sales document',
      facts({ ...plan, commands: [{ do: 'void', type: 'Invoice', id: '1', syncToken: '0' }] }),
      'it can become neither an invoice nor a credit memo',
    ],
  ])('%s', (_what, of, why) => {
    expect(because(of)).toContain(why);
  });

  test('when both sides match', () => {
    expect(planDifference(facts(planOf([salesLine('100.00')])))).toMatchObject({
      outcome: 'skip',
      message: 'Nothing to bill: QuickBooks and Autotask have the same total.',
      // Requested by a user, so every attempt is logged.
      isLoggedOnce: false,
    });
  });
});

test.each([
  ['Difference 1 of Autotask invoice 7 · AT-900 of 2026-02-10', 7],
  ['Difference 12 of Autotask invoice 48213', 48_213],
  ['Autotask invoice 7 · synced', null],
  ['Difference 1 of Other invoice 7', null],
  ['voided: Difference 1 of Autotask invoice 7', null],
  [null, null],
])('the note %s names invoice %s', (note, id) => {
  expect(differenceSource(note, 'Autotask')).toBe(id);
});
