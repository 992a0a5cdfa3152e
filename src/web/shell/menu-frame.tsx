import { ActionIcon, Box, Button, Kbd } from '@mantine/core';
import { Suspense, useCallback, useEffect, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import { Outlet, useLocation, useNavigate } from 'react-router';
import { endMasquerade } from '#contract/calls/auth.ts';
import { startSession } from '../data/current-session.ts';
import { queryClient, useAction } from '../data/queries.ts';
import { useEndedJobs } from '../data/use-ended-jobs.ts';
import type { Session } from '../data/session.ts';
import { Icon } from '../components/icons.tsx';
import { Notice } from '../components/notice.tsx';
import { loadLater, OnDemand } from '../components/load-later.tsx';
import { FindScreenContext } from '../components/find-screen.ts';
import { Brand } from './brand.tsx';
import { ColorSchemeButton } from './color-scheme-button.tsx';
import { DocumentHost } from './document-host.tsx';
import { MenuList } from './menu.tsx';
import { NoticesBell } from './notices-bell.tsx';
import { OfflinePill } from './offline-pill.tsx';
import { Keyboard } from './keyboard.tsx';
import { RunPill } from './run-pill.tsx';
import { findScreen } from './screens.ts';
import { AccountButton } from './account-button.tsx';
import styles from './shell.module.css';

const UserMenu = loadLater(async () => (await import('./user-menu.tsx')).UserMenu);
const MobileMenu = loadLater(async () => (await import('./mobile-menu.tsx')).MobileMenu);

const overview = '/my';

/** Header, menu and screen for a logged-in user. */
export function MenuFrame({ session }: { session: Session }) {
  // Opening another page closes the menu.
  const [menuPage, setMenuPage] = useState<string | null>(null);
  const [isPaletteOpen, setPaletteOpen] = useState(false);
  const [next, setNext] = useState<NextSession | null>(null);
  const main = useRef<HTMLElement>(null);
  const { pathname } = useLocation();

  // The next session starts on the Overview, because both roles can open it.
  useEffect(() => {
    if (next?.canStart === true && pathname === overview) startSession(next.token);
  }, [next, pathname]);

  const { roles } = session.claims;
  useEndedJobs(session.claims.client !== null);
  const findForRoles = useCallback((path: string) => findScreen(path, roles), [roles]);
  return (
    <>
      <a className={styles.skip} href="#content" onClick={() => main.current?.focus()}>
        Skip to the content
      </a>
      <header className={styles.header}>
        <span className={styles.sheetButton}>
          <ActionIcon aria-label="Menu" onClick={() => setMenuPage(pathname)}>
            <Icon name="menu" />
          </ActionIcon>
        </span>
        <Brand />
        <Box component="span" flex={1} />
        <OfflinePill />
        {session.claims.client !== null && <RunPill />}
        <span className={styles.find}>
          <ActionIcon aria-label="Go to…" onClick={() => setPaletteOpen(true)}>
            <Icon name="search" />
          </ActionIcon>
        </span>
        <Button
          variant="default"
          size="xs"
          c="dimmed"
          fw={400}
          className={styles.jump ?? ''}
          leftSection={<Icon name="search" size={16} />}
          rightSection={<Kbd size="xs">Ctrl K</Kbd>}
          onClick={() => setPaletteOpen(true)}
        >
          Go to…
        </Button>
        {session.claims.client !== null && session.claims.actor === null && <NoticesBell />}
        <ColorSchemeButton />
        <Account session={session} />
      </header>
      {session.claims.actor !== null && <MasqueradeBanner session={session} onLeave={setNext} />}
      <div className={styles.body}>
        <nav className={styles.menu} aria-label="Main">
          <MenuList roles={roles} />
        </nav>
        <main className={styles.main} id="content" ref={main} tabIndex={-1}>
          <FindScreenContext value={findForRoles}>
            {next === null && (
              <DocumentHost>
                <Outlet />
              </DocumentHost>
            )}
          </FindScreenContext>
        </main>
      </div>
      <OnDemand isNeeded={menuPage === pathname}>
        <MobileMenu isOpen={menuPage === pathname} onClose={() => setMenuPage(null)} roles={roles} />
      </OnDemand>
      <Keyboard roles={roles} isPaletteOpen={isPaletteOpen} onPalette={setPaletteOpen} />
    </>
  );
}

/** The account button. Its menu loads when the user first opens it. */
function Account({ session }: { session: Session }) {
  const [isNeeded, setNeeded] = useState(false);
  return isNeeded ? (
    <Suspense fallback={<AccountButton session={session} loading />}>
      <UserMenu session={session} />
    </Suspense>
  ) : (
    <AccountButton session={session} aria-haspopup="menu" onClick={() => setNeeded(true)} />
  );
}

/** The next session; it starts when no request of the previous one is in progress. */
interface NextSession {
  readonly token: string;
  readonly canStart: boolean;
}

/**
 * Shows the masquerading user and the client on every screen.
 *
 * @param onLeave unmounts the screen, so that nothing is requested with an ended session.
 */
function MasqueradeBanner({ session, onLeave }: { session: Session; onLeave: (next: NextSession) => void }) {
  const navigate = useNavigate();
  const end = useAction(endMasquerade, {
    onSuccess: async ({ token }) => {
      flushSync(() => onLeave({ token, canStart: false }));
      await queryClient.cancelQueries();
      await navigate(overview, { replace: true });
      onLeave({ token, canStart: true });
    },
  });
  return (
    <div className={styles.masquerade}>
      <Notice
        tone="warning"
        role="status"
        isCompact
        action={
          <Button variant="outline" color="held" size="xs" loading={end.isPending} onClick={() => end.mutate({})}>
            Stop acting as this client
          </Button>
        }
      >
        {session.claims.actor} acts as <strong>{session.claims.client?.name}</strong>. Your actions are recorded under
        your own name.
      </Notice>
    </div>
  );
}
