import { Button, CloseButton } from '@mantine/core';
import { Link } from '../../lib/router.tsx';
import { kinds } from '#core/kinds.ts';
import { cancelJob, hasEnded, type JobReply } from '#contract/jobs.ts';
import { useEnvironment } from '../../lib/environment.ts';
import { noteJob, useFollowedJob } from '../../lib/follow-job.ts';
import { countOf, setCount, setMoney, setSums, sumsByCurrency } from '../../lib/format.ts';
import { useAction } from '../../lib/queries.ts';
import { type DocumentState, ModeBadge, StateBadge, StateMark } from '../../ui/badge.tsx';
import { Icon } from '../../ui/icons.tsx';
import { When } from '../../ui/when.tsx';
import styles from './job-panel.module.css';

/** One job: how far it is, what became of each document as it comes in, and the way to stop it. */
export function JobPanel({ job, onPutAway }: { job: JobReply; onPutAway: () => void }) {
  useFollowedJob(job);
  const { psa } = useEnvironment();
  const cancel = useAction(cancelJob, { onSuccess: (data) => noteJob(data.job) });
  const isOver = hasEnded(job);
  const isTest = job.mode === 'test';
  const logsPath = `/logs?type=${job.type}&mode=${job.mode}`;

  return (
    <section className={styles.panel} data-mode={job.mode} aria-label={`${kinds[job.type].plural}, ${job.mode} sync`}>
      <div className={styles.head}>
        <ModeBadge mode={job.mode} />
        <h2 className={styles.title}>{headingOf(job)}</h2>
        <span className={styles.by}>
          {job.trigger === 'automatic' ? 'automatic' : job.submitted_by}, <When at={job.created_at} />
        </span>
        <span className={styles.actions}>
          <Button component={Link} to={logsPath} variant="subtle" color="gray" size="xs" data-size="xs">
            Logs
          </Button>
          {isOver ? (
            <CloseButton aria-label="Put away" icon={<Icon name="close" size={16} />} onClick={onPutAway} />
          ) : (
            <Button
              variant="default"
              size="xs"
              data-size="xs"
              disabled={job.cancel_requested || cancel.isPending}
              onClick={() => cancel.mutate({ params: { id: job.id } })}
            >
              {job.cancel_requested ? 'Stopping…' : 'Cancel'}
            </Button>
          )}
        </span>
      </div>
      <Bar job={job} isOver={isOver} />
      <div className={styles.counts} role="status">
        <Count state="synced" count={job.succeeded} word={isTest ? 'passed' : 'synced'} />
        <Count state="needs_you" count={job.failed} word="failed" />
        <Count state="waiting" count={job.skipped} word="skipped" />
        {job.held > 0 && <Count state="held" count={job.held} word="held" />}
        <span className={styles.progress}>{progressOf(job)}</span>
      </div>
      {isOver && job.results.length > 0 && <Summary job={job} />}
      {job.message !== null && (
        <p className={styles.message}>
          {job.status === 'failed' && <StateMark state="needs_you" />}
          {job.message}
        </p>
      )}
      {job.results.length > 0 && (
        // Scrolls by itself, so keys must be able to reach it.
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
        <ul className={styles.results} tabIndex={0} aria-label="Documents">
          {job.results.toReversed().map((result) => (
            <li key={result.log_key ?? result.entityid} className={styles.result}>
              <span className={styles.state}>
                <StateBadge {...stateOf(result.outcome, isTest)} />
              </span>
              <span className={styles.id} title={`${psa.label} ID`}>
                {result.entityid}
              </span>
              <span className={styles.words}>
                {result.party !== null && <strong className={styles.party}>{result.party}</strong>}
                {result.message}
              </span>
              <span className={styles.amount}>
                {result.amount !== null && setMoney(result.amount, result.currency)}
              </span>
              {result.log_key !== null && (
                <Link className={styles.open} to={`/logs?key=${encodeURIComponent(result.log_key)}`}>
                  Details<span className={styles.hidden}> of {result.entityid}</span>
                </Link>
              )}
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

/** How it ended, in a sentence: how many, how much money, what needs somebody, each with its way there. */
function Summary({ job }: { job: JobReply }) {
  const sumOf = (outcome: JobReply['results'][number]['outcome']) =>
    setSums(sumsByCurrency(job.results.filter((one) => one.outcome === outcome)));
  const money = (text: string) => (text === '' ? '' : `, ${text}`);
  const parts = [
    {
      count: job.succeeded,
      sum: sumOf('succeeded'),
      word: job.mode === 'test' ? 'passed' : 'synced',
      to: logsOf(job, true),
    },
    {
      count: job.failed,
      sum: sumOf('failed'),
      word: job.failed === 1 ? 'needs you' : 'need you',
      to: job.mode === 'test' ? logsOf(job, false) : '/needs-attention',
    },
    {
      count: job.held,
      sum: sumOf('held'),
      word: 'held',
      to: job.mode === 'test' ? logsOf(job, false) : '/needs-attention',
    },
  ].filter(({ count }) => count > 0);
  if (parts.length === 0) return null;
  return (
    <p className={styles.message}>
      {parts.map(({ count, sum, word, to }, index) => (
        <span key={word}>
          {index > 0 && '; '}
          <Link to={to}>
            {countOf(count, kinds[job.type].label.toLowerCase())}
            {money(sum)} {word}
          </Link>
        </span>
      ))}
      .
    </p>
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
      aria-label="Progress"
      aria-valuemin={0}
      aria-valuemax={Math.max(1, total)}
      aria-valuenow={isOver && total === 0 ? 1 : job.done}
      data-searching={!isOver && job.total === null}
    >
      <span data-part="succeeded" style={{ width: share(job.succeeded) }} />
      <span data-part="failed" style={{ width: share(job.failed) }} />
      <span data-part="held" style={{ width: share(job.held) }} />
      <span data-part="other" style={{ width: share(Math.max(0, job.done - job.succeeded - job.failed - job.held)) }} />
    </div>
  );
}

function Count({ state, count, word }: { state: DocumentState; count: number; word: string }) {
  return (
    <span className={styles.count} data-none={count === 0}>
      <StateMark state={count === 0 ? 'waiting' : state} />
      <strong>{setCount(count)}</strong> {word}
    </span>
  );
}

function headingOf(job: JobReply): string {
  const what = kinds[job.type].plural.toLowerCase();
  const again = job.force ? ' again' : '';
  switch (job.status) {
    case 'queued':
      return `${job.mode === 'test' ? 'Test' : 'Sync'} of ${what}${again}: waiting to start`;
    case 'running':
      return `${job.mode === 'test' ? 'Testing' : 'Syncing'} ${what}${again}`;
    case 'finished':
      // Nothing that was synced is not called synced.
      if (job.total === 0) return `No ${what} to ${job.mode === 'test' ? 'test' : 'sync'}`;
      return `${job.mode === 'test' ? 'Tested' : job.succeeded > 0 ? 'Synced' : 'Looked at'} ${what}${again}`;
    case 'failed':
      return `The ${job.mode === 'test' ? 'test' : 'sync'} of ${what} stopped`;
    case 'cancelled':
      return `The ${job.mode === 'test' ? 'test' : 'sync'} of ${what} was cancelled`;
    default:
      return job.status satisfies never;
  }
}

function progressOf(job: JobReply): string {
  if (job.total === null) return job.status === 'running' ? 'Looking for documents…' : '';
  if (job.total === 0) return 'Nothing was eligible.';
  return `${setCount(job.done)} of ${countOf(job.total, 'document')}`;
}

function stateOf(
  outcome: JobReply['results'][number]['outcome'],
  isTest: boolean,
): { state: DocumentState; label: string } {
  switch (outcome) {
    case 'succeeded':
      return { state: 'synced', label: isTest ? 'Passed' : 'Synced' };
    case 'failed':
      return { state: 'needs_you', label: 'Needs you' };
    case 'skipped':
      return { state: 'waiting', label: 'Skipped' };
    case 'held':
      return { state: 'held', label: 'Held' };
    case 'pending':
      return { state: 'syncing', label: 'Not settled' };
    default:
      return outcome satisfies never;
  }
}
