import { useIsFetching, useIsMutating } from '@tanstack/react-query';
import { useNavigation } from 'react-router';
import styles from './shell.module.css';

/** True while a request runs that somebody waits for; looking for running jobs now and then does not count. */
export function useBusy(): boolean {
  const fetching = useIsFetching({ predicate: ({ queryKey }) => queryKey[2] !== 'jobs' });
  const mutating = useIsMutating();
  const navigation = useNavigation();
  return fetching + mutating > 0 || navigation.state !== 'idle';
}

/** A thin line at the top edge while requests run. It waits a moment, so that quick answers do not make it flicker. */
export function BusyLine() {
  const isBusy = useBusy();
  return (
    <div className={styles.busy} data-busy={isBusy} role="status">
      {isBusy && <span className={styles.hidden}>Working…</span>}
    </div>
  );
}
