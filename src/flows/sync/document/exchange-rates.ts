import { inParallel } from '#core/in-parallel.ts';
import { rateKey, ratesNeeded, withRates } from '#core/planning/currency.ts';
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
      rate: await unlessReadsAreBlocked(run.accounting.readExchangeRate(day.currency, day.on), 'blocked' as const),
    })),
  );
  const missing = read.find(({ rate }) => rate === null || rate === 'blocked');
  if (missing !== undefined) {
    const { currency, on } = missing.day;
    const isUnknown = missing.rate === null;
    const code = isUnknown ? 'EXCHANGE_RATE_MISSING' : 'EXCHANGE_RATE_UNREAD';
    return {
      outcome: 'refuse',
      problems: [problem(code, { currency, on })],
      notes: decision.plan.notes,
      // Without a mark the next search finds the document again.
      mark: isUnknown ? decision.mark : null,
    };
  }
  const rates = new Map(
    read.flatMap(({ day, rate }) => (rate === null || rate === 'blocked' ? [] : [[rateKey(day), rate] as const])),
  );
  const plan: Plan = withRates(decision.plan, rates, homeCurrency);
  return { ...decision, plan };
}
