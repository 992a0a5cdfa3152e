import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  accounting,
  companies,
  factsFor,
  invoice,
  mapping,
  mappings,
  noAddress,
  psa,
  settings,
  account,
} from '#test/cases/sample-world.ts';
import type { InvoiceLine } from '../documents/invoice.ts';
import type { Item } from '../documents/reference-data.ts';
import { calendarDate } from '../values/dates.ts';
import { isZero, compare, decimal, sum, zero } from '../values/decimal.ts';
import type { InvoiceDecision, InvoiceFacts } from './invoice-content.ts';
import { planInvoice } from './plan-invoice.ts';
import type { Plan, SalesDocument } from './plan.ts';

const call = {
  kind: 'labor',
  itemName: 'Call',
  billingCodeId: 29,
  quantity: decimal(1),
  rate: decimal(150),
  amount: decimal(150),
} as const;
const taxed = { ...call, kind: 'charge', billingCodeId: 51, tax: decimal('12.38') } as const;

function decide(
  of: Parameters<typeof invoice>[0],
  more: Partial<Omit<InvoiceFacts, 'accounting' | 'settings'>> & {
    readonly accounting?: Partial<InvoiceFacts['accounting']>;
    readonly preferences?: Partial<InvoiceFacts['accounting']['preferences']>;
    readonly settings?: Partial<InvoiceFacts['settings']>;
  } = {},
): InvoiceDecision {
  const { preferences, accounting: changedAccounting, settings: changedSettings, ...rest } = more;
  return planInvoice(
    factsFor(invoice(of), {
      ...rest,
      accounting: { ...accounting, ...changedAccounting, preferences: { ...accounting.preferences, ...preferences } },
      // Tax rates have separate cases.
      settings: { ...settings, tax_hold_over: decimal(100_000), ...changedSettings },
    }),
  );
}

function planned(decision: InvoiceDecision): Plan {
  if (decision.outcome !== 'plan') throw new Error(`Not planned: ${JSON.stringify(decision)}`);
  return decision.plan;
}
function documentOf(decision: InvoiceDecision): SalesDocument {
  const command = planned(decision).commands.at(-1);
  if (command === undefined || !('document' in command)) throw new Error('No document was planned');
  return command.document;
}
const problemCodes = (decision: InvoiceDecision) =>
  decision.outcome === 'refuse' ? decision.problems.map(({ code }) => code) : [];
const warningCodes = (decision: InvoiceDecision) => planned(decision).warnings.map(({ code }) => code);
const plain = (lines: readonly Partial<InvoiceLine>[] = [call]) => {
  const all = lines.map((line) => ({ ...line }));
  const net = sum(all.map(({ amount }) => amount ?? zero));
  const tax = sum(all.map(({ tax }) => tax ?? zero));
  return { total: sum([net, tax]), tax, taxRegionName: isZero(tax) ? null : 'Travis County', lines: all };
};

test('a plan stores undiscounted prices and left-out lines of the PSA', () => {
  const decision = decide({ ...plain([{ ...call, rate: decimal(200) }, call]) });
  expect(planned(decision).source).toMatchObject({
    party: companies[0]?.name,
    datedOn: invoice(plain()).invoicedOn,
    dueOn: invoice(plain()).dueOn,
    lines: [
      { quantity: '1', unitPrice: '200', amount: '150' },
      { quantity: '1', unitPrice: '150', amount: '150' },
    ],
    tax: '0',
    total: '300',
  });
});

