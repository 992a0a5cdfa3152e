import styles from './shell.module.css';

/** A floating spinner while requests run. It appears after 300 ms, so that it does not flicker. */
export function BusyWidget({ isBusy }: { isBusy: boolean }) {
  return (
    <div className={styles.busy} data-busy={isBusy} role="status">
      {isBusy && 'Working…'}
    </div>
  );
}
