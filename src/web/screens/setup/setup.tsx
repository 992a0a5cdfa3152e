import { Accordion, Button, Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { saveGuide } from '#contract/calls/subscription.ts';
import type { Subscription } from '#contract/subscription.ts';
import { useEnvironment } from '../../data/environment.ts';
import { jobsQuery, subscriptionQuery, useAction } from '../../data/queries.ts';
import { Link, useNavigate, useSearchParams } from 'react-router';
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
import { ConnectButton } from '../connections/connect-button.tsx';
import { reviewKey } from '../runs/open-run.ts';
import { useReviews } from '../sync/use-reviews.tsx';
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

/**
 * The way of a new client to the first posted document, in five steps. One step is open, the others are one line. The
 * review of the tests replaces them; posting leads to the last step.
 */
export function Component() {
  const [, setQuery] = useSearchParams();
  const { page } = useReviews((ids) => setQuery(paramsOf(postedKey, ids), { replace: true }));
  return page || <Setup />;
}

function Setup() {
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

/** Parameters of the address: the ids of the tests and of the posting jobs that the user started here. */
const testKey = 'test';
const postedKey = 'posted';

const paramsOf = (key: string, ids: readonly string[]) => new URLSearchParams(ids.map((id) => [key, id]));

function Steps({ subscription, progress }: { subscription: Subscription; progress: SetupProgress }) {
  const [query] = useSearchParams();
  // Finishing a step does not close it; its button does.
  const [open, setOpen] = useState<SetupStep>(
    query.has(postedKey) ? 'go-live' : query.has(testKey) ? 'test' : (nextStep(progress) ?? 'go-live'),
  );
  const advance = () => setOpen(setupSteps[setupSteps.indexOf(open) + 1] ?? open);
  const isReadOnly = useReadOnly();
  const summaries = useSummaries(progress);
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
                  <Content step={step} subscription={subscription} isDone={isDone} onDone={advance} />
                </fieldset>
                {next !== undefined && progress.connect && (
                  <Button variant={isDone && step !== 'test' ? 'filled' : 'default'} onClick={() => setOpen(next)}>
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

/** Returns the line of each step: what is done, or what to do. */
function useSummaries(progress: SetupProgress): Readonly<Record<SetupStep, string>> {
  const { psa, accounting } = useEnvironment();
  return {
    connect: progress.connect
      ? `${psa.label} and ${accounting.label} are connected.`
      : `Connect ${psa.label} and ${accounting.label}.`,
    check: progress.check ? 'The settings are complete.' : 'Check the suggested settings.',
    match: progress.match
      ? 'All required records are mapped. The others match by name.'
      : 'Map expense categories to accounts.',
    test: progress.test ? 'A test has passed.' : 'Test without changing either service, then review and post.',
    'go-live': progress['go-live'] ? 'An automatic sync is on.' : 'Turn on automatic syncs, or keep posting by hand.',
  };
}

interface ContentProps {
  step: SetupStep;
  subscription: Subscription;
  isDone: boolean;
  onDone: () => void;
}

/** The content of an open step. @param onDone opens the next one */
function Content({ step, subscription, isDone, onDone }: ContentProps) {
  const [query, setQuery] = useSearchParams();
  const tests = query.getAll(testKey);
  switch (step) {
    case 'connect':
      return <Connect subscription={subscription} />;
    case 'check':
      return <DetectedSettings subscription={subscription} onAccepted={onDone} />;
    case 'match':
      return <MappingSteps subscription={subscription} isDone={isDone} onAccepted={onDone} />;
    case 'test':
      return (
        <TestSyncs
          subscription={subscription}
          tests={tests}
          onTested={(ids) => setQuery(paramsOf(testKey, ids), { replace: true })}
          onReview={(ids) => setQuery([...paramsOf(testKey, tests), ...paramsOf(reviewKey, ids)])}
        />
      );
    case 'go-live':
      return <GoLive subscription={subscription} posted={query.getAll(postedKey)} />;
    default:
      return step satisfies never;
  }
}

/** The state of each connection, one per line, with the button to connect it. */
function Connect({ subscription }: { subscription: Subscription }) {
  return (
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
          {status !== 'active' && <ConnectButton service={service}>{`Connect to ${label}`}</ConnectButton>}
        </Group>
      ))}
    </Stack>
  );
}