describe('invoices that are not sent', () => {
  test('a voided invoice is never created', () => {
    expect(decide({ ...plain(), isVoided: true })).toMatchObject({
      outcome: 'skip',
      reason: 'voided',
      message: 'Skipped: voided in Autotask.',
      isLoggedOnce: false,
    });
  });

  test('logs the skip of a zero invoice once', () => {
    expect(decide({ lines: [{ ...call, amount: zero }] })).toMatchObject({
      reason: 'zero_balance',
      isLoggedOnce: true,
    });
  });

  test('reports all problems of an invoice at once', () => {
    const decision = decide(
      {
        ...plain(),
        companyId: 62,
        total: decimal(999),
        invoicedOn: calendarDate('2025-01-31'),
        lines: [{ ...call, billingCodeId: 52 }],
      },
      { settings: { inv_create_item_automatically: false }, company: null },
    );
    expect(problemCodes(decision)).toEqual(['COMPANY_NOT_FOUND', 'ITEM_NOT_MAPPED', 'CONTROL_TOTAL', 'PERIOD_CLOSED']);
    expect(decision).toMatchObject({ treatment: 'person', mark: 'ERROR' });
  });

  test('shows the expected tax of an invoice whose company cannot be read', () => {
    const decision = decide({ ...plain([taxed]), taxRegionName: null }, { company: null });
    expect(problemCodes(decision)).toContain('COMPANY_NOT_FOUND');
    expect(decision.outcome === 'refuse' && decision.notes.map(({ text }) => text).join()).toMatch(/ TAX\b/);
  });

  test('warns about left-out lines only when some lack a mapped line of business', () => {
    const mapped = { ...call, lineOfBusinessId: 1 };
    const only = { settings: { lob_only_mapped: true } };
    expect(warningCodes(decide(plain([mapped, mapped]), only))).toEqual([]);
    const some = { ...plain([mapped, { ...call, lineOfBusinessId: 3 }]), total: decimal(300) };
    expect(warningCodes(decide(some, only))).toContain('LINES_LEFT_OUT');
  });

  test('reuses the items that earlier invoices created for rounding and prepayments', () => {
    const made = (name: string): Item => ({
      ...(accounting.items[0] as Item),
      id: '70',
      name,
      fullyQualifiedName: name,
    });
    const ofOne = (of: Parameters<typeof decide>[0], item: Item, more: Parameters<typeof decide>[1] = {}) => {
      const decision = decide(of, { ...more, accounting: { ...more.accounting, items: [...accounting.items, item] } });
      return [planned(decision).commands.map((one) => one.do), documentOf(decision).lines.at(-1)?.item];
    };
    const known = [['create_invoice'], { id: '70' }];
    const third = { ...call, rate: decimal('33.3333'), amount: decimal('33.3333'), internalAmount: decimal('33.3333') };
    expect(ofOne({ ...plain([third, third]), total: decimal('66.67') }, made('Rounding difference'))).toMatchObject(
      known,
    );

    const drawn = { ...call, contractId: 5, amount: zero };
    const block = { ...drawn, kind: 'block_purchase', quantity: decimal(10), amount: decimal(1_350) } as const;
    const advance = account('88', 'Customer Prepayments', 'Liability', 'DeferredRevenue');
    const prepaid = {
      psa: { ...psa, contracts: [{ id: 5, name: 'Acme block hours', prepaid: 'hours' as const }] },
      prepaid: [{ ...invoice({ id: 1, lines: [block] }), isPosted: true }],
      settings: { prepaid_account: '88', prepaid_drawdown: true },
      accounting: { accounts: [...accounting.accounts, advance] },
    };
    const own = { ...made('Prepaid hours used'), incomeAccountId: '88' };
    expect(ofOne({ lines: [drawn] }, own, prepaid)).toMatchObject(known);
    const onIncome = {
      ...prepaid,
      accounting: { ...prepaid.accounting, items: [...accounting.items, { ...own, incomeAccountId: '2' }] },
    };
    expect(problemCodes(decide({ lines: [drawn] }, onIncome))).toEqual(['OWN_ITEM_UNUSABLE']);
  });

  test('refuses an invoice without lines', () => {
    expect(problemCodes(decide({ total: decimal(1) }))).toEqual(['NO_LINES']);
  });

  test('stops the run without an error flag when a preference contradicts the numbering', () => {
    expect(decide(plain(), { preferences: { customTransactionNumbers: true } })).toMatchObject({
      outcome: 'refuse',
      treatment: 'stops_run',
      mark: null,
    });
  });

  test.each([
    ['', 'DOC_NUMBER_MISSING', 'ERROR'],
    ['ERROR', 'DOC_NUMBER_MISSING', 'ERROR'],
    ['1234567890123456789012', 'DOC_NUMBER_TOO_LONG', '1234567890123456789012 ERROR'],
  ])('with PSA numbering, refuses number “%s”: %s', (number, code, mark) => {
    const own = {
      settings: { inv_numbering_option: 'autotask' },
      preferences: { customTransactionNumbers: true },
    } as const;
    const decision = decide({ ...plain(), number }, own);
    expect(problemCodes(decision)).toEqual([code]);
    expect(decision).toMatchObject({ mark });
  });

  test('accepts a number of 21 characters', () => {
    const own = {
      settings: { inv_numbering_option: 'autotask' },
      preferences: { customTransactionNumbers: true },
    } as const;
    expect(documentOf(decide({ ...plain(), number: '123456789012345678901' }, own)).number).toHaveLength(21);
  });

  test('refuses an accounting system with another home currency', () => {
    expect(problemCodes(decide(plain(), { preferences: { homeCurrency: 'CAD' } }))).toEqual(['HOME_CURRENCY_MISMATCH']);
  });
});

