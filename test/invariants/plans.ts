import * as fc from 'fast-check';
import { parseExact, sentNumber, toDecimal } from '#connectors/exact-json.ts';
import { toBody } from '#connectors/quickbooks/translate.ts';
import type { ExpenseItem } from '#core/documents/expense-report.ts';
import type { InvoiceLine } from '#core/documents/invoice.ts';
import type { Company } from '#core/documents/party.ts';
import type { PurchaseOrderLine } from '#core/documents/purchase-order.ts';
import type { ExpenseReportFacts } from '#core/planning/plan-expense-report.ts';
import type { InvoiceFacts } from '#core/planning/invoice-content.ts';
import type { PurchaseOrderFacts } from '#core/planning/plan-purchase-order.ts';
import type { Plan } from '#core/planning/plan.ts';
import { calendarDate } from '#core/values/dates.ts';
import { decimal, plus, round2, sum, zero, type Decimal } from '#core/values/decimal.ts';
import {
  accounting,
  companies,
  expenseMappings,
  expenseReport,
  factsFor,
  invoice,
  mapping,
  mappings,
  orderFactsFor,
  psa,
  purchaseOrder,
  reportFactsFor,
  settings,
} from '../cases/sample-world.ts';

/** Generators of facts: all settings, tax systems, currencies, names and closed periods. */

const [acme] = companies;
if (acme === undefined) throw new Error('the sample data has no companies');

/** Names that QuickBooks does not accept unchanged. */
const unusualCompanies: readonly Company[] = [
  { ...acme, id: 901, name: 'Elm: Street\tClinic' },
  { ...acme, id: 902, name: 'Ümlaut & “Sons” '.repeat(12) },
  { ...acme, id: 903, name: ':\n' },
];
const allCompanies = [...companies, ...unusualCompanies];

/** Decimals with a fixed number of places. */
const fixed = (min: number, max: number, places: number): fc.Arbitrary<Decimal> =>
  fc.integer({ min, max }).map((value) => decimal(`${value}e-${places}`));
const amounts = fc.oneof(fixed(-500_000, 5_000_000, 2), fixed(-9_999_999, 99_999_999, 4), fc.constant(zero));
const quantities = fc.oneof(fixed(-5_000, 500_000, 2), fixed(0, 900_000_000, 5), fc.constantFrom(zero, decimal(1)));

const days = fc.constantFrom(null, ...['2025-02-28', '2025-03-03', '2025-03-10'].map(calendarDate));

/** Facts that do not depend on the document. */
const worlds = fc
  .record({
    country: fc.constantFrom('US', 'US', 'GB'),
    automatedSalesTax: fc.boolean(),
    psaMulti: fc.boolean(),
    accountingMulti: fc.boolean(),
    classes: fc.constantFrom('none', 'transaction', 'line'),
    closedThrough: days,
    policy: fc.constantFrom('hold', 'next_open_day'),
    usesPsaNumbers: fc.boolean(),
    generation: fc.integer({ min: 1, max: 3 }),
    createsItems: fc.constantFrom(true, true, false),
  })
  .map((of) => ({
    psa: { ...psa, modules: { procurement: true, multiCurrency: of.psaMulti } },
    accounting: {
      ...accounting,
      company: { ...accounting.company, country: of.country },
      taxCodes: [...accounting.taxCodes, { id: '8', name: 'Exempt', isActive: true, salesRate: zero }],
      preferences: {
        ...accounting.preferences,
        automatedSalesTax: of.country === 'US' && of.automatedSalesTax,
        multiCurrency: of.accountingMulti,
        classPerLine: of.classes === 'line',
        classPerTransaction: of.classes === 'transaction',
        closedThrough: of.closedThrough,
        customTransactionNumbers: of.usesPsaNumbers,
        customOrderNumbers: false,
      },
    },
    generation: of.generation,
    settings: {
      ...settings,
      closed_period_policy: of.policy,
      inv_numbering_option: of.usesPsaNumbers ? ('autotask' as const) : ('qbo' as const),
      po_numbering_option: of.usesPsaNumbers ? ('autotask' as const) : ('qbo' as const),
      inv_create_item_automatically: of.createsItems,
      po_create_item_automatically: of.createsItems,
      po_default_expense_account: '14',
      po_payable_account: '20',
      exp_cash_advance_expense_account: '25',
    },
  }));

