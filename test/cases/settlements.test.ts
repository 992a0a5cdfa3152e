import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { unknownPayment, type PaymentState } from '#core/documents/payment.ts';
import type { PaymentDecision } from '#core/planning/plan-payment.ts';
import type { VoidDecision } from '#core/planning/plan-void.ts';
import type { Note } from '#core/transcript.ts';
import { decideSettlement, type SettlementGiven } from './settlement-given.ts';

/**
 * Worked examples of payments (domain reference 8.2, 8.3) and voids (7) after posting. `given.json` has the state of
 * both services, `plan.json` the expected result.
 */
interface Expected {
  readonly outcome: PaymentDecision['outcome'] | VoidDecision['outcome'];
  /** Paid date for Autotask; null removes it. */
  readonly paidOn?: string | null;
  readonly message?: string;
  readonly commands?: unknown;
  readonly warnings?: readonly string[];
  readonly problems?: readonly string[];
  readonly remedies?: readonly string[];
  /** The stored state of the payment. */
  readonly state?: Partial<PaymentState>;
  /** The document's new status in the ledger. */
  readonly postingStatus?: string | null;
}

const parse = (path: string): unknown => JSON.parse(readFileSync(path, 'utf8'));
const formatProblems = (problems: readonly { readonly code: string; readonly message: string }[]) =>
  problems.map(({ code, message }) => `${code} ${message}`);
const notesOf = (decision: PaymentDecision | VoidDecision): readonly Note[] =>
  decision.outcome === 'plan' ? decision.plan.notes : decision.outcome === 'rest' ? [] : decision.notes;
const cases = Object.keys(decideSettlement).flatMap((kind) =>
  readdirSync(join(import.meta.dirname, kind)).map((name) => ({ kind, name })),
);

describe.each(cases)('$kind $name', ({ kind, name }) => {
  const folder = join(import.meta.dirname, kind, name);
  const given = parse(join(folder, 'given.json')) as SettlementGiven;
  const expected = parse(join(folder, 'plan.json')) as Expected;
  const decision = decideSettlement[kind]?.(given);
  if (decision === undefined) throw new Error(`unknown kind ${kind}`);

  test(given.about, () => {
    expect(decision.outcome).toBe(expected.outcome);
    if (decision.outcome === 'plan') {
      expect(decision.plan.commands).toEqual(expected.commands);
      expect(formatProblems(decision.plan.warnings)).toEqual(expected.warnings ?? []);
    }
    if (decision.outcome === 'refuse') {
      expect(formatProblems(decision.problems)).toEqual(expected.problems);
      if (expected.remedies !== undefined)
        expect(decision.problems.map(({ remedy }) => remedy)).toEqual(expected.remedies);
    }
    if (decision.outcome === 'tell') {
      expect(decision.paidOn).toBe(expected.paidOn);
      expect(decision.message).toBe(expected.message);
    }
    if (decision.outcome === 'skip') {
      expect(decision.message).toBe(expected.message);
      expect(decision.postingStatus).toBe(expected.postingStatus);
      expect(formatProblems(decision.warnings)).toEqual(expected.warnings ?? []);
    }
    if (expected.state !== undefined) expect('state' in decision ? decision.state : null).toMatchObject(expected.state);
  });

  if (existsSync(join(folder, 'transcript.txt')))
    test('has the expected transcript', () => {
      const text = notesOf(decision).map(({ level, text: words }) => `${level.toUpperCase().padEnd(5)} ${words}`);
      expect(`${text.join('\n')}\n`).toBe(readFileSync(join(folder, 'transcript.txt'), 'utf8'));
    });
});

test('the initial state of a payment has no balance and is not due', () => {
  expect(unknownPayment(48_213)).toEqual({
    psaId: 48_213,
    balance: null,
    wasPaid: false,
    writtenOn: null,
    seen: null,
    heldOn: null,
    isDue: false,
  });
});
