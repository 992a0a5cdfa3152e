import { type ComponentType, useCallback, useEffect, useRef, useState } from 'react';
import { whenIdle } from '../lib/later.tsx';
import type { Session } from '../lib/session.ts';
import { inLibrary } from '../ui/in-library.tsx';
import { UserFace } from './user-face.tsx';

const loadMenu = inLibrary(async () => (await import('./user-menu.tsx')).UserMenu);

type Menu = ComponentType<{ readonly session: Session; readonly isOpen: boolean; readonly hasFocus: boolean }>;

/** The person's button; its menu comes when the browser is idle, or when the button is used before. */
export function UserButton({ session }: { session: Session }) {
  const [loaded, setLoaded] = useState<{
    readonly Menu: Menu;
    readonly isOpen: boolean;
    readonly hasFocus: boolean;
  } | null>(null);
  const wasUsed = useRef(false);
  const face = useRef<HTMLButtonElement>(null);
  const load = useCallback(() => {
    void loadMenu().then(
      (Menu) => {
        const hasFocus = face.current !== null && document.activeElement === face.current;
        setLoaded((before) => before ?? { Menu, isOpen: wasUsed.current, hasFocus });
      },
      () => undefined,
    );
  }, []);
  useEffect(() => whenIdle(load), [load]);
  if (loaded !== null) return <loaded.Menu session={session} isOpen={loaded.isOpen} hasFocus={loaded.hasFocus} />;
  const use = () => {
    wasUsed.current = true;
    load();
  };
  return <UserFace ref={face} session={session} aria-haspopup="menu" aria-expanded={false} onClick={use} />;
}
