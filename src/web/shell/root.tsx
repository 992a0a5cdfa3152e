import { QueryClientProvider } from '@tanstack/react-query';
import { ScrollRestoration, useMatch } from 'react-router';
import { onSessionChange, useSession } from '../lib/current-session.ts';
import { queryClient } from '../lib/queries.ts';
import { BareFrame } from './bare-frame.tsx';
import { BusyWidget } from './busy-widget.tsx';
import { useBusy } from './busy.ts';
import { MenuFrame } from './menu-frame.tsx';
import { MessageBar } from './message-bar.tsx';
import { loginPath } from './screens.ts';

// Data of one user must not be shown to the next.
onSessionChange(() => queryClient.clear());

/** The frame around every screen: with the menu for logged-in users, without it for others and on the login. */
export function Root() {
  const session = useSession();
  const isLogin = useMatch(loginPath) !== null;
  return (
    <QueryClientProvider client={queryClient}>
      <ScrollRestoration />
      <Busy />
      {isLogin || session === null || session.claims.mustSetUp ? (
        <BareFrame hasSession={!isLogin && session !== null} />
      ) : (
        <MenuFrame key={`${session.claims.username} ${session.claims.client?.id ?? ''}`} session={session} />
      )}
      <MessageBar />
    </QueryClientProvider>
  );
}

/** The page until the first screen has loaded. */
export const Starting = () => (
  <>
    <BusyWidget isBusy />
    <BareFrame hasSession={false} />
  </>
);

const Busy = () => <BusyWidget isBusy={useBusy()} />;
