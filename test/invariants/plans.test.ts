import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { unknownPayment } from '#core/documents/payment.ts';
import type { SalesState } from '#core/documents/sales-state.ts';
import type { DocumentDecision } from '#core/planning/decision.ts';
import { planExpenseReport } from '#core/planning/plan-expense-report.ts';
import type { InvoiceFacts } from '#core/planning/invoice-content.ts';
import { planInvoice } from '#core/planning/plan-invoice.ts';
import { planPayment, type PaymentDecision } from '#core/planning/plan-payment.ts';
import { planPurchaseOrder } from '#core/planning/plan-purchase-order.ts';
import { planVoid } from '#core/planning/plan-void.ts';
import type { Plan } from '#core/planning/plan.ts';
import { calendarDate, instant } from '#core/values/dates.ts';
import {
  decimal,
  equals,
  isNegative,
  isPositive,
  isZero,
  minus,
  negate,
  plus,
  round2,
  sum,
  times,
  zero,
  type Decimal,
} from '#core/values/decimal.ts';
import { accounting, companies, mappings, menus, settings } from '../cases/sample-world.ts';
import {
  documentOf,
  invoiceFacts,
  orderFacts,
  reportFacts,
  commandsOf,
  type SentBody,
  type SentBodyLine,
} from './plans.ts';
import { salesState } from '../cases/sample-documents.ts';

/**
 * Invariants of the domain reference (section 16) that are decided before sending. They are checked on the JSON of
 * every generated plan.
 */
const run = { seed: 20_250_303, numRuns: 250 } as const;

const plans = fc.oneof(
  invoiceFacts.map((facts) => ({ closedThrough: closed(facts), decision: whole(planInvoice(facts)) })),
  orderFacts.map((facts) => ({ closedThrough: closed(facts), decision: whole(planPurchaseOrder(facts)) })),
  reportFacts.map((facts) => ({ closedThrough: closed(facts), decision: whole(planExpenseReport(facts)) })),
);
const closed = ({ accounting: { preferences } }: Pick<InvoiceFacts, 'accounting'>) => preferences.closedThrough;
const whole = (decision: DocumentDecision<string>): DocumentDecision<string> => decision;

/** Checks every plan, and that most inputs lead to a plan; otherwise the test would prove nothing. */
function everyPlan(checkPlan: (plan: Plan, closedThrough: string | null) => void): void {
  let [all, planned] = [0, 0];
  fc.assert(
    fc.property(plans, ({ decision, closedThrough }) => {
      all += 1;
      if (decision.outcome !== 'plan') return;
      planned += 1;
      checkPlan(decision.plan, closedThrough);
    }),
    { ...run, numRuns: 500 },
  );
  expect(planned / all).toBeGreaterThan(0.3);
}

/** Invoice lines to send, with their charged amounts. */
function chargedLines({
  invoice,
  psa,
  accounting: { preferences },
  settings: { lob_only_mapped: onlyMapped },
}: InvoiceFacts) {
  const isForeign = psa.modules.multiCurrency && preferences.multiCurrency;
  const kept = onlyMapped ? invoice.lines.filter((line) => [1, 2].includes(line.lineOfBusinessId ?? 0)) : invoice.lines;
  return sum(kept.map((line) => round2(isForeign ? line.amount : line.internalAmount)));
}

const total = (sent: SentBody): Decimal => sum(sent.lines.map(({ amount }) => amount));

