import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { Link } from '../../lib/router.tsx';
import { submittableKinds, type SubmittableKind } from '#core/kinds.ts';
import { errorSentinel } from '#core/sync-status.ts';
import { cancelJob, hasEnded, type JobReply } from '#contract/jobs.ts';
import { useEnvironment } from '../../lib/environment.ts';
import { cacheJob, useFollowedJob } from '../../lib/follow-job.ts';
import { formatCount, formatMoney, formatSums, sumsByCurrency } from '../../lib/format.ts';
import { useAction } from '../../lib/queries.ts';
import { logQuery } from '../../lib/screen-queries.ts';
import { type DocumentState, ModeBadge, StateBadge, StateIcon } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Icon } from '../../ui/icons.tsx';
import { IconButton } from '../../ui/icon-button.tsx';
import { RelativeTime } from '../../ui/time.tsx';
import { CurrentPauses } from '../connections/pause-notices.tsx';
import { useErrorMarks } from '../sync/use-error-marks.ts';
import styles from './job-panel.module.css';
import { inOrder } from './order.ts';
import { countWord, headingOf, jobWords, markedText, outcomeWord, progressOf, summaryPart } from './words.ts';

/** Documents that a panel lists; Logs has all of them. */
const mostListed = 200;

/**
 * One job: how far it is, what became of each document as it comes in, and the way to stop it.
 *
 * @param hasFocus takes the focus when it appears.
 */
export function JobPanel({
  job,
  hasFocus = false,
  onPutAway,
}: {
  job: JobReply;
  hasFocus?: boolean;
  onPutAway: () => void;
}) {
  const panel = useRef<HTMLElement>(null);
  useEffect(() => {
    if (hasFocus) panel.current?.focus();
  }, [hasFocus]);
  useFollowedJob(job);
  const { psa } = useEnvironment();
  const cancel = useAction(cancelJob, { onSuccess: (data) => cacheJob(data.job) });
  const isOver = hasEnded(job);
  const isTest = job.mode === 'test';
  const kind = submittableKinds.find((one) => one === job.type);
  // A search that finds nothing may have left out what an earlier try has marked. The offer waits for the job's end: to
  // ask for the same documents before would be answered with the job that is under way.
  const marked = useErrorMarks(kind ?? 'invoice', kind !== undefined && isOver && job.total === 0);
  const logsPath = `/logs?type=${job.type}&mode=${job.mode}`;

  const listed = inOrder(job.results).slice(0, mostListed);
  const awaiting = job.results.filter((one) => one.awaits_approval).length;
  const left = job.results.length - listed.length;
  return (
    <section ref={panel} tabIndex={-1} className={styles.panel} data-mode={job.mode} aria-label={jobWords.name(job)}>
      <div className={styles.head}>
        <ModeBadge mode={job.mode} />
        <h2 className={styles.title}>{headingOf(job)}</h2>
        <span className={styles.by}>
          {job.trigger === 'automatic' ? jobWords.automatic : job.submitted_by}, <RelativeTime at={job.created_at} />
        </span>
        <span className={styles.actions}>
          <Button component={Link} to={logsPath} variant="subtle" color="gray" size="xs" data-size="xs">
            {jobWords.logs}
          </Button>
          {isOver ? (
            <IconButton label={jobWords.putAway} icon="close" size={16} onPress={onPutAway} />
          ) : (
            <Button
              variant="default"
              size="xs"
              data-size="xs"
              disabled={job.cancel_requested || cancel.isPending}
              onClick={() => cancel.mutate({ params: { id: job.id } })}
            >
              {job.cancel_requested ? jobWords.stopping : jobWords.cancel}
            </Button>
          )}
        </span>
      </div>
      <Bar job={job} isOver={isOver} />
      <div className={styles.counts} role="status">
        <Count state="needs_you" count={job.failed} word={countWord('failed', isTest)} />
        {job.held > 0 && <Count state="held" count={job.held} word={countWord('held', isTest)} />}
        {awaiting > 0 && <Count state="awaits_approval" count={awaiting} word={jobWords.awaitApproval} />}
        <Count state="synced" count={job.succeeded} word={countWord('succeeded', isTest)} />
        <Count state="waiting" count={job.skipped - awaiting} word={countWord('skipped', isTest)} />
        <span className={styles.progress}>{marked.ids.length === 0 && progressOf(job)}</span>
      </div>
      {!isOver && <CurrentPauses isJobRunning />}
      {isOver && job.results.length > 0 && <Summary job={job} />}
      {kind !== undefined && marked.ids.length > 0 && <Marked kind={kind} marked={marked} />}
      {job.message !== null && (
        <p className={styles.message}>
          {job.status === 'failed' && <StateIcon state="needs_you" />}
          {job.message}
        </p>
      )}
      {job.results.length > 0 && (
        // Scrolls by itself, so keys must be able to reach it.
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
        <ul className={styles.results} tabIndex={0} aria-label={jobWords.documents}>
          {listed.map((result) => (
            <li key={result.log_key ?? result.entityid} className={styles.result}>
              <span className={styles.state}>
                {result.awaits_approval ? (
                  <StateBadge state="awaits_approval" />
                ) : (
                  <StateBadge state={states[result.outcome]} label={outcomeWord(result.outcome, isTest)} />
                )}
              </span>
              <span className={styles.id} title={jobWords.idOf(psa.label)}>
                {result.entityid}
              </span>
              <span className={styles.words}>
                {result.party !== null && <strong className={styles.party}>{result.party}</strong>}
                {result.message}
              </span>
              <span className={styles.amount}>
                {result.amount !== null && formatMoney(result.amount, result.currency)}
              </span>
              {result.log_key !== null && (
                <Link className={styles.open} to={`/logs?key=${encodeURIComponent(result.log_key)}`}>
                  {jobWords.details}
                  <span className={styles.hidden}>{jobWords.detailsOf(result.entityid)}</span>
                </Link>
              )}
            </li>
          ))}
          {left > 0 && (
            <li className={styles.result}>
              <Link className={styles.more} to={logsPath}>
                {jobWords.more(left)}
              </Link>
            </li>
          )}
        </ul>
      )}
    </section>
  );
}

