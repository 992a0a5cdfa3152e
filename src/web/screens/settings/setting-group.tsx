import { type ReactNode, useId } from 'react';
import styles from './settings.module.css';

/** A group of settings with its heading. */
export function SettingGroup({ title, children }: { title: string; children: ReactNode }) {
  const id = useId();
  return (
    <section className={styles.group} aria-labelledby={id}>
      <h2 className={styles.legend} id={id}>
        {title}
      </h2>
      <div className={styles.fields}>{children}</div>
    </section>
  );
}
