import { Box, Button, Group, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import { saveSettings } from '#contract/calls/settings.ts';
import type { Subscription } from '#contract/subscription.ts';
import { showMessage } from '../../components/flash.ts';
import { useAction } from '../../data/queries.ts';
import { detectedQuery } from '../../data/setup-queries.ts';
import { readinessOf } from '../../data/subscription.ts';
import { Rows } from '../../components/page.tsx';
import { FailedState, Skeleton } from '../../components/states.tsx';
import { StepMark } from '../../components/step-mark.tsx';
import { Section } from './section.tsx';
import { Dim } from '../../components/note.tsx';

/** Facts read from both services, the settings they suggest, and a button to accept these settings. */
export function DetectedSettings({ subscription }: { subscription: Subscription }) {
  const detected = useQuery(detectedQuery());
  const { settingsOk } = readinessOf(subscription);
  const save = useAction(saveSettings, {
    onSuccess: () => showMessage('Saved changes.', 3_000),
    changes: ['settings', 'subscription'],
  });
  if (detected.isLoadingError) return <FailedState what="The detected settings" of={detected} />;
  const proposals = (detected.data ?? []).flatMap(({ proposal }) => (proposal === null ? [] : [proposal]));
  const seen = Object.fromEntries(
    Object.entries(subscription.settings).filter(([key]) => proposals.some((one) => one.key === key)),
  );
  return (
    <Section title="Detected settings">
      <Rows>
        {detected.data === undefined
          ? Array.from({ length: 5 }, (_, at) => (
              <Box component="li" key={at} py="sm">
                <Skeleton width={`${92 - at * 6}%`} />
              </Box>
            ))
          : detected.data.map(({ title, says, follows, proposal }) => (
              <Group component="li" key={title} gap="2px 12px" align="flex-start" py="sm">
                <StepMark isDone={proposal === null} />
                <Text span fw={500} w={124}>
                  {title}
                </Text>
                <Text span flex="1 1 240px">
                  {says} <Dim>{follows}</Dim>
                </Text>
              </Group>
            ))}
      </Rows>
      <Group gap={12}>
        {proposals.length > 0 && (
          <Button
            variant={settingsOk ? 'default' : 'filled'}
            loading={save.isPending}
            onClick={() =>
              save.mutate({
                body: {
                  ...Object.fromEntries(proposals.map(({ key, value }) => [key, value])),
                  was: seen,
                },
              })
            }
          >
            Accept these settings
          </Button>
        )}
        {proposals.length === 0 && settingsOk && <Text c="ok">These settings are accepted.</Text>}
        <Link to="/settings">Open Settings</Link>
      </Group>
    </Section>
  );
}
