import { Box, Group } from '@mantine/core';
import type { ReactNode } from 'react';
import { Icon, type IconName } from './icons.tsx';
import styles from './notice.module.css';

export type NoticeTone = 'info' | 'ok' | 'warning' | 'bad' | 'test';

const icons: Record<NoticeTone, IconName> = {
  info: 'info',
  ok: 'check',
  warning: 'warning',
  bad: 'warning',
  test: 'info',
};

/**
 * A message that stays on the page, with an icon and an optional action at its end.
 *
 * @param role `alert` if it appears in response to an action of the user.
 */
export function Notice({
  tone,
  children,
  action,
  role,
}: {
  tone: NoticeTone;
  children: ReactNode;
  action?: ReactNode;
  role?: 'alert' | 'status';
}) {
  return (
    <div className={styles.notice} data-tone={tone} role={role}>
      <Group gap={10} align="stretch" wrap="nowrap" flex="1 1 260px" miw={0}>
        <Group component="span" gap={0} align="stretch" wrap="nowrap" display="inline-flex" pt={1}>
          <Icon name={icons[tone]} />
        </Group>
        <Box flex={1} miw={0} style={{ overflowWrap: 'anywhere' }}>
          {children}
        </Box>
      </Group>
      {action !== undefined && action !== null && action !== false && <Box ml="auto">{action}</Box>}
    </div>
  );
}
