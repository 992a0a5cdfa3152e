import { useEffect, useRef } from 'react';
import styles from './tick-box.module.css';

/**
 * A box without a text beside it. One element, where the library's checkbox is five: a list has one on every row, and
 * each is made anew with every page.
 *
 * @param label names it for screen readers.
 * @param isHalf some of what it stands for is chosen; shown as long as it is not ticked.
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
  // There is no attribute for it.
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
