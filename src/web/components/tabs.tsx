import { Tabs as LibraryTabs, Text } from '@mantine/core';
import { type ReactNode, useEffect, useId } from 'react';
import { Icon } from './icons.tsx';

/** One tab of a screen. */
export interface Tab<Key extends string> {
  readonly key: Key;
  readonly label: string;
  /** Shown after the label, e.g. an amount. */
  readonly detail?: string | undefined;
  /** Text for screen readers if the tab needs the user's attention. */
  readonly warning?: string | undefined;
  /** Text for screen readers if the tab has changes that are not saved. */
  readonly unsaved?: string | undefined;
}

interface TabsProps<Key extends string> {
  label: string;
  tabs: readonly Tab<Key>[];
  open: Key;
  onOpen: (key: Key) => void;
  children: ReactNode;
}

/**
 * Tabs and the content of the open tab.
 *
 * @param label names the tab list.
 */
export function Tabs<Key extends string>({ label, tabs, open, onOpen, children }: TabsProps<Key>) {
  const id = useId();
  // On a phone the tab list scrolls: a tab that the URL opens may be out of view.
  useEffect(() => {
    document.getElementById(`${id}-tab-${open}`)?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }, [id, open]);
  return (
    <LibraryTabs
      display="contents"
      id={id}
      value={open}
      onChange={(value) => {
        const tab = tabs.find(({ key }) => key === value);
        if (tab !== undefined) onOpen(tab.key);
      }}
    >
      <LibraryTabs.List aria-label={label}>
        {tabs.map(({ key, label: text, detail, warning, unsaved }) => (
          <LibraryTabs.Tab
            key={key}
            value={key}
            // The library opens a tab on the arrow keys, but only focuses it on Home and End.
            onFocus={() => {
              if (key !== open) onOpen(key);
            }}
            rightSection={
              warning !== undefined ? (
                <span role="img" aria-label={warning} title={warning}>
                  <Icon name="warning" size={14} />
                </span>
              ) : (
                unsaved !== undefined && (
                  <Text span c="accent" size="xs" role="img" aria-label={unsaved} title={unsaved}>
                    ●
                  </Text>
                )
              )
            }
          >
            {text}
            {detail !== undefined && (
              <Text span c="dimmed" size="xs" ml={6} style={{ whiteSpace: 'nowrap' }}>
                {detail}
              </Text>
            )}
          </LibraryTabs.Tab>
        ))}
      </LibraryTabs.List>
      <LibraryTabs.Panel value={open}>{children}</LibraryTabs.Panel>
    </LibraryTabs>
  );
}
