import { Outlet, useIsNavigating, useRoutePath, useScrollRestoration } from '../lib/router.tsx';
import { useSession } from '../lib/current-session.ts';
import { logOut } from '../lib/log-out.ts';
import { Brand } from './brand.tsx';
import { BusyLine } from './busy-line.tsx';
import { ColorSchemeButton } from './color-scheme-button.tsx';
import { MessageBar } from './message-bar.tsx';
import { CrashPage } from './plain-pages.tsx';
import { drawApplication } from './load-application.tsx';
import styles from './shell.module.css';

/**
 * The frame around every screen. The form of the login stands in one that needs nothing but itself; every other screen
 * in that of the application, which has come with it.
 */
export function Root() {
  useScrollRestoration();
  const session = useSession();
  const application = drawApplication(useRoutePath(), session);
  const isNavigating = useIsNavigating();
  if (application !== null) return application;
  return (
    <>
      <BusyLine isBusy={isNavigating} />
      <Front hasSession={false} />
      <MessageBar />
    </>
  );
}

/** Nothing but the screen; who has a session that is good for one screen only can still leave. */
export function Front({ hasSession }: { hasSession: boolean }) {
  return (
    <>
      <header className={styles.header}>
        <Brand />
        <span className={styles.gap} />
        <ColorSchemeButton />
        {hasSession && (
          <button type="button" className={styles.quiet} onClick={logOut}>
            Logout
          </button>
        )}
      </header>
      <main className={styles.alone} id="content">
        <Outlet fallback={<CrashPage />} />
      </main>
    </>
  );
}
