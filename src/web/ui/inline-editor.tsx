import { type KeyboardEvent, type ReactNode, useEffect, useRef } from 'react';

/**
 * The fields that replace the cell of a row while it is edited. The first field takes the focus; Escape cancels; when the
 * editor closes, the focus returns to the Edit button of the row.
 */
export function InlineEditor({
  className,
  onCancel,
  children,
}: {
  className: string | undefined;
  onCancel: () => void;
  children: ReactNode;
}) {
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
    // oxlint-disable-next-line jsx-a11y/no-static-element-interactions
    <div ref={editor} className={className} onKeyDown={press}>
      {children}
    </div>
  );
}
