import { useCallback, useEffect, useRef, useState } from 'react';
import { useRouteError } from '../lib/router.tsx';
import { addressOf } from '#contract/define.ts';
import { alive } from '#contract/health.ts';
import { PlainButton } from '../ui/plain.tsx';
import { PlainPage } from './plain-page.tsx';
import styles from './plain-pages.module.css';
import { shellWords } from './words.ts';

/** Error messages of browsers and of the style sheet loader when code fails to load. */
const isOfLoading = /dynamically imported module|importing a module script|preload css/i;

/** Shown when a screen crashes: the error goes to the console, the page shows what to do. */
export function CrashPage() {
  const error = useRouteError();
  if (error instanceof Error && isOfLoading.test(error.message)) return <NotLoadedPage />;
  return (
    <PlainPage
      icon="warning"
      title={shellWords.somethingWentWrongOn}
      action={<PlainButton onClick={() => window.location.reload()}>{shellWords.loadAgain}</PlainButton>}
    >
      <p>{shellWords.nothingWasSentTo}</p>
      <p className={styles.detail}>{error instanceof Error ? error.message : ''}</p>
    </PlainPage>
  );
}

const askAgainMs = 5_000;

/** Reloads the page automatically once the connection is back. If an update replaced the code, the page explains it. */
function NotLoadedPage() {
  // A reload without a connection would end on an error page of the browser, which never recovers.
  const [answers, setAnswers] = useState<boolean | null>(null);
  const ask = useCallback(() => void isServerThere().then(setAnswers), []);
  const wasAway = useRef(false);
  useEffect(() => {
    if (answers === true && wasAway.current) window.location.reload();
    if (answers === false) wasAway.current = true;
  }, [answers]);
  useEffect(() => {
    ask();
    window.addEventListener('online', ask);
    return () => window.removeEventListener('online', ask);
  }, [ask]);
  useEffect(() => {
    if (answers === true) return undefined;
    const timer = setInterval(ask, askAgainMs);
    return () => clearInterval(timer);
  }, [answers, ask]);
  if (!(answers ?? navigator.onLine))
    return (
      <PlainPage
        icon="unplug"
        title={shellWords.youAreOffline}
        action={<PlainButton onClick={() => ask()}>{shellWords.tryAgain}</PlainButton>}
      >
        <p role="status">{shellWords.theConnectionIsAway}</p>
      </PlainPage>
    );
  return (
    <PlainPage
      icon="warning"
      title={shellWords.thisPageCouldNot}
      action={<PlainButton onClick={() => window.location.reload()}>{shellWords.loadAgain}</PlainButton>}
    >
      <p>{shellWords.tallybridgeMayHaveBeen}</p>
    </PlainPage>
  );
}

/** Any response counts. */
const isServerThere = async (): Promise<boolean> => {
  try {
    await fetch(addressOf(alive, {}), { cache: 'no-store' });
    return true;
  } catch {
    return false;
  }
};
