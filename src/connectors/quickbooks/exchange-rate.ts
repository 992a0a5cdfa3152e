import type { RateLimits } from '../rate-limiter.ts';
import { ServiceError } from '#core/service-error.ts';
import type { CalendarDate, Instant } from '#core/values/dates.ts';
import { type Decimal, isPositive } from '#core/values/decimal.ts';
import { createSharedCache } from '../shared-cache.ts';
import type { QuickbooksApi } from './api.ts';
import { isRecord } from './errors.ts';
import { qboExchangeRate, readShape } from './wire.ts';

/** QuickBooks' rates change every four hours; documents of a day use the first rate that was read. */
const cachedSeconds = 24 * 3_600;
const cache = createSharedCache<Decimal>(cachedSeconds);

/** Not cached, because a user is asked to enter the rate. */
class NoRate extends Error {}

export interface ExchangeRateSource {
  readonly api: QuickbooksApi;
  readonly realmId: string;
  readonly rateLimits: RateLimits;
  readonly now: () => Instant;
}

/**
 * Returns QuickBooks' exchange rate of a day (quickbooks reference 5.16).
 *
 * @returns home units per unit of the currency; null if QuickBooks has none.
 */
export async function readExchangeRate(
  source: ExchangeRateSource,
  currency: string,
  on: CalendarDate,
): Promise<Decimal | null> {
  const operation = 'read ExchangeRate';
  try {
    return await cache.get(source.rateLimits, `${source.realmId} ${currency} ${on}`, source.now, async () => {
      const answer = await source.api.read({
        operation,
        path: 'exchangerate',
        query: { sourcecurrencycode: currency, asofdate: on },
      });
      if (!isRecord(answer['ExchangeRate'])) throw new NoRate();
      const { Rate: rate } = readShape(operation, qboExchangeRate, answer['ExchangeRate']);
      if (rate === null || rate === undefined || !isPositive(rate)) throw new NoRate();
      return rate;
    });
  } catch (error) {
    // With `refuse`, QuickBooks does not know the currency.
    if (error instanceof NoRate || (error instanceof ServiceError && error.about.next === 'refuse')) return null;
    throw error;
  }
}
