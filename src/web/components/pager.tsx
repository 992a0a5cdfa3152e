import { Box, Divider, Group } from '@mantine/core';
import type { ReactNode } from 'react';
import { pagingText } from '../data/format.ts';
import { IconButton } from './icon-button.tsx';
import styles from './pager.module.css';

interface PagerProps {
  page: number;
  pageSize: number;
  total: number;
  /** There are more rows than the total; the pages cover only the counted rows. */
  more?: boolean;
  onPage: (page: number) => void;
  /** Shown beside the pages. */
  children?: ReactNode;
}

/** Shown under a list: the visible rows, the total, and the other pages. Pages count from 1. */
export function Pager({ page, pageSize, total, more = false, onPage, children }: PagerProps) {
  const pages = Math.max(1, Math.ceil(total / pageSize));
  const to = (target: number, icon: 'left' | 'right', label: string) => (
    <IconButton
      label={label}
      icon={icon}
      size={18}
      isDisabled={target < 1 || target > pages}
      onPress={() => onPage(target)}
    />
  );
  return (
    <>
      <Divider />
      <Group gap="4px 8px" mih={45} py={4} pl="md" pr="sm" c="dimmed" fz="sm" className={styles.pager ?? ''}>
        <Box component="span" flex={1} role="status">
          {pagingText(page, pageSize, total, more)}
        </Box>
        <Group component="nav" gap={2} aria-label="Pages">
          {to(page - 1, 'left', 'Previous page')}
          <span className={styles.page}>
            Page {page} of {pages}
          </span>
          {to(page + 1, 'right', 'Next page')}
        </Group>
        {children}
      </Group>
    </>
  );
}
