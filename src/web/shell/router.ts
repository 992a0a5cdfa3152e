// Part of the entry, because most visits begin there.
import '../screens/overview/overview.tsx';
import { currentSession, onSessionChange } from '../lib/current-session.ts';
import { clearFlashes, showMessage } from '../lib/flash.ts';
import { navigate, type Route, startRouter } from '../lib/router.tsx';
import { withComponentLibrary } from '../ui/with-component-library.tsx';
import { guard } from './guard.ts';
import { loginPath } from './render-application.tsx';
import { type Screen, screens } from './screens.ts';

/** The routes of a screen: the guard runs while the code loads. */
function routesOf(screen: Screen, load: NonNullable<Screen['load']>): Route[] {
  const own = async () => (await load()).Component;
  const part = screen.needsNoLibrary === true ? own : withComponentLibrary(own);
  return screen.paths.map((path) => ({
    path,
    guard: guard(screen),
    load: async () => ({ Component: await part() }),
  }));
}

/** A page without dependencies; logged-in users see it in the application frame. */
const plainRoute = (path: string, name: 'UnauthorizedPage' | 'NotFoundPage'): Route => ({
  path,
  load: async () => ({ Component: (await import('./error-pages.tsx'))[name] }),
});

/** All routes of the application, built from the screen table. */
const routes: readonly Route[] = [
  ...screens.flatMap((screen) => (screen.load === null ? [] : routesOf(screen, screen.load))),
  plainRoute('/unauthorized', 'UnauthorizedPage'),
  plainRoute('*', 'NotFoundPage'),
];

/** Shows the screen of the URL and all later ones; when a session ends, it shows the login. */
export function showScreens(): void {
  // A navigation clears the messages and may pass one to the next page.
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
