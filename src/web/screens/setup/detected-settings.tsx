import { Box, Button, Group, Text, VisuallyHidden } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import { saveSettings } from '#contract/calls/settings.ts';
import type { Subscription } from '#contract/subscription.ts';
import { savedMs, showSuccess } from '../../components/flash.ts';
import { Icon } from '../../components/icons.tsx';
import { undoOf } from '../../data/edits.ts';
import { useAction } from '../../data/queries.ts';
import { detectedQuery } from '../../data/setup-queries.ts';
import { readinessOf } from '../../data/subscription.ts';
import { Rows } from '../../components/page.tsx';
import { FailedState, Skeleton } from '../../components/states.tsx';
import { Section } from './section.tsx';
import { Dim } from '../../components/note.tsx';

/**
 * Facts read from both services, the settings they suggest, and a button to accept these settings.
 *
 * @param onAccepted is called after the settings are saved
 */
export function DetectedSettings({ subscription, onAccepted }: { subscription: Subscription; onAccepted: () => void }) {
  const detected = useQuery(detectedQuery());
  const { settingsOk } = readinessOf(subscription);
  const undo = useAction(saveSettings, {
    onSuccess: () => showSuccess('Your settings are back.', savedMs),
    changes: ['settings', 'subscription'],
  });
  const save = useAction(saveSettings, {
    onSuccess: ({ settings }, { body }) => {
      showSuccess('Saved changes.', savedMs, () => undo.mutate({ body: undoOf(body, settings) }));
      onAccepted();
    },
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
                <Box component="span" display="inline-flex" c={proposal === null ? 'ok' : 'accent'} pt={2}>
                  <Icon name={proposal === null ? 'check' : 'arrow'} />
                  <VisuallyHidden>{proposal === null ? 'Accepted' : 'Suggested'}</VisuallyHidden>
                </Box>
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
            Accept and continue
          </Button>
        )}
        {proposals.length === 0 && settingsOk && <Text c="ok">These settings are accepted.</Text>}
        <Link to="/settings">Open Settings</Link>
      </Group>
    </Section>
  );
}
