import { Group, Text } from '@mantine/core';
import type { ReactNode } from 'react';

/** An entry of a chart's legend. The color is an SVG fill, because forced colors do not change it. */
export const ChartKey = ({ color, children }: { color: string; children: ReactNode }) => (
  <Group component="span" gap="sm" wrap="nowrap">
    <svg width={10} height={10} aria-hidden="true">
      <rect width={10} height={10} rx={2} fill={color} />
    </svg>
    <Text span c="soft" size="xs">
      {children}
    </Text>
  </Group>
);
