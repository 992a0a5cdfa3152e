import { Outlet, ScrollRestoration, useNavigation } from 'react-router';
import { BareFrame } from './bare-frame.tsx';
import { BusyWidget } from './busy-widget.tsx';
import { MessageBar } from './message-bar.tsx';

/** What every page has. */
export const Root = () => (
  <>
    <ScrollRestoration />
    <Outlet />
    <MessageBar />
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
