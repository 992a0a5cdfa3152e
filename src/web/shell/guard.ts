import { type LoaderFunction, redirect } from 'react-router';
import { authorizeSignOn, signOn } from '#contract/auth.ts';
import { addressOf } from '#contract/define.ts';
import { call } from '../lib/call.ts';
import { currentSession, startSession } from '../lib/current-session.ts';
import { rememberPath, takePath } from '../lib/requested-path.ts';
import { passage, withoutSignOn } from './passage.ts';
import type { Screen } from './screens.ts';

/** Runs before a screen is shown and lets through, or sends elsewhere. */
export const guard =
  (screen: Screen): LoaderFunction =>
  async ({ request }) => {
    const url = new URL(request.url);
    const next = passage(screen, currentSession(), url);
    switch (next.do) {
      case 'show':
        return null;
      case 'refuse':
        return redirect('/unauthorized');
      case 'login':
        rememberPath(next.remember);
        return redirect('/login');
      case 'authorize': {
        rememberPath(withoutSignOn(url));
        const { tenantId, resourceId } = next;
        const query = { tenant_id: tenantId, resource_id: resourceId, referrer: withoutSignOn(url) };
        window.location.assign(addressOf(authorizeSignOn, { query }));
        // The browser is leaving; the screen stays as it is until then.
        return new Promise<null>(() => undefined);
      }
      case 'sign_on':
        // The code must not stay in the history, where others could pick it up.
        window.history.replaceState(window.history.state, '', withoutSignOn(url));
        try {
          const { data } = await call(signOn, { body: { token: next.code } });
          return redirect(startSession(data.token) ? takePath() : '/login');
        } catch {
          return redirect('/login');
        }
      default:
        return next satisfies never;
    }
  };
