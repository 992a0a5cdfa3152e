import { Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { Icon } from './icons.tsx';
import styles from './figures.module.css';

/** Key figures side by side. @param columns their grid columns on a desktop */
export function Figures({ label, columns, children }: { label?: string; columns: string; children: ReactNode }) {
  return (
    <section aria-label={label} className={styles.section}>
      <dl className={styles.figures} style={{ '--columns': columns } as Record<string, string>}>
        {children}
      </dl>
    </section>
  );
}

const colors = { ok: 'ok', bad: 'red' } as const;

interface FigureProps {
  label: string;
  value: string;
  note: string;
  verdict?: 'ok' | 'bad';
}

/** One figure with its label and a note. @param verdict shows whether the figure is as it must be */
export function Figure({ label, value, note, verdict }: FigureProps) {
  return (
    <div className={styles.figure}>
      <Text component="dt" c="dimmed" size="xs">
        {label}
      </Text>
      <Text component="dd" className={styles.value ?? ''} {...(verdict !== undefined && { c: colors[verdict] })}>
        {verdict !== undefined && <Icon name={verdict === 'ok' ? 'check' : 'warning'} size={18} />}
        {value}
      </Text>
      <Text component="dd" c="dimmed" size="xs">
        {note}
      </Text>
    </div>
  );
}
