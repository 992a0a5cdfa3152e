import { ActionIcon, Drawer, Menu } from '@mantine/core';
import { useCallback, useEffect, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import { Link, Outlet, useLocation, useNavigate } from 'react-router';
import { endMasquerade } from '#contract/auth.ts';
import { startSession } from '../lib/current-session.ts';
import { chooseLocale, locales, readLocale, type Locale } from '../lib/locale.ts';
import { logOut } from '../lib/log-out.ts';
import { queryClient, useAction } from '../lib/queries.ts';
import type { Session } from '../lib/session.ts';
import { Icon } from '../ui/icons.tsx';
import { ReachableContext } from '../ui/reachable.ts';
import { Brand } from './brand.tsx';
import { ColorSchemeButton } from './color-scheme-button.tsx';
import { MenuList } from './menu.tsx';
import { Keyboard } from './keyboard.tsx';
import { findPlace, mayOpen, screens } from './screens.ts';
import styles from './shell.module.css';

const overview = '/my';

/** Header, menu and screen, for somebody who is signed in. */
export function SignedIn({ session }: { session: Session }) {
  // The sheet belongs to the page it was opened on: choosing another one closes it.
  const [sheetPage, setSheetPage] = useState<string | null>(null);
  const [isPaletteOpen, setPaletteOpen] = useState(false);
  const [nextToken, setNextToken] = useState<string | null>(null);
  const main = useRef<HTMLElement>(null);
  const { pathname } = useLocation();

  // Once the Overview is the page, which is there for both roles, the other session may begin.
  useEffect(() => {
    if (nextToken !== null && pathname === overview) startSession(nextToken);
  }, [nextToken, pathname]);

  const { roles } = session.claims;
  const find = useCallback((path: string) => findPlace(path, roles), [roles]);
  return (
    <>
      <a className={styles.skip} href="#content" onClick={() => main.current?.focus()}>
        Skip to the content
      </a>
      <header className={styles.header}>
        <span className={styles.sheetButton}>
          <ActionIcon variant="subtle" color="gray" aria-label="Menu" onClick={() => setSheetPage(pathname)}>
            <Icon name="menu" />
          </ActionIcon>
        </span>
        <Brand />
        <span className={styles.gap} />
        <button type="button" className={styles.jump} onClick={() => setPaletteOpen(true)}>
          <Icon name="search" size={16} />
          <span>Go to…</span>
          <kbd>Ctrl K</kbd>
        </button>
        <ColorSchemeButton />
        <UserMenu session={session} />
      </header>
      {session.claims.actor !== null && <MasqueradeBanner session={session} onLeave={setNextToken} />}
      <div className={styles.body}>
        <nav className={styles.menu} aria-label="Main">
          <MenuList roles={roles} />
        </nav>
        <main className={styles.main} id="content" ref={main} tabIndex={-1}>
          <ReachableContext value={find}>{nextToken === null && <Outlet />}</ReachableContext>
        </main>
      </div>
      <Drawer
        opened={sheetPage === pathname}
        onClose={() => setSheetPage(null)}
        size={280}
        title={<Brand />}
        closeButtonProps={{ 'aria-label': 'Close menu' }}
      >
        <nav aria-label="Main">
          <MenuList roles={roles} />
        </nav>
      </Drawer>
      <Keyboard roles={roles} isPaletteOpen={isPaletteOpen} onPalette={setPaletteOpen} />
    </>
  );
}

function UserMenu({ session }: { session: Session }) {
  const { username, client, roles } = session.claims;
  return (
    <Menu width={240}>
      <Menu.Target>
        <button type="button" className={styles.user} aria-label={`Account of ${username}`}>
          <span className={styles.avatar} aria-hidden="true">
            {initialsOf(username)}
          </span>
          <span className={styles.person}>
            <span className={styles.login}>{username}</span>
            {client !== null && <span className={styles.client}>{client.name}</span>}
          </span>
          <Icon name="down" size={14} />
        </button>
      </Menu.Target>
      <Menu.Dropdown>
        <div className={styles.who}>
          <span className={styles.username}>{username}</span>
          {client !== null && <span className={styles.of}>{client.name}</span>}
        </div>
        <Menu.Divider />
        {screens
          .filter((screen) => screen.group === 'account' && mayOpen(screen, roles))
          .map(({ paths: [path], label, icon }) => (
            <Menu.Item key={path} component={Link} to={path} leftSection={<Icon name={icon} size={16} />}>
              {label}
            </Menu.Item>
          ))}
        <LocaleMenu />
        <Menu.Divider />
        <Menu.Item leftSection={<Icon name="logout" size={16} />} onClick={logOut}>
          Logout
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

/** How dates and amounts are written in this browser. */
function LocaleMenu() {
  const current = readLocale();
  return (
    <Menu.Sub>
      <Menu.Sub.Target>
        <Menu.Sub.Item leftSection={<Icon name="fields" size={16} />}>Dates and amounts</Menu.Sub.Item>
      </Menu.Sub.Target>
      <Menu.Sub.Dropdown>
        {Object.entries(locales).map(([locale, { label }]) => (
          <Menu.Item
            key={locale}
            aria-current={locale === current}
            rightSection={locale === current ? <Icon name="check" size={14} /> : undefined}
            onClick={() => chooseLocale(locale as Locale)}
          >
            {label}
          </Menu.Item>
        ))}
      </Menu.Sub.Dropdown>
    </Menu.Sub>
  );
}

/** One or two letters of an email address: `ada.king@x` → AK. */
const initialsOf = (username: string): string => {
  const [first = '', second = ''] = (username.split('@')[0] ?? '').split(/[._-]+/);
  return `${first.slice(0, 1)}${second.slice(0, 1)}`.toUpperCase() || '?';
};

/**
 * Says on every screen whose work is being done, and by whom.
 *
 * @param onLeave takes the screen away, so that nothing asks with a token that is over or may not ask any more.
 */
function MasqueradeBanner({ session, onLeave }: { session: Session; onLeave: (token: string) => void }) {
  const navigate = useNavigate();
  const end = useAction(endMasquerade, {
    onSuccess: async ({ token }) => {
      flushSync(() => onLeave(token));
      await queryClient.cancelQueries();
      await navigate(overview, { replace: true });
    },
  });
  return (
    <div className={styles.masquerade} role="status">
      <Icon name="clients" />
      <span>
        {session.claims.actor} acts as <strong>{session.claims.client?.name}</strong>. What you do here is recorded
        under your own name.
      </span>
      <button type="button" className={styles.bannerButton} disabled={end.isPending} onClick={() => end.mutate({})}>
        Stop acting as this client
      </button>
    </div>
  );
}