describe('control total', () => {
  const half = (amount: string) => ({ ...call, amount: decimal(amount), internalAmount: decimal(amount) });

  test.each([
    ['30.04', 'plan', ['ROUNDING']],
    ['30.03', 'plan', []],
    ['30.05', 'refuse', ['CONTROL_TOTAL']],
    ['30.02', 'refuse', ['CONTROL_TOTAL']],
  ] as const)('three lines of 10.0133 against a header of %s: %s', (total, outcome, codes) => {
    const lines = [half('10.0133'), half('10.0133'), half('10.0133')];
    const decision = decide({ ...plain(lines), total: decimal(total) });
    expect(decision.outcome).toBe(outcome);
    expect(decision.outcome === 'plan' ? warningCodes(decision) : problemCodes(decision)).toEqual(codes);
  });

  test.each([
    ['150.00', 'plan', []],
    ['150.01', 'refuse', ['CONTROL_TOTAL']],
    ['149.99', 'refuse', ['CONTROL_TOTAL']],
  ] as const)('lines of 150.00 against a header of %s: %s', (total, outcome, codes) => {
    const decision = decide({ ...plain(), total: decimal(total) });
    expect(decision.outcome).toBe(outcome);
    expect(decision.outcome === 'plan' ? warningCodes(decision) : problemCodes(decision)).toEqual(codes);
  });
});

describe('terms and due date', () => {
  test('sends a term of the same name; QuickBooks computes the due date', () => {
    const document = documentOf(decide({ ...plain(), paymentTermId: 1, dueOn: calendarDate('2025-04-02') }));
    expect(document).toMatchObject({ termId: '3', dueOn: null });
  });

  test("sends the PSA's due date with a warning when the term is missing", () => {
    const decision = decide({ ...plain(), paymentTermId: 4, dueOn: calendarDate('2025-04-15') });
    expect(documentOf(decision)).toMatchObject({ termId: null, dueOn: '2025-04-15' });
    expect(warningCodes(decision)).toEqual(['TERM_NOT_FOUND']);
  });
});

describe('email', () => {
  const silent = companies.find(({ id }) => id === 176);
  test('goes to the address in QuickBooks, otherwise to the primary contact', () => {
    const on = { settings: { inv_email_automatically: true } } as const;
    expect(documentOf(decide(plain(), on)).email).toEqual({ address: 'ap@acmedental.example', send: true });
    const company = silent === undefined ? null : { ...silent, email: 'pa@birch.example' };
    expect(documentOf(decide({ ...plain(), companyId: 176 }, { ...on, company })).email).toEqual({
      address: 'pa@birch.example',
      send: true,
    });
  });

  test('creates an invoice without an address, with a warning', () => {
    const decision = decide({ ...plain(), companyId: 176 }, { settings: { inv_email_automatically: true } });
    expect(documentOf(decision).email).toEqual({ address: null, send: false });
    expect(warningCodes(decision)).toEqual(['NO_EMAIL']);
  });

  test('never mails credit memos or requests payment for them', () => {
    const negative = { total: decimal(-150), lines: [{ ...call, amount: decimal(-150), rate: decimal(-150) }] };
    const decision = decide(negative, { settings: { inv_email_automatically: true, inv_allow_cc_payment: true } });
    expect(planned(decision).commands.at(-1)?.do).toBe('create_credit_memo');
    expect(documentOf(decision)).toMatchObject({ email: null, onlinePayment: null, termId: null, dueOn: null });
    expect(warningCodes(decision)).toEqual([]);
  });
});

