import { Button } from '@mantine/core';
import { Link } from 'react-router';
import type { AttentionReply } from '#contract/attention.ts';
import { AttentionCard } from './attention-card.tsx';
import { countOf, formatMoney, formatMonth } from '../../data/format.ts';

type Change = AttentionReply['changed_since'][number];

/** Documents of a month that changed in either service after they were posted, with a link to the month. */
export const ChangedCard = ({ change }: { change: Change }) => (
  <AttentionCard
    state="needs_you"
    title={titleOfChange(change)}
    text="Documents changed in one of the services after they were synced. Open the month to see each one."
    buttons={
      <Button component={Link} to={`/month-end/${change.month}`}>
        Open {formatMonth(`${change.month}-01`)}
      </Button>
    }
  />
);

/** Returns the number and the total of the differences of a month. */
export function titleOfChange({ month, count, amounts }: Change): string {
  const title = `${countOf(count, 'difference')} in ${formatMonth(`${month}-01`)} after posting`;
  const total = amounts.map(({ amount, currency }) => formatMoney(amount, currency)).join(' and ');
  return total === '' ? title : `${title}, ${total}`;
}
