import { describe, expect, test } from 'vitest';
import type { AccountingDocument } from '../documents/accounting-document.ts';
import { documentOf } from '../reconciliation/testing.ts';
import { calendarDate } from '../values/dates.ts';
import { decimal, sum, zero } from '../values/decimal.ts';
import { type Command, lastCommand, type Plan, type PurchaseForm, type SalesDocument } from './plan.ts';
import { isOpen, planUpdate, type UpdateFacts } from './plan-update.ts';
import type { MergedUpdate } from './update-merge.ts';
import { purchaseForm, salesDocument, salesLine } from '#test/cases/sample-documents.ts';

const on = calendarDate('2026-02-10');
const origin = 'Autotask invoice 7';

const sale = (amount: string, more: Partial<SalesDocument> = {}) =>
  salesDocument([salesLine(amount)], {
    datedOn: on,
    dueOn: on,
    privateNote: `${origin} · synced 2026-03-01T15:00:00Z`,
    ...more,
  });

const purchase = (amounts: readonly string[], more: Partial<PurchaseForm> = {}) =>
  purchaseForm(amounts, { datedOn: on, ...more });

const planOf = (...commands: Command[]): Plan => {
  const made = commands.at(-1);
  const document = made?.do === 'create_invoice' || made?.do === 'create_credit_memo' ? made.document : null;
  const subtotal = sum((document?.lines ?? []).map(({ amount }) => amount));
  return { commands, notes: [], warnings: [], expected: { subtotal, tax: decimal(0), dueOn: null } };
};
const invoiceOf = (amount: string, more: Partial<SalesDocument> = {}): Command => ({
  do: 'create_invoice',
  document: sale(amount, more),
});
const newCustomer: Command = {
  do: 'create_customer',
  customer: {
    companyId: 175,
    companyName: 'Acme Dental',
    displayName: 'Acme Dental',
  },
} as Command;

const merged = (more: Partial<MergedUpdate> = {}): MergedUpdate => ({
  replaces: [{ what: 'Line 1, amount', was: '100.00', is: '120.00' }],
  keeps: [],
  conflicts: [],
  settled: {},
  lines: zero,
  total: zero,
  ...more,
});

const unchanged = () => merged({ replaces: [] });

interface Of extends Partial<Omit<UpdateFacts, 'current' | 'plan'>> {
  readonly plan?: Plan;
  readonly document?: Partial<AccountingDocument>;
}
const decided = ({ plan, document, ...of }: Of = {}) =>
  planUpdate({
    name: 'Invoice 7',
    plan: plan ?? planOf(invoiceOf('120.00')),
    current: { syncToken: '4', emailStatus: 'EmailSent', document: documentOf(900, '100.00', document) },
    postedNumber: 'AT-7',
    base: { found: {}, posted: null, answered: null, prefers: null },
    merge: () => merged(),
    closedThrough: null,
    psaLabel: 'Autotask',
    ...of,
  });
const planned = (of: Of = {}) => {
  const decision = decided(of);
  if (decision.outcome !== 'plan') throw new Error(JSON.stringify(decision));
  const command = lastCommand(decision.plan);
  if (command.do !== 'update') throw new Error(command.do);
  return { command, plan: decision.plan };
};
/** Returns the reason of a refusal, or the outcome. */
const because = (of: Of): string => {
  const decision = decided(of);
  if (decision.outcome !== 'refuse') return decision.outcome;
  return decision.problems.map(({ code, message }) => `${code}: ${message}`).join();
};
const day = (date: string) => ({ datedOn: calendarDate(date) });

