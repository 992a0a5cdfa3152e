import { useSyncExternalStore } from 'react';
import { Icon } from '../components/icons.tsx';
import styles from './shell.module.css';

/** Shows in the header that the browser has no connection. Lists refresh automatically when it returns. */
export function OfflinePill() {
  const isOnline = useSyncExternalStore(subscribe, () => navigator.onLine);
  return (
    <span role="status" className={styles.offline} data-shown={!isOnline}>
      {!isOnline && (
        <>
          <Icon name="unplug" size={16} /> Offline
        </>
      )}
    </span>
  );
}

function subscribe(listener: () => void): () => void {
  const controller = new AbortController();
  for (const name of ['online', 'offline']) window.addEventListener(name, listener, { signal: controller.signal });
  return () => controller.abort();
}
