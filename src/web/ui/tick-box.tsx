import { useEffect, useRef } from 'react';
import styles from './tick-box.module.css';

/**
 * A checkbox without a visible label. It renders one element instead of the library's five, because lists have one on
 * every row.
 *
 * @param label names it for screen readers.
 * @param isHalf some of its rows are selected; shown while it is not checked.
 */
export function TickBox({
  label,
  isTicked,
  isHalf = false,
  isDisabled,
  onTick,
}: {
  label: string;
  isTicked: boolean;
  isHalf?: boolean;
  isDisabled: boolean;
  onTick: () => void;
}) {
  const box = useRef<HTMLInputElement>(null);
  // HTML has no attribute for this state.
  useEffect(() => {
    if (box.current !== null) box.current.indeterminate = isHalf && !isTicked;
  }, [isHalf, isTicked]);
  return (
    <input
      ref={box}
      type="checkbox"
      className={styles.box}
      aria-label={label}
      checked={isTicked}
      disabled={isDisabled}
      onChange={onTick}
    />
  );
}
