import { clearFlash, useFlash } from '../lib/flash.ts';
import { Icon } from '../ui/icons.tsx';
import styles from './shell.module.css';
import { shellWords } from './words.ts';

/** Says what just happened: errors in red until they are dismissed, messages in blue for a moment. Covers, never pushes. */
export function MessageBar() {
  const flash = useFlash();
  return (
    <div className={styles.messages}>
      <div role="alert">{flash?.kind === 'error' && <Bar key={flash.id} {...flash} />}</div>
      <div role="status">{flash?.kind === 'message' && <Bar key={flash.id} {...flash} />}</div>
    </div>
  );
}

function Bar({ kind, text, detail }: { kind: 'error' | 'message'; text: string; detail: string | null }) {
  return (
    <div className={styles.message} data-kind={kind}>
      <Icon name={kind === 'error' ? 'warning' : 'info'} />
      <span className={styles.messageText}>
        {text}
        {detail !== null && <span className={styles.messageDetail}>{detail}</span>}
      </span>
      <button type="button" className={styles.dismiss} aria-label={shellWords.dismiss} onClick={clearFlash}>
        <Icon name="close" size={16} />
      </button>
    </div>
  );
}
