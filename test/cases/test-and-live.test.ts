import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { planExpenseReport } from '#core/planning/plan-expense-report.ts';
import { planInvoice } from '#core/planning/plan-invoice.ts';
import { planPurchaseOrder } from '#core/planning/plan-purchase-order.ts';
import { factsOfInvoice, type InvoiceGiven } from './invoice-given.ts';
import { orderFactsOf, reportFactsOf, type PurchaseGiven } from './purchase-given.ts';

/** Test mode and live mode make the same decision with the same reasons, including tax. */
const plans: Readonly<Record<string, (given: unknown, mode: 'test' | 'live') => object>> = {
  invoice: (given, mode) => planInvoice({ ...factsOfInvoice(given as InvoiceGiven), mode }),
  'purchase-order': (given, mode) => planPurchaseOrder({ ...orderFactsOf(given as PurchaseGiven), mode }),
  'expense-report': (given, mode) => planExpenseReport({ ...reportFactsOf(given as PurchaseGiven), mode }),
};
const cases = Object.keys(plans).flatMap((kind) =>
  readdirSync(join(import.meta.dirname, kind)).map((name) => ({ kind, name })),
);

/** Only the first line of a transcript names the mode. */
const withoutMode = (decision: object): unknown =>
  JSON.parse(JSON.stringify(decision).replaceAll(', test,', ', live,'));

describe.each(cases)('$kind $name', ({ kind, name }) => {
  test('decides the same in both modes', () => {
    const given: unknown = JSON.parse(readFileSync(join(import.meta.dirname, kind, name, 'given.json'), 'utf8'));
    const [testDecision, live] = [plans[kind]?.(given, 'test'), plans[kind]?.(given, 'live')];
    expect(testDecision).toBeDefined();
    expect(withoutMode(testDecision ?? {})).toEqual(withoutMode(live ?? {}));
  });
});
