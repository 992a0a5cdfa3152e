import { Figure, Figures } from '../../components/figures.tsx';
import { ActionBar, Parts, WarningRow } from '../../components/action-bar.tsx';
import { Anchor, Box, Button, Stack, Text, Title } from '@mantine/core';
import { useQueries, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'react-router';
import { hasEnded } from '#contract/calls/jobs.ts';
import { readReview } from '#contract/calls/reviews.ts';
import type { JobReply } from '#contract/jobs.ts';
import type { ReviewedDocument, ReviewReply } from '#contract/reviews.ts';
import { kinds } from '#core/kinds.ts';
import { byDecimal, byText } from '../../data/compare.ts';
import { CallError } from '../../data/call.ts';
import { useEnvironment } from '../../data/environment.ts';
import { formatDate, formatCount, formatMoney, formatSums, sumsByCurrency, countOf } from '../../data/format.ts';
import { jobsQuery, read, refreshAll } from '../../data/queries.ts';
import { reviewQuery } from '../../data/screen-queries.ts';
import { useReadOnly } from '../../data/use-read-only.ts';
import { DocumentLink } from '../../components/document-link.tsx';
import { Notice } from '../../components/notice.tsx';
import { ListTable } from '../../components/list-table.tsx';
import { FailedPanel, Panel, Rows } from '../../components/page.tsx';
import { EmptyState, Skeleton } from '../../components/states.tsx';
import type { Column } from '../../components/table.tsx';
import { Ledger, NewRecords, Parties, Warnings } from '../approval/summary.tsx';
import { JobPanel } from '../jobs/job-panel.tsx';
import { runPath } from '../runs/open-run.ts';
import { Asking } from './asking.tsx';
import { confirmQuestion, nameOfResult, postLabel } from './review-text.ts';
import { messageOf, useSubmit } from './use-submit.ts';
import { Note } from '../../components/note.tsx';
import { ReplacedFields } from '../../components/replaced-fields.tsx';

interface SyncReviewProps {
  jobIds: readonly string[];
  onSend?: Send;
  onReplanned: (from: string, to: string) => void;
  onSubmitted: (jobIds: readonly string[]) => void;
  onLeave: () => void;
}

/**
 * The review before every live sync: the documents that tests have planned and their totals. The last button posts exactly
 * these documents.
 *
 * @param jobIds ids of the test jobs, one per kind
 * @param onSend posts the plan of a single test if posting needs more than submitting its documents
 * @param onReplanned receives the id of a test, and of the test that replaces it
 * @param onSubmitted receives the ids of the posting jobs
 */
export function SyncReview({ jobIds, onSend, onReplanned, onSubmitted, onLeave }: SyncReviewProps) {
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
  if (running.length > 0) return running.map((job) => <JobPanel key={job.id} job={job} onDismiss={onLeave} />);
  const failed = reviews.find(({ isLoadingError }) => isLoadingError);
  // An old or incomplete URL.
  if (failed?.error instanceof CallError && [400, 404].includes(failed.error.status))
    return (
      <Panel>
        <EmptyState
          icon="search"
          action={
            <Button variant="default" onClick={onLeave}>
              Close review
            </Button>
          }
        >
          This review is no longer available. To review the documents again, select them in the list and press Sync.
        </EmptyState>
      </Panel>
    );
  if (failed !== undefined) return <FailedPanel what="The review" of={reviews} />;
  const known = reviews.flatMap(({ data }) => (data !== undefined && hasEnded(data.job) ? [data] : []));
  if (known.length < jobIds.length) return <Skeleton width="100%" height={280} />;
  return (
    <Planned
      key={jobIds.join(' ')}
      reviews={known}
      onSend={onSend}
      onReplanned={onReplanned}
      onSubmitted={onSubmitted}
      onLeave={onLeave}
    />
  );
}

/** Returns true if synced documents are created again. A difference always creates a new document, so it does not count. */
const isResync = ({ type, force }: Pick<JobReply, 'type' | 'force'>): boolean =>
  force && type !== 'difference' && type !== 'payment';

type Send = () => Promise<JobReply>;

const keyOf = ({ entityid }: Pick<ReviewedDocument, 'entityid'>): string => String(entityid);

interface PlannedProps {
  reviews: readonly ReviewReply[];
  onSend: Send | undefined;
  onReplanned: SyncReviewProps['onReplanned'];
  onSubmitted: (jobIds: readonly string[]) => void;
  onLeave: () => void;
}

function Planned({ reviews, onSend, onReplanned, onSubmitted, onLeave }: PlannedProps) {
  const { accounting } = useEnvironment();
  // Selected documents, by the id of the test; initially all.
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
    picked.map((one) => ({ ...one, type: job.type, force: job.force, update: job.update, choice: job.choice })),
  );
  const isEmpty = reviews.every(({ documents }) => documents.length === 0);
  // While its own posting is under way, the review must not change.
  const isPosted = reviews.some(({ posted_run: run }) => run !== null) && !isPending;
  const isAgain = all.some(isResync);
  return (
    <Parts>
      {isPosted ? (
        <Notice
          tone="warning"
          action={<Link to={runPath(reviews.flatMap(({ posted_run: run }) => run ?? []))}>Open run</Link>}
        >
          This review was already posted, by another user or in another window. Runs shows the result.
        </Notice>
      ) : (
        <p>
          {isEmpty
            ? 'Nothing can be posted now.'
            : all.length === 0
              ? 'Nothing is selected.'
              : confirmQuestion(all, accounting.short_label)}
        </p>
      )}
      {parts.map(({ review, chosen, picked }) => (
        <PlannedKind
          key={review.job.id}
          review={review}
          title={reviews.length > 1 ? kinds[review.job.type].plural : null}
          chosen={chosen}
          picked={picked}
          onReplanned={(to) => onReplanned(review.job.id, to)}
          onChoose={(next) => setChosenOf(new Map([...chosenOf, [review.job.id, next]]))}
        />
      ))}
      <ActionBar>
        {error !== null && !isPosted && (
          <Box component="p" flex="1 1 320px" m={0} c="held" role="alert">
            {error}
          </Box>
        )}
        <Button variant="default" onClick={onLeave}>
          Cancel
        </Button>
        <Button
          disabled={all.length === 0 || isReadOnly || isPosted}
          loading={isPending}
          color={isAgain ? 'red' : 'accent'}
          onClick={() => post(parts)}
        >
          {isEmpty ? 'Nothing to post' : postLabel(all, accounting.short_label)}
        </Button>
      </ActionBar>
    </Parts>
  );
}

