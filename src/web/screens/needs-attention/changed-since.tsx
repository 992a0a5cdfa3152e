import { Button } from '@mantine/core';
import { Link } from '../../lib/router.tsx';
import type { AttentionReply } from '#contract/attention.ts';
import { countOf, setMoney, setMonth } from '../../lib/format.ts';
import { StateMark } from '../../ui/badge.tsx';
import styles from './needs-attention.module.css';

/** Documents that somebody changed after they were posted, on either side: each month of them leads to its proof. */
export function ChangedSince({ months }: { months: AttentionReply['changed_since'] }) {
  return months.map(({ month, count, amounts }) => (
    <article key={month} className={styles.card} data-state="needs_you">
      <div className={styles.head}>
        <StateMark state="needs_you" />
        <div className={styles.words}>
          <h2 className={styles.title}>
            {countOf(count, 'difference')} in {setMonth(`${month}-01`)} came up after posting
            {amounts.length > 0 &&
              `, ${amounts.map(({ amount, currency }) => setMoney(amount, currency)).join(' and ')}`}
          </h2>
          <p className={styles.message}>
            Somebody changed documents in one of the services since they were synced. The month’s proof shows each with
            what to do.
          </p>
        </div>
      </div>
      <div className={styles.foot}>
        <span className={styles.gap} />
        <Button component={Link} to={`/close/${month}`} variant="outline">
          Look at {setMonth(`${month}-01`)}
        </Button>
      </div>
    </article>
  ));
}