describe('classes', () => {
  const business = (id: number | null) => ({ ...call, lineOfBusinessId: id });
  test('are set per line when QuickBooks tracks them per line', () => {
    const decision = decide(plain([business(1), business(3), business(null)]));
    expect(documentOf(decision).lines.map(({ classId }) => classId)).toEqual(['200', null, null]);
    expect(planned(decision).warnings.map(({ message }) => message)).toEqual([
      'No QuickBooks class is mapped for “Projects”.',
    ]);
  });

  test('are set on the document when QuickBooks tracks one and the mapped lines agree', () => {
    const perDocument = { preferences: { classPerLine: false, classPerTransaction: true } };
    expect(documentOf(decide(plain([business(1), business(1)]), perDocument))).toMatchObject({ classId: '200' });
    const mixed = decide(plain([business(1), business(2)]), perDocument);
    expect(documentOf(mixed).classId).toBeNull();
    expect(warningCodes(mixed)).toEqual(['CLASSES_DIFFER']);
  });

  test('are left out without a warning when QuickBooks tracks none or none is mapped', () => {
    const none = decide(plain([business(1)]), { preferences: { classPerLine: false } });
    expect(documentOf(none).lines[0]?.classId).toBeNull();
    expect(warningCodes(none)).toEqual([]);
    const unmapped = decide(plain([business(3)]), { mappings: [] });
    expect(warningCodes(unmapped)).toEqual([]);
  });

  test('filter lines only when the setting is on', () => {
    const lines = plain([business(1), { ...business(3), amount: decimal(50), rate: decimal(50) }]);
    expect(documentOf(decide(lines)).lines).toHaveLength(2);
    const filtered = decide(lines, { settings: { lob_only_mapped: true } });
    expect(documentOf(filtered).lines.map(({ amount }) => amount)).toEqual(['150']);
    expect(planned(filtered).expected.subtotal).toBe('150');
    expect(planned(filtered).warnings.map(({ message }) => message)).toEqual([
      '1 line was left out (50.00). Not mapped: “Projects”.',
    ]);
    expect(decide(plain([business(3)]), { settings: { lob_only_mapped: true } })).toMatchObject({
      reason: 'not_mapped',
    });
    expect(documentOf(decide(lines, { settings: { lob_only_mapped: true }, mappings: [] })).lines).toHaveLength(2);
  });
});

