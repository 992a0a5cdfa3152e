import { lazy, Suspense, useEffect, useState } from 'react';
import type { Role } from '#core/roles.ts';

const Palette = lazy(async () => ({ default: (await import('./palette.tsx')).Palette }));
const Shortcuts = lazy(async () => ({ default: (await import('./shortcuts.tsx')).Shortcuts }));

/** Keys that work on every screen: Ctrl-K goes anywhere, `/` searches the list, `?` tells which keys there are. */
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
  // Once it was open it stays, so that it can close with grace.
  const [wasUsed, setUsed] = useState({ palette: false, help: false });
  if (isPaletteOpen && !wasUsed.palette) setUsed({ ...wasUsed, palette: true });
  if (isHelpOpen && !wasUsed.help) setUsed({ ...wasUsed, help: true });

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
    <Suspense>
      {wasUsed.palette && <Palette roles={roles} isOpen={isPaletteOpen} onClose={() => onPalette(false)} />}
      {wasUsed.help && <Shortcuts isOpen={isHelpOpen} onClose={() => setHelpOpen(false)} />}
    </Suspense>
  );
}

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName));