/** Whether the answer to a call was lost, so that the server may have done what it asks. */
const isLost = (error: unknown): boolean => error instanceof CallError && (error.status === 0 || error.status >= 502);

/** Returns the id of the run that posts a review; null if there is none or the server cannot be reached. */
const findRun = async (reviewId: string): Promise<string | null> =>
  (await read(readReview, { params: { id: reviewId } }).catch(() => null))?.posted_run ?? null;

/** Posts the reviewed documents, in a separate job per kind. A second attempt sends only the kinds that failed. */
function usePosting(onSubmitted: (jobIds: readonly string[]) => void, onSend?: Send) {
  const { submit, isPending } = useSubmit();
  const [sent, setSent] = useState<ReadonlyMap<string, string>>(new Map());
  const [error, setError] = useState<string | null>(null);
  const post = async (parts: readonly { review: ReviewReply; picked: readonly ReviewedDocument[] }[]) => {
    setError(null);
    const done = new Map(sent);
    let failure: string | null = null;
    for (const { review, picked } of parts) {
      const { job } = review;
      if (picked.length === 0 || done.has(job.id)) continue;
      const ids = picked.map(({ entityid }) => entityid);
      const how = {
        mode: 'live',
        force: job.force,
        update: job.update,
        choice: job.choice,
        reviewed: job.id,
      } as const;
      try {
        done.set(job.id, (await (onSend?.() ?? submit(job.type, ids, how))).id);
      } catch (thrown) {
        const run = isLost(thrown) ? await findRun(job.id) : null;
        if (run === null) failure = messageOf(thrown);
        else done.set(job.id, run);
      }
    }
    setSent(done);
    setError(failure);
    // Its posting elsewhere may be the reason.
    if (failure !== null) await refreshAll('review');
    if (failure === null) onSubmitted([...done.values()]);
  };
  return { post: (parts: Parameters<typeof post>[0]) => void post(parts), isPending, error };
}