const numbers = fc.constantFrom('20250312', 'INV-2025-000000000042', 'INV-2025-0000000000423', '');

const invoiceLine: fc.Arbitrary<Partial<InvoiceLine>> = fc.record({
  kind: fc.constantFrom('labor', 'service', 'charge', 'expense', 'block_purchase', 'milestone', 'other'),
  itemName: fc.constantFrom(null, 'Managed Workstation', 'Zoom: Room ~ Pro', 'x'.repeat(150), '24-inch monitor'),
  billingCodeId: fc.constantFrom(29, 30, 41, 51, 52, 61, 62, 71, null),
  groupDescription: fc.constantFrom(null, 'Row one', 'Row two'),
  quantity: quantities,
  rate: fixed(0, 20_000, 2),
  amount: amounts,
  internalAmount: amounts,
  internalRate: fixed(0, 20_000, 2),
  extendedPrice: fixed(0, 5_000_000, 2),
  tax: fc.oneof(fc.constant(zero), fixed(1, 9_999, 2)),
  lineOfBusinessId: fc.constantFrom(null, 1, 2, 3),
  servedOn: fc.constantFrom(null, calendarDate('2025-02-27'), calendarDate('2025-03-01')),
});

/** Invoices whose total equals the sum of their lines. */
export const invoiceFacts: fc.Arbitrary<InvoiceFacts> = fc
  .record({
    world: worlds,
    lines: fc.array(invoiceLine, { minLength: 1, maxLength: 20 }),
    company: fc.constantFrom(...allCompanies.filter(({ type }) => type === 1)),
    number: numbers,
    isGrouped: fc.boolean(),
    onlyMapped: fc.constantFrom(false, false, true),
    ignoresZero: fc.boolean(),
  })
  .map(({ world, lines, company, number, isGrouped, onlyMapped, ignoresZero }) => {
    const tax = sum(lines.map((line) => line.tax ?? zero));
    const seen = world.psa.modules.multiCurrency ? ('amount' as const) : ('internalAmount' as const);
    const total = plus(sum(lines.map((line) => round2(line[seen] ?? zero))), tax);
    const of = invoice({ companyId: company.id, number, tax, total, taxRegionName: 'Travis County', lines });
    return factsFor(of, {
      ...world,
      company,
      settings: {
        ...world.settings,
        // Withheld tax has separate cases.
        tax_hold_over: decimal(100_000),
        inv_group_invoice_lines: isGrouped,
        lob_only_mapped: onlyMapped,
        inv_ignore_zero_balance_invoices: ignoresZero,
      },
    });
  });

const orderItem: fc.Arbitrary<Partial<PurchaseOrderLine>> = fc.record({
  productId: fc.constantFrom(801, 802, 803, 804, null),
  quantity: fc.integer({ min: 1, max: 5_000 }).map(decimal),
  unitCost: fixed(0, 2_000_000_000, 7),
  internalUnitCost: fixed(0, 2_000_000_000, 7),
});

/** Purchase orders. */
export const orderFacts: fc.Arbitrary<PurchaseOrderFacts> = fc
  .record({
    world: worlds,
    lines: fc.array(orderItem, { minLength: 1, maxLength: 10 }),
    vendor: fc.constantFrom(...allCompanies.filter(({ id }) => id > 300)),
    forCompanyId: fc.constantFrom(null, 175, 178, 901),
    freight: fc.oneof(fc.constant(zero), fixed(1, 50_000, 2)),
    number: numbers,
  })
  .map(({ world, lines, vendor, forCompanyId, freight, number }) =>
    orderFactsFor(
      purchaseOrder({ vendorId: vendor.id, forCompanyId, freight, internalFreight: freight, number, lines }),
      { ...world, vendor, forCompany: allCompanies.find(({ id }) => id === forCompanyId) ?? null },
    ),
  );