describe('every invoice', () => {
  const everyInvoice = (checkPlan: (facts: InvoiceFacts, plan: Plan) => void) => {
    let planned = 0;
    fc.assert(
      fc.property(invoiceFacts, (facts) => {
        const decision = planInvoice(facts);
        if (decision.outcome !== 'plan') return;
        planned += 1;
        checkPlan(facts, decision.plan);
      }),
      run,
    );
    expect(planned).toBeGreaterThan(run.numRuns * 0.2);
  };

  test('invariant 3: the lines equal Autotask’s charges, rounded by line, grouped or not', () => {
    everyInvoice((facts, plan) => {
      const sent = documentOf(plan);
      const wanted = chargedLines(facts);
      expect(sent.do === 'create_credit_memo' ? negate(total(sent)) : total(sent)).toBe(wanted);
      expect(plan.expected.subtotal).toBe(total(sent));
      if (!facts.settings.lob_only_mapped)
        expect(sent.do).toBe(isNegative(facts.invoice.total) ? 'create_credit_memo' : 'create_invoice');
    });
  });

  test('invariant 4: grouping keeps the subtotal and the totals by tax code and income account', () => {
    const totals = (sent: SentBody, keyOf: (line: SentBodyLine) => string) => {
      const found = new Map<string, Decimal>();
      for (const line of sent.lines) found.set(keyOf(line), plus(found.get(keyOf(line)) ?? zero, line.amount));
      return new Map([...found].filter(([, amount]) => !isZero(amount)));
    };
    const text = (value: unknown): string =>
      typeof value === 'object' && value !== null && 'value' in value ? String(value.value) : '';
    let merged = 0;
    everyInvoice((facts, plan) => {
      const other = planInvoice({
        ...facts,
        settings: { ...facts.settings, inv_group_invoice_lines: !facts.settings.inv_group_invoice_lines },
      });
      if (other.outcome !== 'plan') throw new Error('grouping changes only lines');
      const [one, two] = [documentOf(plan), documentOf(other.plan)];
      if (one.lines.length !== two.lines.length) merged += 1;
      expect(total(two)).toBe(total(one));
      for (const member of ['TaxCodeRef', 'ClassRef'] as const)
        expect(totals(two, ({ detail }) => text(detail[member]))).toEqual(
          totals(one, ({ detail }) => text(detail[member])),
        );
      const incomeOf = (of: Plan) => {
        const document = of.commands.at(-1);
        const lines = document !== undefined && 'document' in document ? document.document.lines : [];
        const found = new Map<string, Decimal>();
        for (const { item, amount } of lines) {
          const made = 'fromCommand' in item ? of.commands[item.fromCommand] : undefined;
          const account =
            'id' in item
              ? facts.accounting.items.find(({ id }) => id === item.id)?.incomeAccountId
              : made?.do === 'create_item' && made.item.incomeAccountId;
          found.set(String(account), plus(found.get(String(account)) ?? zero, amount));
        }
        return new Map([...found].filter(([, amount]) => !isZero(amount)));
      };
      expect(incomeOf(other.plan)).toEqual(incomeOf(plan));
    });
    expect(merged).toBeGreaterThan(0);
  });
});

test('invariant 5: quantity times price, rounded to cents, equals the amount of each line', () => {
  everyPlan((plan) => {
    for (const { quantity, unitPrice, amount } of documentOf(plan).lines) {
      if (quantity === null || unitPrice === null) continue;
      expect(equals(round2(times(quantity, unitPrice)), amount)).toBe(true);
      for (const value of [quantity, unitPrice]) expect(value.split('.')[1]?.length ?? 0).toBeLessThanOrEqual(5);
    }
  });
});

test('invariant 6: numbers have at most 21 characters, item names at most 100, and names no colon', () => {
  const made = new Set<string>();
  everyPlan((plan) => {
    for (const { body, do: what } of commandsOf(plan)) {
      made.add(what);
      if (typeof body['DocNumber'] === 'string') expect(body['DocNumber'].length).toBeLessThanOrEqual(21);
      const { DisplayName: name, Name: itemName } = body;
      if (typeof name === 'string') {
        expect(name).toMatch(/^[^:\t\r\n]+$/);
        expect(name.length).toBeLessThanOrEqual(500);
      }
      if (typeof itemName === 'string') {
        expect(itemName).toMatch(/^[^:\t\r\n]+$/);
        expect(itemName.length).toBeLessThanOrEqual(100);
      }
    }
  });
  expect([...made].sort()).toEqual([
    'create_bill',
    'create_credit_memo',
    'create_customer',
    'create_invoice',
    'create_item',
    'create_purchase_order',
    'create_vendor',
  ]);
});

