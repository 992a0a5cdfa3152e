import { Button } from '@mantine/core';
import { useCallback, useEffect, useRef, useState } from 'react';
import { useRouteError } from 'react-router';
import { addressOf } from '#contract/define.ts';
import { alive } from '#contract/calls/health.ts';
import { MessagePage, MessageText, MessageDetail } from './message-page.tsx';

/** Error messages of browsers and of the style sheet loader when code fails to load. */
const loadErrorPattern = /dynamically imported module|importing a module script|preload css/i;

/** Shown when a screen crashes: the error goes to the console, the page shows what to do. */
export function CrashPage() {
  const error = useRouteError();
  if (error instanceof Error && loadErrorPattern.test(error.message)) return <NotLoadedPage />;
  return (
    <MessagePage
      icon="warning"
      title="Something went wrong on this page."
      action={<Button onClick={() => window.location.reload()}>Reload the page</Button>}
    >
      <MessageText>
        Nothing was sent to either service. If the error returns after a reload, contact support.
      </MessageText>
      <MessageDetail>{error instanceof Error ? error.message : ''}</MessageDetail>
    </MessagePage>
  );
}

const retryDelayMs = 5_000;

/** Shown when code cannot be loaded: while offline, it reloads automatically once the connection is back. */
function NotLoadedPage() {
  // A reload while offline would end on the browser’s error page, which does not recover.
  const [isOnline, setOnline] = useState<boolean | null>(null);
  const check = useCallback(() => void isServerReachable().then(setOnline), []);
  const wasOffline = useRef(false);
  useEffect(() => {
    if (isOnline === true && wasOffline.current) window.location.reload();
    if (isOnline === false) wasOffline.current = true;
  }, [isOnline]);
  useEffect(() => {
    check();
    window.addEventListener('online', check);
    return () => window.removeEventListener('online', check);
  }, [check]);
  useEffect(() => {
    if (isOnline === true) return undefined;
    const timer = setInterval(check, retryDelayMs);
    return () => clearInterval(timer);
  }, [isOnline, check]);
  if (!(isOnline ?? navigator.onLine))
    return (
      <MessagePage icon="unplug" title="You are offline." action={<Button onClick={() => check()}>Try again</Button>}>
        <MessageText role="status">
          This page could not be loaded. It reloads automatically once you are online.
        </MessageText>
      </MessagePage>
    );
  return (
    <MessagePage
      icon="warning"
      title="This page could not be loaded."
      action={<Button onClick={() => window.location.reload()}>Reload the page</Button>}
    >
      <MessageText>Tallybridge was updated, or the connection was lost. Reload the page.</MessageText>
    </MessagePage>
  );
}

/** Returns true for any response of the server. */
const isServerReachable = async (): Promise<boolean> => {
  try {
    await fetch(addressOf(alive, {}), { cache: 'no-store' });
    return true;
  } catch {
    return false;
  }
};
