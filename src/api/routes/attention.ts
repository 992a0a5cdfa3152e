import type { AttentionGroup } from '#core/attention.ts';
import { countByState } from '#core/attention.ts';
import { readAttention } from '#flows/attention/list.ts';
import { readThisMonth } from '#flows/close/this-month.ts';
import { serve, type Serving } from '../serve.ts';
import { toDocumentHead } from './wire.ts';

export function attentionRoutes(serving: Serving): void {
  serve(serving, 'listAttention', async ({ context }) => {
    const { groups, changed, left } = await readAttention(context);
    return {
      data: {
        ...countByState(groups),
        groups: groups.map(toGroup),
        changed_since: changed.map(({ month, count, amounts }) => ({ month, count, amounts: [...amounts] })),
        left_out: left.map(({ kind, because, count, amounts, psaIds }) => ({
          type: kind,
          because,
          count,
          amounts: [...amounts],
          entityids: [...psaIds],
        })),
      },
    };
  });

  serve(serving, 'readMonth', async ({ context }) => {
    const { from, through, currencies, unsynced } = await readThisMonth(context);
    return {
      data: {
        from,
        through,
        currencies: currencies.map((one) => ({
          currency: one.currency,
          psa_count: one.psaCount,
          psa_total: one.psaTotal,
          books_count: one.booksCount,
          books_total: one.booksTotal,
          difference: one.difference,
        })),
        unsynced: { count: unsynced.count, oldest_id: unsynced.oldestId },
      },
    };
  });
}

const toGroup = ({ documents, repairs, ...group }: AttentionGroup) => ({
  ...group,
  repairs: repairs.map((one) => ({ ...one })),
  documents: documents.map((one) => ({
    type: one.type,
    entityid: one.psaId,
    ...toDocumentHead(one),
    message: one.message,
    log_key: one.key,
    at: one.at,
    tested: one.testedSince,
  })),
});
