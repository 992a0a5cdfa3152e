import { Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';

/** A text and a small second line, for a cell of a table. */
export const TwoLines = ({ children, note = null }: { children: ReactNode; note?: ReactNode }) => (
  <Stack component="span" gap={0} miw={0} style={{ overflowWrap: 'anywhere' }}>
    <span>{children}</span>
    {note !== null && (
      <Text component="small" c="dimmed" size="xs">
        {note}
      </Text>
    )}
  </Stack>
);