/** The offer to clear what an earlier try has marked, and to try it again. */
function Marked({ kind, marked }: { kind: SubmittableKind; marked: ReturnType<typeof useErrorMarks> }) {
  return (
    <p className={styles.marked}>
      <StateIcon state="needs_you" />
      <span>{markedText(kind, marked.ids.length, errorSentinel)}</span>
      <Button
        variant="outline"
        color="test"
        size="xs"
        data-size="xs"
        loading={marked.isPending}
        onClick={() => marked.clear(marked.ids)}
      >
        {jobWords.clear}
      </Button>
    </p>
  );
}

/** How the job ended, in a sentence: documents and money by outcome, failures first, each with a link. */
function Summary({ job }: { job: JobReply }) {
  const isTest = job.mode === 'test';
  const parts = (
    [
      ['failed', job.failed, isTest ? logsOf(job, false) : '/needs-attention'],
      ['held', job.held, isTest ? logsOf(job, false) : '/needs-attention'],
      ['succeeded', job.succeeded, logsOf(job, true)],
    ] as const
  ).filter(([, count]) => count > 0);
  if (parts.length === 0) return null;
  return (
    <p className={styles.message}>
      {parts.map(([outcome, count, to], index) => (
        <span key={outcome}>
          {index > 0 && '; '}
          <Link to={to} className={outcome === 'failed' ? styles.failed : undefined}>
            {summaryPart(
              job,
              outcome,
              count,
              formatSums(sumsByCurrency(job.results.filter((one) => one.outcome === outcome))),
            )}
          </Link>
        </span>
      ))}
      .{!isTest && job.succeeded > 0 && <OpenInBooks job={job} />}
    </p>
  );
}

/** Leads to the document that was posted, or to the list of QuickBooks that shows all of them. */
function OpenInBooks({ job }: { job: JobReply }) {
  const { accounting } = useEnvironment();
  const posted = job.results.filter(({ outcome }) => outcome === 'succeeded');
  const only = posted.length === 1 ? (posted[0]?.log_key ?? null) : null;
  const entry = useQuery({ ...logQuery(only ?? ''), enabled: only !== null });
  const page = entry.data?.pages.accounting ?? accounting.lists[job.type] ?? null;
  if (page === null || (only !== null && entry.isPending)) return null;
  return (
    <a className={styles.external} href={page} target="_blank" rel="noopener noreferrer">
      {jobWords.openIn(accounting.short_label)}
      <Icon name="external" size={14} />
    </a>
  );
}

const logsOf = (job: JobReply, success: boolean): string =>
  `/logs?type=${job.type}&mode=${job.mode}&success=${success}`;

/** @param isOver a job without documents is full at its end, and empty before. */
function Bar({ job, isOver }: { job: JobReply; isOver: boolean }) {
  const total = job.total ?? 0;
  const share = (count: number) => `${total === 0 ? 0 : (100 * count) / total}%`;
  return (
    <div
      className={styles.bar}
      role="progressbar"
      aria-label={jobWords.progress}
      aria-valuemin={0}
      aria-valuemax={Math.max(1, total)}
      aria-valuenow={isOver && total === 0 ? 1 : job.done}
      data-searching={!isOver && job.total === null}
    >
      <span data-part="failed" style={{ width: share(job.failed) }} />
      <span data-part="held" style={{ width: share(job.held) }} />
      <span data-part="succeeded" style={{ width: share(job.succeeded) }} />
      <span data-part="other" style={{ width: share(Math.max(0, job.done - job.succeeded - job.failed - job.held)) }} />
    </div>
  );
}

function Count({ state, count, word }: { state: DocumentState; count: number; word: string }) {
  return (
    <span className={styles.count} data-none={count === 0} data-failed={state === 'needs_you' && count > 0}>
      <StateIcon state={count === 0 ? 'waiting' : state} />
      <strong>{formatCount(count)}</strong> {word}
    </span>
  );
}

const states = {
  succeeded: 'synced',
  failed: 'needs_you',
  skipped: 'waiting',
  held: 'held',
  pending: 'syncing',
} as const satisfies Record<JobReply['results'][number]['outcome'], DocumentState>;
