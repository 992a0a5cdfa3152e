import { Anchor, Box, Button, Group, Paper, Progress, Text, Title, VisuallyHidden } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { submittableKinds, type SubmittableKind, kinds } from '#core/kinds.ts';
import { errorSentinel } from '#core/sync-status.ts';
import { cancelJob, hasEnded } from '#contract/calls/jobs.ts';
import type { JobReply } from '#contract/jobs.ts';
import { useEnvironment } from '../../data/environment.ts';
import { cacheJob, useFollowedJob } from '../../data/follow-job.ts';
import { formatCount, formatMoney, formatSums, sumsByCurrency, countOf } from '../../data/format.ts';
import { useAction } from '../../data/queries.ts';
import { logQuery } from '../../data/screen-queries.ts';
import { type DocumentState, ModeBadge, StateBadge, StateIcon } from '../../components/badge.tsx';
import { DocumentLink } from '../../components/document-link.tsx';
import { Icon } from '../../components/icons.tsx';
import { IconButton } from '../../components/icon-button.tsx';
import { Rows } from '../../components/page.tsx';
import { RelativeTime } from '../../components/time.tsx';
import { CurrentPauses } from '../connections/pause-notices.tsx';
import { useErrorMarks } from '../sync/use-error-marks.ts';
import { headingOf, outcomeLabels, progressOf, states } from './describe-job.ts';
import styles from './job-panel.module.css';
import { inOrder } from './order.ts';

/** Documents shown in a panel; Logs has all of them. */
const maxListed = 200;

interface JobPanelProps {
  job: JobReply;
  onDismiss: () => void;
}

/** Shows a job: its progress, its results as they arrive, and a button to cancel it. */
export function JobPanel({ job, onDismiss }: JobPanelProps) {
  useFollowedJob(job);
  const cancel = useAction(cancelJob, { onSuccess: (data) => cacheJob(data.job) });
  const isOver = hasEnded(job);
  const kind = submittableKinds.find((one) => one === job.type);
  // A search skips documents that an earlier attempt marked as ERROR. The offer to clear them waits until this job has
  // ended, because a request for the same documents would return this job.
  const marked = useErrorMarks(kind ?? 'invoice', kind !== undefined && isOver && job.total === 0);
  const logsPath = `/logs?type=${job.type}&mode=${job.mode}`;

  return (
    <Paper
      component="section"
      withBorder
      radius="md"
      className={styles.panel ?? ''}
      data-mode={job.mode}
      aria-label={`${kinds[job.type].plural}, ${job.mode} sync`}
    >
      <Group gap={10} mih={46} pt="sm" pr="sm" pb="xs" pl="md">
        <ModeBadge mode={job.mode} />
        <Title order={2} fw={600} fz="md" lh="md">
          {headingOf(job)}
        </Title>
        <Text span c="dimmed" size="sm">
          {job.trigger === 'automatic' ? 'automatic' : job.submitted_by}, <RelativeTime at={job.created_at} />
        </Text>
        <Group component="span" gap="xs" wrap="nowrap" ml="auto">
          <Button component={Link} to={logsPath} variant="subtle" color="gray" size="xs">
            Logs
          </Button>
          <Button component={Link} to={`/runs/${job.id}`} variant="subtle" color="gray" size="xs" data-size="xs">
            Open run
          </Button>
          {isOver ? (
            <IconButton label="Dismiss" icon="close" size={16} onPress={onDismiss} />
          ) : (
            <Button
              variant="default"
              size="xs"
              disabled={job.cancel_requested || cancel.isPending}
              onClick={() => cancel.mutate({ params: { id: job.id } })}
            >
              {job.cancel_requested ? 'Stopping…' : 'Cancel'}
            </Button>
          )}
        </Group>
      </Group>
      <Box px="md">
        <Bar job={job} isOver={isOver} />
      </Box>
      <Counts job={job}>{marked.ids.length === 0 && progressOf(job)}</Counts>
      {!isOver && <CurrentPauses isJobRunning />}
      {isOver && job.results.length > 0 && <Summary job={job} />}
      {kind !== undefined && marked.ids.length > 0 && <Marked kind={kind} marked={marked} />}
      {job.message !== null && (
        <Message>
          {job.status === 'failed' && (
            <Box component="span" mr="sm">
              <StateIcon state="needs_you" />
            </Box>
          )}
          {job.message}
        </Message>
      )}
      {job.results.length > 0 && <Results job={job} logsPath={logsPath} />}
    </Paper>
  );
}

