import '../ui/mantine.css';
import { MantineProvider } from '@mantine/core';
import { QueryClientProvider } from '@tanstack/react-query';
import { onSessionChange } from '../lib/current-session.ts';
import { queryClient } from '../lib/queries.ts';
import type { Session } from '../lib/session.ts';
import { theme } from '../ui/theme.ts';
import { BusyLine } from './busy-line.tsx';
import { useBusy } from './busy.ts';
import { Front } from './front.tsx';
import { MessageBar } from './message-bar.tsx';
import { SignedIn } from './signed-in.tsx';

// Data that was read for one person must not be seen by the next.
onSessionChange(() => queryClient.clear());

/** The page's scheme is set by ui/color-scheme.ts, for screens with the library and without. */
const noRoot = (): undefined => undefined;

/** Every screen but the login: with the menu for those who are signed in, without it for others. */
export function Application({ session }: { session: Session | null }) {
  return (
    <MantineProvider theme={theme} getRootElement={noRoot} withCssVariables={false} withGlobalClasses={false}>
      <QueryClientProvider client={queryClient}>
        <Busy />
        {session === null || session.claims.mustSetUp ? (
          <Front hasSession={session !== null} />
        ) : (
          <SignedIn key={`${session.claims.username} ${session.claims.client?.id ?? ''}`} session={session} />
        )}
        <MessageBar />
      </QueryClientProvider>
    </MantineProvider>
  );
}

const Busy = () => <BusyLine isBusy={useBusy()} />;
