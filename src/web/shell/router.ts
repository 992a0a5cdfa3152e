import { currentSession, onSessionChange } from '../lib/current-session.ts';
import { clearFlashes, showMessage } from '../lib/flash.ts';
import { navigate, type Route, startRouter } from '../lib/router.tsx';
import { inLibrary } from '../ui/in-library.tsx';
import { guard } from './guard.ts';
import { loadApplication, loginPath } from './load-application.tsx';
import { type Screen, screens } from './screens.ts';

/** The addresses of a screen: the guard runs, the code loads beside it, then it is shown. */
function routesOf(screen: Screen, load: NonNullable<Screen['load']>): Route[] {
  const own = async () => {
    const { Component, ready } = await load();
    await ready?.();
    return Component;
  };
  const part = screen.needsNoLibrary === true ? own : inLibrary(own);
  return screen.paths.map((path) => ({
    path,
    guard: guard(screen),
    load:
      path === loginPath
        ? load
        : async () => {
            const [found] = await Promise.all([part(), loadApplication()]);
            return { Component: found };
          },
  }));
}

/** A page that needs nothing; whoever is signed in sees it in the frame of the application. */
const plainRoute = (path: string, name: 'UnauthorizedPage' | 'UnknownPath'): Route => ({
  path,
  load: async () => {
    const [pages] = await Promise.all([
      import('./plain-pages.tsx'),
      currentSession() === null ? undefined : loadApplication(),
    ]);
    return { Component: pages[name] };
  },
});

/** Every address of the application, made of the table of screens. */
const routes: readonly Route[] = [
  ...screens.flatMap((screen) => (screen.load === null ? [] : routesOf(screen, screen.load))),
  plainRoute('/unauthorized', 'UnauthorizedPage'),
  plainRoute('*', 'UnknownPath'),
];

/** Shows the screen of the address, and follows the person from then on; whose session ends comes to the login. */
export function showScreens(): void {
  // Messages belong to the page they appeared on; a navigation may bring one along for the next.
  startRouter(routes, ({ state }) => {
    clearFlashes();
    if (typeof state === 'object' && state !== null && 'notice' in state && typeof state.notice === 'string')
      showMessage(state.notice);
  });
  onSessionChange((why) => {
    if (currentSession() === null)
      void navigate(loginPath, { replace: why !== null, state: { notice: why }, force: true });
  });
}
