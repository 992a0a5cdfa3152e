import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { saveGuide } from '#contract/calls/subscription.ts';
import type { Subscription } from '#contract/subscription.ts';
import { useEnvironment } from '../../data/environment.ts';
import { jobsQuery, subscriptionQuery, useAction } from '../../data/queries.ts';
import { Link, useNavigate } from 'react-router';
import {
  countDone,
  nextStep,
  setupProgress,
  setupSteps,
  type SetupProgress,
  type SetupStep,
} from '../../data/setup-steps.ts';
import { Icon } from '../../components/icons.tsx';
import { Notice } from '../../components/notice.tsx';
import { Page, Panel } from '../../components/page.tsx';
import { FailedState, Skeleton } from '../../components/states.tsx';
import { ConnectionStates } from '../overview/connection-states.tsx';
import { DetectedSettings } from './detected-settings.tsx';
import { GoLive } from './go-live.tsx';
import { MappingSteps } from './mapping-steps.tsx';
import styles from './setup.module.css';
import { TestSyncs } from './test-syncs.tsx';

const titles: Readonly<Record<SetupStep, string>> = {
  connect: 'Connect',
  check: 'Check',
  match: 'Match',
  test: 'Test',
  'go-live': 'Go live',
};

/** The way of a new client to the first live sync, in five steps. One step is open, the others are one line. */
export function Component() {
  const subscription = useQuery(subscriptionQuery());
  const jobs = useQuery(jobsQuery());
  const navigate = useNavigate();
  const close = useAction(saveGuide, { changes: ['subscription'], onSuccess: () => navigate('/my') });
  const { data } = subscription;
  const isKnown = data !== undefined && data !== null && (jobs.data !== undefined || jobs.isError);
  const progress = isKnown ? setupProgress(data, jobs.data) : null;
  return (
    <Page
      title="Setup"
      lead={
        progress === null ? (
          <Skeleton width={220} />
        ) : (
          `${countDone(progress)} of ${setupSteps.length} steps done. You can leave and continue later.`
        )
      }
      actions={
        <Button
          variant="default"
          loading={close.isPending}
          disabled={!isKnown}
          onClick={() => close.mutate({ body: { guide: 'closed' } })}
        >
          Close the setup
        </Button>
      }
    >
      {subscription.isError && data === undefined ? (
        <Panel>
          <FailedState
            what="Your subscription"
            error={subscription.error}
            onRetry={() => void subscription.refetch()}
          />
        </Panel>
      ) : data === null ? (
        <Notice tone="warning">You do not have a current subscription.</Notice>
      ) : progress === null || data === undefined ? (
        <Panel>
          <Skeleton width="100%" height={320} />
        </Panel>
      ) : (
        <Steps subscription={data} progress={progress} />
      )}
    </Page>
  );
}

function Steps({ subscription, progress }: { subscription: Subscription; progress: SetupProgress }) {
  // Finishing a step does not close it; the user continues.
  const [open, setOpen] = useState<SetupStep>(nextStep(progress) ?? 'go-live');
  const { psa, accounting } = useEnvironment();
  const summaries: Readonly<Record<SetupStep, string>> = {
    connect: progress.connect
      ? `${psa.label} and ${accounting.label} are connected.`
      : `Connect ${psa.label} and ${accounting.label}.`,
    check: progress.check ? 'The settings are complete.' : 'Check the suggested settings.',
    match: progress.match
      ? 'All required records are mapped. The others match by name.'
      : 'Map expense categories to accounts.',
    test: progress.test ? 'A test has passed.' : 'Test without changing either service.',
    'go-live': progress['go-live'] ? 'An automatic sync is on.' : 'Turn on automatic syncs.',
  };
  const contents: Readonly<Record<SetupStep, () => ReactNode>> = {
    connect: () => <Connect subscription={subscription} isDone={progress.connect} />,
    check: () => <DetectedSettings subscription={subscription} />,
    match: () => <MappingSteps subscription={subscription} />,
    test: () => <TestSyncs subscription={subscription} />,
    'go-live': () => <GoLive subscription={subscription} />,
  };
  return (
    <ol className={styles.steps}>
      {setupSteps.map((step, index) => {
        const next = setupSteps[index + 1];
        const isOpen = step === open;
        // All other steps need both connections.
        const isLocked = step !== 'connect' && !progress.connect;
        return (
          <li key={step} className={styles.step} data-open={isOpen}>
            <h2 className={styles.stepHead}>
              <button type="button" aria-expanded={isOpen} disabled={isLocked} onClick={() => setOpen(step)}>
                <span className={styles.number} data-done={progress[step]}>
                  {progress[step] ? <Icon name="check" size={14} /> : index + 1}
                </span>
                <span className={styles.stepTitle}>{titles[step]}</span>
                <span className={styles.summary}>{summaries[step]}</span>
                <span className={styles.stateText} data-done={progress[step]}>
                  {progress[step] ? 'Done' : 'Not done'}
                </span>
              </button>
            </h2>
            {isOpen && (
              <div className={styles.body}>
                {contents[step]()}
                {next !== undefined && progress.connect && (
                  <div>
                    <Button variant={progress[step] ? 'filled' : 'default'} onClick={() => setOpen(next)}>
                      Continue to {titles[next]}
                    </Button>
                  </div>
                )}
                {next === undefined && progress['go-live'] && (
                  <div>
                    <Button component={Link} to="/my">
                      Open Overview
                    </Button>
                  </div>
                )}
              </div>
            )}
          </li>
        );
      })}
    </ol>
  );
}

function Connect({ subscription, isDone }: { subscription: Subscription; isDone: boolean }) {
  return (
    <section className={styles.section} aria-label="Connect">
      <ConnectionStates subscription={subscription} />
      {!isDone && (
        <div>
          <Button component={Link} to="/connections">
            Open Connections
          </Button>
        </div>
      )}
    </section>
  );
}
