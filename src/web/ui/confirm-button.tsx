import { useEffect, useState } from 'react';
import { Button } from './button.tsx';
import styles from './confirm-button.module.css';

/** How long the button stays armed (screens reference 1.9). */
export const armedMs = 5_000;

/**
 * A button for what cannot be undone: the first click arms it, the second within five seconds does it. Both labels
 * share one width, so nothing jumps under the pointer.
 */
export function ConfirmButton({
  label,
  armedLabel,
  onConfirm,
  busy = false,
  disabled = false,
  size = 'sm',
}: {
  label: string;
  armedLabel: string;
  onConfirm: () => void;
  busy?: boolean;
  disabled?: boolean;
  /** `xs` fits into a row of a table. */
  size?: 'sm' | 'xs';
}) {
  const [isArmed, setArmed] = useState(false);
  useEffect(() => {
    if (!isArmed) return undefined;
    const timer = setTimeout(() => setArmed(false), armedMs);
    return () => clearTimeout(timer);
  }, [isArmed]);

  const click = () => {
    setArmed(!isArmed);
    if (isArmed) onConfirm();
  };
  return (
    <Button
      size={size}
      variant={isArmed ? 'filled' : 'default'}
      color={isArmed ? 'red' : 'gray'}
      onClick={click}
      onKeyDown={(event) => event.key === 'Escape' && setArmed(false)}
      loading={busy}
      disabled={disabled}
    >
      <span className={styles.labels}>
        <span aria-hidden={isArmed} data-shown={!isArmed}>
          {label}
        </span>
        <span aria-hidden={!isArmed} data-shown={isArmed}>
          {armedLabel}
        </span>
      </span>
    </Button>
  );
}
