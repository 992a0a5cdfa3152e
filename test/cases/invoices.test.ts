import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { InvoiceDecision } from '#core/planning/invoice-content.ts';
import { planInvoice } from '#core/planning/plan-invoice.ts';
import type { NewCustomer, SalesDocument } from '#core/planning/plan.ts';
import { verify } from '#core/planning/verify.ts';
import { factsOfInvoice, type InvoiceGiven } from './invoice-given.ts';

/**
 * Worked examples of the domain reference and special invoices of the sample data. `given.json` lists the differences
 * from the sample data, `plan.json` and `transcript.txt` the expected result.
 */
const root = join(import.meta.dirname, 'invoice');

interface Expected {
  readonly outcome: InvoiceDecision['outcome'];
  readonly commands?: unknown;
  /** Amounts as in the reference, one row per line: `quantity x price = amount code`. */
  readonly figures?: { readonly lines?: readonly string[]; readonly subtotal: string; readonly lineCount?: number };
  /** Customer id. */
  readonly customer?: string;
  /** Classes of the lines. */
  readonly classes?: readonly (string | null)[];
  /** Location id, or null. */
  readonly location?: string | null;
  /** Descriptions of the lines. */
  readonly texts?: readonly string[];
  /** Created customers with their parents. */
  readonly newCustomers?: readonly string[];
  /** Names of created items. */
  readonly newItems?: readonly string[];
  readonly expected?: unknown;
  readonly warnings?: readonly string[];
  readonly problems?: readonly string[];
  readonly treatment?: string;
  readonly mark?: string | null;
  readonly message?: string;
  readonly verified?: readonly string[];
}

const parse = (path: string): unknown => JSON.parse(readFileSync(path, 'utf8'));

const documentOf = (decision: InvoiceDecision): SalesDocument | null => {
  const last = decision.outcome === 'plan' ? decision.plan.commands.at(-1) : undefined;
  return last !== undefined && 'document' in last ? last.document : null;
};

const nameOf = ({ displayName, parent = null }: NewCustomer): string =>
  parent === null
    ? displayName
    : `${displayName} below ${'id' in parent ? parent.id : `command ${parent.fromCommand}`}`;

const formatProblems = (problems: readonly { readonly code: string; readonly message: string }[]) =>
  problems.map(({ code, message }) => `${code} ${message}`);

describe.each(readdirSync(root))('%s', (name) => {
  const given = parse(join(root, name, 'given.json')) as InvoiceGiven;
  const expected = parse(join(root, name, 'plan.json')) as Expected;
  const decision = planInvoice(factsOfInvoice(given));

  test(given.about, () => {
    expect(decision.outcome).toBe(expected.outcome);
    if (decision.outcome === 'plan') {
      const { plan } = decision;
      expect(formatProblems(plan.warnings)).toEqual(expected.warnings ?? []);
      if (expected.commands !== undefined) expect(plan.commands).toEqual(expected.commands);
      if (expected.expected !== undefined) expect(plan.expected).toEqual(expected.expected);
      expect(plan.expected.subtotal).toBe(expected.figures?.subtotal);
      const document = documentOf(decision);
      if (expected.customer !== undefined) expect(document?.customer).toMatchObject({ id: expected.customer });
      if (expected.classes !== undefined)
        expect(document?.lines.map(({ classId }) => classId)).toEqual(expected.classes);
      if (expected.location !== undefined) expect(document?.locationId ?? null).toBe(expected.location);
      if (expected.texts !== undefined)
        expect(document?.lines.map(({ description }) => description)).toEqual(expected.texts);
      if (expected.newCustomers !== undefined) {
        expect(plan.commands.flatMap((one) => (one.do === 'create_customer' ? [nameOf(one.customer)] : []))).toEqual(
          expected.newCustomers,
        );
        expect(document?.customer).toEqual({ fromCommand: expected.newCustomers.length - 1 });
      }
      if (expected.newItems !== undefined)
        expect(plan.commands.flatMap((one) => (one.do === 'create_item' ? [one.item.name] : []))).toEqual(
          expected.newItems,
        );
    } else if (decision.outcome === 'refuse') {
      expect(formatProblems(decision.problems)).toEqual(expected.problems);
      expect(decision).toMatchObject({ treatment: expected.treatment, mark: expected.mark });
    } else expect(decision.message).toBe(expected.message);
  });

  if (expected.figures !== undefined)
    test(`${name}: has the expected lines`, () => {
      const lines = documentOf(decision)?.lines ?? [];
      if (expected.figures?.lineCount !== undefined) expect(lines).toHaveLength(expected.figures.lineCount);
      if (expected.figures?.lines !== undefined)
        expect(
          lines.map((one) => `${one.quantity} x ${one.unitPrice} = ${one.amount} ${one.taxCode ?? ''}`.trim()),
        ).toEqual(expected.figures.lines);
    });

  if (existsSync(join(root, name, 'transcript.txt')))
    test(`${name}: has the expected transcript`, () => {
      const notes = decision.outcome === 'plan' ? decision.plan.notes : decision.notes;
      const text = notes.map(({ level, text }) => `${level.toUpperCase().padEnd(5)} ${text}`).join('\n');
      expect(`${text}\n`).toBe(readFileSync(join(root, name, 'transcript.txt'), 'utf8'));
    });

  if (given.posted !== undefined)
    test(`${name}: verifies QuickBooks’ response`, () => {
      if (decision.outcome !== 'plan' || given.posted === undefined) throw new Error('no plan');
      expect(formatProblems(verify(decision.plan, given.posted, 'Autotask').warnings)).toEqual(expected.verified);
    });
});
