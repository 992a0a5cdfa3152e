import { Box, Button, Group, Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import { Icon, type IconName } from './icons.tsx';
import styles from './states.module.css';

/** The icon of a state, in a frame. */
export const StatePicture = ({ icon, tone }: { icon: IconName; tone?: 'bad' }) => (
  <span className={styles.picture} data-tone={tone}>
    <Icon name={icon} size={22} />
  </span>
);

/** An empty state: a sentence, an icon, and the next action. */
export function EmptyState({ icon, children, action }: { icon: IconName; children: ReactNode; action?: ReactNode }) {
  return (
    <Stack gap={12} align="center" justify="center" mih={200} py="xl" px="md" ta="center">
      <StatePicture icon={icon} />
      <Box component="p" maw="52ch" c="soft">
        {children}
      </Box>
      {action}
    </Stack>
  );
}

/** A failed query. */
export interface Failed {
  readonly error: Error | null;
  readonly refetch: () => unknown;
}

/**
 * Shown when loading failed: what failed, why, and a retry button.
 *
 * @param of the failed query, or several of which one failed
 * @param what e.g. “The log entries”; the sentence continues with “could not be loaded.”
 */
export function FailedState({ what, of }: { what: string; of: Failed | readonly Failed[] }) {
  const queries = [of].flat();
  return (
    <Stack gap={12} align="center" justify="center" mih={200} py="xl" px="md" ta="center" role="alert">
      <StatePicture icon="warning" tone="bad" />
      <Box component="p" maw="52ch" c="soft">
        {what} could not be loaded.
        <Box component="span" display="block" c="dimmed">
          {queries.find(({ error }) => error !== null)?.error?.message}
        </Box>
      </Box>
      <Button
        variant="default"
        onClick={() => queries.forEach(({ refetch }) => void refetch())}
        leftSection={<Icon name="refresh" size={16} />}
      >
        Try again
      </Button>
    </Stack>
  );
}

/** Shown in place of a part of a page that could not be loaded; see {@link FailedState}. */
export const FailedLine = ({ what, of }: { what: string; of: Failed }) => (
  <Group gap="sm" c="red" role="alert">
    <span>
      {what} could not be loaded. {of.error?.message}
    </span>
    <Button size="xs" variant="default" onClick={() => void of.refetch()}>
      Try again
    </Button>
  </Group>
);

/**
 * A gray placeholder for a text that is loading; it has the size of the text.
 *
 * @param width any CSS width.
 */
export function Skeleton({ width, height = 10 }: { width: string | number; height?: number }) {
  return <span className={styles.skeleton} style={{ width, height }} aria-hidden="true" />;
}
