import { useIsNavigating, useRoutePath, useScrollRestoration } from '../lib/router.tsx';
import { useSession } from '../lib/current-session.ts';
import { BusyWidget } from './busy-widget.tsx';
import { BareFrame } from './bare-frame.tsx';
import { MessageBar } from './message-bar.tsx';
import { renderApplication } from './render-application.tsx';

/** The frame around every screen. The login has a separate, smaller frame without dependencies. */
export function Root() {
  useScrollRestoration();
  const session = useSession();
  const application = renderApplication(useRoutePath(), session);
  const isNavigating = useIsNavigating();
  if (application !== null) return application;
  return (
    <>
      <BusyWidget isBusy={isNavigating} />
      <BareFrame hasSession={false} />
      <MessageBar />
    </>
  );
}
