import { describe, expect, test } from 'vitest';
import { assert, boolean, integer, property } from 'fast-check';
import { accounting, mappings } from '#test/cases/sample-world.ts';
import type { SalesState } from '../documents/sales-state.ts';
import { calendarDate } from '../values/dates.ts';
import { documentOf } from '../reconciliation/testing.ts';
import { decimal, minus } from '../values/decimal.ts';
import { isCreditedBy, planVoid, type VoidFacts } from './plan-void.ts';
import { salesState } from '#test/cases/sample-documents.ts';

const document = salesState({ document: { Id: '9177', DocNumber: '1042' } });
const link = { type: 'Invoice', id: '9177', number: '1042' };
const facts = (of: Partial<VoidFacts> & { readonly document?: Partial<SalesState> } = {}): VoidFacts => ({
  invoice: { id: 48_213, number: '1042', total: decimal('1966.25'), isVoided: true },
  company: { id: 175, name: 'Acme Dental' },
  link,
  documents: [{ ...document, ...of.document }],
  accounting,
  mappings,
  settings: { void_across_months: 'ask' },
  lines: null,
  credit: null,
  difference: null,
  today: calendarDate('2025-03-03'),
  psaLabel: 'Autotask',
  ...of,
});
const voids = { outcome: 'plan', plan: { commands: [{ do: 'void', type: 'Invoice', id: '9177', syncToken: '3' }] } };

describe('an invoice that we posted', () => {
  test('is voided while it is open and nothing is applied', () => {
    expect(planVoid(facts())).toMatchObject(voids);
  });

  test('is skipped when it is already void', () => {
    expect(planVoid(facts({ document: { isVoided: true, total: decimal('0'), balance: decimal('0') } }))).toMatchObject(
      {
        outcome: 'skip',
        message: 'Already voided.',
        postingStatus: 'voided',
        document: { Id: '9177' },
      },
    );
  });

  test('is skipped with a warning when it was deleted in QuickBooks', () => {
    expect(planVoid(facts({ documents: [] }))).toMatchObject({
      outcome: 'skip',
      postingStatus: 'deleted_in_accounting',
      warnings: [{ code: 'DELETED_IN_BOOKS', message: 'Invoice 1042 was deleted in QuickBooks.' }],
    });
  });

  test('is refused with instructions when money is applied', () => {
    const decision = planVoid(facts({ document: { balance: decimal('966.25') } }));
    expect(decision).toMatchObject({ outcome: 'refuse', mark: null, document: { Id: '9177' } });
    const [problem] = decision.outcome === 'refuse' ? decision.problems : [];
    expect(`${problem?.message} ${problem?.remedy}`).toBe(
      'Invoice 1042 has 1,000.00 applied. Open it in QuickBooks and remove the payment or credit: the link under the total > the payment > uncheck the invoice > Save. The void is then retried automatically. If the customer owes the money, keep both and issue a credit memo instead.',
    );
  });

  test('is refused when it is fully paid', () => {
    expect(planVoid(facts({ document: { balance: decimal('0') } }))).toMatchObject({
      outcome: 'refuse',
      problems: [{ code: 'VOID_HAS_PAYMENTS', message: 'Invoice 1042 has 1,966.25 applied.' }],
    });
  });

  test.each([
    ['2025-01-30', true],
    ['2025-01-31', true],
    ['2025-02-01', false],
  ])('dated %s, books closed through 2025-01-31, is on hold: %s', (datedOn, isHeld) => {
    const settings = { void_across_months: 'void' } as const;
    const decision = planVoid(facts({ document: { datedOn: calendarDate(datedOn) }, settings }));
    expect(decision.outcome).toBe(isHeld ? 'refuse' : 'plan');
    if (decision.outcome === 'refuse')
      expect(decision.problems).toMatchObject([
        { code: 'PERIOD_CLOSED', treatment: 'held', remedy: expect.stringContaining('credit memo') },
      ]);
  });

  test('reports every problem at once', () => {
    const changed = { datedOn: calendarDate('2025-01-15'), balance: decimal('0.01') };
    const decision = planVoid(facts({ document: changed }));
    expect(decision.outcome === 'refuse' && decision.problems.map(({ code }) => code)).toEqual([
      'VOID_HAS_PAYMENTS',
      'PERIOD_CLOSED',
    ]);
  });

  test('is skipped when the PSA has not voided it', () => {
    const invoice = { id: 48_213, number: '1042', total: decimal('1966.25'), isVoided: false };
    expect(planVoid(facts({ invoice }))).toMatchObject({
      outcome: 'skip',
      message: 'Skipped: not voided in Autotask.',
      // Requested by a user, so every attempt is logged.
      isLoggedOnce: false,
    });
  });
});

