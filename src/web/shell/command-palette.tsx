import { Combobox, TextInput, useCombobox } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { useNavigate } from 'react-router';
import type { Role } from '#core/roles.ts';
import { subscriptionQuery } from '../data/queries.ts';
import { readinessOf } from '../data/subscription.ts';
import { Icon, type IconName } from '../components/icons.tsx';
import { Modal } from '../components/modal.tsx';
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
  const navigate = useNavigate();
  const combobox = useCombobox({ opened: true, onDropdownClose: onDone });
  const { selectFirstOption } = combobox;

  const screenItems = screens
    .filter(
      (screen) =>
        screen.group !== null && mayOpen(screen, roles) && (screen.needsConnections !== true || connectionsOk),
    )
    .map(({ paths, label, icon }): PaletteItem => ({ path: paths[0], label, icon }));
  const items = itemsFor(text, screenItems);
  const first = items[0]?.path;
  // Enter opens the first match.
  useEffect(() => {
    if (first !== undefined) selectFirstOption();
  }, [first, selectFirstOption]);

  return (
    <Combobox
      store={combobox}
      onOptionSubmit={(path) => {
        onDone();
        void navigate(path);
      }}
    >
      <Combobox.EventsTarget withExpandedAttribute>
        <TextInput
          data-autofocus
          aria-label="Go to"
          placeholder="Go to a screen, or search the logs"
          variant="unstyled"
          leftSection={<Icon name="search" />}
          rightSection={<kbd>Esc</kbd>}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
        />
      </Combobox.EventsTarget>
      <Combobox.Options className={styles.goals ?? ''} aria-label="Screens">
        {items.map(({ path, label, icon }) => (
          <Combobox.Option key={path} value={path}>
            <Icon name={icon} />
            {label}
          </Combobox.Option>
        ))}
        {items.length === 0 && <Combobox.Empty>No matches.</Combobox.Empty>}
      </Combobox.Options>
    </Combobox>
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
