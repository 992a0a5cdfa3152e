import { useQueries, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from '../../lib/router.tsx';
import { hasEnded, type JobReply } from '#contract/jobs.ts';
import type { ReviewedDocument, ReviewReply } from '#contract/reviews.ts';
import { kinds } from '#core/kinds.ts';
import { byDecimal, byText } from '../../lib/compare.ts';
import { CallError } from '../../lib/call.ts';
import { useEnvironment } from '../../lib/environment.ts';
import { setCalendarDay, setCount, setMoney, setSums, sumsByCurrency } from '../../lib/format.ts';
import { jobsQuery } from '../../lib/queries.ts';
import { reviewQuery } from '../../lib/screen-queries.ts';
import { useReadOnly } from '../../lib/use-read-only.ts';
import { Button } from '../../ui/button.tsx';
import { Icon } from '../../ui/icons.tsx';
import { Notice } from '../../ui/notice.tsx';
import { ListTable } from '../../ui/list-table.tsx';
import { Panel } from '../../ui/page.tsx';
import { EmptyState, FailedState, Skeleton } from '../../ui/states.tsx';
import type { Column } from '../../ui/table.tsx';
import { Figure, Ledger, NewRecords, Parties } from '../approval/summary.tsx';
import approval from '../approval/approval.module.css';
import { JobPanel } from '../jobs/job-panel.tsx';
import { askOf, nameOfResult, postLabel, reviewWords } from './review-words.ts';
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
  // The address was kept for long, or was cut off.
  if (failed?.error instanceof CallError && [400, 404].includes(failed.error.status))
    return (
      <Panel>
        <EmptyState
          icon="search"
          action={
            <Button variant="default" onClick={onLeave}>
              {reviewWords.close}
            </Button>
          }
        >
          {reviewWords.gone}
        </EmptyState>
      </Panel>
    );
  if (failed?.error)
    return (
      <Panel>
        <FailedState
          what={reviewWords.what}
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
  const isReadOnly = useReadOnly();
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
        {isEmpty ? reviewWords.empty : all.length === 0 ? reviewWords.noneSelected : askOf(all, accounting.short_label)}
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
          {reviewWords.cancel}
        </Button>
        <Button
          className={approval.approve ?? ''}
          disabled={all.length === 0 || isReadOnly}
          loading={isPending}
          color={isAgain ? 'red' : 'accent'}
          onClick={() => post(parts)}
        >
          {isEmpty ? reviewWords.nothing : postLabel(all, accounting.short_label)}
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
    <section className={approval.run} aria-label={title ?? reviewWords.title}>
      {title !== null && <h2 className={styles.kind}>{title}</h2>}
      {job.status !== 'finished' && (
        <Notice tone="warning">
          {job.message ?? reviewWords.stopped} {reviewWords.left}
        </Notice>
      )}
      {job.type === 'difference' && <Notice tone="info">{reviewWords.difference(accounting.label)}</Notice>}
      {isMadeAgain(job) && <Notice tone="bad">{reviewWords.again(job.type, accounting.label)}</Notice>}
      {job.update && <Notice tone="warning">{reviewWords.update(job.type, accounting.label)}</Notice>}
      <Numbers review={review} />
      <NotPosted type={job.type} left={left} />
      <Remarks warnings={review.warnings} />
      {documents.length > 0 && (
        <Panel title={reviewWords.documents} flush>
          <ListTable
            listKey={job.id}
            label={reviewWords.documents}
            columns={columns}
            rows={documents}
            rowKey={keyOf}
            name={nameOfResult}
            chosen={chosen}
            onChoose={onChoose}
            totals={sumsByCurrency(picked).map(({ amount, currency, count }) => ({
              key: currency ?? '',
              label: reviewWords.selected(count),
              cells: { amount: setMoney(amount, currency) },
            }))}
          />
        </Panel>
      )}
      {picked.length < documents.length && <Notice tone="info">{reviewWords.ofAll(documents.length)}</Notice>}
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
        label={review.job.update ? reviewWords.updated : reviewWords.posted}
        value={setSums(sumsByCurrency(review.sums)) || '0.00'}
        note={reviewWords.count(documents.length)}
      />
      <Figure
        label={reviewWords.isNew}
        value={setCount(newRecords.length)}
        note={newRecords.length === 0 ? reviewWords.nothingNew : reviewWords.newKinds}
      />
      <Figure
        label={reviewWords.warnings}
        value={setCount(warnings.length)}
        note={warnings.length === 0 ? reviewWords.noWarnings : reviewWords.lookAtThem}
      />
      <Figure
        label={reviewWords.notPosted}
        value={setCount(left.length)}
        note={left.length === 0 ? reviewWords.allPosted : setSums(sumsByCurrency(left))}
      />
    </dl>
  );
}

/** Documents with their reasons that a review lists; Logs has all of them. */
const maxListed = 200;

/** Documents that cannot be posted now, each with its reason. */
function NotPosted({ type, left }: { type: JobReply['type']; left: ReviewReply['not_posted'] }) {
  if (left.length === 0) return null;
  const more = left.length - maxListed;
  return (
    <Panel title={reviewWords.wouldNot(left.length)} flush>
      <ul className={approval.warnings}>
        {left.slice(0, maxListed).map((one) => (
          <li key={one.entityid}>
            <Icon name="warning" size={16} />
            <span className={approval.grow}>
              <strong>{nameOfResult(one)}</strong>
              {one.party !== null && ` ${one.party}`}: {one.message}
            </span>
            <span className={styles.sum}>{one.amount !== null && setMoney(one.amount, one.currency)}</span>
            {one.log_key !== null && (
              <Link
                to={`/logs?key=${encodeURIComponent(one.log_key)}`}
                aria-label={reviewWords.detailsOf(one.entityid)}
              >
                {reviewWords.details}
              </Link>
            )}
          </li>
        ))}
        {more > 0 && (
          <li>
            <Link to={`/logs?type=${type}&mode=test&success=false`}>{reviewWords.moreInLogs(more)}</Link>
          </li>
        )}
      </ul>
    </Panel>
  );
}

function Remarks({ warnings }: { warnings: ReviewReply['warnings'] }) {
  if (warnings.length === 0) return null;
  return (
    <Panel title={reviewWords.warnings} flush>
      <ul className={approval.warnings}>
        {warnings.map(({ code, message, documents }) => (
          <li key={code}>
            <Icon name="warning" size={16} />
            <span className={approval.grow}>
              {message}
              {documents > 1 && <span className={approval.dim}>{reviewWords.more(documents - 1)}</span>}
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
    sort: 'document',
    compare: byText(nameOfResult),
    head: reviewWords.heads.document,
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
  {
    key: 'party',
    sort: 'party',
    compare: byText(({ party }) => party),
    head: reviewWords.heads.party,
    cell: ({ party }) => party,
    ghost: 140,
  },
  {
    key: 'date',
    sort: 'date',
    compare: byText(({ date }) => date),
    head: reviewWords.heads.date,
    cell: ({ date }) => (date === null ? '' : setCalendarDay(date)),
    width: '120px',
    ghost: 80,
    narrow: 'hide',
  },
  {
    key: 'amount',
    sort: 'amount',
    compare: byDecimal(({ amount }) => amount),
    head: reviewWords.heads.amount,
    align: 'end',
    cell: ({ amount, currency }) => (amount === null ? '' : setMoney(amount, currency)),
    width: '140px',
    ghost: 70,
    narrow: 'trail',
  },
];
