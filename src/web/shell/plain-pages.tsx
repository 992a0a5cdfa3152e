import { useEnvironment } from '../lib/environment.ts';
import { useLocation, useSearchParams } from '../lib/router.tsx';
import { PlainPage } from './plain-page.tsx';
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
