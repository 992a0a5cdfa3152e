import { groupByCause, type AttentionGroup } from '#core/attention.ts';
import { addSeconds } from '#core/values/dates.ts';
import type { TenantContext } from '../context.ts';

/** As long as log entries are kept. */
const sinceSeconds = 400 * 86_400;
/** More than this is mended in portions: the money that they hold comes first all the same. */
const mostDocuments = 2_000;

/** Everything that waits for somebody or something, by cause; from the log, whoever looks and whenever. */
export async function listAttention({ store, clock }: TenantContext): Promise<readonly AttentionGroup[]> {
  return groupByCause(await store.listUnresolved(addSeconds(clock.now(), -sinceSeconds), mostDocuments));
}
