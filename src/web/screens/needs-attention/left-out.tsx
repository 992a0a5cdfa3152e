import { Link } from '../../lib/router.tsx';
import type { AttentionReply } from '#contract/attention.ts';
import { useEnvironment } from '../../lib/environment.ts';
import { useReadOnly } from '../../lib/use-read-only.ts';
import { Button } from '../../ui/button.tsx';
import { useReachable } from '../../ui/reachable.ts';
import { StateMark } from '../../ui/badge.tsx';
import styles from './needs-attention.module.css';
import { useTestAgain } from './use-test-again.ts';
import { leftOutReason, leftOutWords, leftOutWorth } from './left-out-words.ts';
import { attentionWords } from './words.ts';

type LeftOutReply = AttentionReply['left_out'][number];

/**
 * Documents that no automatic sync takes up: how many, what they come to, why, and the way to sync them all the same.
 *
 * @param onReview receives the ids of the tests that have planned what is to be synced
 */
export function LeftOut({
  left,
  onReview,
}: {
  left: AttentionReply['left_out'];
  onReview: (jobIds: readonly string[]) => void;
}) {
  if (left.length === 0) return null;
  return (
    <section className={styles.section} aria-label={leftOutWords.title}>
      <h2 className={styles.sectionTitle}>
        {leftOutWords.title}{' '}
        <span className={styles.dim}>{attentionWords.count(left.reduce((sum, { count }) => sum + count, 0))}</span>
      </h2>
      <p className={styles.hint}>{leftOutWords.hint}</p>
      {left.map((one) => (
        <LeftOutCard key={`${one.type} ${one.because}`} left={one} onReview={onReview} />
      ))}
    </section>
  );
}

function LeftOutCard({ left, onReview }: { left: LeftOutReply; onReview: (jobIds: readonly string[]) => void }) {
  const { psa } = useEnvironment();
  const isReadOnly = useReadOnly();
  const placeOf = useReachable();
  const release = useTestAgain(onReview);
  const { type, count, because, entityids: ids } = left;
  const settings = placeOf('/settings');
  return (
    <article className={styles.card} data-state="held">
      <div className={styles.head}>
        <StateMark state="held" />
        <div className={styles.words}>
          <h3 className={styles.title}>
            {leftOutWorth(left)}, {leftOutReason(left, psa.label)}
          </h3>
          <p className={styles.message}>
            {because === 'status' ? (
              leftOutWords.submit(psa.label)
            ) : (
              <>
                {leftOutWords.orAccept} <Link to="/close">{leftOutWords.close}</Link>.{' '}
                {settings !== null && <Link to={settings.path}>{attentionWords.goTo(settings.label)}</Link>}
              </>
            )}
          </p>
        </div>
      </div>
      {because !== 'status' && (
        <div className={styles.foot}>
          <span className={styles.gap} />
          <Button
            disabled={isReadOnly}
            loading={release.isPending}
            onClick={() => release.testAgain(ids.map((entityid) => ({ type, entityid })))}
          >
            {leftOutWords.sync(ids.length, count)}
          </Button>
        </div>
      )}
    </article>
  );
}