/** The number of documents by outcome. @param children shown at the end */
function Counts({ job, children }: { job: JobReply; children: ReactNode }) {
  const labels = outcomeLabels[job.mode];
  const awaiting = awaitingOf(job);
  return (
    <Group gap="lg" py={10} px="md" fz="sm" lh="sm" style={{ fontVariantNumeric: 'tabular-nums' }} role="status">
      <Count state="needs_you" count={job.failed} label={labels.failed.toLowerCase()} />
      {job.held > awaiting && <Count state="held" count={job.held - awaiting} label={labels.held.toLowerCase()} />}
      {awaiting > 0 && <Count state="awaits_approval" count={awaiting} label="waiting for approval" />}
      <Count state="synced" count={job.succeeded} label={labels.succeeded.toLowerCase()} />
      <Count state="waiting" count={job.skipped} label={labels.skipped.toLowerCase()} />
      <Box component="span" ml="auto" c="dimmed">
        {children}
      </Box>
    </Group>
  );
}

/** The documents of a job and their results. */
function Results({ job, logsPath }: { job: JobReply; logsPath: string }) {
  const { psa } = useEnvironment();
  const labels = outcomeLabels[job.mode];
  const listed = inOrder(job.results).slice(0, maxListed);
  const left = job.results.length - listed.length;
  return (
    <Rows className={styles.results ?? ''} tabIndex={0} aria-label="Documents">
      {listed.map((result) => (
        <Group component="li" key={result.log_key ?? result.entityid} gap="2px 12px" px="md" py={7} fz="sm">
          <Box component="span" w={128}>
            {result.awaits_approval ? (
              <StateBadge state="awaits_approval" />
            ) : (
              <StateBadge state={states[result.outcome]} label={labels[result.outcome]} />
            )}
          </Box>
          <Box component="span" w={64} title={`${psa.label} ID`}>
            <DocumentLink type={job.type} entityid={result.entityid}>
              {result.entityid}
            </DocumentLink>
          </Box>
          {/* The details show long messages in full. */}
          <Text span c="soft" size="sm" flex="1 1 240px" lineClamp={2}>
            {result.party !== null && (
              <Text span inherit mr="sm" c="bright" fw={500}>
                <bdi>{result.party}</bdi>
              </Text>
            )}
            {result.message}
          </Text>
          <Box component="span" ta="end" style={{ whiteSpace: 'nowrap' }}>
            {result.amount !== null && formatMoney(result.amount, result.currency)}
          </Box>
          {result.log_key !== null && (
            <Link to={`/logs?key=${encodeURIComponent(result.log_key)}`}>
              Details
              <VisuallyHidden>{` of ${result.entityid}`}</VisuallyHidden>
            </Link>
          )}
        </Group>
      ))}
      {left > 0 && (
        <Box component="li" px="md" py={7} fz="sm">
          <Link to={logsPath}>{`${countOf(left, 'more document')} in Logs`}</Link>
        </Box>
      )}
    </Rows>
  );
}

/** Offers to clear the ERROR marks of earlier attempts and to try again. */
export function Marked({ kind, marked }: { kind: SubmittableKind; marked: ReturnType<typeof useErrorMarks> }) {
  return (
    <Group component="p" gap="sm" m={0} pr="md" pb={10} pl="md">
      <StateIcon state="needs_you" />
      <span>{`${countOf(marked.ids.length, kinds[kind].label.toLowerCase())} ${marked.ids.length === 1 ? 'is' : 'are'} marked ${errorSentinel}.`}</span>
      <Button
        variant="outline"
        color="test"
        size="xs"
        loading={marked.isPending}
        onClick={() => marked.clear(marked.ids)}
      >
        Clear and try again
      </Button>
    </Group>
  );
}

/** Returns the number of documents on hold that wait for approval. */
const awaitingOf = ({ results }: JobReply): number => results.filter((one) => one.awaits_approval).length;

