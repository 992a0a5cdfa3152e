import { QueryClientProvider } from '@tanstack/react-query';
import { onSessionChange, useSession } from '../data/current-session.ts';
import { queryClient } from '../data/queries.ts';
import { BareFrame } from './bare-frame.tsx';
import { BusyWidget } from './busy-widget.tsx';
import { useBusy } from './busy.ts';
import { MenuFrame } from './menu-frame.tsx';

// Data of one user must not be shown to the next.
onSessionChange(() => queryClient.clear());

/** The frame of every screen except the login: with the menu for logged-in users, without it for others. */
export function Component() {
  const session = useSession();
  return (
    <QueryClientProvider client={queryClient}>
      <Busy />
      {session === null || session.claims.mustSetUp ? (
        <BareFrame />
      ) : (
        <MenuFrame key={`${session.claims.username} ${session.claims.client?.id ?? ''}`} session={session} />
      )}
    </QueryClientProvider>
  );
}

const Busy = () => <BusyWidget isBusy={useBusy()} />;
