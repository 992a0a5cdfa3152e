import { QueryClientProvider } from '@tanstack/react-query';
import { onSessionChange } from '../lib/current-session.ts';
import { queryClient } from '../lib/queries.ts';
import type { Session } from '../lib/session.ts';
import { BusyWidget } from './busy-widget.tsx';
import { useBusy } from './busy.ts';
import { BareFrame } from './bare-frame.tsx';
import { MessageBar } from './message-bar.tsx';
import { MenuFrame } from './menu-frame.tsx';

// Data of one user must not be shown to the next.
onSessionChange(() => queryClient.clear());

/** Every screen except the login: with the menu for logged-in users, without it for others. */
export function Application({ session }: { session: Session | null }) {
  return (
    <QueryClientProvider client={queryClient}>
      <Busy />
      {session === null || session.claims.mustSetUp ? (
        <BareFrame hasSession={session !== null} />
      ) : (
        <MenuFrame key={`${session.claims.username} ${session.claims.client?.id ?? ''}`} session={session} />
      )}
      <MessageBar />
    </QueryClientProvider>
  );
}

const Busy = () => <BusyWidget isBusy={useBusy()} />;
