import { groupByCause, type AttentionGroup } from '#core/attention.ts';
import { addSeconds } from '#core/values/dates.ts';
import { isZero, sum, type Decimal } from '#core/values/decimal.ts';
import type { Month } from '#core/reconciliation/month.ts';
import type { TenantContext } from '../context.ts';

/** Seconds for which log entries are kept. */
const sinceSeconds = 400 * 86_400;
/** Most documents of the list; more are mended in portions, those that hold most money first. */
const mostDocuments = 2_000;

/** Lists everything that waits for somebody or something, by cause; from the log, whoever looks and whenever. */
export async function listAttention({ store, clock }: TenantContext): Promise<readonly AttentionGroup[]> {
  return groupByCause(await store.listUnresolved(addSeconds(clock.now(), -sinceSeconds), mostDocuments));
}

/** Months whose newest proof is looked at for what changed after posting. */
const provedMonths = 13;

/** Documents of one month that were changed after they were posted, on either side. */
export interface ChangedMonth {
  readonly month: Month;
  readonly count: number;
  /** Amounts that the books have more than the PSA since, where there are any. */
  readonly amounts: readonly { readonly currency: string; readonly amount: Decimal }[];
}

/** Changes since posting that the newest proofs found, and nobody has accepted or carried; newest month first. */
export async function listChangedSincePosting({ store }: TenantContext): Promise<readonly ChangedMonth[]> {
  return (await store.listChangedSince(provedMonths)).map(({ month, changes }) => ({
    month,
    count: changes.length,
    amounts: [...Map.groupBy(changes, ({ currency }) => currency)]
      .map(([currency, own]) => ({ currency, amount: sum(own.map(({ amount }) => amount)) }))
      .filter(({ amount }) => !isZero(amount)),
  }));
}