describe('an invoice of an earlier month with credit memos enabled', () => {
  const posted = documentOf(9177, '1966.25');
  const [line] = posted.lines;
  if (line === undefined) throw new Error('the document has no line');
  const taxed = { ...line, amount: decimal('100'), taxCode: 'TAX' };
  const decided = (of: Parameters<typeof facts>[0] = {}) =>
    planVoid(
      facts({
        settings: { void_across_months: 'credit_memo' },
        lines: posted,
        ...of,
        document: { datedOn: calendarDate('2025-02-10'), ...of.document },
      }),
    );
  const answer = (decision: ReturnType<typeof planVoid>) =>
    decision.outcome === 'plan'
      ? decision.plan.commands.map((one) => one.do)
      : decision.outcome === 'refuse' && decision.problems.map(({ code }) => code);

  test.each<[string, Parameters<typeof facts>[0], readonly string[]]>([
    ['is credited', {}, ['create_credit_memo']],
    ['is voided in its own month', { document: { datedOn: calendarDate('2025-03-01') } }, ['void']],
    [
      'needs a decision when the setting requires one',
      { settings: { void_across_months: 'ask' } },
      ['VOID_OF_AN_EARLIER_MONTH'],
    ],
    ['needs a decision when it is a credit memo', { document: { type: 'CreditMemo' } }, ['VOID_OF_AN_EARLIER_MONTH']],
    ['needs a decision when its lines cannot be read', { lines: null }, ['VOID_OF_AN_EARLIER_MONTH']],
    [
      'needs a decision when an amount has no item',
      { lines: { ...posted, lines: [line, { ...line, itemId: null }] } },
      ['VOID_OF_AN_EARLIER_MONTH'],
    ],
    [
      'is credited when a text line has no amount',
      { lines: { ...posted, lines: [line, { ...line, itemId: null, amount: decimal(0) }] } },
      ['create_credit_memo'],
    ],
    ['is refused when money is applied', { document: { balance: decimal('1') } }, ['VOID_HAS_PAYMENTS']],
  ])('%s', (_what, of, wanted) => {
    expect(answer(decided(of))).toEqual(wanted);
  });

  test.each([
    ['us_manual', {}, { number: null, taxExcluded: false }],
    ['with custom transaction numbers', { customTransactionNumbers: true }, { number: '1042-CR' }],
    ['with automated tax', { automatedSalesTax: true }, { taxOverride: '8.25', taxExcluded: false }],
  ])('is credited to match QuickBooks, %s', (_what, preferences, wanted) => {
    const decision = decided({
      lines: { ...posted, tax: decimal('8.25'), taxCodeId: '5', lines: [taxed] },
      accounting: { ...accounting, preferences: { ...accounting.preferences, ...preferences } },
    });
    expect(decision).toMatchObject({ plan: { commands: [{ document: wanted }] } });
    if (!('taxOverride' in wanted)) expect(JSON.stringify(decision)).not.toContain('taxOverride');
    const abroad = decided({ accounting: { ...accounting, company: { ...accounting.company, country: 'GB' } } });
    expect(abroad).toMatchObject({ plan: { commands: [{ document: { taxExcluded: true } }] } });
  });

  test.each<[what: string, tax: string, problems: readonly object[]]>([
    ["is credited when today's tax rates differ by one cent", '8.24', []],
    [
      'is refused when a tax rate changed',
      '8.00',
      [
        {
          code: 'CREDIT_TAX_WOULD_DIFFER',
          treatment: 'held',
          message:
            'At today’s rates, a credit memo for invoice 1042 would credit 8.25 of sales tax, but the invoice has 8.00 (+0.25). Nothing was posted.',
        },
      ],
    ],
  ])('%s', (_what, tax, problems) => {
    const decision = decided({ lines: { ...posted, tax: decimal(tax), taxCodeId: '5', lines: [taxed] } });
    expect(decision.outcome).toBe(problems.length === 0 ? 'plan' : 'refuse');
    if (decision.outcome === 'refuse') expect(decision.problems).toMatchObject(problems);
  });

  test.each<[what: string, taxes: readonly [rateId: string, amount: string][] | null, problems: readonly object[]]>([
    [
      'is credited when each agency gets back its tax, one of them by a new rate',
      [
        ['1', '6.25'],
        ['29', '2.00'],
      ],
      [],
    ],
    [
      'is refused when the agencies would get back other shares of the same tax',
      [
        ['1', '5.25'],
        ['2', '3.00'],
      ],
      [
        {
          code: 'CREDIT_TAX_WOULD_DIFFER',
          message:
            'At today’s rates, a credit memo for invoice 1042 would divide its sales tax of 8.25 differently among the tax agencies (“State”: 6.25, not 5.25; “Transit”: 2.00, not 3.00). Nothing was posted.',
        },
      ],
    ],
    ['is refused when its agency is unknown', [['7', '8.25']], [{ code: 'CREDIT_TAX_WOULD_DIFFER' }]],
    ['is credited when a manual override belongs to no rate', [['1', '1.00']], []],
    ['is credited when the invoice does not tell its rates', null, []],
  ])('%s', (_what, taxes, problems) => {
    const rates = [
      { id: '1', name: 'State', agencyId: '11', percent: decimal('6.25') },
      { id: '2', name: 'Transit', agencyId: '12', percent: decimal('2') },
    ];
    const old = { id: '29', name: 'Transit until 2024', agencyId: '12', percent: decimal('2') };
    const code = { id: '5', name: 'Travis County', isActive: true, salesRate: decimal('8.25'), salesRates: rates };
    const decision = decided({
      accounting: { ...accounting, taxCodes: [code, { ...code, id: '6', isActive: false, salesRates: [old] }] },
      lines: {
        ...posted,
        tax: decimal('8.25'),
        taxCodeId: '5',
        lines: [taxed],
        ...(taxes !== null && { taxes: taxes.map(([rateId, amount]) => ({ rateId, amount: decimal(amount) })) }),
      },
    });
    expect(decision.outcome).toBe(problems.length === 0 ? 'plan' : 'refuse');
    if (decision.outcome === 'refuse') expect(decision.problems).toMatchObject(problems);
  });

  test.each([
    ['names the invoice', 'Credits invoice 1042.', {}, true],
    ['names another invoice', 'Credits 10421', {}, false],
    ['names no invoice', null, {}, false],
    ['has another total', '1042', { total: decimal('1966.24') }, false],
    ['is for another customer', '1042', { party: { id: '59', name: null } }, false],
  ])('accepts a manual credit memo only when it matches: one that %s', (_what, privateNote, of, is) => {
    expect(
      isCreditedBy({ ...posted, number: '1042' }, { ...posted, type: 'CreditMemo', id: '9300', privateNote, ...of }),
    ).toBe(is);
  });

  test('is credited at the same location', () => {
    const credited = (locationId: string | null) => JSON.stringify(decided({ lines: { ...posted, locationId } }));
    expect(credited('210')).toContain('"locationId":"210"');
    expect(credited(null)).not.toContain('locationId');
  });

  test.each([
    ['2', '983.125', { quantity: '2', unitPrice: '983.125' }],
    [null, '983.125', { quantity: '1', unitPrice: '1966.25' }],
    ['2', null, { quantity: '1', unitPrice: '1966.25' }],
    [null, null, { quantity: '1', unitPrice: '1966.25' }],
  ])('credits a line of %s at %s as %j, with the same amount', (quantity, unitPrice, credited) => {
    const decimalOrNull = (value: string | null) => (value === null ? null : decimal(value));
    const of = { ...line, quantity: decimalOrNull(quantity), unitPrice: decimalOrNull(unitPrice) };
    const decision = decided({ lines: { ...posted, lines: [of] } });
    expect(decision).toMatchObject({
      plan: { commands: [{ document: { lines: [{ amount: '1966.25', ...credited }] } }] },
    });
  });
});

