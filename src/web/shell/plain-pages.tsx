import { useEnvironment } from '../lib/environment.ts';
import { useLocation, useSearchParams } from '../lib/router.tsx';
import { PlainPage } from './plain-page.tsx';
import styles from './plain-pages.module.css';
import { shellWords } from './words.ts';

/** Shown to a logged-in user without permission for the screen. */
export function UnauthorizedPage() {
  return (
    <PlainPage icon="warning" title={shellWords.notAuthorized}>
      <p>{shellWords.unableToContinue}</p>
    </PlainPage>
  );
}

/** Shown for every path without a screen; the PSA sends failed connections to `/autota…`. */
export function UnknownPath() {
  const { pathname } = useLocation();
  if (/^\/autota[^/]*\/?$/.test(pathname)) return <ConnectionErrorPage />;
  return (
    <PlainPage icon="search" title={shellWords.notFound}>
      <p>{shellWords.thereIsNoPage}</p>
    </PlainPage>
  );
}

/**
 * Maximum lengths in characters. The creator of the link controls these texts, so they are marked as reported and too
 * short for a longer message.
 */
const maxMessageLength = 300;
const maxErrorLength = 60;

const shown = (text: string | null, longest: number): string => {
  const line = (text ?? '').replace(/\s+/g, ' ').trim();
  return line.length > longest ? `${line.slice(0, longest).toWellFormed()}…` : line;
};

function ConnectionErrorPage() {
  const { psa } = useEnvironment();
  const [query] = useSearchParams();
  const message = shown(query.get('message'), maxMessageLength);
  const error = shown(query.get('error'), maxErrorLength);
  return (
    <PlainPage icon="unplug" title={shellWords.unableToConnect(psa.label)}>
      {message !== '' && <p>{shellWords.reported(message)}</p>}
      {error !== '' && <p className={styles.detail}>{error}</p>}
    </PlainPage>
  );
}
