import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { accounting, companies, factsFor, invoice, psa, settings, account } from '#test/cases/sample-world.ts';
import type { Invoice, InvoiceLine } from '../documents/invoice.ts';
import type { PrepaidPurchase } from '../documents/prepaid-purchase.ts';
import type { PrepaidUnit } from '../documents/reference-data.ts';
import { calendarDate, instant } from '../values/dates.ts';
import { decimal, equals, isNegative, minus, plus, round2, sum, times, zero, type Decimal } from '../values/decimal.ts';
import { drawDown, type PrepaidInvoice } from './prepaid.ts';
import { ledgerEffect } from './ledger-effect.ts';
import { describeDocument, type InvoiceDecision } from './invoice-content.ts';
import { planInvoice } from './plan-invoice.ts';

/** Prepaid contracts of two clients: any sequence of sales and work, posted in any order. */
const prepayments = account('88', 'Customer Prepayments', 'Liability', 'DeferredRevenue');
const contracts: readonly { id: number; companyId: number; prepaid: PrepaidUnit }[] = [
  { id: 1, companyId: 175, prepaid: 'hours' },
  { id: 2, companyId: 175, prepaid: 'money' },
  { id: 3, companyId: 175, prepaid: 'tickets' },
  { id: 4, companyId: 176, prepaid: 'hours' },
];
const saleOf = { hours: 'block_purchase', money: 'retainer_purchase', tickets: 'ticket_purchase' } as const;

const cents = (max: number) => fc.integer({ min: 1, max }).map((one) => decimal((one / 100).toFixed(2)));

const sold = fc.record({ does: fc.constant('sell' as const), quantity: cents(3_000), rate: cents(20_000) });
const worked = fc.record({
  does: fc.constant('work' as const),
  quantity: cents(1_500),
  rate: cents(25_000),
  /** Billed by the PSA: not covered. */
  isBilled: fc.boolean(),
  ticketId: fc.integer({ min: 1, max: 9 }),
});
const events = fc.array(
  fc.record({
    contract: fc.constantFrom(...contracts),
    day: fc.integer({ min: 1, max: 28 }),
    lines: fc.array(fc.oneof(sold, worked), { minLength: 1, maxLength: 4 }),
  }),
  { minLength: 2, maxLength: 9 },
);

type Event = ReturnType<(typeof events)['generate']>['value'][number];

function toInvoice({ contract, day, lines }: Event, at: number): Invoice {
  const toLine = (one: Event['lines'][number]): Partial<InvoiceLine> => {
    const common = { contractId: contract.id, quantity: one.quantity, rate: one.rate, itemName: 'Work' };
    const price = round2(times(one.quantity, one.rate));
    if (one.does === 'work') return { ...common, ticketId: one.ticketId, amount: one.isBilled ? price : zero };
    const quantity = contract.prepaid === 'money' ? decimal(1) : one.quantity;
    return { ...common, kind: saleOf[contract.prepaid], quantity, itemName: 'Prepaid', amount: price };
  };
  const made = lines.map(toLine);
  return invoice({
    id: at + 1,
    companyId: contract.companyId,
    createdAt: instant(`2025-02-${String(at + 1).padStart(2, '0')}T12:00:00Z`),
    invoicedOn: calendarDate(`2025-02-${String(day).padStart(2, '0')}`),
    total: sum(made.map(({ amount = zero }) => amount)),
    lines: made,
  });
}

const lists = { ...psa, contracts: contracts.map(({ id, prepaid }) => ({ id, name: `Contract ${id}`, prepaid })) };
const withAccount = { ...accounting, accounts: [...accounting.accounts, prepayments] };

function decide(of: Invoice, all: readonly Invoice[], posted: ReadonlySet<number>): InvoiceDecision {
  return planInvoice(
    factsFor(of, {
      psa: lists,
      accounting: withAccount,
      settings: { ...settings, prepaid_account: '88', prepaid_drawdown: true },
      prepaid: all.map((one) => ({ ...one, isPosted: posted.has(one.id) })),
    }),
  );
}

interface Posted {
  readonly invoice: Invoice;
  readonly owed: Decimal;
  readonly earned: Decimal;
}

/** Credit of the prepaid account and of the income accounts by a planned invoice. */
function effectOf(of: Invoice, decision: InvoiceDecision): Posted {
  if (decision.outcome !== 'plan') return { invoice: of, owed: zero, earned: zero };
  const about = describeDocument({ invoice: of, company: companies[0] ?? null, psa: lists, accounting: withAccount });
  const { entries } = ledgerEffect(decision.plan, withAccount, about);
  const credited = (isIts: (account: string) => boolean) =>
    sum(entries.filter((one) => isIts(one.account)).map(({ credit, debit }) => minus(credit ?? zero, debit ?? zero)));
  return {
    invoice: of,
    owed: credited((name) => name === prepayments.fullyQualifiedName),
    earned: credited((name) => name !== prepayments.fullyQualifiedName && name !== 'Accounts Receivable'),
  };
}

