import { type ReactNode, useCallback, useEffect, useRef, useState } from 'react';
import { useLocation, useNavigate, useRouteError, useSearchParams } from '../lib/router.tsx';
import { addressOf } from '#contract/define.ts';
import { alive } from '#contract/health.ts';
import { useEnvironment } from '../lib/environment.ts';
import { Icon, type IconName } from '../ui/icons.tsx';
import { PlainButton } from '../ui/plain.tsx';
import { useTabTitle } from '../ui/tab-title.ts';
import styles from './plain-pages.module.css';
import { shellWords } from './words.ts';

/** Shown where somebody is signed in, but not for this. */
export function UnauthorizedPage() {
  return (
    <PlainPage icon="warning" title={shellWords.notAuthorized}>
      <p>{shellWords.unableToContinue}</p>
    </PlainPage>
  );
}

/** Shown for every address that is no screen; `/autota…` is where the PSA sends failed connections. */
export function UnknownPath() {
  const { pathname } = useLocation();
  if (/^\/autota[^/]*\/?$/.test(pathname)) return <ConnectionErrorPage />;
  return (
    <PlainPage icon="search" title={shellWords.notFound}>
      <p>{shellWords.thereIsNoPage}</p>
    </PlainPage>
  );
}

/** Longest text, in characters. The maker of the link writes it: marked as reported, without room for a letter. */
const longestMessage = 300;
const longestError = 60;

const shown = (text: string | null, longest: number): string => {
  const line = (text ?? '').replace(/\s+/g, ' ').trim();
  return line.length > longest ? `${line.slice(0, longest).toWellFormed()}…` : line;
};

function ConnectionErrorPage() {
  const { psa } = useEnvironment();
  const [query] = useSearchParams();
  const message = shown(query.get('message'), longestMessage);
  const error = shown(query.get('error'), longestError);
  return (
    <PlainPage icon="unplug" title={shellWords.unableToConnect(psa.label)}>
      {message !== '' && <p>{shellWords.reported(message)}</p>}
      {error !== '' && <p className={styles.detail}>{error}</p>}
    </PlainPage>
  );
}

/** As browsers say that a part of the application did not come, and as the loader says it of a style sheet. */
const isOfLoading = /dynamically imported module|importing a module script|preload css/i;

/** Shown when a screen breaks: what happened is for the console, what to do is for the person. */
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

/** Loads the page again by itself once the connection is back; a page that was replaced by an update says so. */
function NotLoadedPage() {
  // Loading again without a connection would end on a page of the browser, from which nothing leads back.
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

/** Any answer will do. */
const isServerThere = async (): Promise<boolean> => {
  try {
    await fetch(addressOf(alive, {}), { cache: 'no-store' });
    return true;
  } catch {
    return false;
  }
};

function PlainPage({
  icon,
  title,
  children,
  action,
}: {
  icon: IconName;
  title: string;
  children: ReactNode;
  action?: ReactNode;
}) {
  const navigate = useNavigate();
  useTabTitle(title.replace(/\.$/, ''));
  const goBack = () => (window.history.length > 1 ? navigate(-1) : navigate('/'));
  return (
    <div className={styles.plain}>
      <span className={styles.picture}>
        <Icon name={icon} size={22} />
      </span>
      <h1 className={styles.title}>{title}</h1>
      <div className={styles.words}>{children}</div>
      <div className={styles.actions}>
        {action}
        <PlainButton kind="quiet" onClick={goBack}>
          <Icon name="left" size={16} />
          {shellWords.goBack}
        </PlainButton>
      </div>
    </div>
  );
}
