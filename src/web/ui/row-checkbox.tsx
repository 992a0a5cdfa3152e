import { useEffect, useRef } from 'react';
import styles from './row-checkbox.module.css';

/**
 * A checkbox without a visible label. It renders one element instead of the library's five, because lists have one on
 * every row.
 *
 * @param label names it for screen readers.
 * @param isIndeterminate some of its rows are selected; shown while it is not checked.
 */
export function RowCheckbox({
  label,
  isChecked,
  isIndeterminate = false,
  isDisabled,
  onToggle,
}: {
  label: string;
  isChecked: boolean;
  isIndeterminate?: boolean;
  isDisabled: boolean;
  onToggle: () => void;
}) {
  const box = useRef<HTMLInputElement>(null);
  // HTML has no attribute for this state.
  useEffect(() => {
    if (box.current !== null) box.current.indeterminate = isIndeterminate && !isChecked;
  }, [isIndeterminate, isChecked]);
  return (
    <input
      ref={box}
      type="checkbox"
      className={styles.box}
      aria-label={label}
      checked={isChecked}
      disabled={isDisabled}
      onChange={onToggle}
    />
  );
}