test('invariant 11: no posting is dated in a closed period', () => {
  let moved = 0;
  everyPlan((plan, closedThrough) => {
    const { body, do: what } = documentOf(plan);
    // A purchase order posts nothing.
    if (what === 'create_purchase_order') return;
    const on = String(body['TxnDate']);
    expect(on).toMatch(/^\d{4}-\d\d-\d\d$/);
    if (closedThrough === null) return;
    expect(on > closedThrough).toBe(true);
    if (plan.warnings.some(({ code }) => code === 'DATE_MOVED')) {
      moved += 1;
      expect(String(body['PrivateNote'])).toContain(`(books closed through ${closedThrough})`);
    }
  });
  expect(moved).toBeGreaterThan(0);
});

test('invariant 16: bills equal the reimbursable items less the advance, at least zero', () => {
  let planned = 0;
  fc.assert(
    fc.property(reportFacts, fc.integer({ min: -3, max: 3 }), (facts, cents) => {
      const items = facts.report.items.filter(({ isReimbursable, isRejected }) => isReimbursable && !isRejected);
      const owed = minus(sum(items.map(({ amount }) => round2(amount))), facts.report.cashAdvance);
      const amountDue = plus(owed, decimal(`${cents}e-2`));
      const decision = planExpenseReport({ ...facts, report: { ...facts.report, amountDue } });
      if (decision.outcome !== 'plan') return;
      planned += 1;
      const bills = commandsOf(decision.plan).filter(({ do: what }) => what === 'create_bill');
      const totals = bills.map((bill) => total(bill));
      expect(totals.some((one) => isNegative(one))).toBe(false);
      expect(sum(totals)).toBe(isPositive(owed) ? owed : zero);
      const isWarned = decision.plan.warnings.some(({ code }) => code === 'ROUNDING');
      expect(isWarned).toBe(Math.abs(cents) > 1);
    }),
    run,
  );
  expect(planned).toBeGreaterThan(run.numRuns * 0.2);
});

test('invariant 17: no bill line is billable in QuickBooks', () => {
  let forCustomers = 0;
  everyPlan((plan) => {
    const { do: what, lines, text } = documentOf(plan);
    expect(text).not.toMatch(/"BillableStatus":"(?!NotBillable")/);
    if (what !== 'create_bill') return;
    for (const { detail } of lines) {
      expect(detail['BillableStatus']).toBe('NotBillable');
      if (detail['CustomerRef'] !== undefined) forCustomers += 1;
    }
  });
  expect(forCustomers).toBeGreaterThan(0);
});

