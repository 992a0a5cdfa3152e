import { Stack, Title } from '@mantine/core';
import { type ReactNode, useId } from 'react';
import styles from './settings.module.css';

/** A group of settings with its heading. */
export function SettingGroup({ title, children }: { title: string; children: ReactNode }) {
  const id = useId();
  return (
    <section className={styles.group} aria-labelledby={id}>
      <Title order={2} fw={600} fz="md" lh="md" id={id}>
        {title}
      </Title>
      <Stack gap="md" miw={0}>
        {children}
      </Stack>
    </section>
  );
}
