import { Box, Button, Title } from '@mantine/core';
import { Link } from 'react-router';
import type { AttentionReply } from '#contract/attention.ts';
import { StateIcon } from '../../components/badge.tsx';
import styles from './needs-attention.module.css';
import { countOf, formatMoney, formatMonth } from '../../data/format.ts';

/** Documents that changed in either service after they were posted, by month, with a link to the month. */
export function ChangedSince({ months }: { months: AttentionReply['changed_since'] }) {
  return months.map((one) => (
    <article key={one.month} className={styles.card} data-state="needs_you">
      <div className={styles.head}>
        <StateIcon state="needs_you" />
        <Box miw={0}>
          <Title order={2} fw={600} fz={15} lh="22px" style={{ fontVariantNumeric: 'tabular-nums' }}>
            {titleOf(one)}
          </Title>
          <p className={styles.message}>
            Documents changed in one of the services after they were synced. Open the month to see each one.
          </p>
        </Box>
      </div>
      <div className={styles.foot}>
        <span className={styles.gap} />
        <Button component={Link} to={`/month-end/${one.month}`} variant="outline">
          Open {formatMonth(`${one.month}-01`)}
        </Button>
      </div>
    </article>
  ));
}

function titleOf({ month, count, amounts }: AttentionReply['changed_since'][number]): string {
  const title = `${countOf(count, 'difference')} in ${formatMonth(`${month}-01`)} after posting`;
  const total = amounts.map(({ amount, currency }) => formatMoney(amount, currency)).join(' and ');
  return total === '' ? title : `${title}, ${total}`;
}
