import { Group, Loader, Paper } from '@mantine/core';
import styles from './shell.module.css';

/** A floating spinner while requests run. It appears after 300 ms, so that it does not flicker. */
export function BusyWidget({ isBusy }: { isBusy: boolean }) {
  return (
    <Paper radius="xl" shadow="md" withBorder className={styles.busy ?? ''} data-busy={isBusy} role="status">
      <Group gap="sm" px={12} py={6} fz="sm" c="dimmed">
        {isBusy && (
          <>
            <Loader size={14} />
            Working…
          </>
        )}
      </Group>
    </Paper>
  );
}
