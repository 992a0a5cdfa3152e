import { expect, test } from 'vitest';
import type { Plan } from '#core/planning/plan.ts';
import { decimal } from '#core/values/decimal.ts';
import { instant } from '#core/values/dates.ts';
import { suppressionOfPlan } from './suppression.ts';
import { newPayment } from '#test/cases/sample-documents.ts';

const at = (time: string) => ({
  context: { clock: { now: () => instant(time) } },
  tenant: { timeZone: 'America/Chicago' },
});
const planned = (privateNote: string, amount = '10'): Pick<Plan, 'commands'> => ({
  commands: [{ do: 'create_payment', payment: newPayment({ amount: decimal(amount), privateNote }) }],
});
const first = planned('Autotask invoice 48213, number 1042 · synced 2025-03-03T15:00:00Z');

test('ignores the time of day of an earlier failure', () => {
  const later = planned('Autotask invoice 48213, number 1042 · synced 2025-03-03T15:15:04Z');
  expect(suppressionOfPlan(at('2025-03-03T15:15:04Z'), later)).toBe(
    suppressionOfPlan(at('2025-03-03T15:00:00Z'), first),
  );
});

test('distinguishes amount, source, and date', () => {
  const before = suppressionOfPlan(at('2025-03-03T15:00:00Z'), first);
  const others = [
    suppressionOfPlan(at('2025-03-03T15:00:00Z'), planned('Autotask invoice 48213, number 1042', '11')),
    suppressionOfPlan(at('2025-03-03T15:00:00Z'), planned('Autotask invoice 48214, number 1042')),
    suppressionOfPlan(at('2025-03-04T15:00:00Z'), first),
  ];
  expect(others).not.toContain(before);
});
