import styles from './shell.module.css';
import { shellWords } from './words.ts';

/** A thin line at the top edge while requests run. It waits a moment, so that quick answers do not make it flicker. */
export function BusyLine({ isBusy }: { isBusy: boolean }) {
  return (
    <div className={styles.busy} data-busy={isBusy} role="status">
      {isBusy && <span className={styles.hidden}>{shellWords.working}</span>}
    </div>
  );
}
