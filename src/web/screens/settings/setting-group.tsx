import { Group, Stack, Title } from '@mantine/core';
import { type ReactNode, useId } from 'react';
import { HelpLink } from '../../components/help-link.tsx';
import styles from './settings.module.css';

interface SettingGroupProps {
  anchor?: string;
  title: string;
  help: string;
  children: ReactNode;
}

/** A group of settings with its heading. @param anchor its name in the address @param help address of its article */
export function SettingGroup({ anchor, title, help, children }: SettingGroupProps) {
  const id = useId();
  return (
    <section className={styles.group} id={anchor} aria-labelledby={id}>
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
