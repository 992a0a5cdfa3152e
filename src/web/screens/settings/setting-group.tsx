import { type ReactNode, useId } from 'react';
import styles from './settings.module.css';

/** Settings that belong together, beside their heading; under it where there is no room. */
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
