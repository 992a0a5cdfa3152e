import { Button } from '@mantine/core';
import { useEffect, useId, useLayoutEffect, useRef, useState } from 'react';
import styles from './confirm-button.module.css';

/** How long the button stays armed (screens reference 1.9). */
export const confirmWithinMs = 5_000;

/** A second click within this time is a double click and does not confirm. */
export const doubleClickMs = 600;

/**
 * A button for an action that cannot be undone. The first click arms it, a second click within five seconds confirms. A
 * double click only arms it. Both labels have the same width, so nothing moves under the pointer.
 *
 * @param effect the effect of the second click, in a sentence; shown while the button is armed.
 * @param isIdle there is nothing to do: the button does nothing, but keeps the focus, for example after it did it.
 */
export function ConfirmButton({
  label,
  armedLabel,
  effect,
  onConfirm,
  busy = false,
  disabled = false,
  isIdle = false,
  size = 'sm',
}: {
  label: string;
  armedLabel: string;
  effect?: string;
  onConfirm: () => void;
  busy?: boolean;
  disabled?: boolean;
  isIdle?: boolean;
  /** `xs` fits into a table row. */
  size?: 'sm' | 'xs';
}) {
  const [phase, setPhase] = usePhase();
  const effectId = useId();
  const click = () => {
    if (isIdle) return;
    if (phase === 'idle') setPhase('arming');
    if (phase !== 'armed') return;
    setPhase('idle');
    onConfirm();
  };
  const isArmed = phase !== 'idle';
  const hint = useRef<HTMLSpanElement>(null);
  useLayoutEffect(() => {
    if (isArmed && hint.current !== null) keepOnScreen(hint.current);
  }, [isArmed]);
  return (
    <span className={styles.root}>
      <Button
        size={size}
        variant={isArmed ? 'filled' : 'default'}
        color={isArmed ? 'red' : 'gray'}
        onClick={click}
        onKeyDown={(event) => event.key === 'Escape' && setPhase('idle')}
        loading={busy}
        disabled={disabled}
        {...(isIdle && { 'data-disabled': true })}
        aria-disabled={isIdle || phase === 'arming' || undefined}
        aria-describedby={isArmed && effect !== undefined ? effectId : undefined}
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
      {effect !== undefined && (
        <span ref={hint} id={effectId} role="status" className={styles.effect} data-shown={isArmed}>
          {isArmed && effect}
        </span>
      )}
    </span>
  );
}

/** The button arms after a double click's time, and disarms after a while. */
function usePhase() {
  const [phase, setPhase] = useState<'idle' | 'arming' | 'armed'>('idle');
  useEffect(() => {
    if (phase === 'idle') return undefined;
    const timer =
      phase === 'arming'
        ? setTimeout(() => setPhase('armed'), doubleClickMs)
        : setTimeout(() => setPhase('idle'), confirmWithinMs - doubleClickMs);
    return () => clearTimeout(timer);
  }, [phase]);
  return [phase, setPhase] as const;
}

/** Distance of the hint to the edge of the screen. */
const edgePx = 16;

/** Moves the hint onto the screen where the button is near its edge. */
function keepOnScreen(hint: HTMLElement): void {
  hint.style.translate = '';
  hint.dataset['above'] = 'false';
  const { left, bottom } = hint.getBoundingClientRect();
  if (left < edgePx) hint.style.translate = `${edgePx - left}px`;
  if (bottom > window.innerHeight) hint.dataset['above'] = 'true';
}
