import { Button } from '@mantine/core';
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
import styles from './setup.module.css';
import { PlannedDocument } from './planned-document.tsx';
import { formatCount, countOf } from '../../data/format.ts';

/** Test syncs of all kinds side by side, each with the document it would create. */
export function TestSyncs({ subscription }: { subscription: Subscription }) {
  const { settingsOk } = readinessOf(subscription);
  return (
    <section className={styles.section} aria-labelledby="guide-tests">
      <h3 className={styles.title} id="guide-tests">
        Test syncs <ModeBadge mode="test" />
      </h3>
      <p className={styles.dim}>A test changes nothing in either service.</p>
      <div className={styles.columns}>
        {submittableKinds.map((kind) => (
          <TestSync
            key={kind}
            kind={kind}
            isReady={settingsOk}
            missing={subscription.kinds.find((one) => one.kind === kind)?.missing ?? []}
          />
        ))}
      </div>
    </section>
  );
}

function TestSync({
  kind,
  isReady,
  missing,
}: {
  kind: SubmittableKind;
  isReady: boolean;
  missing: Subscription['kinds'][number]['missing'];
}) {
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
    <div className={styles.column}>
      <h4 className={styles.columnTitle}>{plural}</h4>
      {missing.length > 0 && (
        <ul className={styles.missing}>
          {missing.map(({ text, path }) => (
            <li key={text}>
              <Link to={path}>{text}</Link>
            </li>
          ))}
        </ul>
      )}
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
    </div>
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
  if (!isWhole(known)) return <p className={styles.dim}>Testing…</p>;
  if (known.total === 0 || known.status === 'failed')
    return <p className={styles.dim}>{known.message ?? 'No documents are waiting to be synced.'}</p>;
  const passed = known.results.find(({ outcome }) => outcome === 'succeeded');
  const failed = known.results.filter(({ outcome }) => outcome === 'failed');
  const [firstFailed] = failed;
  return (
    <div className={styles.result} role="status">
      <p>
        {formatCount(known.succeeded)} of {countOf(known.total ?? known.done, 'document')} would pass.
      </p>
      {firstFailed !== undefined && (
        <p className={styles.failed}>
          {firstFailed.entityid}: {firstFailed.message} <Link to="/logs?mode=test&success=false">Open the log</Link>
        </p>
      )}
      {failed
        .slice(0, maxChoices)
        .map(({ entityid, log_key: logKey }) => (logKey === null ? null : <Choices key={entityid} logKey={logKey} />))}
      {passed?.log_key !== undefined && passed.log_key !== null && <PlannedDocument logKey={passed.log_key} />}
    </div>
  );
}