describe('an updated document', () => {
  test('keeps its ID and version, and notes the old and new total', () => {
    const { command, plan } = planned();
    expect(command).toMatchObject({ id: '900', syncToken: '4', was: '100', emailStatus: 'EmailSent' });
    expect(plan.commands).toHaveLength(1);
    expect(plan.notes.map(({ text }) => text)).toEqual([
      'Changes Invoice AT-900: 100.00 -> 120.00',
      'Replaces Line 1, amount: 100.00 -> 120.00',
    ]);
    const nameless = planned({ document: { number: null } });
    expect(nameless.plan.notes[0]?.text).toBe('Changes Invoice 900: 100.00 -> 120.00');
  });

  test('creates missing records first', () => {
    const { plan } = planned({ plan: planOf(newCustomer, invoiceOf('120.00')) });
    expect(plan.commands.map((one) => one.do)).toEqual(['create_customer', 'update']);
  });

  test.each([
    [null, 'AT-7', 'AT-900', 'AT-7'],
    [null, null, 'AT-900', 'AT-900'],
    ['N-1', 'AT-7', 'AT-900', 'N-1'],
  ])('planned as %s, posted as %s, currently %s: sends the number %s', (number, postedNumber, currentNumber, sent) => {
    for (const [type, made] of [
      ['Invoice', invoiceOf('120.00', { number })],
      ['CreditMemo', { do: 'create_credit_memo', document: sale('120.00', { number }) }],
      ['PurchaseOrder', { do: 'create_purchase_order', order: purchase(['120.00'], { number }) }],
      ['Bill', { do: 'create_bill', bill: purchase(['120.00'], { number }) }],
    ] as const) {
      const { to } = planned({
        plan: planOf(made),
        postedNumber,
        document: { type, number: currentNumber },
      }).command;
      const form = 'document' in to ? to.document : 'order' in to ? to.order : to.bill;
      expect([type, form.number]).toEqual([type, sent]);
    }
  });

  test.each([
    ['of another sync time', `${origin} · synced 2026-02-10T15:00:00Z`, origin, 'current'],
    ['of another document', 'Autotask invoice 8', origin, 'planned'],
    ['missing', null, origin, 'planned'],
    [
      'of a moved date that would move again',
      `${origin} · Original date 2026-01-31`,
      `${origin} · Original date 2026-01-31`,
      'current',
    ],
    ['of a moved date that would not move again', `${origin} · Original date 2026-01-31`, origin, 'planned'],
    ['of an original date that would move', origin, `${origin} · Original date 2026-01-31`, 'planned'],
  ])('keeps or replaces the note %s', (_, privateNote, note, expected) => {
    const { to } = planned({
      plan: planOf(invoiceOf('120.00', { privateNote: note })),
      document: { privateNote },
    }).command;
    expect('document' in to ? to.document.privateNote : null).toBe(expected === 'current' ? privateNote : note);
    for (const [type, member] of [
      ['PurchaseOrder', 'order'],
      ['Bill', 'bill'],
    ] as const) {
      const made = {
        do: type === 'Bill' ? 'create_bill' : 'create_purchase_order',
        [member]: purchase(['1'], { privateNote: note }),
      };
      const sent = planned({ plan: planOf(made as unknown as Command), document: { type, privateNote } }).command.to;
      const form = 'order' in sent ? sent.order : 'bill' in sent ? sent.bill : null;
      expect(form?.privateNote).toBe(expected === 'current' ? privateNote : note);
    }
  });

  test('is not mailed again', () => {
    const email = { address: 'ap@acmedental.example', send: true };
    const { to } = planned({ plan: planOf(invoiceOf('120.00', { email })) }).command;
    expect('document' in to ? to.document.email : null).toEqual({ ...email, send: false });
    const { to: withoutEmail } = planned().command;
    expect('document' in withoutEmail ? withoutEmail.document.email : undefined).toBeNull();
  });
});

test.each([
  ['nothing differs', { merge: unchanged, plan: planOf(invoiceOf('100.00')) }, 'skip'],
  ['its total differs', { merge: unchanged, plan: planOf(invoiceOf('100.01')) }, 'plan'],
  ['something else differs', { hasChanges: true, plan: planOf(invoiceOf('100.00')) }, 'plan'],
  ['a record must be created for it', { merge: unchanged, plan: planOf(newCustomer, invoiceOf('100.00')) }, 'plan'],
  [
    'the lines of its order have the same total',
    {
      merge: unchanged,
      plan: planOf({ do: 'create_purchase_order', order: purchase(['60.00', '40.00']) }),
      document: { type: 'PurchaseOrder' as const },
    },
    'skip',
  ],
  [
    'the lines of its bill have a higher total',
    {
      merge: unchanged,
      plan: planOf({ do: 'create_bill', bill: purchase(['60.00', '40.01']) }),
      document: { type: 'Bill' as const },
    },
    'plan',
  ],
])('when %s the outcome is %3$s', (_, of, outcome) => {
  expect(decided(of).outcome).toBe(outcome);
});

