import { type ReactNode, useId, useState } from 'react';
import { Icon } from '../../components/icons.tsx';
import styles from './overview.module.css';

/** Notices side by side. A phone folds two or more into one line, which opens them. */
export function FoldedNotices({ children }: { children: ReactNode }) {
  const [isOpen, setOpen] = useState(false);
  const id = useId();
  return (
    <div className={styles.fold} data-open={isOpen}>
      <div className={styles.notices} id={id}>
        {children}
      </div>
      <button
        type="button"
        className={styles.foldButton}
        aria-expanded={isOpen}
        aria-controls={id}
        onClick={() => setOpen(!isOpen)}
      >
        <Icon name="info" />
        {/* Each notice decides itself whether it is shown, so the style sheet counts them. */}
        <span className={styles.foldText}>{isOpen ? 'Hide' : 'Show'}</span>
        <Icon name={isOpen ? 'up' : 'down'} size={14} />
      </button>
    </div>
  );
}
