import { Box, Drawer, Group, Text } from '@mantine/core';
import { type KeyboardEvent, type ReactNode, useEffect, useRef } from 'react';
import { formatCount } from '../data/format.ts';
import { IconButton } from './icon-button.tsx';
import { useFocusReturn } from './use-focus-return.ts';

interface SidePanelProps {
  title: string;
  open: string | null;
  keys: readonly string[];
  onOpen: (key: string) => void;
  onClose: () => void;
  children: ReactNode;
}

/**
 * The details of a table’s row, beside the table. The up and down keys move to the row before and after it, Esc closes
 * the panel, and a click on another row opens that row. On a phone the panel fills the screen.
 *
 * @param open the key of the open row; null closes the panel
 * @param keys the keys of the rows that the table shows, in its order
 */
export function SidePanel({ title, open, keys, onOpen, onClose, children }: SidePanelProps) {
  const content = useRef<HTMLDivElement>(null);
  useFocusReturn(open !== null);
  useEffect(() => {
    if (open !== null && content.current?.closest('[role="dialog"]')?.contains(document.activeElement) === false)
      content.current.focus();
  }, [open]);

  const place = open === null ? -1 : keys.indexOf(open);
  const step = (by: 1 | -1) => {
    const key = place === -1 ? undefined : keys[place + by];
    if (key !== undefined) onOpen(key);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const by = ({ ArrowDown: 1, ArrowUp: -1 } as const)[event.key];
    // Arrows with Alt or Ctrl belong to the browser.
    if (by === undefined || event.altKey || event.ctrlKey || event.metaKey || isUsingArrows(event.target)) return;
    event.preventDefault();
    step(by);
  };
  return (
    <Drawer
      opened={open !== null}
      onClose={onClose}
      onKeyDown={onKeyDown}
      returnFocus={false}
      withOverlay={false}
      position="right"
      size={560}
      title={title}
      styles={{ title: { font: 'var(--tb-lead)' }, body: { padding: '0 var(--tb-5) var(--tb-5)' } }}
      closeButtonProps={{ 'aria-label': 'Close dialog' }}
    >
      {place !== -1 && keys.length > 1 && (
        <Group gap="xs" pb="sm">
          <Text c="dimmed" size="sm" role="status">
            {`Row ${formatCount(place + 1)} of ${formatCount(keys.length)}`}
          </Text>
          <IconButton label="Previous row" icon="up" size={16} isDisabled={place === 0} onPress={() => step(-1)} />
          <IconButton
            label="Next row"
            icon="down"
            size={16}
            isDisabled={place === keys.length - 1}
            onPress={() => step(1)}
          />
        </Group>
      )}
      <Box ref={content} tabIndex={-1} data-autofocus style={{ outline: 'none', containerType: 'inline-size' }}>
        {children}
      </Box>
    </Drawer>
  );
}

/** Fields and scroll areas use the arrow keys. */
const isUsingArrows = (target: EventTarget): boolean =>
  target instanceof Element && target.closest('input, select, textarea, [role="menu"], [tabindex="0"]') !== null;
