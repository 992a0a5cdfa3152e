import { inParallel } from '#core/in-parallel.ts';
import { rateKey, ratesNeeded, withRates } from '#core/planning/exchange-rate.ts';
import type { Plan } from '#core/planning/plan.ts';
import { problem } from '#core/problems.ts';
import { unlessReadsAreBlocked } from '#core/service-error.ts';
import type { Decision, Shared } from '../kinds/kind.ts';
import type { DocumentContext } from './context.ts';

type Planned = Extract<Decision, { outcome: 'plan' }>;

/** Adds QuickBooks' exchange rate of the day to a plan in a foreign currency; rejects a plan without a rate. */
export async function decideRates({ run }: DocumentContext, shared: Shared, decision: Planned): Promise<Decision> {
  const { homeCurrency } = shared.books.preferences;
  const needed = ratesNeeded(decision.plan, homeCurrency);
  const read = await inParallel(
    needed.map(async (day) => ({
      day,
      rate: await unlessReadsAreBlocked(run.accounting.readExchangeRate(day.currency, day.on), null),
    })),
  );
  const missing = read.find(({ rate }) => rate === null);
  if (missing !== undefined) {
    const { currency, on } = missing.day;
    return {
      outcome: 'refuse',
      problems: [problem('EXCHANGE_RATE_MISSING', { currency, on })],
      notes: decision.plan.notes,
      mark: decision.mark,
    };
  }
  const rates = new Map(read.flatMap(({ day, rate }) => (rate === null ? [] : [[rateKey(day), rate] as const])));
  const plan: Plan = withRates(decision.plan, rates, homeCurrency);
  return { ...decision, plan };
}