interface PlannedKindProps {
  review: ReviewReply;
  title: string | null;
  chosen: ReadonlySet<string>;
  picked: readonly ReviewedDocument[];
  onReplanned: (to: string) => void;
  onChoose: (chosen: ReadonlySet<string>) => void;
}

/** The planned documents of one kind. @param title null if the review has only one kind */
function PlannedKind({ review, title, chosen, picked, onReplanned, onChoose }: PlannedKindProps) {
  const { job, documents, not_posted: left } = review;
  const { accounting } = useEnvironment();
  return (
    <Parts label={title ?? 'Review'}>
      {title !== null && (
        <Title order={2} fw={600} fz="lg" lh={1.5}>
          {title}
        </Title>
      )}
      {job.status !== 'finished' && (
        <Notice tone="warning">
          {job.message ?? 'The test was stopped.'} The remaining documents are not in this review.
        </Notice>
      )}
      {job.type === 'difference' && (
        <Notice tone="info">
          Each difference becomes a new document in {accounting.label}. The posted document is unchanged.
        </Notice>
      )}
      {isResync(job) && (
        <Notice tone="bad">
          Each {kinds[job.type].label.toLowerCase()} that is already synced gets another document in {accounting.label},
          and the former reference number is overwritten.
        </Notice>
      )}
      {job.update && (
        <Notice tone="warning">
          Each {kinds[job.type].label.toLowerCase()} gets only the values listed with it. Other changes in{' '}
          {accounting.label} stay. Partly paid documents and closed periods stay unchanged.
        </Notice>
      )}
      <Numbers review={review} />
      <Asking review={review} onReplanned={onReplanned} />
      <NotPosted type={job.type} left={left} />
      <Warnings warnings={review.warnings} />
      {documents.length > 0 && (
        <Panel title="Documents" flush>
          <ListTable
            label="Documents"
            columns={columnsOf(job.type)}
            rows={documents}
            rowKey={keyOf}
            name={nameOfResult}
            chosen={chosen}
            onChoose={onChoose}
            totals={() =>
              sumsByCurrency(picked).map(({ amount, currency, count }) => ({
                key: currency ?? '',
                label: `${countOf(count, 'document')} selected`,
                cells: { amount: formatMoney(amount, currency) },
              }))
            }
          />
        </Panel>
      )}
      {picked.length < documents.length && (
        <Notice tone="info">
          The totals below cover all {countOf(documents.length, 'document')}, selected or not.
        </Notice>
      )}
      <Ledger effects={review.effects} />
      <Parties parties={review.parties} />
      <NewRecords records={review.new_records} />
    </Parts>
  );
}

const numbersLabel = ({ update, choice }: Pick<JobReply, 'update' | 'choice'>): string =>
  update ? 'Would be updated' : choice === 'apply' ? 'Would be paid with existing money' : 'Would be posted';

