import { Box, Group, Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import { Icon } from './icons.tsx';
import styles from './action-bar.module.css';

interface PartsProps {
  isStale?: boolean;
  label?: string;
  children: ReactNode;
}

/** The parts of a screen. They are gray while their data is out of date, and break across pages on paper. */
export const Parts = ({ isStale = false, label, children }: PartsProps) => (
  <Stack component="section" gap="md" miw={0} className={styles.run ?? ''} data-stale={isStale} aria-label={label}>
    {children}
  </Stack>
);

/** The buttons for the whole screen, which stay visible. The last one is the most important. */
export const ActionBar = ({ children }: { children: ReactNode }) => <div className={styles.bar}>{children}</div>;

/** A warning in a list. @param aside shown after the text */
export const WarningRow = ({ children, aside }: { children: ReactNode; aside?: ReactNode }) => (
  <Group component="li" gap={12} wrap="nowrap" px="md" py={8} fz="sm">
    <Box component="span" display="inline-flex" c="held">
      <Icon name="warning" size={16} />
    </Box>
    <Box component="span" flex={1} miw={0}>
      {children}
    </Box>
    {aside}
  </Group>
);
