import { Text } from '@mantine/core';
import type { ReactNode } from 'react';

/** A secondary text within another text. */
export const Dim = ({ children }: { children: ReactNode }) => (
  <Text span inherit c="dimmed" fw={400}>
    {children}
  </Text>
);

/** A small secondary text. */
export const Note = ({ children }: { children: ReactNode }) => (
  <Text span c="dimmed" size="xs">
    {children}
  </Text>
);