/** Posts the invoices in the given order and retries those on hold until all are posted. */
function postAll(
  all: readonly Invoice[],
  order: readonly number[],
  look: (posted: readonly Posted[]) => void,
): Posted[] {
  const posted: Posted[] = [];
  let waiting = order.flatMap((at) => all[at] ?? []);
  for (let before = -1; before !== waiting.length;) {
    before = waiting.length;
    const still: Invoice[] = [];
    for (const one of waiting) {
      const decision = decide(one, all, new Set(posted.map(({ invoice: { id } }) => id)));
      if (decision.outcome === 'refuse') {
        expect(decision.problems.map(({ code }) => code)).toEqual(['PREPAID_SALE_NOT_SYNCED']);
        still.push(one);
        continue;
      }
      posted.push(effectOf(one, decision));
      look(posted);
    }
    waiting = still;
  }
  expect(waiting).toEqual([]);
  return posted;
}

const ids = (of: Posted) => [of.invoice.companyId, ...of.invoice.lines.map(({ contractId }) => contractId)];

function expectNoNegativeBalance(posted: readonly Posted[]): void {
  for (const key of [175, 176, ...contracts.map(({ id }) => id)]) {
    let balance: Decimal = zero;
    const own = posted.filter((one) => ids(one).includes(key));
    for (const [, ofDay] of [...Map.groupBy(own, ({ invoice: { invoicedOn } }) => invoicedOn)].sort()) {
      balance = plus(balance, sum(ofDay.map(({ owed }) => owed)));
      expect(isNegative(balance), `balance of ${key}: ${balance}`).toBe(false);
    }
  }
}

const world = events.chain((list) =>
  fc.tuple(
    fc.constant(list.map(toInvoice)),
    fc.shuffledSubarray(
      list.map((_, at) => at),
      { minLength: list.length },
    ),
  ),
);

test('prepaid balances are never negative, and income plus balance equals the billed total to the cent', () => {
  let [draws, waits] = [0, 0];
  fc.assert(
    fc.property(world, ([all, order]) => {
      const posted = postAll(all, order, expectNoNegativeBalance);
      for (const { invoice: of, owed, earned } of posted) {
        const charged = sum(of.lines.map(({ amount }) => amount));
        expect(plus(owed, earned)).toBe(charged);
        if (isNegative(owed)) draws += 1;
      }
      if (posted.some((one, at) => one.invoice.id !== (order[at] ?? 0) + 1)) waits += 1;
    }),
    { numRuns: 150 },
  );
  expect(draws).toBeGreaterThan(20);
  expect(waits).toBeGreaterThan(5);
});

test('the posting order changes no amount', () => {
  fc.assert(
    fc.property(world, ([all, order]) => {
      const sorted = (posted: readonly Posted[]) => posted.toSorted((a, b) => a.invoice.id - b.invoice.id);
      const asTheyCame = all.map((_, at) => at);
      expect(sorted(postAll(all, order, () => {}))).toEqual(sorted(postAll(all, asTheyCame, () => {})));
    }),
    { numRuns: 50 },
  );
});

test('a sale becomes income to the last cent after all its units are worked', () => {
  const sale = fc.record({ quantity: cents(3_000), rate: cents(20_000) });
  const hours = fc.array(cents(900), { minLength: 1, maxLength: 12 });
  fc.assert(
    fc.property(fc.array(sale, { minLength: 1, maxLength: 3 }), hours, (sales, work) => {
      const contract = contracts[0];
      if (contract === undefined) return;
      const bought = sum(sales.map(({ quantity }) => quantity));
      const rest = minus(bought, sum(work));
      const last = isNegative(rest) ? [] : [plus(rest, decimal(1))];
      const of = (lines: Event['lines']) => ({ contract, day: 1, lines });
      const all = [
        ...sales.map((one) => of([{ does: 'sell', ...one }])),
        ...[...work, ...last].map((quantity) =>
          of([{ does: 'work', quantity, rate: decimal(165), isBilled: false, ticketId: 1 }]),
        ),
      ].map(toInvoice);
      const posted = postAll(
        all,
        all.map((_, at) => at),
        expectNoNegativeBalance,
      );
      expect(sum(posted.map(({ owed }) => owed))).toBe(zero);
      expect(equals(sum(posted.map(({ earned }) => earned)), sum(all.map(({ total }) => total)))).toBe(true);
    }),
    { numRuns: 60 },
  );
});