const reportItem: fc.Arbitrary<Partial<ExpenseItem>> = fc.record({
  categoryId: fc.constantFrom(41, 42, 43),
  amount: fc.oneof(fixed(1, 90_000, 2), fixed(1, 9_000_000, 4)),
  isReimbursable: fc.constantFrom(true, true, false),
  isRejected: fc.constantFrom(false, false, true),
  companyId: fc.constantFrom(null, 175, 178),
});

/** Expense reports with the correct amount due. */
export const reportFacts: fc.Arbitrary<ExpenseReportFacts> = fc
  .record({
    world: worlds,
    items: fc.array(reportItem, { minLength: 1, maxLength: 12 }),
    cashAdvance: fc.oneof(fc.constant(zero), fixed(1, 60_000, 2)),
    submitter: fc.constantFrom(
      { firstName: 'Betty', lastName: 'Decker' },
      { firstName: 'John', lastName: "O'Brien: Jr." },
      { firstName: null, lastName: 'Jacobsen' },
    ),
  })
  .map(({ world, items, cashAdvance, submitter }) => {
    const own = [41, 42, 43].flatMap((id) => [
      mapping('ExpenseCategoryBillable', String(id), '11'),
      mapping('ExpenseCategoryNonBillable', String(id), '12'),
    ]);
    const report = expenseReport({ cashAdvance, submitter, items });
    return reportFactsFor(
      { ...report, amountDue: null },
      { ...world, mappings: [...mappings, ...own, ...expenseMappings] },
    );
  });

/** A parsed JSON body with exact numbers. */
export interface SentBody {
  readonly do: Plan['commands'][number]['do'];
  readonly text: string;
  readonly body: Readonly<Record<string, unknown>>;
  readonly lines: readonly SentBodyLine[];
}

export interface SentBodyLine {
  readonly amount: Decimal;
  /** Missing on lines by account. */
  readonly quantity: Decimal | null;
  readonly unitPrice: Decimal | null;
  /** All members of the line's detail. */
  readonly detail: Readonly<Record<string, unknown>>;
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const records = (value: unknown): readonly Readonly<Record<string, unknown>>[] =>
  Array.isArray(value) ? value.filter(isRecord) : [];
const digits = (value: unknown): Decimal => {
  if (typeof value !== 'number' && typeof value !== 'string') throw new Error(`not an amount: ${String(value)}`);
  return toDecimal(value);
};

/** Returns all commands of a plan, in order. */
export const commandsOf = (plan: Plan): readonly SentBody[] =>
  plan.commands.map((command) => {
    const text = JSON.stringify(toBody(command, [], sentNumber));
    const body = parseExact(text);
    if (!isRecord(body)) throw new Error('the body is not an object');
    const lines = records(body['Line']).map((line): SentBodyLine => {
      const detail = Object.entries(line).find(([name]) => name.endsWith('LineDetail'))?.[1];
      const of = isRecord(detail) ? detail : {};
      return {
        amount: digits(line['Amount']),
        quantity: of['Qty'] === undefined ? null : digits(of['Qty']),
        unitPrice: of['UnitPrice'] === undefined ? null : digits(of['UnitPrice']),
        detail: of,
      };
    });
    return { do: command.do, text, body, lines };
  });

/** Returns the document, which is always the last command. */
export function documentOf(plan: Plan): SentBody {
  const last = commandsOf(plan).at(-1);
  if (last === undefined) throw new Error('the plan has no command');
  return last;
}
