import { Suspense, useEffect, useState } from 'react';
import type { Mode, SubmittableKind } from '#core/kinds.ts';
import type { Role } from '#core/roles.ts';
import { useOpenReview, useOpenRun } from '../screens/runs/open-run.ts';
import { loadLater, OnDemand } from '../components/load-later.tsx';

const CommandPalette = loadLater(async () => (await import('./command-palette.tsx')).CommandPalette);
const ShortcutsDialog = loadLater(async () => (await import('./shortcuts-dialog.tsx')).ShortcutsDialog);
const SyncNowDialog = loadLater(async () => (await import('../screens/overview/sync-now-dialog.tsx')).SyncNowDialog);

interface KeyboardProps {
  roles: readonly Role[];
  isPaletteOpen: boolean;
  onPalette: (isOpen: boolean) => void;
}

/** Keys that work on every screen: Ctrl-K opens the palette, `/` focuses the search, `?` lists the keys. */
export function Keyboard({ roles, isPaletteOpen, onPalette }: KeyboardProps) {
  const [isHelpOpen, setHelpOpen] = useState(false);
  const [syncing, setSyncing] = useState<{ readonly kind: SubmittableKind; readonly mode: Mode } | null>(null);
  const openRun = useOpenRun();
  const openReview = useOpenReview();

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
      <OnDemand isNeeded={isPaletteOpen}>
        <CommandPalette
          roles={roles}
          isOpen={isPaletteOpen}
          onClose={() => onPalette(false)}
          onSync={(kind, mode) => setSyncing({ kind, mode })}
          onShortcuts={() => setHelpOpen(true)}
        />
      </OnDemand>
      <OnDemand isNeeded={isHelpOpen}>
        <ShortcutsDialog isOpen={isHelpOpen} onClose={() => setHelpOpen(false)} />
      </OnDemand>
      <Suspense>
        {syncing !== null && (
          <SyncNowDialog
            kind={syncing.kind}
            firstMode={syncing.mode}
            onClose={() => setSyncing(null)}
            onSubmitted={(id, mode) => {
              setSyncing(null);
              if (mode === 'live') openReview([id]);
              else openRun([id]);
            }}
          />
        )}
      </Suspense>
    </>
  );
}

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName));
