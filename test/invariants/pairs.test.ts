import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { InvoiceLine } from '#core/documents/invoice.ts';
import { suffixedNumber } from '#core/planning/document-fields.ts';
import { planInvoice } from '#core/planning/plan-invoice.ts';
import { documentOf as booked, lineOf, postingOf, provedOf, sourceOf } from '#core/reconciliation/testing.ts';
import { calendarDate } from '#core/values/dates.ts';
import { decimal, sum, type Decimal } from '#core/values/decimal.ts';
import { factsOfInvoice } from '../cases/invoice-given.ts';
import { account, accounting, factsFor, invoice, psa, settings } from '../cases/sample-world.ts';
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
const company = { ...accounting.preferences, customTransactionNumbers: true };
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
            accounting: { ...accounting, preferences: { ...accounting.preferences, automatedSalesTax: true } },
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
          accounting: { ...accounting, preferences: { ...accounting.preferences, multiCurrency: false } },
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
            accounting: { ...accounting, preferences: company },
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

  test('that QuickBooks cut to 21 characters is the same number, and any other one is a difference', () => {
    fc.assert(
      fc.property(numbers, fc.integer({ min: 0, max: 20 }), fc.constantFrom(1, -1), (number, at, sign) => {
        const total = money(sign * 5_000);
        const type = sign === 1 ? 'Invoice' : 'CreditMemo';
        const posted = number.slice(0, 21);
        const other = `${posted.slice(0, at % posted.length)}x${posted.slice((at % posted.length) + 1)}`;
        const found = (inAccounting: string, wasPosted: string) => {
          const source = sourceOf(1, '50', { number, isNumberWritten: true, total });
          const document = booked(1, '50', { type, number: inAccounting });
          const { rows } = provedOf({
            mappedPartyIds: new Set(['58']),
            sources: [source],
            documents: [document],
            postings: [postingOf(source, document, { number: wasPosted })],
          });
          return rows.flatMap(({ findings }) => findings.map((one) => one.class));
        };
        expect(found(posted, posted)).toEqual([]);
        expect(found(other, posted)).toEqual(['number_differs']);
        expect(found(other, other)).toEqual(['number_differs']);
      }),
      run,
    );
  });
});

test('an amount that moved between lines, or from the tax to a line, is no difference of the tax', () => {
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: 200, max: 900_000 }), { minLength: 2, maxLength: 4 }),
      fc.integer({ min: 200, max: 9_000 }),
      fc.integer({ min: 100, max: 199 }),
      fc.constantFrom(1, -1),
      fc.constantFrom('USD', 'CAD'),
      fc.constantFrom('tax', 'line'),
      (amounts, tax, moved, sign, currency, from) => {
        const type = sign === 1 ? 'Invoice' : 'CreditMemo';
        const ofTotal = amounts.reduce((all, one) => all + one, tax);
        const head = { type, currency, total: money(ofTotal), tax: money(tax), balance: money(ofTotal) };
        const then = booked(1, '1', { ...head, lines: amounts.map((one) => lineOf(money(one))) });
        const change = [moved, from === 'line' ? -moved : 0];
        const lines = amounts.map((one, index) => lineOf(money(one + (change[index] ?? 0))));
        const now = { ...then, tax: money(from === 'tax' ? tax - moved : tax), lines };
        const source = sourceOf(1, '1', { currency, total: money(sign * ofTotal), tax: money(sign * tax) });
        const found = (document: typeof then) =>
          provedOf({
            mappedPartyIds: new Set(['58']),
            sources: [source],
            documents: [document],
            postings: [postingOf(source, then, { tax: money(tax) })],
          }).rows.flatMap(({ findings }) => findings.map((one) => one.class));
        expect(found(then)).toEqual([]);
        expect(found(now)).toEqual(['amounts_moved']);
      },
    ),
    run,
  );
});

test('prepaid work has the class of each line, and the money it takes has one only if all lines agree', () => {
  const classOf = { 1: '200', 2: '201' } as const;
  // Quarters of an hour at rates that divide by four are whole cents.
  const work = fc.tuple(fc.integer({ min: 1, max: 40 }), fc.constantFrom<1 | 2>(1, 2));
  fc.assert(
    fc.property(
      fc.array(work, { minLength: 1, maxLength: 4 }),
      fc.integer({ min: 1_000, max: 6_000 }),
      fc.constantFrom('line', 'document', 'none'),
      (works, quarter, tracked) => {
        const rate = money(quarter * 4);
        const sold = { quantity: decimal(100), rate, amount: money(quarter * 400), kind: 'block_purchase' } as const;
        const decision = planInvoice(
          factsOfInvoice({
            about: 'covered work of several classes',
            invoice: {
              id: 70_302,
              total: money(0),
              lines: works.map(([quarters, lineOfBusinessId]) => ({
                kind: 'labor',
                itemName: 'Server check',
                billingCodeId: 29,
                contractId: 5,
                lineOfBusinessId,
                quantity: decimal(`${quarters * 25}e-2`),
                rate: money(16_500),
                amount: money(0),
              })),
            },
            contracts: [{ id: 5, name: 'Acme block hours', prepaid: 'hours' }],
            prepaid: [
              {
                id: 70_301,
                total: sold.amount,
                invoicedOn: calendarDate('2025-02-03'),
                lines: [{ ...sold, contractId: 5, extendedPrice: sold.amount, internalAmount: sold.amount }],
              },
            ],
            settings: { prepaid_account: '88', prepaid_drawdown: true },
            moreAccounts: [account('88', 'Customer Prepayments', 'Liability', 'DeferredRevenue')],
            preferences: { classPerLine: tracked === 'line', classPerTransaction: tracked === 'document' },
          }),
        );
        if (decision.outcome !== 'plan') throw new Error(JSON.stringify(decision));
        const { body, lines } = documentOf(decision.plan);
        const moves = lines.filter(({ amount }) => Number(amount) !== 0);
        const classes = [...new Set(works.map(([, of]) => classOf[of]))];
        const common = classes.length === 1 ? { value: classes[0] } : undefined;
        const perLine = (value: unknown) => (tracked === 'line' ? value : undefined);
        expect(moves.map(({ amount, detail }) => [amount, detail['ClassRef']])).toEqual([
          ...works.map(([quarters, of]) => [money(quarters * quarter), perLine({ value: classOf[of] })]),
          [money(works.reduce((all, [quarters]) => all - quarters * quarter, 0)), perLine(common)],
        ]);
        expect(body['ClassRef']).toEqual(tracked === 'document' ? common : undefined);
      },
    ),
    run,
  );
});
