import { Box, Group, Paper, Stack, Title } from '@mantine/core';
import { type ComponentProps, type ReactNode, useId } from 'react';
import { useLocation } from 'react-router';
import { screenHelp } from '../data/help.ts';
import { HelpLink } from './help-link.tsx';
import { FailedState } from './states.tsx';
import styles from './page.module.css';
import { useTabTitle } from './tab-title.ts';

interface PageProps {
  title: string;
  lead?: ReactNode;
  aside?: ReactNode;
  actions?: ReactNode;
  children: ReactNode;
}

/**
 * A screen: its title with a link to its article, the actions for the whole screen, and its content. Also sets the title of the browser tab.
 *
 * @param lead one sentence under the title.
 * @param aside shown next to the title, e.g. a badge.
 */
export function Page({ title, lead, aside, actions, children }: PageProps) {
  useTabTitle(title);
  const titleId = useId();
  const { pathname } = useLocation();
  return (
    <Stack gap="lg">
      <div className={styles.head}>
        <Group gap={10} mih={34}>
          <h1 className={styles.title} id={titleId}>
            {title}
          </h1>
          <HelpLink to={screenHelp(pathname)} titleId={titleId} />
          {aside}
        </Group>
        {actions !== undefined && (
          <Group gap="sm" className={styles.actions ?? ''}>
            {actions}
          </Group>
        )}
        {lead !== undefined && <p className={styles.lead}>{lead}</p>}
      </div>
      {children}
    </Stack>
  );
}

interface PanelProps {
  title?: string;
  actions?: ReactNode;
  flush?: boolean;
  children: ReactNode;
}

/**
 * A bordered group of related content.
 *
 * @param flush removes the padding, e.g. for a table.
 */
export function Panel({ title, actions, flush = false, children }: PanelProps) {
  return (
    <Paper component="section" withBorder radius="md" miw={0} aria-label={title}>
      {title !== undefined && (
        <Group
          gap={12}
          justify="space-between"
          wrap="nowrap"
          mih={44}
          px="md"
          py={4}
          className={styles.panelHead ?? ''}
        >
          <Title order={2} fz="md" fw={600} lh="20px">
            {title}
          </Title>
          {actions}
        </Group>
      )}
      {flush ? <div className={styles.flush}>{children}</div> : <Box p="md">{children}</Box>}
    </Paper>
  );
}

/** A {@link FailedState} instead of the content of a screen. */
export const FailedPanel = (props: ComponentProps<typeof FailedState>) => (
  <Panel>
    <FailedState {...props} />
  </Panel>
);

/** The buttons of a panel, and a text before them. They stay visible while the panel scrolls. */
export const PanelFoot = ({ children }: { children: ReactNode }) => <div className={styles.foot}>{children}</div>;

/** A list with a line between its items. */
export const Rows = ({ className = '', children, ...rest }: ComponentProps<'ul'>) => (
  <ul className={`${styles.rows} ${className}`} {...rest}>
    {children}
  </ul>
);

/** Columns of the same width, one below the other where they would be narrower than `min` pixels. */
export const Columns = ({ min, children }: { min: number; children: ReactNode }) => (
  <div className={styles.columns} style={{ '--min': `${min}px` } as Record<string, string>}>
    {children}
  </div>
);

/** Filters above a list. @param columns their grid columns on a desktop */
export const FilterBar = ({ label, columns, children }: { label: string; columns: string; children: ReactNode }) => (
  <search className={styles.filters} style={{ '--columns': columns } as Record<string, string>} aria-label={label}>
    {children}
  </search>
);
