import { authorizeSignOn, signOn, verifySignOn } from '#contract/calls/auth.ts';
import { addressOf } from '#contract/define.ts';
import { call } from '../data/call.ts';
import { currentSession, startSession } from '../data/current-session.ts';
import { rememberPath, takePath } from '../data/requested-path.ts';
import { type LoaderFunction, redirect, replace } from 'react-router';
import { takeSignOnCode } from '../data/sign-on-code.ts';
import { decideAccess, setUpPath, withoutSignOn, type AccessDecision } from './access.ts';
import type { Screen } from './screens.ts';

/** Runs before a screen is shown: allows it, or redirects to another path. */
export const guard =
  (screen: Screen): LoaderFunction =>
  async ({ request }) => {
    const url = new URL(request.url);
    const code = screen.roles === 'public' ? null : takeSignOnCode();
    const path = await apply(decideAccess(screen, currentSession(), url, code), url);
    if (path === null) return null;
    // After a reload or Back, the browser already shows the URL: another entry for it would catch every Back.
    return url.pathname === window.location.pathname ? replace(path) : redirect(path);
  };

/** Returns the path to show instead of the screen; null to show it. */
async function apply(decision: AccessDecision, url: URL): Promise<string | null> {
  switch (decision.do) {
    case 'show':
      return null;
    case 'refuse':
      return '/unauthorized';
    case 'set_up':
      return setUpPath;
    case 'login':
      rememberPath(decision.remember);
      return '/login';
    case 'authorize': {
      const ids = { tenant_id: decision.tenantId, resource_id: decision.resourceId };
      const isKnown = await call(verifySignOn, { body: ids }).then(
        ({ data }) => data.known,
        () => false,
      );
      if (!isKnown) return apply(decision.otherwise, url);
      rememberPath(withoutSignOn(url));
      window.location.assign(addressOf(authorizeSignOn, { query: { ...ids, referrer: withoutSignOn(url) } }));
      // The browser is leaving the page; the screen stays until then.
      return new Promise<null>(() => undefined);
    }
    case 'sign_on':
      try {
        const { data } = await call(signOn, { body: { token: decision.code } });
        // If a link leads directly to the identity check, the URL itself has the target path.
        return startSession(data.token) ? takePath(withoutSignOn(url)) : '/login';
      } catch {
        return currentSession() === null ? '/login' : apply(decision.otherwise, url);
      }
    default:
      return decision satisfies never;
  }
}
