import { createBrowserRouter, type RouteObject } from 'react-router';
import { currentSession, onSessionChange } from '../lib/current-session.ts';
import { clearFlashes, showMessage } from '../lib/flash.ts';
import { logOut } from '../lib/log-out.ts';
import { withComponentLibrary } from '../ui/with-component-library.tsx';
import { CrashPage } from './crash-page.tsx';
import { NotFoundPage, UnauthorizedPage } from './error-pages.tsx';
import { guard } from './guard.ts';
import { Root, Starting } from './root.tsx';
import { loginPath, type Screen, screens } from './screens.ts';

/** The routes of a screen: the guard runs while the code loads, but not again for another query of the same path. */
function routesOf(screen: Screen, load: NonNullable<Screen['load']>): RouteObject[] {
  const own = async () => (await load()).Component;
  const part = screen.needsNoLibrary === true ? own : withComponentLibrary(own);
  return screen.paths.map((path) => ({
    path,
    loader: guard(screen),
    shouldRevalidate: ({ currentUrl, nextUrl }) => currentUrl.pathname !== nextUrl.pathname,
    lazy: async () => ({ Component: await part() }),
  }));
}

/** The router, with the routes of the screen table. */
export const router = createBrowserRouter([
  {
    Component: Root,
    ErrorBoundary: CrashPage,
    // Without the menu, whose calls could end the session that a sign-on is just starting.
    HydrateFallback: Starting,
    children: [
      {
        ErrorBoundary: CrashPage,
        children: [
          ...screens.flatMap((screen) => (screen.load === null ? [] : routesOf(screen, screen.load))),
          { path: '/logout', action: logOut },
          { path: '/unauthorized', Component: UnauthorizedPage },
          { path: '*', Component: NotFoundPage },
        ],
      },
    ],
  },
]);

// A new path clears the messages and may pass one to its screen.
let { pathname } = router.state.location;
router.subscribe(({ location }) => {
  if (location.pathname === pathname) return;
  pathname = location.pathname;
  clearFlashes();
  const state: unknown = location.state;
  if (typeof state === 'object' && state !== null && 'notice' in state && typeof state.notice === 'string')
    showMessage(state.notice);
});

// When a session ends, also in another tab, the login is shown.
onSessionChange((why) => {
  if (currentSession() === null) void router.navigate(loginPath, { replace: why !== null, state: { notice: why } });
});
