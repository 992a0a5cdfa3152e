import { lazy, Suspense } from 'react';
import { Outlet, ScrollRestoration, useNavigation } from 'react-router';
import { BareFrame } from './bare-frame.tsx';
import { BusyWidget } from './busy-widget.tsx';

// Loaded beside the first data, so that messages appear offline, too.
const MessageBar = lazy(async () => ({ default: (await import('./message-bar.tsx')).MessageBar }));

/** What every page has. */
export const Root = () => (
  <>
    <ScrollRestoration />
    <Outlet />
    <Suspense>
      <MessageBar />
    </Suspense>
  </>
);

/** The frame of the login, and of the page until its first screen has loaded. It loads without the menu. */
export function LoginFrame() {
  const { state } = useNavigation();
  return (
    <>
      <BusyWidget isBusy={state !== 'idle'} />
      <BareFrame />
    </>
  );
}