describe('tax', () => {
  const school = { companyId: 179 } as const;
  const automated = { preferences: { automatedSalesTax: true } } as const;
  const codes = (decision: InvoiceDecision) => documentOf(decision).lines.map(({ taxCode }) => taxCode);
  const untaxedHardware = { ...taxed, tax: zero };
  const software = { ...untaxedHardware, billingCodeId: 52 };

  test('without automated tax, taxes a line exactly when the PSA charged tax', () => {
    expect(codes(decide(plain([taxed, untaxedHardware, software, call])))).toEqual(['TAX', 'NON', 'NON', 'NON']);
  });

  test('with automated tax, taxes a line with a taxable category even if the PSA charged none', () => {
    expect(codes(decide(plain([taxed, untaxedHardware, software, call]), automated))).toEqual([
      'TAX',
      'TAX',
      'NON',
      'NON',
    ]);
  });

  test("prefers the line's tax category to the one of its billing code", () => {
    const lines = plain([
      { ...software, taxCategoryId: 1 },
      { ...untaxedHardware, taxCategoryId: 2 },
    ]);
    expect(codes(decide(lines, automated))).toEqual(['TAX', 'NON']);
  });

  test('never taxes an exempt company', () => {
    expect(codes(decide({ ...plain([untaxedHardware]), ...school }))).toEqual(['NON']);
    expect(codes(decide({ ...plain([untaxedHardware]), ...school }, automated))).toEqual(['NON']);
    expect(problemCodes(decide({ ...plain([taxed]), ...school }))).toEqual(['TAX_EXEMPT_CONFLICT']);
  });

  test('sets the tax code of the region and refuses an unknown region', () => {
    const known = decide({ ...plain([taxed]), taxRegionName: 'TRAVIS county' });
    expect(documentOf(known).taxCodeId).toBe('5');
    const unknown = decide({ ...plain([taxed]), taxRegionName: 'Hays County' });
    expect(problemCodes(unknown)).toEqual(['TAX_REGION_NOT_MATCHED']);
    expect(problemCodes(decide({ ...plain([taxed]), taxRegionName: null }))).toEqual(['TAX_REGION_NOT_MATCHED']);
    const untaxed = decide({ ...plain(), taxRegionName: 'Hays County' });
    expect([documentOf(untaxed).taxCodeId, warningCodes(untaxed)]).toEqual([null, []]);
  });

  test('sends an address for automated tax, or refuses when tax may be due', () => {
    const birch = { ...plain([taxed]), companyId: 176 };
    expect(documentOf(decide(plain([taxed]), automated)).shippingAddress).toBeNull();
    expect(documentOf(decide(birch, automated)).shippingAddress).toMatchObject({ postalCode: '78702' });
    const maple = { ...plain([taxed]), companyId: 180 };
    expect(problemCodes(decide(maple, automated))).toEqual(['TAX_ADDRESS_INCOMPLETE']);
    expect(decide({ ...plain(), companyId: 180 }, automated).outcome).toBe('plan');
    const billTo = { ...automated, settings: { inv_ast_shipping_address: 'psa_bill_to' } } as const;
    expect(problemCodes(decide(birch, billTo))).toEqual(['TAX_ADDRESS_INCOMPLETE']);
    const company = { ...automated, settings: { inv_ast_shipping_address: 'psa_company' } } as const;
    expect(documentOf(decide(plain([taxed]), company)).shippingAddress).toMatchObject({ postalCode: '78701' });
  });

  test('outside the US, sends a tax code per line and amounts without tax', () => {
    const company = { name: 'Northwind', country: 'CA' };
    const code = (id: string, name: string, rate: string) => ({ id, name, isActive: true, salesRate: decimal(rate) });
    const taxCodes = [code('9', 'HST ON', '13'), code('8', 'Zero-rated', '0'), code('7', 'Exempt', '0')];
    const abroad = (region: string | null, codes = taxCodes) =>
      decide({ ...plain([taxed, call]), taxRegionName: region }, { accounting: { company, taxCodes: codes } });
    expect(documentOf(abroad('HST ON'))).toMatchObject({
      taxExcluded: true,
      taxCodeId: null,
      lines: [{ taxCode: '9' }, { taxCode: '7' }],
    });
    expect(problemCodes(abroad('GST'))).toEqual(['TAX_CODE_REQUIRED']);
    const closed = taxCodes.map((one) => (one.id === '9' ? { ...one, isActive: false } : one));
    const inactive = abroad('HST ON', closed);
    expect(inactive).toMatchObject({
      problems: [{ message: 'The QuickBooks tax code “HST ON” of the region “HST ON” is inactive.' }],
    });
    expect(problemCodes(abroad('HST ON', taxCodes.slice(0, 1)))).toEqual(['TAX_CODE_REQUIRED']);
    const free = decide({ ...plain(), taxRegionName: null }, { accounting: { company, taxCodes } });
    expect(documentOf(free).lines[0]?.taxCode).toBe('7');
  });
});

