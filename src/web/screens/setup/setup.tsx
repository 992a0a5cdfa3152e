import { Accordion, Button, Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
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
import { StateBadge } from '../../components/badge.tsx';
import { Notice } from '../../components/notice.tsx';
import { FailedPanel, Page, Panel } from '../../components/page.tsx';
import { ReadOnlyNotice } from '../../components/read-only-notice.tsx';
import { useReadOnly } from '../../data/use-read-only.ts';
import { Skeleton } from '../../components/states.tsx';
import { StepMark } from '../../components/step-mark.tsx';
import { RelativeTime } from '../../components/time.tsx';
import { DetectedSettings } from './detected-settings.tsx';
import { GoLive } from './go-live.tsx';
import { MappingSteps } from './mapping-steps.tsx';
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
  const isReadOnly = useReadOnly();
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
          disabled={!isKnown || isReadOnly}
          onClick={() => close.mutate({ body: { guide: 'closed' } })}
        >
          Close the setup
        </Button>
      }
    >
      {subscription.isLoadingError ? (
        <FailedPanel what="Your subscription" of={subscription} />
      ) : data === null ? (
        <Notice tone="warning">You do not have a current subscription.</Notice>
      ) : progress === null || data === undefined ? (
        <Panel>
          <Skeleton width="100%" height={320} />
        </Panel>
      ) : (
        <>
          <ReadOnlyNotice />
          <Steps subscription={data} progress={progress} />
        </>
      )}
    </Page>
  );
}

function Steps({ subscription, progress }: { subscription: Subscription; progress: SetupProgress }) {
  // Finishing a step does not close it; the user continues.
  const [open, setOpen] = useState<SetupStep>(nextStep(progress) ?? 'go-live');
  const { psa, accounting } = useEnvironment();
  const isReadOnly = useReadOnly();
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
  return (
    <Accordion
      order={2}
      variant="contained"
      radius="md"
      disableCollapse
      keepMounted={false}
      transitionDuration={0}
      chevron={null}
      value={open}
      onChange={(value) => setOpen(setupSteps.find((step) => step === value) ?? open)}
    >
      {setupSteps.map((step, index) => {
        const next = setupSteps[index + 1];
        const isDone = progress[step];
        return (
          <Accordion.Item key={step} value={step}>
            <Accordion.Control
              py={8}
              // All other steps need both connections.
              disabled={step !== 'connect' && !progress.connect}
              icon={
                <StepMark isDone={isDone} isOpen={step === open}>
                  {index + 1}
                </StepMark>
              }
            >
              <Group component="span" gap="4px 12px">
                <Text span fw={600} w={88}>
                  {titles[step]}
                </Text>
                <Text span c="dimmed" flex="1 1 200px">
                  {summaries[step]}
                </Text>
                <Text span size="sm" c={isDone ? 'ok' : 'dimmed'}>
                  {isDone ? 'Done' : 'Not done'}
                </Text>
              </Group>
            </Accordion.Control>
            <Accordion.Panel>
              <Stack gap="lg" align="flex-start" pt="xs" pb="sm">
                {/* Turns off all controls of a step; its links still work. */}
                <fieldset disabled={isReadOnly} style={{ display: 'contents' }}>
                  <Content step={step} subscription={subscription} isDone={isDone} />
                </fieldset>
                {next !== undefined && progress.connect && (
                  <Button variant={isDone ? 'filled' : 'default'} onClick={() => setOpen(next)}>
                    Continue to {titles[next]}
                  </Button>
                )}
                {next === undefined && isDone && (
                  <Button component={Link} to="/my">
                    Open Overview
                  </Button>
                )}
              </Stack>
            </Accordion.Panel>
          </Accordion.Item>
        );
      })}
    </Accordion>
  );
}

/** The content of an open step. */
function Content({ step, subscription, isDone }: { step: SetupStep; subscription: Subscription; isDone: boolean }) {
  switch (step) {
    case 'connect':
      return <Connect subscription={subscription} isDone={isDone} />;
    case 'check':
      return <DetectedSettings subscription={subscription} />;
    case 'match':
      return <MappingSteps subscription={subscription} />;
    case 'test':
      return <TestSyncs subscription={subscription} />;
    case 'go-live':
      return <GoLive subscription={subscription} />;
    default:
      return step satisfies never;
  }
}

/** The state of each connection, one per line. */
function Connect({ subscription, isDone }: { subscription: Subscription; isDone: boolean }) {
  return (
    <>
      <Stack component="ul" gap="sm" aria-label="Connections">
        {subscription.connections.map(({ service, label, status, name, problem, connected_at: since }) => (
          <Group component="li" key={service} gap="2px 12px" fz="sm">
            <strong>{label}</strong>
            <StateBadge
              state={status === 'active' ? (problem === null ? 'synced' : 'held') : 'needs_you'}
              label={
                status === 'active' ? (problem === null ? 'Connected' : 'Connected with a warning') : 'Not Connected'
              }
            />
            <Text span c="dimmed" size="sm">
              {problem ?? name}
              {problem === null && since !== null && (
                <>
                  {', since '}
                  <RelativeTime at={since} />
                </>
              )}
            </Text>
          </Group>
        ))}
      </Stack>
      {!isDone && (
        <Button component={Link} to="/connections">
          Open Connections
        </Button>
      )}
    </>
  );
}
