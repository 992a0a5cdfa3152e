import { Anchor, Button, Group, Stack, Text, Title } from '@mantine/core';
import { useQueries } from '@tanstack/react-query';
import { Link } from 'react-router';
import { LogChoices } from '../needs-attention/mapping-choices.tsx';
import type { JobReply } from '#contract/jobs.ts';
import type { Subscription } from '#contract/subscription.ts';
import { hasEnded } from '#contract/calls/jobs.ts';
import { submitAll } from '#contract/calls/sync.ts';
import { kinds, submittableKinds, type SubmittableKind } from '#core/kinds.ts';
import { cacheJob, useFollowedJob } from '../../data/follow-job.ts';
import { useAction } from '../../data/queries.ts';
import { runQuery } from '../../data/screen-queries.ts';
import { readinessOf } from '../../data/subscription.ts';
import { ModeBadge } from '../../components/badge.tsx';
import { Columns } from '../../components/page.tsx';
import { documentPath, placeOf } from '../../components/document-link.tsx';
import { Section } from './section.tsx';
import { PlannedDocument } from './planned-document.tsx';
import { formatCount, countOf } from '../../data/format.ts';
import { reviewLabel } from '../sync/review-text.ts';

interface TestSyncsProps {
  subscription: Subscription;
  /** Ids of the tests that were started here. */
  tests: readonly string[];
  onTested: (jobIds: readonly string[]) => void;
  onReview: (jobIds: readonly string[]) => void;
}

/**
 * Tests all kinds that are ready, and shows a document that each test would create. What passes can be reviewed and posted.
 *
 * @param onTested receives the ids of the new tests, one per kind
 * @param onReview opens the review of these tests
 */
export function TestSyncs({ subscription, tests, onTested, onReview }: TestSyncsProps) {
  const { settingsOk } = readinessOf(subscription);
  const runs = useQueries({ queries: tests.map(runQuery) }).map(({ data }) => data);
  const submit = useAction(submitAll, { changes: ['jobs'], showsMessage: () => false });
  const missingOf = (kind: SubmittableKind) => subscription.kinds.find((one) => one.kind === kind)?.missing ?? [];
  const ready = submittableKinds.filter((kind) => missingOf(kind).length === 0);
  const test = async () => {
    const ids: string[] = [];
    try {
      for (const kind of ready) {
        const { job } = (
          await submit.mutateAsync({ params: { kind: kinds[kind].segment }, body: { mode: 'test', force: false } })
        ).data;
        cacheJob(job);
        ids.push(job.id);
      }
    } finally {
      if (ids.length > 0) onTested(ids);
    }
  };
  const isTesting = submit.isPending || runs.some((run) => run === undefined || !hasEnded(run));
  const passed = runs.flatMap((run) => (run !== undefined && run.succeeded > 0 ? [run] : []));
  const count = passed.reduce((sum, { succeeded }) => sum + succeeded, 0);
  const canReview = !isTesting && count > 0;
  return (
    <Section
      title={
        <>
          Test syncs <ModeBadge mode="test" />
        </>
      }
    >
      <Text c="dimmed">A test changes nothing in either service. Then you review what it planned, and post it.</Text>
      <Columns min={260}>
        {submittableKinds.map((kind) => (
          <TestSync
            key={kind}
            kind={kind}
            missing={missingOf(kind)}
            run={runs.find((run) => run?.type === kind) ?? null}
          />
        ))}
      </Columns>
      <Group gap={12}>
        {canReview && (
          <Button variant="filled" onClick={() => onReview(passed.map(({ id }) => id))}>
            {reviewLabel(count)}
          </Button>
        )}
        <Button
          variant="outline"
          color="test"
          loading={isTesting}
          disabled={!settingsOk || ready.length === 0}
          // A rejected call shows its error in the message bar.
          onClick={() => void test().catch(() => undefined)}
        >
          {tests.length === 0 ? 'Test Sync' : 'Test again'}
        </Button>
      </Group>
    </Section>
  );
}

interface TestSyncProps {
  kind: SubmittableKind;
  missing: Subscription['kinds'][number]['missing'];
  /** The test; null before it starts. */
  run: JobReply | null;
}

/** One kind: what is missing before it can be tested, or the result of its test. */
function TestSync({ kind, missing, run }: TestSyncProps) {
  return (
    <Stack gap="sm" align="flex-start" p={12} bd="1px dashed var(--tb-test-line)" bdrs="md">
      <Title order={4} fw={500} fz="md" lh="md">
        {kinds[kind].plural}
      </Title>
      {missing.map(({ text, path }) => (
        <Link key={text} to={path}>
          {text}
        </Link>
      ))}
      {run === null && missing.length === 0 && <Text c="dimmed">Not tested yet.</Text>}
      {run !== null && <TestResult run={run} />}
    </Stack>
  );
}

/** Maximum number of failed documents with mapping choices. */
const maxChoices = 5;

/** The result of a test: the first document that would fail and the first that would be created. */
function TestResult({ run }: { run: JobReply }) {
  useFollowedJob(run, hasEnded(run));
  if (!hasEnded(run))
    return (
      <Text c="dimmed" role="status">
        {run.total === null ? 'Testing…' : `Testing: ${formatCount(run.done)} of ${countOf(run.total, 'document')}`}
      </Text>
    );
  if (run.total === 0 || run.status === 'failed')
    return <Text c="dimmed">{run.message ?? 'No documents are waiting to be synced.'}</Text>;
  const passed = run.results.find(({ outcome }) => outcome === 'succeeded');
  const failed = run.results.filter(({ outcome }) => outcome === 'failed');
  const [firstFailed] = failed;
  return (
    <Stack gap="sm" w="100%" style={{ overflowWrap: 'anywhere' }} role="status">
      <p>
        {formatCount(run.succeeded)} of {countOf(run.total ?? run.done, 'document')} would pass.
      </p>
      {firstFailed !== undefined && (
        <Text c="red">
          <Anchor
            inherit
            underline="always"
            component={Link}
            to={documentPath(placeOf(run.type, firstFailed.entityid))}
          >
            {firstFailed.number ?? firstFailed.entityid}
          </Anchor>
          : {firstFailed.message}{' '}
          <Anchor inherit underline="always" component={Link} to={`/runs/${run.id}`}>
            {failed.length === 1 ? 'Open run' : `Open run, ${formatCount(failed.length)} failed`}
          </Anchor>
        </Text>
      )}
      {failed
        .slice(0, maxChoices)
        .map(({ entityid, log_key: key }) => (key === null ? null : <LogChoices key={entityid} logKey={key} />))}
      {passed?.log_key !== undefined && passed.log_key !== null && <PlannedDocument logKey={passed.log_key} />}
    </Stack>
  );
}
