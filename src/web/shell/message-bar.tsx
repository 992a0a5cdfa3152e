import { dismissFlash, type Flash, useFlashes } from '../lib/flash.ts';
import { Icon } from '../ui/icons.tsx';
import styles from './shell.module.css';

/** Shows errors until they are dismissed, and messages for a limited time. It covers the page and never moves it. */
export function MessageBar() {
  const flashes = useFlashes();
  const barsOf = (kind: Flash['kind']) =>
    flashes.filter((flash) => flash.kind === kind).map((flash) => <Bar key={flash.id} flash={flash} />);
  return (
    <div className={styles.messages}>
      <div role="alert">{barsOf('error')}</div>
      <div role="status">{barsOf('message')}</div>
    </div>
  );
}

function Bar({ flash: { id, kind, text, detail } }: { flash: Flash }) {
  return (
    <div className={styles.message} data-kind={kind}>
      <Icon name={kind === 'error' ? 'warning' : 'info'} />
      <span className={styles.messageText}>
        {text}
        {detail !== null && <span className={styles.messageDetail}>{detail}</span>}
      </span>
      <button type="button" className={styles.dismiss} aria-label="Dismiss" onClick={() => dismissFlash(id)}>
        <Icon name="close" size={16} />
      </button>
    </div>
  );
}
