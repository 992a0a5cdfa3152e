import type { ReactNode } from 'react';
import styles from './page.module.css';
import { useTabTitle } from './tab-title.ts';

/**
 * A screen: its title, what can be done with the whole of it, and its content. Names the browser tab too.
 *
 * @param lead one sentence under the title.
 * @param aside stands beside the title, e.g. a badge.
 */
export function Page({
  title,
  lead,
  aside,
  actions,
  children,
}: {
  title: string;
  lead?: ReactNode;
  aside?: ReactNode;
  actions?: ReactNode;
  children: ReactNode;
}) {
  useTabTitle(title);
  return (
    <div className={styles.page}>
      <div className={styles.head}>
        <div className={styles.titleLine}>
          <h1 className={styles.title}>{title}</h1>
          {aside}
        </div>
        {actions !== undefined && <div className={styles.actions}>{actions}</div>}
        {lead !== undefined && <p className={styles.lead}>{lead}</p>}
      </div>
      {children}
    </div>
  );
}

/**
 * A group of things that belong together, with a line around it.
 *
 * @param flush lets the content, e.g. a table, reach the line.
 */
export function Panel({
  title,
  actions,
  flush = false,
  children,
}: {
  title?: string;
  actions?: ReactNode;
  flush?: boolean;
  children: ReactNode;
}) {
  return (
    <section className={styles.panel} aria-label={title}>
      {title !== undefined && (
        <div className={styles.panelHead}>
          <h2 className={styles.panelTitle}>{title}</h2>
          {actions}
        </div>
      )}
      <div className={flush ? styles.flush : styles.panelBody}>{children}</div>
    </section>
  );
}
