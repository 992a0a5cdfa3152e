import { authorizeSignOn, signOn, verifySignOn } from '#contract/auth.ts';
import { addressOf } from '#contract/define.ts';
import { call } from '../lib/call.ts';
import { currentSession, startSession } from '../lib/current-session.ts';
import { rememberPath, takePath } from '../lib/requested-path.ts';
import type { Route } from '../lib/router.tsx';
import { takeSignOnCode } from '../lib/sign-on-code.ts';
import { passage, setUpPath, withoutSignOn, type Passage } from './passage.ts';
import type { Screen } from './screens.ts';

/** Runs before a screen is shown: allows it, or returns the path to show instead. */
export const guard =
  (screen: Screen): NonNullable<Route['guard']> =>
  (url) => {
    const code = screen.roles === 'public' ? null : takeSignOnCode();
    return go(passage(screen, currentSession(), url, code), url);
  };

async function go(next: Passage, url: URL): Promise<string | null> {
  switch (next.do) {
    case 'show':
      return null;
    case 'refuse':
      return '/unauthorized';
    case 'set_up':
      return setUpPath;
    case 'login':
      rememberPath(next.remember);
      return '/login';
    case 'authorize': {
      const ids = { tenant_id: next.tenantId, resource_id: next.resourceId };
      const isKnown = await call(verifySignOn, { body: ids }).then(
        ({ data }) => data.known,
        () => false,
      );
      if (!isKnown) return go(next.otherwise, url);
      rememberPath(withoutSignOn(url));
      window.location.assign(addressOf(authorizeSignOn, { query: { ...ids, referrer: withoutSignOn(url) } }));
      // The browser is leaving the page; the screen stays until then.
      return new Promise<null>(() => undefined);
    }
    case 'sign_on':
      try {
        const { data } = await call(signOn, { body: { token: next.code } });
        // If a link leads directly to the identity check, the URL itself has the target path.
        return startSession(data.token) ? takePath(withoutSignOn(url)) : '/login';
      } catch {
        return currentSession() === null ? '/login' : go(next.otherwise, url);
      }
    default:
      return next satisfies never;
  }
}