describe('every decision about payments and voids', () => {
  const day = fc.constantFrom('2025-02-27', '2025-03-01', '2025-03-03', '2025-04-02').map(calendarDate);
  const cents = fc.integer({ min: 0, max: 40_000 }).map((value): Decimal => decimal(`${value}e-2`));
  const documentStates = fc
    .record({
      total: cents,
      open: fc.constantFrom('all', 'part', 'none', 'none', 'none'),
      isVoided: fc.constantFrom(false, false, true),
    })
    .map(({ total: amount, open, isVoided }): SalesState => {
      const all = isVoided ? zero : amount;
      return salesState({
        datedOn: calendarDate('2025-03-01'),
        total: all,
        balance: open === 'all' ? all : open === 'none' || isZero(all) ? zero : decimal('0.01'),
        isVoided,
        privateNote: isVoided ? 'Voided' : null,
        changedAt: instant('2025-04-03T15:00:00Z'),
      });
    });
  const states = fc.record({
    document: fc.option(documentStates, { freq: 8 }),
    linked: cents,
    paidOn: fc.option(day, { freq: 2 }),
    writtenOn: fc.option(day),
    appliedOn: fc.array(day, { maxLength: 3 }),
    wasPaid: fc.boolean(),
    isPaidByUs: fc.boolean(),
    isVoided: fc.constantFrom(false, false, false, true),
    direction: fc.constantFrom('both' as const, 'qbo_to_psa' as const, 'psa_to_qbo' as const),
    grace: fc.constantFrom(0, 24),
    closedThrough: fc.option(day),
    policy: fc.constantFrom('hold' as const, 'next_open_day' as const),
  });
  type State = typeof states extends fc.Arbitrary<infer Of> ? Of : never;
  const decide = (of: State): PaymentDecision =>
    planPayment({
      invoice: { id: 48_213, number: '1042', total: of.linked, paidOn: of.paidOn, isVoided: of.isVoided },
      link: { id: '9177', number: '1042', total: of.linked, psaTotal: of.linked },
      document: of.document,
      appliedOn: of.appliedOn,
      unapplied: zero,
      state: { ...unknownPayment(48_213), isDue: true, wasPaid: of.wasPaid, writtenOn: of.writtenOn },
      isPaidByUs: of.isPaidByUs,
      isAfterGap: false,
      isConfirmed: false,
      settings: {
        ...settings,
        pay_direction: of.direction,
        pay_grace_hours: of.grace,
        closed_period_policy: of.policy,
      },
      preferences: { closedThrough: of.closedThrough },
      paidFrom: calendarDate('2025-02-01'),
      now: instant('2025-04-09T15:00:00Z'),
      timeZone: 'America/Chicago',
      psaLabel: 'Autotask',
      psaMenus: menus,
    });
  const everyState = (checkPlan: (of: State, decision: PaymentDecision) => void) =>
    fc.assert(
      fc.property(states, (of) => checkPlan(of, decide(of))),
      { ...run, numRuns: 2_000 },
    );

  test('invariant 9: an invoice gets no paid date while an amount is open or its total is zero', () => {
    let written = 0;
    everyState(({ document }, decision) => {
      if (decision.outcome !== 'tell' || decision.paidOn === null) return;
      written += 1;
      expect(document === null || !isPositive(document.total) || !isZero(document.balance)).toBe(false);
    });
    expect(written).toBeGreaterThan(20);
  });

  test('invariant 10: a paid date set by a user is never changed', () => {
    let [kept, cleared] = [0, 0];
    everyState(({ paidOn, writtenOn }, decision) => {
      const isOurs = writtenOn !== null && paidOn === writtenOn;
      if (paidOn !== null && !isOurs) kept += 1;
      if (decision.outcome !== 'tell') return;
      if (decision.paidOn === null && paidOn !== null) cleared += 1;
      expect(paidOn === null || isOurs).toBe(true);
      // The product's own date may only be removed.
      if (paidOn !== null) expect(decision.paidOn).toBeNull();
    });
    expect([kept > 100, cleared > 20]).toEqual([true, true]);
  });

  test('invariant 11: no payment is dated in a closed period, and no closed document is voided', () => {
    let [paid, voided] = [0, 0];
    everyState((of, decision) => {
      if (decision.outcome === 'plan') {
        paid += 1;
        const { body } = documentOf(decision.plan);
        expect(of.closedThrough !== null && String(body['TxnDate']) <= of.closedThrough).toBe(false);
        expect(String(body['PaymentRefNum']).length).toBeLessThanOrEqual(21);
      }
      if (of.document === null) return;
      const decided = planVoid({
        invoice: { id: 48_213, number: '1042', total: of.linked, isVoided: true },
        company: companies.find(({ id }) => id === 175) ?? null,
        link: { type: 'Invoice', id: '9177', number: '1042' },
        documents: [of.document],
        accounting: { ...accounting, preferences: { ...accounting.preferences, closedThrough: of.closedThrough } },
        mappings,
        settings: { void_across_months: of.isPaidByUs ? 'ask' : 'void' },
        lines: null,
        credit: null,
        difference: null,
        today: calendarDate('2025-03-03'),
        psaLabel: 'Autotask',
      });
      if (decided.outcome !== 'plan') return;
      voided += 1;
      expect(of.isPaidByUs && of.document.datedOn < '2025-03-01').toBe(false);
      expect(of.closedThrough !== null && of.document.datedOn <= of.closedThrough).toBe(false);
      expect(of.document.balance).toBe(of.document.total);
    });
    expect([paid > 5, voided > 20]).toEqual([true, true]);
  });
});