/** Documents and amounts by outcome, failures first, each with a link. */
function Summary({ job }: { job: JobReply }) {
  const isTest = job.mode === 'test';
  const parts = (
    [
      ['failed', job.failed, isTest ? logsOf(job, false) : '/needs-attention'],
      ['held', job.held - awaitingOf(job), isTest ? logsOf(job, false) : '/needs-attention'],
      ['succeeded', job.succeeded, logsOf(job, true)],
    ] as const
  ).filter(([, count]) => count > 0);
  if (parts.length === 0) return null;
  return (
    <Message>
      {parts.map(([outcome, count, to], index) => (
        <span key={outcome}>
          {index > 0 && '; '}
          <Anchor inherit component={Link} to={to} {...(outcome === 'failed' && { c: 'red' })}>
            {partOf(job, outcome, count)}
          </Anchor>
        </span>
      ))}
      . {!isTest && job.succeeded > 0 && <OpenInAccounting job={job} />}
    </Message>
  );
}

/** Returns one part of the summary, e.g. “12 invoices, $18,430.20, synced”. */
function partOf({ type, mode, results }: JobReply, outcome: 'succeeded' | 'failed' | 'held', count: number): string {
  const label = outcomeLabels[mode][outcome].toLowerCase();
  const documents = countOf(count, kinds[type].label.toLowerCase());
  const sum = formatSums(sumsByCurrency(results.filter((one) => one.outcome === outcome && !one.awaits_approval)));
  return sum === '' ? `${documents} ${label}` : `${documents}, ${sum}, ${label}`;
}

/** Links to the posted document, or to the list in QuickBooks if there are several. */
export function OpenInAccounting({ job }: { job: JobReply }) {
  const { accounting } = useEnvironment();
  const posted = job.results.filter(({ outcome }) => outcome === 'succeeded');
  const only = posted.length === 1 ? (posted[0]?.log_key ?? null) : null;
  const entry = useQuery({ ...logQuery(only ?? ''), enabled: only !== null });
  const page = entry.data?.pages.accounting ?? accounting.lists[job.type] ?? null;
  if (page === null || (only !== null && entry.isPending)) return null;
  return (
    <Anchor
      inherit
      href={page}
      target="_blank"
      rel="noopener noreferrer"
      style={{ display: 'inline-flex', alignItems: 'center', gap: 4 }}
    >
      {`Open in ${accounting.short_label}`}
      <Icon name="external" size={14} />
    </Anchor>
  );
}

const logsOf = (job: JobReply, success: boolean): string =>
  `/logs?type=${job.type}&mode=${job.mode}&success=${success}`;

const Message = ({ children }: { children: ReactNode }) => (
  <Text c="soft" px="md" pb={10} style={{ overflowWrap: 'anywhere' }}>
    {children}
  </Text>
);

/** The progress bar. @param isOver fills the bar of a job without documents */
export function Bar({ job, isOver }: { job: JobReply; isOver: boolean }) {
  const total = job.total ?? 0;
  const test = job.mode === 'test' ? 'test' : 'accent';
  const parts = [
    ['red', job.failed],
    ['held', job.held],
    [test, job.succeeded],
    ['gray', Math.max(0, job.done - job.succeeded - job.failed - job.held)],
  ] as const;
  return (
    <Progress.Root
      size={6}
      transitionDuration={180}
      style={{ forcedColorAdjust: 'none' }}
      role="progressbar"
      aria-label="Progress"
      aria-valuemin={0}
      aria-valuemax={Math.max(1, total)}
      aria-valuenow={isOver && total === 0 ? 1 : job.done}
    >
      {!isOver && job.total === null ? (
        <Progress.Section value={100} color={test} striped animated withAria={false} />
      ) : (
        parts.map(([color, count]) => (
          <Progress.Section
            key={color}
            value={total === 0 ? 0 : (100 * count) / total}
            color={color}
            withAria={false}
          />
        ))
      )}
    </Progress.Root>
  );
}

function Count({ state, count, label }: { state: DocumentState; count: number; label: string }) {
  return (
    <Group component="span" gap={6} {...(count === 0 ? { c: 'dimmed' } : state === 'needs_you' && { c: 'red' })}>
      <StateIcon state={count === 0 ? 'waiting' : state} />
      <strong>{formatCount(count)}</strong> {label}
    </Group>
  );
}
