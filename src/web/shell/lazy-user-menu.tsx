import { type ComponentType, useEffect, useRef, useState } from 'react';
import { whenIdle } from '../lib/lazy.tsx';
import type { Session } from '../lib/session.ts';
import { withComponentLibrary } from '../ui/with-component-library.tsx';
import { AccountButton } from './account-button.tsx';

const loadMenu = withComponentLibrary(async () => (await import('./user-menu.tsx')).UserMenu);

type Menu = ComponentType<{ readonly session: Session; readonly hasFocus: boolean }>;

/**
 * The account button. The code of its menu loads when the browser is idle. The menu replaces the button only after the
 * click, because a button that is replaced during a click loses the click.
 */
export function LazyUserMenu({ session }: { session: Session }) {
  const [opened, setOpened] = useState<{ readonly Menu: Menu; readonly hasFocus: boolean } | null>(null);
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => whenIdle(() => void loadMenu().catch(() => undefined)), []);
  if (opened !== null) return <opened.Menu session={session} hasFocus={opened.hasFocus} />;
  const open = () => {
    void loadMenu().then(
      (Menu) => {
        const hasFocus = button.current !== null && document.activeElement === button.current;
        setOpened((before) => before ?? { Menu, hasFocus });
      },
      () => undefined,
    );
  };
  return <AccountButton ref={button} session={session} aria-haspopup="menu" aria-expanded={false} onClick={open} />;
}
