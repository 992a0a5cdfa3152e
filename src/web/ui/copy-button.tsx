import { useEffect, useState } from 'react';
import { Icon } from './icons.tsx';
import styles from './copy-button.module.css';

const copiedMs = 2_000;

/** Copies a text to the clipboard and confirms it for a moment. @param buttonLabel the label of the button */
export function CopyButton({
  text,
  label,
  buttonLabel = 'Copy',
}: {
  text: string;
  label: string;
  buttonLabel?: string;
}) {
  const [isDone, setDone] = useState(false);
  useEffect(() => {
    if (!isDone) return undefined;
    const timer = setTimeout(() => setDone(false), copiedMs);
    return () => clearTimeout(timer);
  }, [isDone]);
  return (
    <button
      type="button"
      className={styles.copy}
      aria-label={isDone ? 'Copied' : label}
      onClick={() => void navigator.clipboard.writeText(text).then(() => setDone(true))}
    >
      {isDone && <Icon name="check" size={14} />}
      {isDone ? 'Copied' : buttonLabel}
    </button>
  );
}
