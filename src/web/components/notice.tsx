import { Box, Group } from '@mantine/core';
import type { CSSProperties, ReactNode } from 'react';
import { Icon, type IconName } from './icons.tsx';

export type NoticeTone = 'info' | 'ok' | 'warning' | 'bad' | 'test';

const icons: Record<NoticeTone, IconName> = {
  info: 'info',
  ok: 'check',
  warning: 'warning',
  bad: 'warning',
  test: 'info',
};

/** The colors of a tone; a test is outlined. */
const styleOf = (tone: NoticeTone): CSSProperties => {
  const name = tone === 'warning' ? 'held' : tone;
  return {
    border: `1px ${tone === 'test' ? 'dashed' : 'solid'} var(--tb-${name}-line)`,
    borderRadius: 'var(--tb-radius)',
    background: tone === 'test' ? 'transparent' : `var(--tb-${name}-quiet)`,
    color: `var(--tb-${name}-text)`,
  };
};

interface NoticeProps {
  tone: NoticeTone;
  children: ReactNode;
  action?: ReactNode;
  role?: 'alert' | 'status';
  /** Saves height where several notices are side by side. */
  isCompact?: boolean;
}

/**
 * A message that stays on the page, with an icon and an optional action at its end.
 *
 * @param role `alert` if it appears in response to an action of the user.
 */
export function Notice({ tone, children, action, role, isCompact = false }: NoticeProps) {
  return (
    <Group gap={10} px={12} py={isCompact ? 5 : 9} style={styleOf(tone)} role={role}>
      <Group gap={10} align="stretch" wrap="nowrap" flex={isCompact ? '1 1 150px' : '1 1 260px'} miw={0}>
        <Box component="span" display="inline-flex" pt={1}>
          <Icon name={icons[tone]} />
        </Box>
        <Box flex={1} miw={0} style={{ overflowWrap: 'anywhere' }}>
          {children}
        </Box>
      </Group>
      {action !== undefined && action !== null && action !== false && <Box ml="auto">{action}</Box>}
    </Group>
  );
}
