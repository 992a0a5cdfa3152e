import { money } from '#contract/money.ts';
import { month } from '#contract/month.ts';
import { countByState, type AttentionGroup } from '#core/attention.ts';
import { readAttention } from '#flows/attention/list.ts';
import { readThisMonth } from '#flows/close/this-month.ts';
import { readMoney } from '#flows/overview/money.ts';
import { serve, type Serving } from '../serve.ts';
import { toWire } from '../to-wire.ts';
import { toDocumentHead } from './wire.ts';

export function attentionRoutes(serving: Serving): void {
  serve(serving, 'listAttention', async ({ context }) => {
    const { groups, changed, left } = await readAttention(context);
    return {
      data: {
        ...countByState(groups),
        groups: groups.map(toGroup),
        changed_since: changed,
        left_out: left.map(({ kind, psaIds, ...rest }) => ({ ...rest, type: kind, entityids: psaIds })),
      },
    };
  });

  serve(serving, 'readMonth', async ({ context }) => ({ data: toWire(month, await readThisMonth(context)) }));

  serve(serving, 'readMoney', async ({ context }) => {
    const found = await readMoney(context);
    const days = found.days.map(({ on, ...day }) => ({ ...day, date: on }));
    const hours = found.hours.map(({ kind, succeeded, ...hour }) => ({ ...hour, type: kind, synced: succeeded }));
    return { data: toWire(money, { ...found, days, hours }) };
  });
}

const toGroup = ({ documents, ...group }: AttentionGroup) => ({
  ...group,
  documents: documents.map((one) => ({
    type: one.type,
    entityid: one.psaId,
    ...toDocumentHead(one),
    message: one.message,
    fields: one.problems.flatMap(({ fields = [] }) => fields),
    log_key: one.key,
    at: one.at,
    tested: one.testedSince,
  })),
});
