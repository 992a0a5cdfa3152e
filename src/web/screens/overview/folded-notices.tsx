import { type ReactNode, useId, useLayoutEffect, useRef, useState } from 'react';
import { Icon } from '../../components/icons.tsx';
import { countOf } from '../../data/format.ts';
import styles from './overview.module.css';

/** Notices side by side. A phone folds two or more into one line, which opens them. */
export function FoldedNotices({ children }: { children: ReactNode }) {
  const [isOpen, setOpen] = useState(false);
  const { box, count } = useShownCount();
  const id = useId();
  return (
    <div className={styles.fold} data-open={isOpen}>
      <div className={styles.notices} id={id} ref={box}>
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
        <span className={styles.foldText}>
          {isOpen ? 'Hide' : 'Show'} {countOf(count, 'notice')}
        </span>
        <Icon name={isOpen ? 'up' : 'down'} size={14} />
      </button>
    </div>
  );
}

/** Returns the number of notices in a box. Each notice decides itself whether it is shown, so the page is counted. */
function useShownCount() {
  const box = useRef<HTMLDivElement>(null);
  const [count, setCount] = useState(0);
  useLayoutEffect(() => {
    const { current } = box;
    if (current === null) return undefined;
    const update = () => setCount(current.childElementCount);
    update();
    const observer = new MutationObserver(update);
    observer.observe(current, { childList: true });
    return () => observer.disconnect();
  }, []);
  return { box, count };
}
