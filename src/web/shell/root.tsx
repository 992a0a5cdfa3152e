import { useIsNavigating, useRoutePath, useScrollRestoration } from '../lib/router.tsx';
import { useSession } from '../lib/current-session.ts';
import { BusyWidget } from './busy-widget.tsx';
import { Front } from './front.tsx';
import { MessageBar } from './message-bar.tsx';
import { drawApplication } from './load-application.tsx';

/**
 * The frame around every screen. The login has a frame of its own without dependencies; all other screens use the
 * application frame, which loads with them.
 */
export function Root() {
  useScrollRestoration();
  const session = useSession();
  const application = drawApplication(useRoutePath(), session);
  const isNavigating = useIsNavigating();
  if (application !== null) return application;
  return (
    <>
      <BusyWidget isBusy={isNavigating} />
      <Front hasSession={false} />
      <MessageBar />
    </>
  );
}