/** Invoices of one block contract in the order of their creation: hours, sold or worked, and the posted draw. */
const blockInvoices = (
  list: readonly (readonly ['sell' | 'work', hours: Decimal, drawn?: Decimal])[],
): PrepaidInvoice[] =>
  list.map(([does, quantity, drawn], index) => {
    const line = { does, quantity, rate: decimal(135), isBilled: false, ticketId: 1 };
    const [contract] = contracts;
    if (contract === undefined) throw new Error('no contract');
    return { ...toInvoice({ contract, day: 1, lines: [line] }, index), ...(drawn !== undefined && { drawn }) };
  });
const drawsOf = (list: Parameters<typeof blockInvoices>[0]) =>
  drawDown(blockInvoices(list), new Map([[1, 'hours']]), ({ amount }) => amount, []).drawdowns.map(({ draws }) =>
    sum(draws.map(({ amount }) => amount)),
  );

test('a sale that was voided and invoiced again covers the posted work first', () => {
  const [hours, posted] = [decimal(6), decimal(810)];
  expect(
    drawsOf([
      ['work', hours, posted],
      ['sell', decimal(10)],
      ['work', hours],
    ]),
  ).toEqual(['0', '540']);
});

test('a sale of the same billing run pays for an invoice that was created before it, after the others', () => {
  const [contract] = contracts;
  if (contract === undefined) throw new Error('no contract');
  const of = (does: 'sell' | 'work', hours: number, index: number, createdAt: string): Invoice => {
    const line = { does, quantity: decimal(hours), rate: decimal(135), isBilled: false, ticketId: 1 };
    return { ...toInvoice({ contract, day: 1, lines: [line] }, index), createdAt: instant(createdAt) };
  };
  const owedBy = (soldAt: string, hours = 3) => {
    const work = of('work', 4, 0, '2025-02-01T12:00:00Z');
    const other = of('work', hours, 2, '2025-02-01T12:00:09Z');
    const all = [work, of('sell', 10, 1, soldAt), other];
    return effectOf(work, decide(work, all, new Set([2]))).owed;
  };
  expect(owedBy('2025-02-01T12:00:05Z')).toBe('-540');
  expect(owedBy('2025-02-01T12:00:05Z', 8)).toBe('-270');
  expect(owedBy('2025-02-02T12:00:00Z')).toBe(zero);
});

test('posted draws above the price of the block reduce the remaining balance', () => {
  const [hours, posted] = [decimal(10), decimal(1_650)];
  expect(
    drawsOf([
      ['sell', hours],
      ['work', hours, posted],
      ['sell', hours],
      ['work', hours],
    ]),
  ).toEqual(['1350', '1050']);
});

test('an invoice draws at most the sales minus all other draws', () => {
  const any = fc.oneof(
    fc.tuple(fc.constant('sell' as const), cents(3_000)),
    fc.tuple(fc.constant('work' as const), cents(3_000), cents(300_000)),
    fc.tuple(fc.constant('work' as const), cents(3_000)),
  );
  let draws = 0;
  fc.assert(
    fc.property(fc.array(any, { minLength: 1, maxLength: 9 }), cents(3_000), (list, hours) => {
      const computed = [...drawsOf([...list, ['work', hours]])];
      const last = computed.pop() ?? zero;
      const sold = sum(
        list.flatMap(([does, quantity]) => (does === 'sell' ? [round2(times(quantity, decimal(135)))] : [])),
      );
      const works = list.filter(([does]) => does === 'work');
      const others = works.map(([, , drawn = zero], at) => {
        const own = computed[at] ?? zero;
        return isNegative(minus(drawn, own)) ? own : drawn;
      });
      if (last !== zero) draws += 1;
      expect(last === zero || !isNegative(minus(sold, plus(sum(others), last)))).toBe(true);
    }),
    { numRuns: 300 },
  );
  expect(draws).toBeGreaterThan(20);
});

