import { Anchor, Button, Text, VisuallyHidden } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { cancelJob, hasEnded } from '#contract/calls/jobs.ts';
import type { JobReply } from '#contract/jobs.ts';
import { csvBlob, toCsv } from '../../data/csv.ts';
import { useSession } from '../../data/current-session.ts';
import { saveFile } from '../../data/download.ts';
import { cacheEnd, cacheJob, useFollowedJob } from '../../data/follow-job.ts';
import {
  formatCount,
  formatDate,
  formatDateTime,
  formatMoney,
  formatSums,
  sumsByCurrency,
  zoneName,
} from '../../data/format.ts';
import { attentionQuery, refreshAll, useAction } from '../../data/queries.ts';
import { Link, NavigationType, useLocation, useNavigationType, useSearchParams } from 'react-router';
import { runQuery } from '../../data/screen-queries.ts';
import { useReadOnly } from '../../data/use-read-only.ts';
import { useTimeZone } from '../../data/use-time-zone.ts';
import { kinds } from '#core/kinds.ts';
import { DocumentLink } from '../../components/document-link.tsx';
import { documentStates, ModeBadge, StateBadge } from '../../components/badge.tsx';
import { useFindScreen } from '../../components/find-screen.ts';
import { Page, Panel } from '../../components/page.tsx';
import { Pager } from '../../components/pager.tsx';
import { EmptyState, FailedState, Skeleton } from '../../components/states.tsx';
import { type Column, DataTable } from '../../components/table.tsx';
import { Tabs } from '../../components/tabs.tsx';
import { headingOf, outcomeLabels, states } from '../jobs/describe-job.ts';
import { LogChoices } from '../needs-attention/mapping-choices.tsx';
import { useTestAgain } from '../needs-attention/use-test-again.ts';
import { reviewLabel } from '../sync/review-text.ts';
import { backFromRun, reviewPath, startedFrom, startOf, togetherKey, useOpenReview, useOpenRun } from './open-run.ts';
import { RunHead } from './run-head.tsx';

type Result = JobReply['results'][number];

const pageSize = 25;

/** The results by tab, failures first. */
const tabs = ['failed', 'held', 'succeeded', 'skipped'] as const;
type TabKey = (typeof tabs)[number];

/** Returns the results of a tab. */
const resultsIn = (results: readonly Result[], tab: TabKey): readonly Result[] =>
  results.filter(({ outcome }) => outcome === tab);

/** One run: who started it, its progress, its money, and its documents. */
export function Run({ id }: { id: string }) {
  const run = useQuery(runQuery(id));
  const { data } = run;
  if (data !== undefined) return <Loaded key={data.id} job={data} />;
  return (
    <Page title="Run">
      <Panel>{run.isError ? <FailedState what="The run" of={run} /> : <Skeleton width="100%" height={320} />}</Panel>
    </Page>
  );
}