describe('lines', () => {
  test('posts the charged amount, not the undiscounted one', () => {
    const covered = {
      ...call,
      quantity: decimal('3.175'),
      rate: decimal(100),
      extendedPrice: decimal('386.645'),
      amount: zero,
    };
    const [first] = documentOf(decide(plain([covered, call]))).lines;
    expect(first).toMatchObject({ amount: '0', unitPrice: '0', description: 'Call (covered by contract)' });
  });

  test('prefers a printed text, prefixes labor with its role, and cuts long text', () => {
    const texts = documentOf(
      decide(
        plain([
          { ...call, fullDescription: 'As printed', roleId: 11 },
          { ...call, description: 'Details' },
          { ...call, kind: 'expense', billingCodeId: 41, itemName: 'Taxi', roleId: 11 },
          { ...call, itemName: null },
          { ...call, fullDescription: 'x'.repeat(5_000) },
          { ...call, fullDescription: 'x'.repeat(5_000), amount: zero, extendedPrice: decimal(1) },
        ]),
      ),
    ).lines.map(({ description }) => description);
    expect(texts.slice(0, 4)).toEqual(['Engineer: As printed', 'Call\nDetails', 'Taxi', 'Remote Support']);
    expect(texts[4]).toBe(`${'x'.repeat(3_999)}…`);
    expect(texts[5]).toHaveLength(4_000);
    expect(texts[5]).toMatch(/… \(covered by contract\)$/);
  });

  test('sends an amount without an exact price as one unit and describes the rest', () => {
    const odd = { ...call, quantity: decimal(2_500), rate: decimal('0.493828'), amount: decimal('1234.57') };
    expect(documentOf(decide(plain([odd]))).lines[0]).toMatchObject({
      quantity: '1',
      unitPrice: '1234.57',
      description: '2,500 × 0.493828 – Call',
    });
  });
});

describe('the customer', () => {
  test("sends a billing address only when it differs from the customer's", () => {
    expect(documentOf(decide(plain())).billingAddress).toBeNull();
    const moved = { ...noAddress, line1: '1 New St', city: 'Austin', state: 'TX', postalCode: '78703' };
    const [acme] = companies;
    const company = acme === undefined ? null : { ...acme, billingAddress: moved };
    expect(documentOf(decide(plain(), { company })).billingAddress).toEqual(moved);
  });

  test('refuses a customer in another currency', () => {
    const decision = decide({ ...plain(), companyId: 177 }, { preferences: { multiCurrency: true } });
    expect(problemCodes(decision)).toEqual(['CURRENCY_MISMATCH']);
  });
});

test('omits the customer message when the setting is off', () => {
  const decision = decide({ ...plain(), comments: 'Hello' }, { settings: { inv_include_customer_message: false } });
  expect(documentOf(decision).customerMessage).toBeNull();
});

test('cuts the order number to 31 characters with a warning and omits unknown custom fields', () => {
  const orderNumber = 'P'.repeat(40);
  const decision = decide({ ...plain(), orderNumber });
  expect(documentOf(decision).customFields).toEqual([
    { definitionId: '1', name: 'P.O. Number', value: 'P'.repeat(31) },
  ]);
  expect(warningCodes(decision)).toEqual(['CUSTOM_FIELD_CUT']);
  const withoutFields = decide({ ...plain(), orderNumber }, { preferences: { customFields: [] } });
  expect([documentOf(withoutFields).customFields, warningCodes(withoutFields)]).toEqual([[], []]);
  const number = [...mappings, mapping('SalesCustomField', 'InvoiceNumber', '2', 'Ticket')];
  expect(documentOf(decide({ ...plain(), number: '1042' }, { mappings: number })).customFields).toEqual([]);
  const own = decide(
    { ...plain(), number: '20250312 ERROR' },
    {
      mappings: number,
      settings: { inv_numbering_option: 'autotask' },
      preferences: { customTransactionNumbers: true },
    },
  );
  expect(documentOf(own).customFields).toEqual([{ definitionId: '2', name: 'Ticket', value: '20250312' }]);
});

test('returns the same plan for the same facts', () => {
  const facts = factsFor(invoice(plain([call, taxed])));
  expect(planInvoice(facts)).toEqual(planInvoice(structuredClone(facts)));
});

