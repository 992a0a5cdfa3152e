import { useEffect, useState } from 'react';
import { Icon } from './icons.tsx';
import styles from './copy-button.module.css';

const thankMs = 2_000;

/** Copies a text to the clipboard and confirms it for a moment. @param word the label of the button */
export function CopyButton({ text, label, word = 'Copy' }: { text: string; label: string; word?: string }) {
  const [isDone, setDone] = useState(false);
  useEffect(() => {
    if (!isDone) return undefined;
    const timer = setTimeout(() => setDone(false), thankMs);
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
      {isDone ? 'Copied' : word}
    </button>
  );
}