function Loaded({ job }: { job: JobReply }) {
  const timeZone = useTimeZone();
  const [query] = useSearchParams();
  const from = startedFrom(useLocation().state);
  const area = useRef<HTMLDivElement>(null);
  const isOver = hasEnded(job);
  const [wasOver] = useState(isOver);
  useFollowedJob(job, isOver);
  // The poll may see the end before the event stream, which then stops.
  useEffect(() => {
    if (isOver && !wasOver) cacheEnd(job);
  }, [isOver, wasOver, job]);
  // The user who pressed the last button of a review continues here; a reload or Back leaves the focus alone.
  const navigationType = useNavigationType();
  const isArrival = from !== null && navigationType !== NavigationType.Pop;
  useEffect(() => {
    if (isArrival) area.current?.focus();
  }, [isArrival]);
  const [chosen, setChosen] = useState<TabKey | null>(null);
  const [page, setPage] = useState(1);
  const { results } = job;
  const open = chosen ?? tabs.find((key) => resultsIn(results, key).length > 0) ?? 'failed';
  const rows = resultsIn(results, open).toReversed();
  const failed = resultsIn(results, 'failed');
  const by = job.trigger === 'automatic' ? 'Automatic' : `Started by ${job.submitted_by ?? 'a user'}`;
  const choiceKeys = new Set(isOver ? failed.slice(-maxChoices).flatMap(({ log_key: key }) => key ?? []) : []);
  return (
    <Page
      title={headingOf(job)}
      aside={<ModeBadge mode={job.mode} />}
      lead={`${by}, ${formatDateTime(job.created_at, timeZone)} ${zoneName(timeZone)} · ${formatCount(job.succeeded)} ${outcomeLabels[job.mode].succeeded.toLowerCase()} · ${formatCount(job.failed)} ${outcomeLabels[job.mode].failed.toLowerCase()}`}
      actions={<Actions job={job} failed={failed} from={from} />}
    >
      <RunHead job={job} area={area} others={query.getAll(togetherKey)} />
      <Panel flush>
        <Tabs
          label="Documents"
          tabs={tabs.map((key) => ({ key, label: tabText(key, job) }))}
          open={open}
          onOpen={(key) => {
            setChosen(key);
            setPage(1);
          }}
        >
          {open === 'failed' && isOver && failed.length > 0 && <FixFirst />}
          {rows.length === 0 ? (
            <EmptyState icon="check">
              {isOver ? 'No documents.' : 'Documents appear here as the run processes them.'}
            </EmptyState>
          ) : (
            <>
              <DataTable
                label={outcomeLabels[job.mode][open]}
                columns={columnsOf(job, choiceKeys)}
                rows={rows.slice((page - 1) * pageSize, page * pageSize)}
                rowKey={({ entityid }) => String(entityid)}
              />
              <Pager page={page} pageSize={pageSize} total={rows.length} onPage={setPage} />
            </>
          )}
        </Tabs>
      </Panel>
    </Page>
  );
}

/** Says what to do before the failed documents are tried again. */
function FixFirst() {
  const attention = useFindScreen()('/needs-attention');
  return (
    attention !== null && (
      <Text px="md" py="sm" c="soft">
        Each message names its fix.{' '}
        <Anchor inherit underline="always" component={Link} to={attention.path}>
          Fix the causes in {attention.label}
        </Anchor>
        , then retry.
      </Text>
    )
  );
}

/**
 * Whether the cause of a failed document of a live run is gone: it needs nothing anymore, or a later test of it passed. Of
 * tests, nothing is waiting.
 */
function useFixed({ type, mode }: JobReply, failed: readonly Result[]): boolean {
  const { roles = [] } = useSession()?.claims ?? {};
  const { data } = useQuery({ ...attentionQuery(), enabled: failed.length > 0 && roles.includes('clientadmin') });
  if (data === undefined || mode === 'test') return false;
  const waiting = new Set(
    data.groups.flatMap(({ documents }) =>
      documents.flatMap((one) => (one.type === type && one.tested !== true ? [one.entityid] : [])),
    ),
  );
  return failed.some(({ entityid }) => !waiting.has(entityid));
}

interface ActionsProps {
  job: JobReply;
  failed: readonly Result[];
  /** The screen on which the user started the run; null if unknown. */
  from: string | null;
}

function Actions({ job, failed, from }: ActionsProps) {
  const here = startOf(useLocation());
  const openRun = useOpenRun();
  const openReview = useOpenReview();
  const back = useFindScreen()(from ?? '');
  const isAdmin = useSession()?.claims.roles.includes('clientadmin') === true;
  const isReadOnly = useReadOnly();
  const isOver = hasEnded(job);
  const isFixed = useFixed(job, failed);
  const cancel = useAction(cancelJob, {
    onSuccess: (data) => {
      cacheJob(data.job);
      return refreshAll('jobs');
    },
  });
  const retry = useTestAgain(job.mode === 'test' ? openRun : openReview);
  return (
    <>
      {back !== null ? (
        <Button component={Link} to={back.path} state={backFromRun} variant="default">
          Back to {back.label}
        </Button>
      ) : (
        <Button component={Link} to="/runs" variant="default">
          All runs
        </Button>
      )}
      <Button component={Link} to={`/logs?type=${job.type}&mode=${job.mode}`} variant="default">
        View Results
      </Button>
      <Button variant="default" disabled={job.results.length === 0} onClick={() => saveResults(job)}>
        Export
      </Button>
      {!isOver && isAdmin && (
        <Button
          variant="default"
          disabled={job.cancel_requested || cancel.isPending}
          onClick={() => cancel.mutate({ params: { id: job.id } })}
        >
          {job.cancel_requested ? 'Stopping…' : 'Cancel'}
        </Button>
      )}
      {isOver && isAdmin && failed.length > 0 && (
        <Button
          variant={isFixed ? 'filled' : 'default'}
          loading={retry.isPending}
          disabled={isReadOnly}
          onClick={() => retry.testAgain(failed.map(({ entityid }) => ({ type: job.type, entityid })))}
        >
          Retry {formatCount(failed.length)} failed
        </Button>
      )}
      {isOver && isAdmin && isReviewable(job) && (
        <Button
          component={Link}
          to={reviewPath([job.id])}
          state={{ from: here }}
          variant={isFixed ? 'default' : 'filled'}
        >
          {reviewLabel(job.succeeded)}
        </Button>
      )}
    </>
  );
}