describe('every plan', () => {
  /** Code 41 creates several new items of different kinds; 29 and 30 have existing items. */
  const codes = [29, 30, 41, 51, 52, 61, 62, 71, null] as const;
  const cents = (min: number, max: number) =>
    fc
      .integer({ min, max })
      .map((n) =>
        decimal(`${n < 0 ? '-' : ''}${Math.floor(Math.abs(n) / 100)}.${String(Math.abs(n) % 100).padStart(2, '0')}`),
      );
  const fine = (max: number) =>
    fc
      .integer({ min: 0, max })
      .map((n) => decimal(`${Math.floor(n / 100_000)}.${String(n % 100_000).padStart(5, '0')}`));
  const lines = fc.record({
    kind: fc.constantFrom('labor', 'service', 'charge', 'expense', 'milestone', 'other'),
    itemName: fc.option(fc.constantFrom('Managed Workstation', 'Zoom: Room ~ Pro', 'x'.repeat(150), '24-inch monitor')),
    billingCodeId: fc.constantFrom(...codes),
    groupDescription: fc.constantFrom(null, 'Row one', 'Row two'),
    quantity: fine(900_000_000),
    rate: cents(0, 20_000),
    amount: fc.oneof(cents(-500_000, 5_000_000), cents(0, 0)),
    extendedPrice: cents(0, 5_000_000),
    tax: fc.oneof(cents(0, 0), cents(1, 9_999)),
    lineOfBusinessId: fc.constantFrom(null, 1, 2, 3),
    servedOn: fc.constantFrom(null, calendarDate('2025-02-27'), calendarDate('2025-03-01')),
  });
  // With several billing codes of milestones, a credit may be unclear.
  const oneCode = lines.map((line) => (line.kind === 'milestone' ? { ...line, billingCodeId: 71 } : line));
  const invoices = fc.array(oneCode, { minLength: 1, maxLength: 25 });

  const run = (given: readonly Partial<InvoiceLine>[], isGrouped: boolean) =>
    planned(
      decide(plain(given), {
        settings: { inv_group_invoice_lines: isGrouped, inv_ignore_zero_balance_invoices: false },
      }),
    );
  const docOf = (plan: Plan) => documentOf({ outcome: 'plan', plan });
  const isCredit = (plan: Plan) => plan.commands.at(-1)?.do === 'create_credit_memo';

  test("stays within QuickBooks' length limits, and every line has an item", () => {
    fc.assert(
      fc.property(invoices, fc.boolean(), (given, isGrouped) => {
        const plan = run(given, isGrouped);
        const document = docOf(plan);
        for (const command of plan.commands)
          if (command.do === 'create_item') {
            expect(command.item.name.length).toBeLessThanOrEqual(100);
            expect(command.item.name).toMatch(/^[^:\t\n]+$/);
          }
        const names = plan.commands.flatMap((one) => (one.do === 'create_item' ? [one.item.name.toLowerCase()] : []));
        expect(new Set(names).size).toBe(names.length);
        for (const line of document.lines) {
          expect(line.description.length).toBeLessThanOrEqual(4_000);
          if ('fromCommand' in line.item) expect(plan.commands[line.item.fromCommand]?.do).toBe('create_item');
          else expect(accounting.items.map(({ id }) => id)).toContain(line.item.id);
        }
        expect(compare(plan.expected.subtotal, zero) >= 0 || !isCredit(plan)).toBe(true);
      }),
      { numRuns: 100 },
    );
  });

  test('indexes the shared lists once for a thousand invoices', () => {
    let looked = 0;
    const items = Array.from({ length: 3_000 }, (_, index): Item => ({
      ...(accounting.items[0] as Item),
      id: `x${index}`,
      get name() {
        looked += 1;
        return `Item ${index}`;
      },
      fullyQualifiedName: `Item ${index}`,
    }));
    const large = { ...accounting, items: [...accounting.items, ...items] };
    const plan = (id: number) =>
      planInvoice(
        factsFor(invoice({ id, ...plain(Array.from({ length: 10 }, () => call)) }), { accounting: large, psa }),
      );
    expect(plan(1).outcome).toBe('plan');
    const once = looked;
    for (let id = 2; id <= 1_000; id += 1) expect(plan(id).outcome).toBe('plan');
    expect([once > 0, looked - once]).toEqual([true, 0]);
  });
});
