import { readdirSync, readFileSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { DocumentDecision } from '#core/planning/decision.ts';
import type { PurchaseForm } from '#core/planning/plan.ts';
import { equals, round2, sum, times } from '#core/values/decimal.ts';
import { decidePurchase, type PurchaseGiven } from './purchase-given.ts';

/**
 * Worked examples of purchases (domain reference 9.5 and 10.6) and special documents of the sample data. `given.json`
 * lists the differences from it, `plan.json` and `transcript.txt` the expected result.
 */
interface Expected {
  readonly outcome: DocumentDecision<string>['outcome'];
  readonly commands?: unknown;
  /** Created records in order. */
  readonly makes?: readonly string[];
  readonly total?: string;
  /** One row per line: `amount target`. */
  readonly lines?: readonly string[];
  /** Date of the document. */
  readonly datedOn?: string;
  /** Location id. */
  readonly location?: string;
  /** Classes of the lines, if QuickBooks tracks them. */
  readonly classes?: readonly (string | null)[];
  /** Tax code ids per line, outside the US. */
  readonly taxCodes?: readonly string[];
  readonly warnings?: readonly string[];
  readonly problems?: readonly string[];
  readonly treatment?: string;
  readonly mark?: string | null;
  readonly message?: string;
}

const parse = (path: string): unknown => JSON.parse(readFileSync(path, 'utf8'));

const formOf = (decision: DocumentDecision<string>): PurchaseForm | null => {
  const last = decision.outcome === 'plan' ? decision.plan.commands.at(-1) : undefined;
  if (last === undefined) return null;
  return 'order' in last ? last.order : 'bill' in last ? last.bill : null;
};

const formatProblems = (problems: readonly { readonly code: string; readonly message: string }[]) =>
  problems.map(({ code, message }) => `${code} ${message}`);

const cases = Object.keys(decidePurchase).flatMap((kind) =>
  readdirSync(join(import.meta.dirname, kind)).map((name) => ({ kind, name })),
);

describe.each(cases)('$kind $name', ({ kind, name }) => {
  const folder = join(import.meta.dirname, kind, name);
  const given = parse(join(folder, 'given.json')) as PurchaseGiven;
  const expected = parse(join(folder, 'plan.json')) as Expected;
  const decision = decidePurchase[kind]?.(given);
  if (decision === undefined) throw new Error(`unknown kind ${kind}`);

  test(given.about, () => {
    expect(decision.outcome === 'refuse' ? formatProblems(decision.problems) : []).toEqual(expected.problems ?? []);
    expect(decision.outcome).toBe(expected.outcome);
    if (decision.outcome === 'plan') {
      expect(formatProblems(decision.plan.warnings)).toEqual(expected.warnings ?? []);
      if (expected.commands !== undefined) expect(decision.plan.commands).toEqual(expected.commands);
      if (expected.makes !== undefined) expect(decision.plan.commands.map((one) => one.do)).toEqual(expected.makes);
      if (expected.total !== undefined) expect(decision.plan.expected.subtotal).toBe(expected.total);
    } else if (decision.outcome === 'refuse')
      expect(decision).toMatchObject({ treatment: expected.treatment, mark: expected.mark });
    else expect(decision.message).toBe(expected.message);
  });

  if (expected.outcome === 'plan')
    test('has the expected lines', () => {
      const lines = formOf(decision)?.lines ?? [];
      if (expected.lines !== undefined)
        expect(
          lines.map((line) =>
            line.by === 'item'
              ? `${line.quantity} x ${line.unitPrice} = ${line.amount} item ${'id' in line.item ? line.item.id : `of command ${line.item.fromCommand}`}`
              : `${line.amount} account ${line.accountId}`,
          ),
        ).toEqual(expected.lines);
      expect(lines.map(({ classId }) => classId)).toEqual(expected.classes ?? lines.map(({ classId }) => classId));
      if (expected.location !== undefined) expect(formOf(decision)?.locationId).toBe(expected.location);
      if (expected.datedOn !== undefined) expect(formOf(decision)?.datedOn).toBe(expected.datedOn);
      // Outside the US, amounts exclude tax and every line has a code. In the US no line has one.
      expect(lines.map(({ taxCode }) => taxCode)).toEqual(expected.taxCodes ?? lines.map(() => null));
      expect(formOf(decision)?.taxExcluded).toBe(expected.taxCodes !== undefined);
      for (const line of lines)
        if (line.by === 'item') expect(equals(round2(times(line.quantity, line.unitPrice)), line.amount)).toBe(true);
      if (decision.outcome === 'plan')
        expect(sum(lines.map(({ amount }) => amount))).toBe(decision.plan.expected.subtotal);
    });

  if (existsSync(join(folder, 'transcript.txt')))
    test('has the expected transcript', () => {
      const notes = decision.outcome === 'plan' ? decision.plan.notes : decision.notes;
      const text = notes.map(({ level, text: words }) => `${level.toUpperCase().padEnd(5)} ${words}`).join('\n');
      expect(`${text}\n`).toBe(readFileSync(join(folder, 'transcript.txt'), 'utf8'));
    });
});