describe('refuses to update', () => {
  test.each([
    ['an invoice that became a credit memo', { plan: planOf({ do: 'create_credit_memo', document: sale('120.00') }) }],
    ['a plan without a document', { plan: planOf(newCustomer) }],
    ['one of several documents', { plan: planOf(invoiceOf('1.00'), invoiceOf('120.00')) }],
  ])('%s', (_, of) => {
    expect(because(of)).toMatch(/another type of document, or several/);
  });

  test('a document with money applied, in full or in part', () => {
    expect(because({ document: { balance: decimal('99.99') } })).toMatch(/a payment or receipt is applied to it/);
    expect(because({ document: { balance: decimal('0') } })).toMatch(/a payment or receipt is applied to it/);
  });

  test.each([
    ['2026-02-09', '2026-02-10', '2026-02-10', 'plan'],
    ['2026-02-10', '2026-02-10', '2026-03-01', 'CANNOT_UPDATE'],
    ['2026-02-10', '2026-03-01', '2026-02-10', 'CANNOT_UPDATE'],
    ['2026-02-10', '2026-02-11', '2026-02-11', 'plan'],
  ])('closed through %s, dated %s, planned for %s: %s', (closedThrough, dated, planned, outcome) => {
    for (const [type, made] of [
      ['Invoice', invoiceOf('120.00', day(planned))],
      ['PurchaseOrder', { do: 'create_purchase_order', order: purchase(['120.00'], day(planned)) }],
      ['Bill', { do: 'create_bill', bill: purchase(['120.00'], day(planned)) }],
    ] as const) {
      const of = { plan: planOf(made), document: { type, ...day(dated) } };
      expect(because({ ...of, closedThrough: calendarDate(closedThrough) })).toMatch(new RegExp(`^${outcome}`));
      expect(because(of)).toBe('plan');
    }
  });

  test.each([
    [{ isOpen: true }, true],
    [{ isOpen: null }, true],
    [{ isOpen: false }, false],
    [{ isOpen: true, links: [{ type: 'Bill', id: '5' }] }, false],
    [{ isOpen: true, links: [{ type: 'Estimate', id: '5' }] }, true],
    // Orders are never paid.
    [{ isOpen: true, balance: decimal('0') }, true],
  ])('%j on a received order means it is open: %s', (more, expected) => {
    expect(isOpen(documentOf(900, '100.00', { type: 'PurchaseOrder', ...(more as Partial<AccountingDocument>) }))).toBe(
      expected,
    );
  });
});

describe('fields that were changed in QuickBooks', () => {
  const due = { what: 'Due date', was: 'Mar 30, 2025', is: 'Mar 15, 2025', key: 'a'.repeat(32) };

  test('and in Autotask are asked about, with both values', () => {
    const problem = because({ merge: () => merged({ conflicts: [due] }) });
    expect(problem).toBe(
      'CHANGED_ON_BOTH_SIDES: Invoice 7 was not updated in QuickBooks, because QuickBooks and Autotask both changed these fields since it was synced: due date (QuickBooks: Mar 30, 2025; Autotask: Mar 15, 2025).',
    );
    const many = because({ merge: () => merged({ conflicts: Array.from({ length: 8 }, () => due) }) });
    expect(many).toMatch(/, and 2 more\.$/);
    // Screens offer a choice for each field.
    const refused = decided({ merge: () => merged({ conflicts: [due] }) });
    expect(refused).toMatchObject({ outcome: 'refuse', problems: [{ fields: [due] }] });
  });

  test('and were chosen are sent as chosen', () => {
    const settled = { 'Due date': 'psa' } as const;
    expect(planned({ merge: () => merged({ settled }) }).command).toMatchObject({ merge: { settled } });
  });

  test('and stay are noted, and an update that would change nothing else is refused', () => {
    expect(planned({ merge: () => merged({ keeps: [due] }) }).plan.notes.map(({ text }) => text)).toEqual([
      'Changes Invoice AT-900: 100.00 -> 120.00',
      'Replaces Line 1, amount: 100.00 -> 120.00',
      'Keeps Due date as changed in QuickBooks: Mar 30, 2025',
    ]);
    expect(because({ merge: () => merged({ replaces: [], keeps: [due] }) })).toMatch(/an update keeps those/);
    const line = () => merged({ replaces: [], lines: decimal('50'), total: decimal('50') });
    expect(because({ merge: line })).toMatch(/an update keeps those/);
  });

  test('a line of 50.00 that stays counts in the total and the subtotal, a discount only in the total', () => {
    const { command, plan } = planned({ merge: () => merged({ lines: decimal('50'), total: decimal('45') }) });
    expect(command.keptAmount).toBe('45');
    expect(plan.expected.subtotal).toBe('170');
    expect(plan.notes[0]?.text).toBe('Changes Invoice AT-900: 100.00 -> 165.00');
  });
});

test('logs every request to update that finds no difference', () => {
  expect(decided({ merge: unchanged, plan: planOf(invoiceOf('100.00')) })).toMatchObject({
    outcome: 'skip',
    isLoggedOnce: false,
  });
});
