import { Group } from '@mantine/core';
import { type KeyboardEvent, type ReactNode, useEffect, useRef } from 'react';

/**
 * Fields that replace a cell of a row while the user edits it. The first field gets the focus; Escape cancels; closing
 * returns the focus to the row's Edit button.
 */
export function InlineEditor({ onCancel, children }: { onCancel: () => void; children: ReactNode }) {
  const editor = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const row = editor.current?.closest('tr');
    editor.current?.querySelector<HTMLElement>('input, select')?.focus();
    return () => {
      setTimeout(() => {
        const isLost = document.activeElement === null || document.activeElement === document.body;
        if (isLost) row?.querySelector<HTMLElement>('[data-icon="edit"]')?.focus();
      });
    };
  }, []);
  const press = (event: KeyboardEvent) => {
    if (event.key !== 'Escape') return;
    event.stopPropagation();
    onCancel();
  };
  return (
    // The fields inside are the controls; the key reaches the editor from each of them.
    <Group ref={editor} gap="sm" align="flex-start" onKeyDown={press}>
      {children}
    </Group>
  );
}
