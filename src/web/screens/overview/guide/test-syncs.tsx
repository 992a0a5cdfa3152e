import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from '../../../lib/router.tsx';
import type { JobReply } from '#contract/jobs.ts';
import type { Subscription } from '#contract/subscription.ts';
import { submitAll } from '#contract/sync.ts';
import { kinds, submittableKinds, type SubmittableKind } from '#core/kinds.ts';
import { comesWhenDrawn } from '../../../lib/later.tsx';
import { noteJob, useFollowedJob } from '../../../lib/follow-job.ts';
import { isWhole } from '../../../lib/job-list.ts';
import { jobsQuery, useAction } from '../../../lib/queries.ts';
import { logQuery } from '../../../lib/screen-queries.ts';
import { readinessOf } from '../../../lib/subscription.ts';
import { inLibrary } from '../../../ui/in-library.tsx';
import { ModeBadge } from '../../../ui/badge.tsx';
import styles from './guide.module.css';
import { WouldMake } from './would-make.tsx';
import { tryWords } from './words.ts';
import { Button } from '../../../ui/button.tsx';

/** A test sync of each kind side by side, with the document that it would make. */
export function TestSyncs({ subscription }: { subscription: Subscription }) {
  const { settingsOk } = readinessOf(subscription);
  return (
    <section className={styles.section} aria-labelledby="guide-tests">
      <h3 className={styles.title} id="guide-tests">
        {tryWords.title} <ModeBadge mode="test" />
      </h3>
      <p className={styles.dim}>{tryWords.lead}</p>
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
      noteJob(job);
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
        {tryWords.button}
      </Button>
      {started !== null && <TestResult key={started.id} started={started} />}
    </div>
  );
}

// Few test syncs need it, and the Overview loads without the library of its fields.
const MappingChoices = comesWhenDrawn(
  inLibrary(async () => (await import('../../needs-attention/mapping-choices.tsx')).MappingChoices),
);

/** Refused documents whose choices are shown. */
const maxChoices = 5;

/** The choices of a refused document, if it has any. */
function Choices({ logKey }: { logKey: string }) {
  const { data } = useQuery(logQuery(logKey));
  return data === undefined ? null : <MappingChoices problems={data.problems} />;
}

/** How the test went: the first document that would fail, and the first that would be created. */
function TestResult({ started }: { started: JobReply }) {
  const known = useQuery(jobsQuery()).data?.find(({ id }) => id === started.id) ?? started;
  useFollowedJob(known);
  if (!isWhole(known)) return <p className={styles.dim}>{tryWords.testing}</p>;
  if (known.total === 0 || known.status === 'failed')
    return <p className={styles.dim}>{known.message ?? tryWords.nothing}</p>;
  const passed = known.results.find(({ outcome }) => outcome === 'succeeded');
  const failed = known.results.filter(({ outcome }) => outcome === 'failed');
  const [refused] = failed;
  return (
    <div className={styles.result} role="status">
      <p>{tryWords.wouldPass(known.succeeded, known.total ?? known.done)}</p>
      {refused !== undefined && (
        <p className={styles.refused}>
          {refused.entityid}: {refused.message} <Link to="/logs?mode=test&success=false">{tryWords.log}</Link>
        </p>
      )}
      {failed
        .slice(0, maxChoices)
        .map(({ entityid, log_key: logKey }) => (logKey === null ? null : <Choices key={entityid} logKey={logKey} />))}
      {passed?.log_key !== undefined && passed.log_key !== null && <WouldMake logKey={passed.log_key} />}
    </div>
  );
}
