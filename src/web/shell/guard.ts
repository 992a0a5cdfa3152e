import { type LoaderFunction, replace } from 'react-router';
import { authorizeSignOn, signOn, verifySignOn } from '#contract/auth.ts';
import { addressOf } from '#contract/define.ts';
import { call } from '../lib/call.ts';
import { currentSession, startSession } from '../lib/current-session.ts';
import { rememberPath, takePath } from '../lib/requested-path.ts';
import { takeSignOnCode } from '../lib/sign-on-code.ts';
import { passage, setUpPath, withoutSignOn, type Passage } from './passage.ts';
import type { Screen } from './screens.ts';

/** Runs before a screen is shown and lets through, or sends elsewhere. */
export const guard =
  (screen: Screen): LoaderFunction =>
  ({ request }) => {
    const url = new URL(request.url);
    const code = screen.roles === 'public' ? null : takeSignOnCode();
    return go(passage(screen, currentSession(), url, code), url);
  };

async function go(next: Passage, url: URL): Promise<Response | null> {
  switch (next.do) {
    case 'show':
      return null;
    case 'refuse':
      return replace('/unauthorized');
    case 'set_up':
      return replace(setUpPath);
    case 'login':
      rememberPath(next.remember);
      return replace('/login');
    case 'authorize': {
      const ids = { tenant_id: next.tenantId, resource_id: next.resourceId };
      const isKnown = await call(verifySignOn, { body: ids }).then(
        ({ data }) => data.known,
        () => false,
      );
      if (!isKnown) return go(next.otherwise, url);
      rememberPath(withoutSignOn(url));
      window.location.assign(addressOf(authorizeSignOn, { query: { ...ids, referrer: withoutSignOn(url) } }));
      // The browser is leaving; the screen stays as it is until then.
      return new Promise<null>(() => undefined);
    }
    case 'sign_on':
      try {
        const { data } = await call(signOn, { body: { token: next.code } });
        // A link may lead to the proof directly: then the address itself says where the person wants to go.
        return replace(startSession(data.token) ? takePath(withoutSignOn(url)) : '/login');
      } catch {
        return currentSession() === null ? replace('/login') : go(next.otherwise, url);
      }
    default:
      return next satisfies never;
  }
}
