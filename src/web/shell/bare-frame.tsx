import { Box, Button } from '@mantine/core';
import { Form, Outlet } from 'react-router';
import { useSession } from '../data/current-session.ts';
import { Brand } from './brand.tsx';
import { OfflinePill } from './offline-pill.tsx';
import { ColorSchemeButton } from './color-scheme-button.tsx';
import { logoutPath } from './screens.ts';
import styles from './shell.module.css';

/** A screen without the menu. A user whose session is limited to one screen can log out here. */
export function BareFrame() {
  const session = useSession();
  return (
    <>
      <header className={styles.header}>
        <Brand />
        <Box component="span" flex={1} />
        <OfflinePill />
        <ColorSchemeButton />
        {session?.claims.mustSetUp === true && (
          <Form method="post" action={logoutPath}>
            <Button type="submit" variant="subtle" color="gray">
              Logout
            </Button>
          </Form>
        )}
      </header>
      <Box component="main" pt="lg" pr="md" pb={48} pl="md" id="content">
        <Outlet />
      </Box>
    </>
  );
}
