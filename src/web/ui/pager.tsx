import { ActionIcon } from '@mantine/core';
import { pagingText } from '../lib/format.ts';
import { Icon } from './icons.tsx';
import styles from './pager.module.css';

/** Under a list: which rows of how many are shown, and the way to the others. Pages count from 1. */
export function Pager({
  page,
  pageSize,
  total,
  onPage,
}: {
  page: number;
  pageSize: number;
  total: number;
  onPage: (page: number) => void;
}) {
  const pages = Math.max(1, Math.ceil(total / pageSize));
  const to = (target: number, icon: 'left' | 'right', label: string) => (
    <ActionIcon
      variant="subtle"
      color="gray"
      aria-label={label}
      disabled={target < 1 || target > pages}
      onClick={() => onPage(target)}
    >
      <Icon name={icon} />
    </ActionIcon>
  );
  return (
    <div className={styles.pager}>
      <span role="status">{pagingText(page, pageSize, total)}</span>
      <nav className={styles.steps} aria-label="Pages">
        {to(page - 1, 'left', 'Previous page')}
        <span className={styles.page}>
          Page {page} of {pages}
        </span>
        {to(page + 1, 'right', 'Next page')}
      </nav>
    </div>
  );
}
