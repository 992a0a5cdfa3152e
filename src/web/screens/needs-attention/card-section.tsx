import { Stack, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { countOf } from '../../data/format.ts';
import { Dim } from '../../components/note.tsx';

interface CardSectionProps {
  title: string;
  count: number;
  hint: string;
  children: ReactNode;
}

/** Cards under a heading with the number of their documents. */
export const CardSection = ({ title, count, hint, children }: CardSectionProps) => (
  <Stack component="section" gap={12} mt="sm" aria-label={title}>
    <Title order={2} fw={600} fz="lg" lh={1.5}>
      {title} <Dim>{countOf(count, 'document')}</Dim>
    </Title>
    <Text c="dimmed" mt={-12}>
      {hint}
    </Text>
    {children}
  </Stack>
);
