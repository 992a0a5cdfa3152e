import { logOut } from '../lib/log-out.ts';
import { Outlet } from '../lib/router.tsx';
import { Brand } from './brand.tsx';
import { ColorSchemeButton } from './color-scheme-button.tsx';
import { CrashPage } from './crash-page.tsx';
import styles from './shell.module.css';

/** A screen without the menu. A user whose session is limited to one screen can log out here. */
export function BareFrame({ hasSession }: { hasSession: boolean }) {
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