describe('a credit memo', () => {
  const memo = { type: 'CreditMemo', total: decimal('180'), balance: decimal('180') };
  const of = { link: { ...link, type: 'CreditMemo' }, invoice: { ...facts().invoice, total: decimal('-180') } };

  test('is voided while none of it is applied', () => {
    expect(planVoid(facts({ ...of, document: memo }))).toMatchObject({
      plan: { commands: [{ do: 'void', type: 'CreditMemo' }] },
    });
  });

  test('is refused when part of it is applied', () => {
    expect(planVoid(facts({ ...of, document: { ...memo, balance: decimal('60') } }))).toMatchObject({
      problems: [
        { message: 'Credit memo 1042 has 120.00 applied.', document: { what: 'Credit memo', amount: '-180' } },
      ],
    });
  });
});

describe('an invoice posted by an earlier tool', () => {
  const notFound = { outcome: 'skip', message: 'Not found in QuickBooks, nothing to void.', isLoggedOnce: true };

  test('is voided when number, customer, and total match', () => {
    expect(planVoid(facts({ link: null }))).toMatchObject(voids);
    expect(planVoid(facts({ link: null, mappings: [] }))).toMatchObject(voids);
  });

  test.each([
    ['the total differs by a cent', { total: decimal('1966.26'), balance: decimal('1966.26') }],
    ['it has another customer', { customer: { id: '59', name: 'Birch Legal LLP' } }],
    ['it is a credit memo', { type: 'CreditMemo' }],
  ] as const)('is skipped when %s', (_what, changed) => {
    expect(planVoid(facts({ link: null, document: changed }))).toMatchObject(notFound);
    expect(planVoid(facts({ link: null, mappings: [], document: changed }))).toMatchObject(notFound);
  });

  test('of zero matches an invoice, not a credit memo', () => {
    const nothing = { total: decimal('0'), balance: decimal('0') };
    const invoice = { ...facts().invoice, total: decimal('0') };
    expect(planVoid(facts({ link: null, invoice, document: nothing }))).toMatchObject(voids);
  });

  test('is skipped when QuickBooks has no customer name for it', () => {
    const nameless = { customer: { id: '999', name: null } };
    expect(planVoid(facts({ link: null, mappings: [], document: nameless }))).toMatchObject(notFound);
  });

  test('is skipped when its company is unknown, when it is missing, and when two documents match', () => {
    expect(planVoid(facts({ link: null, company: null }))).toMatchObject(notFound);
    expect(planVoid(facts({ link: null, documents: [] }))).toMatchObject(notFound);
    expect(planVoid(facts({ link: null, documents: [document, { ...document, id: '9178' }] }))).toMatchObject(notFound);
  });
});