function Numbers({ review }: { review: ReviewReply }) {
  const { documents, warnings, new_records: newRecords, not_posted: left } = review;
  return (
    <Figures columns="2fr 1fr 1fr 1fr">
      <Figure
        label={numbersLabel(review.job)}
        value={formatSums(sumsByCurrency(review.sums)) || '0.00'}
        note={countOf(documents.length, 'document')}
      />
      <Figure
        label="New in QuickBooks"
        value={formatCount(newRecords.length)}
        note={newRecords.length === 0 ? 'No new records' : 'customers, vendors and items'}
      />
      <Figure
        label="Warnings"
        value={formatCount(warnings.length)}
        note={warnings.length === 0 ? 'No warnings' : 'Check them before you post'}
      />
      <Figure
        label="Not posted"
        value={formatCount(left.length)}
        note={left.length === 0 ? 'All can be posted' : formatSums(sumsByCurrency(left))}
      />
    </Figures>
  );
}

/** Maximum number of listed documents that cannot be posted; Logs has all of them. */
const maxListed = 200;

/** Documents that cannot be posted, each with its reason. */
function NotPosted({ type, left }: { type: JobReply['type']; left: ReviewReply['not_posted'] }) {
  if (left.length === 0) return null;
  const more = left.length - maxListed;
  return (
    <Panel title={`${countOf(left.length, 'document')} would not be posted`} flush>
      <Rows>
        {left.slice(0, maxListed).map((one) => (
          <WarningRow
            key={one.entityid}
            aside={
              <>
                <Box component="span" fw={600}>
                  {one.amount !== null && formatMoney(one.amount, one.currency)}
                </Box>
                {one.log_key !== null && (
                  <Link to={`/logs?key=${encodeURIComponent(one.log_key)}`} aria-label={`Details of ${one.entityid}`}>
                    Details
                  </Link>
                )}
              </>
            }
          >
            <strong>
              <DocumentLink type={type} entityid={one.entityid}>
                {nameOfResult(one)}
              </DocumentLink>
            </strong>
            {one.party !== null && (
              <>
                {' '}
                <bdi>{one.party}</bdi>
              </>
            )}
            : {one.message}
          </WarningRow>
        ))}
        {more > 0 && (
          <Box component="li" px="md" py={8} fz="sm">
            <Link to={`/logs?type=${type}&mode=test&success=false`}>{countOf(more, 'more document')} in Logs</Link>
          </Box>
        )}
      </Rows>
    </Panel>
  );
}

const columnsOf = (type: JobReply['type']): readonly Column<ReviewedDocument>[] => [
  {
    key: 'document',
    sort: 'document',
    compare: byText(nameOfResult),
    head: 'Document',
    cell: (one) => (
      <Stack component="span" gap={0} miw={0} style={{ overflowWrap: 'anywhere' }}>
        <span>
          <DocumentLink type={type} entityid={one.entityid}>
            <bdi>{nameOfResult(one)}</bdi>
          </DocumentLink>{' '}
          {one.log_key !== null && (
            <Anchor
              component={Link}
              size="xs"
              ml={4}
              to={`/logs?key=${encodeURIComponent(one.log_key)}`}
              aria-label={`Preview of ${nameOfResult(one)}`}
            >
              Preview
            </Anchor>
          )}
        </span>
        {!one.posts && <Note>{one.message}</Note>}
        <ReplacedFields changes={one.replaces} />
        {one.warnings.map((message) => (
          <Text span key={message} c="held" size="xs">
            {message}
          </Text>
        ))}
      </Stack>
    ),
    narrow: 'title',
  },
  {
    key: 'party',
    sort: 'party',
    compare: byText(({ party }) => party),
    head: 'Customer or vendor',
    cell: ({ party }) => <bdi>{party}</bdi>,
  },
  {
    key: 'date',
    sort: 'date',
    compare: byText(({ date }) => date),
    head: 'Date',
    cell: ({ date }) => (date === null ? '' : formatDate(date)),
    width: '120px',
    narrow: 'hide',
  },
  {
    key: 'amount',
    sort: 'amount',
    compare: byDecimal(({ amount }) => amount),
    head: 'Amount',
    align: 'end',
    cell: ({ amount, currency }) => (amount === null ? '' : formatMoney(amount, currency)),
    width: '140px',
    narrow: 'trail',
  },
];
