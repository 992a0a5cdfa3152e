import { type ComponentType, useEffect, useRef, useState } from 'react';
import { whenIdle } from '../lib/later.tsx';
import type { Session } from '../lib/session.ts';
import { inLibrary } from '../ui/in-library.tsx';
import { UserFace } from './user-face.tsx';

const loadMenu = inLibrary(async () => (await import('./user-menu.tsx')).UserMenu);

type Menu = ComponentType<{ readonly session: Session; readonly hasFocus: boolean }>;

/**
 * The user button. The code of its menu loads when the browser is idle, but the menu renders only when the button is
 * used, because a button that is replaced during a click loses the click.
 */
export function UserButton({ session }: { session: Session }) {
  const [used, setUsed] = useState<{ readonly Menu: Menu; readonly hasFocus: boolean } | null>(null);
  const face = useRef<HTMLButtonElement>(null);
  useEffect(() => whenIdle(() => void loadMenu().catch(() => undefined)), []);
  if (used !== null) return <used.Menu session={session} hasFocus={used.hasFocus} />;
  const use = () => {
    void loadMenu().then(
      (Menu) => {
        const hasFocus = face.current !== null && document.activeElement === face.current;
        setUsed((before) => before ?? { Menu, hasFocus });
      },
      () => undefined,
    );
  };
  return <UserFace ref={face} session={session} aria-haspopup="menu" aria-expanded={false} onClick={use} />;
}
