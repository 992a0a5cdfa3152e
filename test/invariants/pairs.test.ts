import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { InvoiceLine } from '#core/documents/invoice.ts';
import { suffixedNumber } from '#core/planning/document-fields.ts';
import { planInvoice } from '#core/planning/plan-invoice.ts';
import { decimal, sum, type Decimal } from '#core/values/decimal.ts';
import { books, factsFor, invoice, psa, settings } from '../cases/sample-world.ts';
import { commandsOf, documentOf } from './plans.ts';

/** Pairs of rules: settings × kind of document × currency × tax. The expected cents are computed here, without the rules. */
const run = { seed: 20_250_303, numRuns: 100 } as const;

const money = (cents: number): Decimal => decimal(`${cents}e-2`);
const cents = fc.integer({ min: 1, max: 900_000 });
const line = (amount: number, tax: number, home = amount): Partial<InvoiceLine> => ({
  billingCodeId: 51,
  quantity: decimal(1),
  rate: money(amount),
  amount: money(amount),
  extendedPrice: money(amount),
  internalAmount: money(home),
  internalRate: money(home),
  tax: money(tax),
  internalTax: money(tax),
});
const company = { ...books.preferences, customTransactionNumbers: true };
const sentTax = (body: Readonly<Record<string, unknown>>): unknown =>
  (body['TxnTaxDetail'] as { readonly TotalTax?: unknown } | undefined)?.TotalTax;

test('the tax that Autotask decides has the sign of the document: an invoice and a credit memo both send it above zero', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(1, -1),
      fc.array(fc.tuple(cents, fc.integer({ min: 1, max: 9_000 })), { minLength: 1, maxLength: 4 }),
      fc.constantFrom('autotask' as const, 'quickbooks' as const),
      (sign, parts, authority) => {
        const [net, tax] = [0, 1].map((at) => parts.reduce((all, part) => all + (part[at] ?? 0), 0));
        const of = invoice({
          tax: money(sign * (tax ?? 0)),
          total: money(sign * ((net ?? 0) + (tax ?? 0))),
          taxRegionName: 'Travis County',
          lines: parts.map(([amount, own]) => line(sign * amount, sign * own)),
        });
        const decision = planInvoice(
          factsFor(of, {
            books: { ...books, preferences: { ...books.preferences, automatedSalesTax: true } },
            settings: { ...settings, inv_tax_authority: authority, tax_hold_over: decimal(100_000) },
          }),
        );
        if (decision.outcome !== 'plan') throw new Error(JSON.stringify(decision));
        const { do: what, body, lines } = documentOf(decision.plan);
        expect(what).toBe(sign === 1 ? 'create_invoice' : 'create_credit_memo');
        expect(sum(lines.map(({ amount }) => amount))).toBe(money(net ?? 0));
        expect(sentTax(body) === undefined ? undefined : Number(String(sentTax(body)))).toBe(
          authority === 'autotask' ? (tax ?? 0) / 100 : undefined,
        );
      },
    ),
    run,
  );
});

test('a converted document has the lines in the own currency, and no rounding line for the other currency', () => {
  let planned = 0;
  fc.assert(
    fc.property(fc.array(fc.tuple(cents, cents), { minLength: 1, maxLength: 4 }), fc.boolean(), (parts, isLower) => {
      // Each line ends with half a cent, which rounds up. The header rounds once.
      const lost = isLower ? Math.floor(parts.length / 2) : 0;
      const of = invoice({
        companyId: 177,
        tax: money(0),
        total: money(parts.reduce((all, [amount]) => all + amount + 1, -lost)),
        lines: parts.map(([amount, home]) => {
          const half = decimal(`${amount * 10 + 5}e-3`);
          return { ...line(amount, 0, home), rate: half, amount: half, extendedPrice: half };
        }),
      });
      const decision = planInvoice(
        factsFor(of, {
          psa: { ...psa, modules: { ...psa.modules, multiCurrency: true } },
          books: { ...books, preferences: { ...books.preferences, multiCurrency: false } },
          settings: { ...settings, inv_rounding_account: '14', foreign_currency_policy: 'home_amounts' },
        }),
      );
      if (decision.outcome !== 'plan') return;
      planned += 1;
      const { lines } = documentOf(decision.plan);
      expect(lines).toHaveLength(parts.length);
      expect(sum(lines.map(({ amount }) => amount))).toBe(money(parts.reduce((all, [, home]) => all + home, 0)));
    }),
    run,
  );
  expect(planned).toBeGreaterThan(run.numRuns / 2);
});

test.each([749, 750, 751])('%i lines are sent, or rejected above 750 if one of them is taxed', (count) => {
  for (const tax of [0, 825]) {
    const lines = Array.from({ length: count }, (_, index) => ({
      ...line(10_000 + index, tax),
      itemName: `P${index}`,
    }));
    const net = lines.reduce((all, _, index) => all + 10_000 + index, 0);
    const of = invoice({
      tax: money(tax * count),
      total: money(net + tax * count),
      taxRegionName: 'Travis County',
      lines,
    });
    const decision = planInvoice(
      factsFor(of, {
        settings: { ...settings, inv_group_invoice_lines: false, tax_hold_over: decimal(100_000) },
      }),
    );
    const codes = decision.outcome === 'refuse' ? decision.problems.map(({ code }) => code) : [decision.outcome];
    expect(codes.includes('TOO_MANY_LINES')).toBe(tax > 0 && count > 750);
    if (decision.outcome === 'plan') expect(documentOf(decision.plan).lines).toHaveLength(count);
  }
});

describe('a number', () => {
  const numbers = fc.string({
    unit: fc.constantFrom('0', '1', '4', '9', '-', 'A'),
    minLength: 1,
    maxLength: 24,
    size: 'max',
  });

  test('is sent unchanged up to 21 characters, and rejected beyond', () => {
    fc.assert(
      fc.property(numbers, (number) => {
        const of = invoice({ number, tax: money(0), total: money(5_000), lines: [line(5_000, 0)] });
        const decision = planInvoice(
          factsFor(of, {
            books: { ...books, preferences: company },
            settings: { ...settings, inv_numbering_option: 'autotask' },
          }),
        );
        if (number.length > 21)
          expect(decision).toMatchObject({ outcome: 'refuse', problems: [{ code: 'DOC_NUMBER_TOO_LONG' }] });
        else if (decision.outcome === 'plan') expect(commandsOf(decision.plan).at(-1)?.body['DocNumber']).toBe(number);
        else throw new Error(JSON.stringify(decision));
      }),
      run,
    );
  });

  test('with a suffix has at most 21 characters, and numbers that differ at their end stay different', () => {
    fc.assert(
      fc.property(numbers, fc.constantFrom('-CR', '-D1', '-D12'), (number, suffix) => {
        const made = suffixedNumber(number, suffix);
        expect(made.length).toBe(Math.min(21, number.length + suffix.length));
        expect(made.endsWith(suffix)).toBe(true);
        expect(suffixedNumber(`${number.slice(0, -1)}x`, suffix)).not.toBe(made);
      }),
      run,
    );
  });
});
