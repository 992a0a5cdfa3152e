import { useCallback, useEffect, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import { Outlet, useLocation, useNavigate } from '../lib/router.tsx';
import { endMasquerade } from '#contract/auth.ts';
import { startSession } from '../lib/current-session.ts';
import { comesWhenOpened } from '../lib/later.tsx';
import { queryClient, useAction } from '../lib/queries.ts';
import { useEndedJobs } from '../lib/use-ended-jobs.ts';
import type { Session } from '../lib/session.ts';
import { Icon } from '../ui/icons.tsx';
import { inLibrary } from '../ui/in-library.tsx';
import { ReachableContext } from '../ui/reachable.ts';
import { Brand } from './brand.tsx';
import { ColorSchemeButton } from './color-scheme-button.tsx';
import { MenuList } from './menu.tsx';
import { CrashPage } from './crash-page.tsx';
import { Keyboard } from './keyboard.tsx';
import { findPlace } from './screens.ts';
import { UserButton } from './user-button.tsx';
import styles from './shell.module.css';
import { shellWords } from './words.ts';

const MenuSheet = comesWhenOpened(
  inLibrary(async () => (await import('./menu-sheet.tsx')).MenuSheet),
  ({ isOpen }) => isOpen,
);

const overview = '/my';

/** Header, menu and screen for a logged-in user. */
export function SignedIn({ session }: { session: Session }) {
  // The sheet belongs to the page on which it was opened: opening another page closes it.
  const [sheetPage, setSheetPage] = useState<string | null>(null);
  const [isPaletteOpen, setPaletteOpen] = useState(false);
  const [next, setNext] = useState<NextSession | null>(null);
  const main = useRef<HTMLElement>(null);
  const { pathname } = useLocation();

  // The other session starts once the Overview is open, which both roles can see.
  useEffect(() => {
    if (next?.mayBegin === true && pathname === overview) startSession(next.token);
  }, [next, pathname]);

  const { roles } = session.claims;
  useEndedJobs(session.claims.client !== null);
  const find = useCallback((path: string) => findPlace(path, roles), [roles]);
  return (
    <>
      <a className={styles.skip} href="#content" onClick={() => main.current?.focus()}>
        {shellWords.skipToTheContent}
      </a>
      <header className={styles.header}>
        <span className={styles.sheetButton}>
          <button
            type="button"
            className={styles.tool}
            aria-label={shellWords.menu}
            onClick={() => setSheetPage(pathname)}
          >
            <Icon name="menu" />
          </button>
        </span>
        <Brand />
        <span className={styles.gap} />
        <button type="button" className={styles.jump} onClick={() => setPaletteOpen(true)}>
          <Icon name="search" size={16} />
          <span>{shellWords.jump}</span>
          <kbd>{shellWords.ctrlK}</kbd>
        </button>
        <ColorSchemeButton />
        <UserButton session={session} />
      </header>
      {session.claims.actor !== null && <MasqueradeBanner session={session} onLeave={setNext} />}
      <div className={styles.body}>
        <nav className={styles.menu} aria-label={shellWords.main}>
          <MenuList roles={roles} />
        </nav>
        <main className={styles.main} id="content" ref={main} tabIndex={-1}>
          <ReachableContext value={find}>{next === null && <Outlet fallback={<CrashPage />} />}</ReachableContext>
        </main>
      </div>
      <MenuSheet isOpen={sheetPage === pathname} onClose={() => setSheetPage(null)} roles={roles} />
      <Keyboard roles={roles} isPaletteOpen={isPaletteOpen} onPalette={setPaletteOpen} />
    </>
  );
}

/** The next session; it starts when no request of the previous one is in progress. */
interface NextSession {
  readonly token: string;
  readonly mayBegin: boolean;
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
      flushSync(() => onLeave({ token, mayBegin: false }));
      await queryClient.cancelQueries();
      await navigate(overview, { replace: true });
      onLeave({ token, mayBegin: true });
    },
  });
  return (
    <div className={styles.masquerade} role="status">
      <Icon name="clients" />
      <span>
        {session.claims.actor} {shellWords.actsAs} <strong>{session.claims.client?.name}</strong>.{' '}
        {shellWords.isRecorded}
      </span>
      <button type="button" className={styles.bannerButton} disabled={end.isPending} onClick={() => end.mutate({})}>
        {shellWords.stopActingAsThis}
      </button>
    </div>
  );
}
