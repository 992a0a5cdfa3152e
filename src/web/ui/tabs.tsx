import { type KeyboardEvent, type ReactNode, useEffect, useId, useRef } from 'react';
import { Icon } from './icons.tsx';
import styles from './tabs.module.css';

/** One tab of a screen. */
export interface Tab<Key extends string> {
  readonly key: Key;
  readonly label: string;
  /** Text for screen readers if the tab needs the user's attention. */
  readonly warning?: string | undefined;
}

/**
 * Tabs and the content of the open tab. Arrow keys, Home and End move between tabs.
 *
 * @param label names the tab list.
 */
export function Tabs<Key extends string>({
  label,
  tabs,
  open,
  onOpen,
  children,
}: {
  label: string;
  tabs: readonly Tab<Key>[];
  open: Key;
  onOpen: (key: Key) => void;
  children: ReactNode;
}) {
  const id = useId();
  const row = useRef<HTMLDivElement>(null);
  // On a phone the tab list scrolls: a tab that the URL opens may be out of view.
  useEffect(() => {
    document.getElementById(`${id}-${open}`)?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }, [id, open]);
  const moveFocus = (event: KeyboardEvent, at: number) => {
    const last = tabs.length - 1;
    const next = {
      ArrowRight: at === last ? 0 : at + 1,
      ArrowLeft: at === 0 ? last : at - 1,
      Home: 0,
      End: last,
    }[event.key];
    const target = next === undefined ? undefined : tabs[next];
    if (target === undefined) return;
    event.preventDefault();
    onOpen(target.key);
    row.current?.querySelectorAll<HTMLElement>('[role="tab"]')[next ?? 0]?.focus();
  };
  return (
    <>
      <div className={styles.row} role="tablist" aria-label={label} ref={row}>
        {tabs.map(({ key, label: text, warning }, at) => (
          <button
            key={key}
            type="button"
            role="tab"
            id={`${id}-${key}`}
            className={styles.tab}
            aria-selected={key === open}
            aria-controls={`${id}-panel`}
            tabIndex={key === open ? 0 : -1}
            onClick={() => onOpen(key)}
            onKeyDown={(event) => moveFocus(event, at)}
          >
            {text}
            {warning !== undefined && (
              <span className={styles.warning} role="img" aria-label={warning} title={warning}>
                <Icon name="warning" size={14} />
              </span>
            )}
          </button>
        ))}
      </div>
      <div role="tabpanel" id={`${id}-panel`} aria-labelledby={`${id}-${open}`}>
        {children}
      </div>
    </>
  );
}
