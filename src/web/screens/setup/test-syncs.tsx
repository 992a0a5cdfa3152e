import { Anchor, Button, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'react-router';
import { MappingChoices } from '../needs-attention/mapping-choices.tsx';
import type { JobReply } from '#contract/jobs.ts';
import type { Subscription } from '#contract/subscription.ts';
import { submitAll } from '#contract/calls/sync.ts';
import { kinds, submittableKinds, type SubmittableKind } from '#core/kinds.ts';
import { cacheJob, useFollowedJob } from '../../data/follow-job.ts';
import { isWhole } from '../../data/job-list.ts';
import { jobsQuery, useAction } from '../../data/queries.ts';
import { logQuery } from '../../data/screen-queries.ts';
import { readinessOf } from '../../data/subscription.ts';
import { ModeBadge } from '../../components/badge.tsx';
import { Columns } from '../../components/page.tsx';
import { Section } from './section.tsx';
import { PlannedDocument } from './planned-document.tsx';
import { formatCount, countOf } from '../../data/format.ts';

/** Test syncs of all kinds side by side, each with the document it would create. */
export function TestSyncs({ subscription }: { subscription: Subscription }) {
  const { settingsOk } = readinessOf(subscription);
  return (
    <Section
      title={
        <>
          Test syncs <ModeBadge mode="test" />
        </>
      }
    >
      <Text c="dimmed">A test changes nothing in either service.</Text>
      <Columns min={260}>
        {submittableKinds.map((kind) => (
          <TestSync
            key={kind}
            kind={kind}
            isReady={settingsOk}
            missing={subscription.kinds.find((one) => one.kind === kind)?.missing ?? []}
          />
        ))}
      </Columns>
    </Section>
  );
}

interface TestSyncProps {
  kind: SubmittableKind;
  isReady: boolean;
  missing: Subscription['kinds'][number]['missing'];
}

function TestSync({ kind, isReady, missing }: TestSyncProps) {
  const [started, setStarted] = useState<JobReply | null>(null);
  const submit = useAction(submitAll, {
    onSuccess: ({ job }) => {
      cacheJob(job);
      setStarted(job);
    },
    changes: ['jobs'],
  });
  const { plural, segment } = kinds[kind];
  return (
    <Stack gap="sm" align="flex-start" p={12} bd="1px dashed var(--tb-test-line)" bdrs="md">
      <Title order={4} fw={500} fz="md" lh="md">
        {plural}
      </Title>
      {missing.map(({ text, path }) => (
        <Link key={text} to={path}>
          {text}
        </Link>
      ))}
      <Button
        variant="outline"
        color="test"
        loading={submit.isPending}
        disabled={!isReady || missing.length > 0}
        onClick={() => submit.mutate({ params: { kind: segment }, body: { mode: 'test', force: false } })}
      >
        Test Sync
      </Button>
      {started !== null && <TestResult key={started.id} started={started} />}
    </Stack>
  );
}

/** Maximum number of failed documents with mapping choices. */
const maxChoices = 5;

/** The mapping choices of a failed document, if it has any. */
function Choices({ logKey }: { logKey: string }) {
  const { data } = useQuery(logQuery(logKey));
  return data === undefined ? null : <MappingChoices problems={data.problems} />;
}

/** The result of a test: the first document that would fail and the first that would be created. */
function TestResult({ started }: { started: JobReply }) {
  const known = useQuery(jobsQuery()).data?.find(({ id }) => id === started.id) ?? started;
  useFollowedJob(known);
  if (!isWhole(known)) return <Text c="dimmed">Testing…</Text>;
  if (known.total === 0 || known.status === 'failed')
    return <Text c="dimmed">{known.message ?? 'No documents are waiting to be synced.'}</Text>;
  const passed = known.results.find(({ outcome }) => outcome === 'succeeded');
  const failed = known.results.filter(({ outcome }) => outcome === 'failed');
  const [firstFailed] = failed;
  return (
    <Stack gap="sm" w="100%" style={{ overflowWrap: 'anywhere' }} role="status">
      <p>
        {formatCount(known.succeeded)} of {countOf(known.total ?? known.done, 'document')} would pass.
      </p>
      {firstFailed !== undefined && (
        <Text c="red">
          {firstFailed.entityid}: {firstFailed.message}{' '}
          <Anchor inherit underline="always" component={Link} to="/logs?mode=test&success=false">
            Open the log
          </Anchor>
        </Text>
      )}
      {failed
        .slice(0, maxChoices)
        .map(({ entityid, log_key: logKey }) => (logKey === null ? null : <Choices key={entityid} logKey={logKey} />))}
      {passed?.log_key !== undefined && passed.log_key !== null && <PlannedDocument logKey={passed.log_key} />}
    </Stack>
  );
}
