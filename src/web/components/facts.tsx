import type { ReactNode } from 'react';
import styles from './facts.module.css';

/** Names (`dt`) and their values (`dd`), one below the other. */
export const Facts = ({ children }: { children: ReactNode }) => <dl className={styles.facts}>{children}</dl>;
