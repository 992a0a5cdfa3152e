import { createBrowserRouter, type RouteObject } from 'react-router';
import { clearFlash, showMessage } from '../lib/flash.ts';
import { guard } from './guard.ts';
import { CrashPage, UnauthorizedPage, UnknownPath } from './plain-pages.tsx';
import { Root } from './root.tsx';
import { type Screen, screens } from './screens.ts';

/** One address of a screen: the guard runs, the screen's code loads beside it, then it is shown. */
const routesOf = (screen: Screen, load: NonNullable<Screen['load']>): RouteObject[] =>
  screen.paths.map((path) => ({ path, loader: guard(screen), lazy: load, shouldRevalidate: () => false }));

const routes: RouteObject[] = [
  {
    element: <Root />,
    errorElement: <CrashPage />,
    hydrateFallbackElement: <></>,
    children: [
      {
        errorElement: <CrashPage />,
        children: [
          ...screens.flatMap((screen) => (screen.load === null ? [] : routesOf(screen, screen.load))),
          { path: '/unauthorized', element: <UnauthorizedPage /> },
          { path: '*', element: <UnknownPath /> },
        ],
      },
    ],
  },
];

/** Every address of the application, made of the table of screens. */
export function createRouter() {
  const router = createBrowserRouter(routes);
  let { pathname } = router.state.location;
  // Messages belong to the page they appeared on; a navigation may bring one along for the next.
  router.subscribe(({ location }) => {
    if (location.pathname === pathname) return;
    pathname = location.pathname;
    clearFlash();
    const state: unknown = location.state;
    if (typeof state === 'object' && state !== null && 'notice' in state && typeof state.notice === 'string')
      showMessage(state.notice);
  });
  return router;
}
