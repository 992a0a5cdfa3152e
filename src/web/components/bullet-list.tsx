import { Box } from '@mantine/core';
import type { ReactNode } from 'react';
import { formatCount } from '../data/format.ts';

/** The first items of a list with bullets, and the number of the others. @param items the content of each item @param total number of items if only the first ones are known */
export const BulletList = ({
  items,
  max,
  total = items.length,
}: {
  items: readonly ReactNode[];
  max: number;
  total?: number;
}) => (
  <Box component="ul" mt="xs" pl="md" style={{ listStyle: 'disc', overflowWrap: 'anywhere' }}>
    {items.slice(0, max).map((item, at) => (
      // oxlint-disable-next-line react/no-array-index-key -- the list is replaced as a whole
      <li key={at}>{item}</li>
    ))}
    {total > max && <li>{`and ${formatCount(total - max)} more`}</li>}
  </Box>
);
