import { Form, Outlet } from 'react-router';
import { Brand } from './brand.tsx';
import { ColorSchemeButton } from './color-scheme-button.tsx';
import { logoutPath } from './screens.ts';
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
          <Form method="post" action={logoutPath}>
            <button type="submit" className={styles.quiet}>
              Logout
            </button>
          </Form>
        )}
      </header>
      <main className={styles.alone} id="content">
        <Outlet />
      </main>
    </>
  );
}