describe('purchases with dates', () => {
  const purchase = (id: number, startsOn: string, endsOn: string, more: Partial<PrepaidPurchase> = {}) => ({
    id,
    contractId: 1,
    unit: 'hours' as const,
    purchasedOn: calendarDate(startsOn),
    startsOn: calendarDate(startsOn),
    endsOn: calendarDate(endsOn),
    isActive: true,
    amount: decimal(1_350),
    left: zero,
    ...more,
  });
  /** Two blocks of 10 hours, sold on the same day, and work of 4 hours on a day; returns which blocks pay for it. */
  const paidBy = (day: string, purchases: readonly PrepaidPurchase[], blockId: number | null = null) => {
    const [first, second, work] = blockInvoices([
      ['sell', decimal(10)],
      ['sell', decimal(10)],
      ['work', decimal(4)],
    ]);
    const withLine = (of: PrepaidInvoice | undefined, more: Partial<InvoiceLine>): PrepaidInvoice[] =>
      of === undefined ? [] : [{ ...of, lines: of.lines.map((line) => ({ ...line, ...more })) }];
    const all = [
      ...withLine(first, { blockId: 1 }),
      ...withLine(second, { blockId: 2 }),
      ...withLine(work, { blockId, servedOn: calendarDate(day) }),
    ];
    const [drawdown] = drawDown(all, new Map([[1, 'hours']]), ({ amount }) => amount, purchases).drawdowns;
    return drawdown?.outside.length === 0
      ? drawdown.draws.map(({ soldBy }) => soldBy)
      : drawdown?.outside.map(({ id }) => `outside ${id}`);
  };
  const early = purchase(1, '2025-01-01', '2025-01-31');
  const late = purchase(2, '2025-01-15', '2025-02-28');

  test.each([
    ['2025-01-01', [1]],
    ['2025-01-31', [1]],
    ['2025-02-01', [2]],
    ['2025-02-28', [2]],
    ['2025-03-01', ['outside 1', 'outside 2']],
    ['2024-12-31', ['outside 1', 'outside 2']],
  ])('work of %s is paid by %j', (day, paid) => {
    expect(paidBy(day, [early, late])).toEqual(paid);
  });

  test('overlapping blocks pay in the order of their first days, then of their ids', () => {
    expect(paidBy('2025-01-20', [purchase(1, '2025-01-16', '2025-02-28'), late])).toEqual([2]);
    expect(paidBy('2025-01-20', [purchase(1, '2025-01-15', '2025-02-28'), late])).toEqual([1]);
    expect(paidBy('2025-01-20', [early, late], 2)).toEqual([2]);
    expect(paidBy('2025-01-20', [{ ...early, isActive: false }, late])).toEqual([2]);
    expect(paidBy('2025-01-10', [{ ...early, isActive: false }, late])).toEqual([1]);
  });

  test('a block pays for work of any day while the PSA shows no dates', () => {
    expect(paidBy('2026-01-01', [])).toEqual([1]);
    expect(paidBy('2026-01-01', [early])).toEqual([2]);
    expect(paidBy('2026-01-01', [early, { ...late, endsOn: null }])).toEqual([2]);
  });

  test('work that was posted before its block was shortened keeps its money', () => {
    const [sale, work] = blockInvoices([
      ['sell', decimal(10)],
      ['work', decimal(4), decimal(540)],
    ]);
    if (sale === undefined || work === undefined) throw new Error('no invoices');
    const on = (of: PrepaidInvoice, day: string) => ({
      ...of,
      lines: of.lines.map((line) => ({ ...line, blockId: 1, servedOn: calendarDate(day) })),
    });
    const all = [on(sale, '2025-01-01'), on(work, '2025-01-20')];
    const { unused, drawdowns } = drawDown(all, new Map([[1, 'hours']]), ({ amount }) => amount, [
      { ...early, endsOn: calendarDate('2025-01-10') },
    ]);
    expect(drawdowns.map(({ outside }) => outside.length)).toEqual([1]);
    expect(unused.map(({ left }) => left)).toEqual(['810']);
  });

  test('finds the purchase of a retainer by price and nearest day', () => {
    const units = new Map([[1, 'money' as const]]);
    const monthly = ['01', '02', '03'].map((month, at) =>
      purchase(at + 1, `2025-${month}-01`, `2025-${month}-28`, { unit: 'money' }),
    );
    const [sale, work] = blockInvoices([
      ['sell', decimal(10)],
      ['work', decimal(1)],
    ]);
    if (sale === undefined || work === undefined) throw new Error('no invoices');
    const on = (of: PrepaidInvoice, day: string) => ({
      ...of,
      invoicedOn: calendarDate('2025-02-03'),
      lines: of.lines.map((line) => ({ ...line, blockId: null, servedOn: calendarDate(day) })),
    });
    const { drawdowns } = drawDown(
      [on(sale, '2025-02-03'), on(work, '2025-03-05')],
      units,
      ({ amount }) => amount,
      monthly,
    );
    expect(drawdowns.flatMap(({ outside }) => outside.map(({ id }) => id))).toEqual([2]);
  });
});

test('many small draws that round up do not exceed the sale', () => {
  const work = Array.from({ length: 20 }, () => ['work', decimal('0.00005')] as const);
  const draws = drawsOf([['sell', decimal('0.001')], ...work]);
  expect([sum(draws), draws.at(0), draws.at(-1)]).toEqual(['0.14', '0.01', '0']);
});
