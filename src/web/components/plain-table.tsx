import type { ReactNode } from 'react';
import styles from './plain-table.module.css';

/** The head of a column, or of one with numbers. Empty: a cell without a head. False: no column. */
type Head = string | false | { readonly end: string; readonly className?: string | undefined };

interface PlainTableProps {
  label?: string;
  heads: readonly Head[];
  numeric?: boolean;
  className?: string | undefined;
  children: ReactNode;
}

/**
 * A short table without sorting and selection. It scrolls in its own frame.
 *
 * @param label name of the frame, which a keyboard can then scroll
 * @param numeric all columns after the first contain numbers
 */
export function PlainTable({ label, heads, numeric = false, className = '', children }: PlainTableProps) {
  const region = label === undefined ? {} : { tabIndex: 0, role: 'region', 'aria-label': label };
  return (
    <div className={styles.frame} {...region}>
      <table className={`${styles.table} ${className}`} data-numeric={numeric || undefined}>
        <thead>
          <tr>{heads.map(columnHead)}</tr>
        </thead>
        {children}
      </table>
    </div>
  );
}

function columnHead(head: Head): ReactNode {
  if (head === '') return <td key="" />;
  if (head === false) return null;
  const { end, className } = typeof head === 'string' ? { end: head } : head;
  return (
    <th key={end} scope="col" data-end={typeof head === 'object' || undefined} className={className}>
      {end}
    </th>
  );
}
