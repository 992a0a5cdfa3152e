import { Button } from '@mantine/core';
import { lazy, Suspense, useEffect } from 'react';
import { Outlet, ScrollRestoration } from 'react-router';
import { useSession } from '../lib/current-session.ts';
import { logOut } from '../lib/log-out.ts';
import { BusyLine } from './busy.tsx';
import { Brand } from './brand.tsx';
import { ColorSchemeButton } from './color-scheme-button.tsx';
import { MessageBar } from './message-bar.tsx';
import styles from './shell.module.css';

// The form of the sign-in comes first; the menu and all that belongs to it load meanwhile.
const loadSignedIn = () => import('./signed-in.tsx');
const SignedIn = lazy(async () => ({ default: (await loadSignedIn()).SignedIn }));

/** The frame around every screen: with the menu for those who are signed in, without it for others. */
export function Root() {
  const session = useSession();
  return (
    <>
      <BusyLine />
      {session === null || session.claims.mustSetUp ? (
        <SignedOut hasSession={session !== null} />
      ) : (
        <Suspense>
          <SignedIn key={`${session.claims.username} ${session.claims.client?.id ?? ''}`} session={session} />
        </Suspense>
      )}
      <MessageBar />
      <ScrollRestoration />
    </>
  );
}

/** Nothing but the screen; who has a session that is good for one screen only can still leave. */
function SignedOut({ hasSession }: { hasSession: boolean }) {
  useEffect(() => void loadSignedIn(), []);
  return (
    <>
      <header className={styles.header}>
        <Brand />
        <span className={styles.gap} />
        <ColorSchemeButton />
        {hasSession && (
          <Button variant="subtle" color="gray" onClick={logOut}>
            Logout
          </Button>
        )}
      </header>
      <main className={styles.alone} id="content">
        <Outlet />
      </main>
    </>
  );
}