/** Whether what a test planned can be reviewed and posted here. A difference is posted on its month. */
const isReviewable = ({ mode, type, force, update, succeeded }: JobReply): boolean =>
  mode === 'test' && succeeded > 0 && type !== 'difference' && !(force && update);

/** The name of a tab with the number and the total of its documents. */
function tabText(key: TabKey, { mode, results }: JobReply): string {
  const own = resultsIn(results, key);
  const sum = formatSums(sumsByCurrency(own));
  return `${outcomeLabels[mode][key]} ${formatCount(own.length)}${sum === '' ? '' : ` · ${sum}`}`;
}

/** Maximum number of failed documents with mapping choices; Needs attention has all. */
const maxChoices = 5;

const columnsOf = (job: JobReply, choiceKeys: ReadonlySet<string>): readonly Column<Result>[] => [
  {
    key: 'state',
    head: 'Status',
    cell: (result) =>
      result.awaits_approval ? (
        <StateBadge state="awaits_approval" />
      ) : (
        <StateBadge state={states[result.outcome]} label={outcomeLabels[job.mode][result.outcome]} />
      ),
    width: '150px',
    narrow: 'trail',
  },
  {
    key: 'document',
    head: 'Document',
    cell: ({ what, number, entityid }) => (
      <DocumentLink type={job.type} entityid={entityid}>
        {what ?? kinds[job.type].label} {number ?? entityid}
      </DocumentLink>
    ),
    width: '180px',
    narrow: 'lead',
  },
  {
    key: 'party',
    head: 'Customer or vendor',
    cell: ({ party, message, log_key: logKey, entityid, outcome }) => (
      <>
        <Text size="sm" fw={500}>
          <bdi>{party}</bdi>
        </Text>
        <Text size="sm" c="soft" style={{ overflowWrap: 'anywhere' }}>
          {message}{' '}
          {logKey !== null && (
            <Anchor inherit underline="always" component={Link} to={`/logs?key=${encodeURIComponent(logKey)}`}>
              Details
              <VisuallyHidden>{` of ${entityid}`}</VisuallyHidden>
            </Anchor>
          )}
        </Text>
        {outcome === 'failed' && logKey !== null && choiceKeys.has(logKey) && <LogChoices logKey={logKey} />}
      </>
    ),
  },
  { key: 'date', head: 'Date', cell: ({ date }) => (date === null ? '' : formatDate(date)), width: '120px', from: 900 },
  {
    key: 'amount',
    head: 'Amount',
    cell: ({ amount, currency }) => amount !== null && formatMoney(amount, currency),
    align: 'end',
    width: '130px',
    narrowLabel: true,
  },
];

function saveResults({ results, type, mode, created_at: at }: JobReply): void {
  const text = toCsv<Result>(
    [
      ['Type', ({ what }) => what ?? type],
      ['PSA ID', ({ entityid }) => String(entityid)],
      ['Number', ({ number }) => number],
      ['Customer or vendor', ({ party }) => party],
      ['Date', ({ date }) => date],
      ['Amount', ({ amount }) => amount],
      ['Currency', ({ currency }) => currency],
      [
        'Status',
        ({ outcome, awaits_approval: awaits }) =>
          awaits ? documentStates.awaits_approval : outcomeLabels[mode][outcome],
      ],
      ['Message', ({ message }) => message],
    ],
    results,
  );
  saveFile(csvBlob(text), `tallybridge-run-${at.slice(0, 10)}.csv`);
}
