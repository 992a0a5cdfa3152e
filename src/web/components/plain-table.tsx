import type { ReactNode } from 'react';
import styles from './plain-table.module.css';

/**
 * A short table without sorting and selection. It scrolls in its own frame.
 *
 * @param label name of the frame, which a keyboard can then scroll
 * @param numeric all columns after the first contain numbers
 */
export function PlainTable({
  label,
  numeric = false,
  className = '',
  children,
}: {
  label?: string;
  numeric?: boolean;
  className?: string | undefined;
  children: ReactNode;
}) {
  const region = label === undefined ? {} : { tabIndex: 0, role: 'region', 'aria-label': label };
  return (
    <div className={styles.frame} {...region}>
      <table className={`${styles.table} ${className}`} data-numeric={numeric || undefined}>
        {children}
      </table>
    </div>
  );
}
