import { Button } from '@mantine/core';
import { Link } from '../../lib/router.tsx';
import type { AttentionReply } from '#contract/attention.ts';
import { kinds } from '#core/kinds.ts';
import { useEnvironment } from '../../lib/environment.ts';
import { countOf, setCount, setMoney } from '../../lib/format.ts';
import { useReachable } from '../../ui/reachable.ts';
import { StateMark } from '../../ui/badge.tsx';
import styles from './needs-attention.module.css';
import { useTestAgain } from './use-test-again.ts';

type LeftOutReply = AttentionReply['left_out'][number];

/** “16 invoices, $18,430.20”. */
export const leftOutWorth = ({ type, count, amounts }: LeftOutReply): string =>
  [
    countOf(count, kinds[type].label.toLowerCase()),
    ...(amounts.length === 0 ? [] : [amounts.map(({ amount, currency }) => setMoney(amount, currency)).join(' and ')]),
  ].join(', ');

const verb = ({ count }: LeftOutReply, one: string, more: string): string => (count === 1 ? one : more);

/** Why no automatic sync takes them up, as the rest of a sentence that begins with what they are. */
export function leftOutReason(left: LeftOutReply, psa: string): string {
  switch (left.because) {
    case 'age':
      return left.type === 'payment'
        ? `${verb(left, 'has a paid date', 'have paid dates')} in ${psa} that ${verb(left, 'is', 'are')} older than the window of Settings`
        : `${verb(left, 'is', 'are')} older than the window of Settings`;
    case 'start':
      return `${verb(left, 'is', 'are')} from before the sync start date`;
    default:
      return `${verb(left, 'is', 'are')} not in a state that is synced`;
  }
}

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
    <section className={styles.section} aria-label="Left out">
      <h2 className={styles.sectionTitle}>
        Left out{' '}
        <span className={styles.dim}>
          {countOf(
            left.reduce((sum, { count }) => sum + count, 0),
            'document',
          )}
        </span>
      </h2>
      <p className={styles.hint}>No automatic sync takes them up. The last nightly look at the months found them.</p>
      {left.map((one) => (
        <LeftOutCard key={`${one.type} ${one.because}`} left={one} onReview={onReview} />
      ))}
    </section>
  );
}

function LeftOutCard({ left, onReview }: { left: LeftOutReply; onReview: (jobIds: readonly string[]) => void }) {
  const { psa } = useEnvironment();
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
            {leftOutWorth(left)} {leftOutReason(left, psa.label)}
          </h3>
          <p className={styles.message}>
            {because === 'status' ? (
              <>Submit or approve them in {psa.label}; the next sync takes them up then.</>
            ) : (
              <>
                Sync them now, or leave them out for good by accepting them on the page of their month under{' '}
                <Link to="/close">Close</Link>.{' '}
                {settings !== null && <Link to={settings.path}>Go to {settings.label}</Link>}
              </>
            )}
          </p>
        </div>
      </div>
      {because !== 'status' && (
        <div className={styles.foot}>
          <span className={styles.gap} />
          <Button
            loading={release.isPending}
            onClick={() => release.testAgain(ids.map((entityid) => ({ type, entityid })))}
          >
            {ids.length === count
              ? `Sync ${count === 1 ? 'it' : `all ${setCount(count)}`}`
              : `Sync the first ${setCount(ids.length)}`}
          </Button>
        </div>
      )}
    </article>
  );
}
