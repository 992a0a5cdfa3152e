import { Button } from '@mantine/core';
import { useQueries, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from '../../lib/router.tsx';
import { hasEnded, type JobReply } from '#contract/jobs.ts';
import type { ReviewedDocument, ReviewReply } from '#contract/reviews.ts';
import { kinds } from '#core/kinds.ts';
import { useEnvironment } from '../../lib/environment.ts';
import { countOf, setCalendarDay, setCount, setMoney, setSums, sumsByCurrency } from '../../lib/format.ts';
import { jobsQuery, reviewQuery } from '../../lib/queries.ts';
import { Icon } from '../../ui/icons.tsx';
import { Notice } from '../../ui/notice.tsx';
import { Panel } from '../../ui/page.tsx';
import { FailedState, Skeleton } from '../../ui/states.tsx';
import { type Column, DataTable } from '../../ui/table.tsx';
import { Figure, Ledger, NewRecords, Parties } from '../approval/summary.tsx';
import approval from '../approval/approval.module.css';
import { JobPanel } from '../jobs/job-panel.tsx';
import { askOf, nameOfResult, postLabel } from './review-words.ts';
import { messageOf, useSubmit } from './use-submit.ts';
import styles from './sync-screen.module.css';

/**
 * The page that stands before every live sync: what tests have planned, added up as a run that waits for approval is;
 * the last button posts exactly that.
 *
 * @param jobIds of the tests, one of each kind
 * @param onSend of a review of one test: posts what it has planned, where that is more than submitting its document
 * @param onSubmitted receives the ids of the jobs that post
 */
export function SyncReview({
  jobIds,
  onSend,
  onSubmitted,
  onLeave,
}: {
  jobIds: readonly string[];
  onSend?: Send;
  onSubmitted: (jobIds: readonly string[]) => void;
  onLeave: () => void;
}) {
  const jobs = useQuery(jobsQuery()).data ?? [];
  const running = jobs.filter((job) => jobIds.includes(job.id) && !hasEnded(job));
  const reviews = useQueries({
    queries: jobIds.map((id) =>
      reviewQuery(
        id,
        running.every((job) => job.id !== id),
      ),
    ),
  });
  if (running.length > 0) return running.map((job) => <JobPanel key={job.id} job={job} onPutAway={onLeave} />);
  const failed = reviews.find(({ isError, data }) => isError && data === undefined);
  if (failed?.error)
    return (
      <Panel>
        <FailedState
          what="The review"
          error={failed.error}
          onRetry={() => void Promise.all(reviews.map(({ refetch }) => refetch()))}
        />
      </Panel>
    );
  const known = reviews.flatMap(({ data }) => (data !== undefined && hasEnded(data.job) ? [data] : []));
  if (known.length < jobIds.length) return <Skeleton width="100%" height={280} />;
  return <Planned key={jobIds.join(' ')} reviews={known} onSend={onSend} onSubmitted={onSubmitted} onLeave={onLeave} />;
}

/** A difference is always another document: that is what was asked for. */
const isMadeAgain = ({ type, force }: Pick<JobReply, 'type' | 'force'>): boolean => force && type !== 'difference';

type Send = () => Promise<JobReply>;

const keyOf = ({ entityid }: Pick<ReviewedDocument, 'entityid'>): string => String(entityid);

function Planned({
  reviews,
  onSend,
  onSubmitted,
  onLeave,
}: {
  reviews: readonly ReviewReply[];
  onSend: Send | undefined;
  onSubmitted: (jobIds: readonly string[]) => void;
  onLeave: () => void;
}) {
  const { accounting } = useEnvironment();
  // Chosen documents, by the id of the test; all of them to begin with.
  const [chosenOf, setChosenOf] = useState<ReadonlyMap<string, ReadonlySet<string>>>(
    () => new Map(reviews.map(({ job, documents }) => [job.id, new Set(documents.map(keyOf))])),
  );
  const { post, isPending, error } = usePosting(onSubmitted, onSend);
  const parts = reviews.map((review) => {
    const chosen = chosenOf.get(review.job.id) ?? new Set();
    return { review, chosen, picked: review.documents.filter((one) => chosen.has(keyOf(one))) };
  });
  const all = parts.flatMap(({ review: { job }, picked }) =>
    picked.map((one) => ({ ...one, type: job.type, force: job.force, update: job.update })),
  );
  const isEmpty = reviews.every(({ documents }) => documents.length === 0);
  const isAgain = all.some(isMadeAgain);
  return (
    <div className={approval.run}>
      <p>
        {isEmpty
          ? 'Nothing can be posted now. Nothing was sent.'
          : all.length === 0
            ? 'Nothing is selected. Nothing was sent yet.'
            : askOf(all, accounting.short_label)}
      </p>
      {parts.map(({ review, chosen, picked }) => (
        <PlannedKind
          key={review.job.id}
          review={review}
          title={reviews.length > 1 ? kinds[review.job.type].plural : null}
          chosen={chosen}
          picked={picked}
          onChoose={(next) => setChosenOf(new Map([...chosenOf, [review.job.id, next]]))}
        />
      ))}
      <div className={approval.bar}>
        {error !== null && (
          <p className={approval.obstacle} role="alert">
            {error}
          </p>
        )}
        <Button variant="default" onClick={onLeave}>
          Cancel
        </Button>
        <Button
          className={approval.approve ?? ''}
          disabled={all.length === 0}
          loading={isPending}
          color={isAgain ? 'red' : 'accent'}
          onClick={() => post(parts)}
        >
          {isEmpty ? 'Nothing to post' : postLabel(all, accounting.short_label)}
        </Button>
      </div>
    </div>
  );
}

/**
 * Posts what was reviewed, each kind by a job of its own. When one of them is refused the others are under way, and
 * pressing again sends only what is left.
 */
function usePosting(onSubmitted: (jobIds: readonly string[]) => void, onSend?: Send) {
  const { submit, isPending } = useSubmit();
  const [sent, setSent] = useState<ReadonlyMap<string, string>>(new Map());
  const [error, setError] = useState<string | null>(null);
  const post = async (parts: readonly { review: ReviewReply; picked: readonly ReviewedDocument[] }[]) => {
    setError(null);
    const done = new Map(sent);
    let refusal: string | null = null;
    for (const { review, picked } of parts) {
      const { job } = review;
      if (picked.length === 0 || done.has(job.id)) continue;
      const ids = picked.map(({ entityid }) => entityid);
      const how = { mode: 'live', force: job.force, update: job.update, reviewed: job.id } as const;
      try {
        done.set(job.id, (await (onSend?.() ?? submit(job.type, ids, how))).id);
      } catch (thrown) {
        refusal = messageOf(thrown);
      }
    }
    setSent(done);
    setError(refusal);
    if (refusal === null) onSubmitted([...done.values()]);
  };
  return { post: (parts: Parameters<typeof post>[0]) => void post(parts), isPending, error };
}

/** The documents of one kind that a test has planned. @param title where there are several kinds */
function PlannedKind({
  review,
  title,
  chosen,
  picked,
  onChoose,
}: {
  review: ReviewReply;
  title: string | null;
  chosen: ReadonlySet<string>;
  picked: readonly ReviewedDocument[];
  onChoose: (chosen: ReadonlySet<string>) => void;
}) {
  const { job, documents, not_posted: left } = review;
  const { accounting } = useEnvironment();
  return (
    <section className={approval.run} aria-label={title ?? 'Review'}>
      {title !== null && <h2 className={styles.kind}>{title}</h2>}
      {job.status !== 'finished' && (
        <Notice tone="warning">
          {job.message ?? 'It was stopped before its end.'} What it has not come to is not among these.
        </Notice>
      )}
      {job.type === 'difference' && (
        <Notice tone="info">
          What both sides differ in becomes a document of its own in {accounting.label}; the posted one stays as it is.
        </Notice>
      )}
      {isMadeAgain(job) && (
        <Notice tone="bad">
          Each {kinds[job.type].label.toLowerCase()} that is already synced gets another document in {accounting.label},
          and the former reference number is overwritten.
        </Notice>
      )}
      {job.update && (
        <Notice tone="warning">
          Each {kinds[job.type].label.toLowerCase()} in {accounting.label} becomes what stands here, whole: what was
          changed by hand there is lost. Nothing is changed that was paid in part, or that is dated in closed books.
        </Notice>
      )}
      <Numbers review={review} />
      <NotPosted left={left} />
      <Remarks warnings={review.warnings} />
      {documents.length > 0 && (
        <Panel title="Documents" flush>
          <DataTable
            label="Documents"
            columns={columns}
            rows={documents}
            rowKey={keyOf}
            rowLabel={nameOfResult}
            selection={{ chosen, onChange: onChoose, all: documents.map(keyOf), rowName: nameOfResult }}
            totals={sumsByCurrency(picked).map(({ amount, currency, count }) => ({
              key: currency ?? '',
              label: `${countOf(count, 'document')} selected`,
              cells: { amount: setMoney(amount, currency) },
            }))}
          />
        </Panel>
      )}
      {picked.length < documents.length && (
        <Notice tone="info">What follows is of all {countOf(documents.length, 'document')}, selected or not.</Notice>
      )}
      <Ledger effects={review.effects} />
      <Parties parties={review.parties} />
      <NewRecords records={review.new_records} />
    </section>
  );
}

function Numbers({ review }: { review: ReviewReply }) {
  const { documents, warnings, new_records: newRecords, not_posted: left } = review;
  return (
    <dl className={approval.numbers}>
      <Figure
        label={review.job.update ? 'Would be updated' : 'Would be posted'}
        value={setSums(sumsByCurrency(review.sums)) || '0.00'}
        note={countOf(documents.length, 'document')}
      />
      <Figure
        label="New in QuickBooks"
        value={setCount(newRecords.length)}
        note={newRecords.length === 0 ? 'Everything exists already' : 'customers, vendors and items'}
      />
      <Figure
        label="Warnings"
        value={setCount(warnings.length)}
        note={warnings.length === 0 ? 'Nothing was remarked' : 'Look at them before you post'}
      />
      <Figure
        label="Not posted"
        value={setCount(left.length)}
        note={left.length === 0 ? 'All of them can be posted' : setSums(sumsByCurrency(left))}
      />
    </dl>
  );
}

/** Documents that cannot be posted now, each with its reason. */
function NotPosted({ left }: { left: ReviewReply['not_posted'] }) {
  if (left.length === 0) return null;
  return (
    <Panel title={`${countOf(left.length, 'document')} would not be posted`} flush>
      <ul className={approval.warnings}>
        {left.map((one) => (
          <li key={one.entityid}>
            <Icon name="warning" size={16} />
            <span className={approval.grow}>
              <strong>{nameOfResult(one)}</strong>
              {one.party !== null && ` ${one.party}`}: {one.message}
            </span>
            <span className={styles.sum}>{one.amount !== null && setMoney(one.amount, one.currency)}</span>
            {one.log_key !== null && (
              <Link to={`/logs?key=${encodeURIComponent(one.log_key)}`} aria-label={`Details of ${one.entityid}`}>
                Details
              </Link>
            )}
          </li>
        ))}
      </ul>
    </Panel>
  );
}

function Remarks({ warnings }: { warnings: ReviewReply['warnings'] }) {
  if (warnings.length === 0) return null;
  return (
    <Panel title="Warnings" flush>
      <ul className={approval.warnings}>
        {warnings.map(({ code, message, documents }) => (
          <li key={code}>
            <Icon name="warning" size={16} />
            <span className={approval.grow}>
              {message}
              {documents > 1 && <span className={approval.dim}> and {countOf(documents - 1, 'more document')}</span>}
            </span>
          </li>
        ))}
      </ul>
    </Panel>
  );
}

const columns: readonly Column<ReviewedDocument>[] = [
  {
    key: 'document',
    head: 'Document',
    cell: (one) => (
      <span className={approval.document}>
        {one.log_key === null ? (
          nameOfResult(one)
        ) : (
          <Link to={`/logs?key=${encodeURIComponent(one.log_key)}`}>{nameOfResult(one)}</Link>
        )}
        {!one.posts && <span className={approval.remark}>{one.message}</span>}
        {one.warnings.map((message) => (
          <span key={message} className={approval.warning}>
            {message}
          </span>
        ))}
      </span>
    ),
    ghost: 120,
    narrow: 'title',
  },
  { key: 'party', head: 'Customer or vendor', cell: ({ party }) => party, ghost: 140 },
  {
    key: 'date',
    head: 'Date',
    cell: ({ date }) => (date === null ? '' : setCalendarDay(date)),
    width: '120px',
    ghost: 80,
    narrow: 'hide',
  },
  {
    key: 'amount',
    head: 'Amount',
    align: 'end',
    cell: ({ amount, currency }) => (amount === null ? '' : setMoney(amount, currency)),
    width: '140px',
    ghost: 70,
    narrow: 'trail',
  },
];
