import { Button } from '@mantine/core';
import type { ReactNode } from 'react';
import { isRouteErrorResponse, useLocation, useNavigate, useRouteError, useSearchParams } from 'react-router';
import { useEnvironment } from '../lib/environment.ts';
import { Icon, type IconName } from '../ui/icons.tsx';
import { useTabTitle } from '../ui/page.tsx';
import styles from './plain-pages.module.css';

/** Shown where somebody is signed in, but not for this. */
export function UnauthorizedPage() {
  return (
    <PlainPage icon="warning" title="Not Authorized.">
      <p>Unable to continue.</p>
    </PlainPage>
  );
}

/** Shown for every address that is no screen; `/autota…` is where the PSA sends failed connections. */
export function UnknownPath() {
  const { pathname } = useLocation();
  if (/^\/autota[^/]*\/?$/.test(pathname)) return <ConnectionErrorPage />;
  return (
    <PlainPage icon="search" title="Not Found.">
      <p>There is no page at this address.</p>
    </PlainPage>
  );
}

/** Whoever makes the link writes these words: they are marked as reported, and there is no room for a letter. */
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
    <PlainPage icon="unplug" title={`Unable to Connect to ${psa.label}`}>
      {message !== '' && <p>What was reported: {message}</p>}
      {error !== '' && <p className={styles.detail}>{error}</p>}
    </PlainPage>
  );
}

/** Shown when a screen breaks: what happened is for the console, what to do is for the person. */
export function CrashPage() {
  const error = useRouteError();
  const isOldBuild = error instanceof TypeError && /import|module|fetch/i.test(error.message);
  return (
    <PlainPage
      icon="warning"
      title={isOldBuild ? 'This page could not be loaded.' : 'Something went wrong on this page.'}
      action={<Button onClick={() => window.location.reload()}>Load again</Button>}
    >
      <p>
        {isOldBuild
          ? 'Tallybridge may have been updated, or the connection was lost.'
          : 'Nothing was sent to either service by this. Load the page again; if it comes back, tell support what you did.'}
      </p>
      <p className={styles.detail}>
        {isRouteErrorResponse(error) ? error.statusText : error instanceof Error ? error.message : ''}
      </p>
    </PlainPage>
  );
}

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
        <Button variant="default" onClick={goBack} leftSection={<Icon name="left" size={16} />}>
          Go Back
        </Button>
      </div>
    </div>
  );
}