test('never voids a document with money applied', () => {
  assert(
    property(integer({ min: 1, max: 196_625 }), boolean(), (cents, isLinked) => {
      const applied = decimal(`${cents}e-2`);
      const decision = planVoid(
        facts({ ...(isLinked ? {} : { link: null }), document: { balance: minus(document.total, applied) } }),
      );
      expect(decision.outcome).toBe('refuse');
    }),
  );
});

test.each([
  ['2025-03-03', null, '2025-03-03'],
  ['2025-03-03', '2025-03-02', '2025-03-03'],
  ['2025-03-03', '2025-03-03', '2025-03-04'],
  ['2025-03-03', '2025-03-31', '2025-04-01'],
])('on %s, with books closed through %s, a credit memo is dated %s', (today, closedThrough, datedOn) => {
  const closed = closedThrough === null ? null : calendarDate(closedThrough);
  const decision = planVoid(
    facts({
      today: calendarDate(today),
      document: { datedOn: calendarDate('2025-02-10') },
      lines: documentOf(9177, '1966.25'),
      settings: { void_across_months: 'credit_memo' },
      accounting: { ...accounting, preferences: { ...accounting.preferences, closedThrough: closed } },
    }),
  );
  expect(decision).toMatchObject({ outcome: 'plan', plan: { commands: [{ document: { datedOn } }] } });
});
