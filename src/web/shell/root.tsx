import { lazy, Suspense } from 'react';
import { Outlet, ScrollRestoration, useNavigation } from 'react-router';
import { BareFrame } from './bare-frame.tsx';
import { BusyWidget } from './busy-widget.tsx';

// Starts to load with the page, so that messages appear offline, too.
const messageBar = import('./message-bar.tsx');
const MessageBar = lazy(async () => ({ default: (await messageBar).MessageBar }));

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
