import { useQuery } from '@tanstack/react-query';
import { type KeyboardEvent, useId, useState } from 'react';
import { useNavigate } from 'react-router';
import type { Role } from '#core/roles.ts';
import { subscriptionQuery } from '../lib/queries.ts';
import { readinessOf } from '../lib/subscription.ts';
import { Icon, type IconName } from '../ui/icons.tsx';
import { Modal } from '../ui/modal.tsx';
import { mayOpen, screens } from './screens.ts';
import styles from './keyboard.module.css';

interface PaletteItem {
  readonly path: string;
  readonly label: string;
  readonly icon: IconName;
}

/** Opens a screen by part of its name, or searches the logs. */
export function CommandPalette({
  roles,
  isOpen,
  onClose,
}: {
  roles: readonly Role[];
  isOpen: boolean;
  onClose: () => void;
}) {
  return (
    <Modal
      opened={isOpen}
      onClose={onClose}
      withCloseButton={false}
      size={520}
      attributes={{ content: { 'aria-label': 'Go to' } }}
      styles={{ body: { padding: 0 } }}
    >
      <Finder roles={roles} onDone={onClose} />
    </Modal>
  );
}

function Finder({ roles, onDone }: { roles: readonly Role[]; onDone: () => void }) {
  const { connectionsOk } = readinessOf(useQuery(subscriptionQuery()).data);
  const [text, setText] = useState('');
  const [chosen, setChosen] = useState(0);
  const navigate = useNavigate();
  const listId = useId();

  const screenItems = screens
    .filter(
      (screen) =>
        screen.group !== null && mayOpen(screen, roles) && (screen.needsConnections !== true || connectionsOk),
    )
    .map(({ paths, label, icon }): PaletteItem => ({ path: paths[0], label, icon }));
  const items = itemsFor(text, screenItems);
  const current = Math.min(chosen, items.length - 1);

  const go = (item: PaletteItem | undefined) => {
    if (item === undefined) return;
    onDone();
    void navigate(item.path);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const offset = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (offset !== undefined && items.length > 0) {
      event.preventDefault();
      setChosen((current + offset + items.length) % items.length);
    }
    if (event.key === 'Enter') go(items[current]);
  };

  return (
    <div className={styles.finder}>
      <div className={styles.query}>
        <Icon name="search" />
        <input
          data-autofocus
          role="combobox"
          aria-label="Go to"
          aria-expanded="true"
          aria-controls={listId}
          aria-activedescendant={items.length > 0 ? `${listId}-${current}` : undefined}
          placeholder="Go to a screen, or search the logs"
          value={text}
          onChange={(event) => {
            setText(event.currentTarget.value);
            setChosen(0);
          }}
          onKeyDown={onKeyDown}
        />
        <kbd>Esc</kbd>
      </div>
      <ul className={styles.goals} id={listId} role="listbox" aria-label="Screens">
        {items.map((item, index) => (
          // The input has the focus and handles the keys.
          // oxlint-disable-next-line jsx-a11y/click-events-have-key-events
          <li
            key={item.path}
            id={`${listId}-${index}`}
            role="option"
            aria-selected={index === current}
            onPointerMove={() => setChosen(index)}
            onClick={() => go(item)}
          >
            <Icon name={item.icon} />
            {item.label}
          </li>
        ))}
        {items.length === 0 && <li className={styles.none}>No matches.</li>}
      </ul>
    </div>
  );
}

function itemsFor(text: string, screenItems: readonly PaletteItem[]): readonly PaletteItem[] {
  const search = text.trim().toLowerCase();
  const matches = screenItems.filter(({ label }) => label.toLowerCase().includes(search));
  const canSearch = search !== '' && screenItems.some(({ path }) => path === '/logs');
  return canSearch
    ? [
        ...matches,
        {
          path: `/logs?q=${encodeURIComponent(text.trim())}`,
          label: `Find “${text.trim()}” in the logs`,
          icon: 'logs',
        },
      ]
    : matches;
}
