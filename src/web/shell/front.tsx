import { logOut } from '../lib/log-out.ts';
import { Outlet } from '../lib/router.tsx';
import { Brand } from './brand.tsx';
import { ColorSchemeButton } from './color-scheme-button.tsx';
import { CrashPage } from './crash-page.tsx';
import styles from './shell.module.css';
import { shellWords } from './words.ts';

/** Only the screen, without the menu. A user whose session is limited to one screen can log out. */
export function Front({ hasSession }: { hasSession: boolean }) {
  return (
    <>
      <header className={styles.header}>
        <Brand />
        <span className={styles.gap} />
        <ColorSchemeButton />
        {hasSession && (
          <button type="button" className={styles.quiet} onClick={logOut}>
            {shellWords.logout}
          </button>
        )}
      </header>
      <main className={styles.alone} id="content">
        <Outlet fallback={<CrashPage />} />
      </main>
    </>
  );
}
