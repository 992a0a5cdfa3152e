import { Link } from '../../lib/router.tsx';
import type { AttentionReply } from '#contract/attention.ts';
import { StateMark } from '../../ui/badge.tsx';
import styles from './needs-attention.module.css';
import { changedWords } from './words.ts';
import { Button } from '../../ui/button.tsx';

/** Documents that somebody changed after they were posted, on either side: each month of them leads to its proof. */
export function ChangedSince({ months }: { months: AttentionReply['changed_since'] }) {
  return months.map((one) => (
    <article key={one.month} className={styles.card} data-state="needs_you">
      <div className={styles.head}>
        <StateMark state="needs_you" />
        <div className={styles.words}>
          <h2 className={styles.title}>{changedWords.title(one)}</h2>
          <p className={styles.message}>{changedWords.text}</p>
        </div>
      </div>
      <div className={styles.foot}>
        <span className={styles.gap} />
        <Button component={Link} to={`/close/${one.month}`} variant="outline">
          {changedWords.look(one.month)}
        </Button>
      </div>
    </article>
  ));
}
