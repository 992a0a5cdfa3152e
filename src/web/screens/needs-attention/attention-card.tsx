import { Box, Divider, Group, Paper, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { StateIcon } from '../../components/badge.tsx';
import type { DocumentState } from '../../components/badge.tsx';
import styles from './needs-attention.module.css';

interface AttentionCardProps {
  state: DocumentState;
  title: ReactNode;
  text: ReactNode;
  remedy?: ReactNode;
  buttons?: ReactNode;
  children?: ReactNode;
}

/** A cause with its documents. @param buttons at the end of the card */
export function AttentionCard({ state, title, text, remedy = null, buttons, children }: AttentionCardProps) {
  return (
    <Paper component="article" withBorder radius="md" className={styles.card ?? ''} data-state={state}>
      <Group gap={12} align="flex-start" wrap="nowrap" px="md" pt={12} pb="sm">
        <Box component="span" flex="none" mt={3} display="inline-flex">
          <StateIcon state={state} />
        </Box>
        <Box miw={0} className={styles.text ?? ''}>
          <Title order={2} fw={600} fz={15} lh="22px">
            {title}
          </Title>
          <Text c="soft">{text}</Text>
          {remedy !== null && <Text c="dimmed">{remedy}</Text>}
        </Box>
      </Group>
      {children}
      {buttons !== undefined && buttons !== false && (
        <>
          <Divider />
          <Group gap="sm" justify="flex-end" px="md" py="sm">
            {buttons}
          </Group>
        </>
      )}
    </Paper>
  );
}
