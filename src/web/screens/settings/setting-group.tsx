import { Group, Stack, Title } from '@mantine/core';
import { type ReactNode, useId } from 'react';
import { HelpLink } from '../../components/help-link.tsx';
import styles from './settings.module.css';

/** A group of settings with its heading. @param help address of its article */
export function SettingGroup({ title, help, children }: { title: string; help: string; children: ReactNode }) {
  const id = useId();
  return (
    <section className={styles.group} aria-labelledby={id}>
      <Group gap={6} style={{ alignSelf: 'start' }}>
        <Title order={2} fw={600} fz="md" lh="md" id={id}>
          {title}
        </Title>
        <HelpLink to={help} titleId={id} />
      </Group>
      <Stack gap="md" miw={0}>
        {children}
      </Stack>
    </section>
  );
}
