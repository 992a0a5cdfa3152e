import { Stack, Title } from '@mantine/core';
import { type ReactNode, useId } from 'react';

/** A titled part of a setup step. */
export function Section({ title, children }: { title: ReactNode; children: ReactNode }) {
  const id = useId();
  return (
    <Stack component="section" gap={12} w="100%" aria-labelledby={id}>
      <Title order={3} fw={600} fz="md" lh="md" id={id}>
        {title}
      </Title>
      {children}
    </Stack>
  );
}
