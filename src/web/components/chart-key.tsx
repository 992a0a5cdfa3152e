import { Group, Text } from '@mantine/core';
import type { ReactNode } from 'react';

interface ChartKeyProps {
  color: string;
  isHatched?: boolean;
  children: ReactNode;
}

/** An entry of a chart's legend. The color is an SVG fill, because forced colors do not change it. */
export const ChartKey = ({ color, isHatched = false, children }: ChartKeyProps) => (
  <Group component="span" gap="sm" wrap="nowrap">
    <svg width={10} height={10} aria-hidden="true">
      <rect width={10} height={10} rx={2} fill={color} fillOpacity={isHatched ? 0.1 : 1} stroke={color} />
      {isHatched && <path d="M0 5 5 0M0 10 10 0M5 10 10 5" stroke={color} />}
    </svg>
    <Text span c="soft" size="xs" truncate>
      {children}
    </Text>
  </Group>
);
