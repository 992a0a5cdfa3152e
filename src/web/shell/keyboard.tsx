import { useEffect, useState } from 'react';
import type { Role } from '#core/roles.ts';
import { lazyDialog } from '../lib/lazy.tsx';
import { withComponentLibrary } from '../ui/with-component-library.tsx';

const CommandPalette = lazyDialog(
  withComponentLibrary(async () => (await import('./command-palette.tsx')).CommandPalette),
  ({ isOpen }) => isOpen,
);
const ShortcutsDialog = lazyDialog(
  withComponentLibrary(async () => (await import('./shortcuts-dialog.tsx')).ShortcutsDialog),
  ({ isOpen }) => isOpen,
);

/** Keys that work on every screen: Ctrl-K opens the palette, `/` focuses the search, `?` lists the keys. */
export function Keyboard({
  roles,
  isPaletteOpen,
  onPalette,
}: {
  roles: readonly Role[];
  isPaletteOpen: boolean;
  onPalette: (isOpen: boolean) => void;
}) {
  const [isHelpOpen, setHelpOpen] = useState(false);

  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'k') {
        event.preventDefault();
        onPalette(true);
        return;
      }
      if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented || isTyping(event.target)) return;
      if (document.querySelector('[role="dialog"]') !== null) return;
      const search = document.querySelector<HTMLElement>('[data-search]');
      if (event.key === '/' && search !== null) {
        event.preventDefault();
        search.focus();
      }
      if (event.key === '?') {
        event.preventDefault();
        setHelpOpen(true);
      }
    };
    document.addEventListener('keydown', press);
    return () => document.removeEventListener('keydown', press);
  }, [onPalette]);

  return (
    <>
      <CommandPalette roles={roles} isOpen={isPaletteOpen} onClose={() => onPalette(false)} />
      <ShortcutsDialog isOpen={isHelpOpen} onClose={() => setHelpOpen(false)} />
    </>
  );
}

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName));
