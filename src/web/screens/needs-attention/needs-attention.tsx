import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { AttentionGroupReply } from '#contract/attention.ts';
import { setMoney, setSums, sumsByCurrency } from '../../lib/format.ts';
import { locales, readLocale } from '../../lib/locale.ts';
import { attentionQuery, refreshAll } from '../../lib/queries.ts';
import { Button } from '../../ui/button.tsx';
import { Icon } from '../../ui/icons.tsx';
import { Page, Panel } from '../../ui/page.tsx';
import { EmptyState, FailedState, Skeleton } from '../../ui/states.tsx';
import { CurrentPauses } from '../connections/pause-notices.tsx';
import { RecentJobs } from '../jobs/recent-jobs.tsx';
import { useReviewAddress } from '../sync/review-address.ts';
import { ReviewPage } from '../sync/review-page.tsx';
import { CauseCard } from './cause-card.tsx';
import { ChangedSince } from './changed-since.tsx';
import { ReadOnlyNotice } from '../../ui/read-only-notice.tsx';
import { documentsOf } from './headline.ts';
import { LeftOut } from './left-out.tsx';
import { LeftMarks } from './left-marks.tsx';
import styles from './needs-attention.module.css';
import { attentionWords } from './words.ts';

/**
 * Documents that are not synced, by cause. The user fixes the cause, tests again and releases the documents together. The
 * server computes the causes from the log, so all users see the same after every reload.
 */
export function Component() {
  const { reviewing, review, leave } = useReviewAddress();
  const [submitted, setSubmitted] = useState<readonly string[]>([]);
  const [posted, setPosted] = useState<string | null>(null);
  if (reviewing.length === 0) return <Causes submitted={submitted} posted={posted} onReview={review} />;
  return (
    <ReviewPage
      jobIds={reviewing}
      onLeave={() => {
        setPosted(null);
        leave();
      }}
      onSubmitted={(ids) => {
        setSubmitted([...submitted, ...ids]);
        setPosted(ids[0] ?? null);
        leave();
      }}
    />
  );
}

/**
 * @param posted id of the job that posts what was just reviewed
 * @param onReview receives the ids of the tests that have planned what is to be released
 */
function Causes({
  submitted,
  posted,
  onReview,
}: {
  submitted: readonly string[];
  posted: string | null;
  onReview: (jobIds: readonly string[]) => void;
}) {
  const attention = useQuery(attentionQuery());
  const { data } = attention;
  const groups = data?.groups ?? [];
  const of = (state: AttentionGroupReply['state']) => groups.filter((group) => group.state === state);
  return (
    <Page
      title={attentionWords.title}
      lead={attentionWords.lead}
      actions={
        <Button
          variant="default"
          leftSection={<Icon name="refresh" size={16} />}
          disabled={attention.isFetching}
          onClick={() => {
            void refreshAll('attention');
            void refreshAll('psa');
          }}
        >
          {attentionWords.refresh}
        </Button>
      }
    >
      <Total groups={data?.groups} />
      <ReadOnlyNotice />
      <CurrentPauses />
      <RecentJobs submitted={submitted} focusOn={posted} stopped={[]} />
      {attention.isError && data === undefined ? (
        <Panel>
          <FailedState what={attentionWords.what} error={attention.error} onRetry={() => void attention.refetch()} />
        </Panel>
      ) : data === undefined ? (
        <div className={styles.list} aria-busy="true">
          {[1, 2, 3].map((key) => (
            <Skeleton key={key} width="100%" height={96} />
          ))}
        </div>
      ) : (
        <div className={styles.list} data-stale={attention.isError}>
          {of('needs_you').length === 0 && data.changed_since.length === 0 && (
            <Panel>
              <EmptyState icon="check">{attentionWords.nothing}</EmptyState>
            </Panel>
          )}
          {of('needs_you').map((group) => (
            <CauseCard key={group.key} group={group} onReview={onReview} />
          ))}
          <LeftMarks known={groups} />
          <ChangedSince months={data.changed_since} />
          <LeftOut left={data.left_out} onReview={onReview} />
          <Section title={attentionWords.held} hint={attentionWords.heldHint} groups={of('held')} onReview={onReview} />
          <Section
            title={attentionWords.retrying}
            hint={attentionWords.retryingHint}
            groups={of('retrying')}
            onReview={onReview}
          />
        </div>
      )}
    </Page>
  );
}

/** The money and the number of all documents below; a document with two causes counts once. */
function Total({ groups }: { groups: readonly AttentionGroupReply[] | undefined }) {
  const documents = documentsOf(groups ?? []);
  const held = documentsOf((groups ?? []).filter(({ state }) => state === 'held'));
  const sums = setSums(sumsByCurrency(documents)) || setMoney('0', locales[readLocale()].currency);
  return (
    <p className={styles.total}>
      {groups === undefined ? (
        <Skeleton width={240} height={28} />
      ) : (
        <>
          <strong>{sums}</strong> {attentionWords.inDocuments(documents.length, held.length)}
        </>
      )}
    </p>
  );
}

/** Causes that wait without a person. */
function Section({
  title,
  hint,
  groups,
  onReview,
}: {
  title: string;
  hint: string;
  groups: readonly AttentionGroupReply[];
  onReview: (jobIds: readonly string[]) => void;
}) {
  if (groups.length === 0) return null;
  const count = groups.reduce((sum, { documents }) => sum + documents.length, 0);
  return (
    <section className={styles.section} aria-label={title}>
      <h2 className={styles.sectionTitle}>
        {title} <span className={styles.dim}>{attentionWords.count(count)}</span>
      </h2>
      <p className={styles.hint}>{hint}</p>
      {groups.map((group) => (
        <CauseCard key={group.key} group={group} onReview={onReview} />
      ))}
    </section>
  );
}
