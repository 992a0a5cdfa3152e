import { AttentionCard } from './attention-card.tsx';
import { Button } from '@mantine/core';
import { Link } from 'react-router';
import { useEnvironment } from '../../data/environment.ts';
import { countOf, formatCount } from '../../data/format.ts';
import { useReadOnly } from '../../data/use-read-only.ts';
import { useFindScreen } from '../../components/find-screen.ts';
import { describeSkipped, type Skipped } from './skipped-text.ts';
import { useTestAgain } from './use-test-again.ts';

/**
 * Documents that automatic syncs skip: number, total, reason, and a button to sync them anyway.
 *
 * @param onReview receives the ids of the test jobs to review before posting
 */
export function SkippedCard({
  skipped,
  onReview,
}: {
  skipped: Skipped;
  onReview: (jobIds: readonly string[]) => void;
}) {
  const { psa } = useEnvironment();
  const isReadOnly = useReadOnly();
  const findScreen = useFindScreen();
  const release = useTestAgain(onReview);
  const { type, count, because, entityids: ids } = skipped;
  const settings = findScreen('/settings');
  return (
    <AttentionCard
      state="held"
      title={describeSkipped(skipped, psa.label)}
      text={
        because === 'status' ? (
          `Submit or approve them in ${psa.label}. The next sync then picks them up.`
        ) : (
          <>
            Sync them now, or accept them permanently under <Link to="/month-end">Month-end close</Link>.{' '}
            {settings !== null && <Link to={settings.path}>Go to {settings.label}</Link>}
          </>
        )
      }
      {...(because !== 'status' && {
        buttons: (
          <Button
            disabled={isReadOnly}
            loading={release.isPending}
            onClick={() => release.testAgain(ids.map((entityid) => ({ type, entityid })))}
          >
            {ids.length === count
              ? `Sync ${countOf(count, 'document')}`
              : `Sync the first ${formatCount(ids.length)} documents`}
          </Button>
        ),
      })}
    />
  );
}
