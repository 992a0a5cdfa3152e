import { createBrowserRouter, NavigationType, type RouteObject } from 'react-router';
import { currentSession, onSessionChange } from '../data/current-session.ts';
import { clearFlashes, showMessage } from '../components/flash.ts';
import { logOut } from '../data/log-out.ts';
import { CrashPage } from './crash-page.tsx';
import { NotFoundPage, UnauthorizedPage } from './error-pages.tsx';
import { guard } from './guard.ts';
import { LoginFrame, Root } from './root.tsx';
import { loginPath, logoutPath, type Screen, screens } from './screens.ts';

/** The routes of a screen: the guard runs while the code loads, but not again for another query of the same path. */
const routesOf = (screen: Screen): RouteObject[] =>
  screen.paths.map((path) => ({
    path,
    loader: guard(screen),
    shouldRevalidate: ({ currentUrl, nextUrl }) => currentUrl.pathname !== nextUrl.pathname,
    lazy: screen.load,
  }));

const isLogin = ({ paths }: Screen): boolean => paths.includes(loginPath);

/** The router, with the routes of the screen table. The login loads without the menu. */
export const router = createBrowserRouter([
  {
    Component: Root,
    ErrorBoundary: CrashPage,
    // Without the menu, whose calls could end the session that a sign-on is just starting.
    HydrateFallback: LoginFrame,
    children: [
      { Component: LoginFrame, ErrorBoundary: CrashPage, children: screens.filter(isLogin).flatMap(routesOf) },
      {
        lazy: () => import('./frame.tsx'),
        children: [
          {
            ErrorBoundary: CrashPage,
            children: [
              ...screens.filter((screen) => !isLogin(screen)).flatMap(routesOf),
              { path: logoutPath, action: logOut },
              { path: '/unauthorized', Component: UnauthorizedPage },
              { path: '*', Component: NotFoundPage },
            ],
          },
        ],
      },
    ],
  },
]);

// A new path clears the messages and may pass one to its screen. Back does not show it again.
let { pathname } = router.state.location;
router.subscribe(({ location, historyAction }) => {
  if (location.pathname === pathname) return;
  pathname = location.pathname;
  clearFlashes();
  if (historyAction === NavigationType.Pop) return;
  const state: unknown = location.state;
  if (typeof state === 'object' && state !== null && 'notice' in state && typeof state.notice === 'string')
    showMessage(state.notice);
});

// When a session ends, also in another tab, the login is shown.
onSessionChange((why) => {
  if (currentSession() === null) void router.navigate(loginPath, { replace: why !== null, state: { notice: why } });
});
