import { Button } from '@mantine/core';
import { Link } from 'react-router';
import type { AttentionReply } from '#contract/attention.ts';
import { AttentionCard } from './attention-card.tsx';
import { countOf, formatMoney, formatMonth } from '../../data/format.ts';

/** Documents that changed in either service after they were posted, by month, with a link to the month. */
export function ChangedSince({ months }: { months: AttentionReply['changed_since'] }) {
  return months.map((one) => (
    <AttentionCard
      key={one.month}
      state="needs_you"
      title={titleOf(one)}
      text="Documents changed in one of the services after they were synced. Open the month to see each one."
      buttons={
        <Button component={Link} to={`/month-end/${one.month}`} variant="outline">
          Open {formatMonth(`${one.month}-01`)}
        </Button>
      }
    />
  ));
}

function titleOf({ month, count, amounts }: AttentionReply['changed_since'][number]): string {
  const title = `${countOf(count, 'difference')} in ${formatMonth(`${month}-01`)} after posting`;
  const total = amounts.map(({ amount, currency }) => formatMoney(amount, currency)).join(' and ');
  return total === '' ? title : `${title}, ${total}`;
}
