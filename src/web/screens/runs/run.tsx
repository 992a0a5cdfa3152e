import { Button, Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { cancelJob, hasEnded } from '#contract/calls/jobs.ts';
import type { JobReply } from '#contract/jobs.ts';
import { csvBlob, toCsv } from '../../data/csv.ts';
import { useEnvironment } from '../../data/environment.ts';
import { useSession } from '../../data/current-session.ts';
import { saveFile } from '../../data/download.ts';
import { cacheJob } from '../../data/follow-job.ts';
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
import { Link, useNavigate } from 'react-router';
import { runQuery } from '../../data/screen-queries.ts';
import { useReadOnly } from '../../data/use-read-only.ts';
import { useTimeZone } from '../../data/use-time-zone.ts';
import { kinds } from '#core/kinds.ts';
import { DocumentLink } from '../../components/document-link.tsx';
import { documentStates, ModeBadge, StateBadge } from '../../components/badge.tsx';
import { useFindScreen } from '../../components/find-screen.ts';
import { Notice } from '../../components/notice.tsx';
import { Page, Panel } from '../../components/page.tsx';
import { Pager } from '../../components/pager.tsx';
import { EmptyState, FailedState, Skeleton } from '../../components/states.tsx';
import { type Column, DataTable } from '../../components/table.tsx';
import { Tabs } from '../../components/tabs.tsx';
import { headingOf, outcomeLabels, progressOf, states } from '../jobs/describe-job.ts';
import { Bar } from '../jobs/job-panel.tsx';
import { useTestAgain } from '../needs-attention/use-test-again.ts';

type Result = JobReply['results'][number];

const pageSize = 25;

/** The results by tab, failures first. */
const tabs = {
  failed: { label: 'Failed', has: ({ outcome }: Result) => outcome === 'failed' },
  held: { label: 'On hold', has: ({ outcome }: Result) => outcome === 'held' },
  synced: { label: 'Synced', has: ({ outcome }: Result) => outcome === 'succeeded' },
  skipped: { label: 'Skipped', has: ({ outcome }: Result) => outcome === 'skipped' },
} as const;
type TabKey = keyof typeof tabs;
const tabKeys = Object.keys(tabs) as readonly TabKey[];

/** One run: who started it, its progress, its money, and its documents. */
export function Run({ id }: { id: string }) {
  const run = useQuery(runQuery(id));
  const { data } = run;
  if (data !== undefined) return <Loaded job={data} />;
  return (
    <Page title="Run">
      <Panel>{run.isError ? <FailedState what="The run" of={run} /> : <Skeleton width="100%" height={320} />}</Panel>
    </Page>
  );
}

function Loaded({ job }: { job: JobReply }) {
  const timeZone = useTimeZone();
  const [chosen, setChosen] = useState<TabKey | null>(null);
  const [page, setPage] = useState(1);
  const isOver = hasEnded(job);
  const { results } = job;
  const open = chosen ?? tabKeys.find((key) => results.some(tabs[key].has)) ?? 'failed';
  const rows = results.filter(tabs[open].has).toReversed();
  const failed = results.filter(tabs.failed.has);
  const by = job.trigger === 'automatic' ? 'Automatic' : `Started by ${job.submitted_by ?? 'a user'}`;
  const sum = formatSums(sumsByCurrency(results.filter(tabs.synced.has)));
  return (
    <Page
      title={headingOf(job)}
      aside={<ModeBadge mode={job.mode} />}
      lead={`${by}, ${formatDateTime(job.created_at, timeZone)} ${zoneName(timeZone)} · ${formatCount(job.succeeded)} ${outcomeLabels[job.mode].succeeded.toLowerCase()}${sum === '' ? '' : `, ${sum}`} · ${formatCount(job.failed)} ${outcomeLabels[job.mode].failed.toLowerCase()}`}
      actions={<Actions job={job} failed={failed} />}
    >
      {isOver && job.mode === 'live' && job.succeeded > 0 && <Posted job={job} sum={sum} />}
      <Stack gap="sm">
        <Bar job={job} isOver={isOver} />
        <Text c="dimmed" size="sm" role="status">
          {progressOf(job)}
        </Text>
      </Stack>
      {job.message !== null && <Notice tone={job.status === 'failed' ? 'bad' : 'info'}>{job.message}</Notice>}
      <Panel flush>
        <Tabs
          label="Documents"
          tabs={tabKeys.map((key) => ({ key, label: tabText(key, results) }))}
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
                label={tabs[open].label}
                columns={columnsOf(job)}
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

/** What a live run posted, with the list of these documents in the accounting service. */
function Posted({ job, sum }: { job: JobReply; sum: string }) {
  const { accounting } = useEnvironment();
  const page = accounting.lists[job.type] ?? null;
  return (
    <Group component="p" gap="4px 16px" align="baseline">
      <Text
        component="strong"
        fz={28}
        fw={600}
        lh="36px"
        c="bright"
        lts="-0.02em"
        style={{ fontVariantNumeric: 'tabular-nums' }}
      >
        {formatCount(job.succeeded)} posted{sum !== '' && `, ${sum}`}
      </Text>
      {page !== null && (
        <a href={page} target="_blank" rel="noopener noreferrer">
          Open in {accounting.short_label}
        </a>
      )}
    </Group>
  );
}

/** Says what to do before the failed documents are tried again. */
function FixFirst() {
  const attention = useFindScreen()('/needs-attention');
  return (
    attention !== null && (
      <Text px="md" py="sm" c="soft">
        Each message names its fix. <Link to={attention.path}>Fix the causes in {attention.label}</Link>, then retry.
      </Text>
    )
  );
}

/** Whether the cause of a failed document of a run is gone: it needs nothing anymore, or a later test of it passed. */
function useFixed({ type }: JobReply, failed: readonly Result[]): boolean {
  const { roles = [] } = useSession()?.claims ?? {};
  const { data } = useQuery({ ...attentionQuery(), enabled: failed.length > 0 && roles.includes('clientadmin') });
  if (data === undefined) return false;
  const waiting = new Set(
    data.groups.flatMap(({ documents }) =>
      documents.flatMap((one) => (one.type === type && one.tested !== true ? [one.entityid] : [])),
    ),
  );
  return failed.some(({ entityid }) => !waiting.has(entityid));
}

function Actions({ job, failed }: { job: JobReply; failed: readonly Result[] }) {
  const navigate = useNavigate();
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
  const retry = useTestAgain(
    job.mode === 'test' ? undefined : (ids) => void navigate(`/my?${ids.map((one) => `review=${one}`).join('&')}`),
  );
  return (
    <>
      <Button component={Link} to="/runs" variant="default">
        All runs
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
    </>
  );
}

/** The name of a tab with the number and the total of its documents. */
function tabText(key: TabKey, results: readonly Result[]): string {
  const own = results.filter(tabs[key].has);
  const sum = formatSums(sumsByCurrency(own));
  return `${tabs[key].label} ${formatCount(own.length)}${sum === '' ? '' : ` · ${sum}`}`;
}

const columnsOf = (job: JobReply): readonly Column<Result>[] => [
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
    cell: ({ party, message }) => (
      <>
        <Text size="sm" fw={500}>
          <bdi>{party}</bdi>
        </Text>
        <Text size="sm" c="soft" style={{ overflowWrap: 'anywhere' }}>
          {message}
        </Text>
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
