import type { Session } from '../data/session.ts';
import { mayOpen, type Screen } from './screens.ts';

/** What happens when a user opens a screen (screens reference 2.4). */
export type AccessDecision =
  | { readonly do: 'show' }
  | { readonly do: 'refuse' }
  /** The user must first set up the second step of the login. */
  | { readonly do: 'set_up' }
  /** The user must log in first and then returns. */
  | { readonly do: 'login'; readonly remember: string }
  /** The PSA verifies the user of its link, who then returns; `otherwise` if the user is unknown. */
  | {
      readonly do: 'authorize';
      readonly tenantId: string;
      readonly resourceId: string;
      readonly otherwise: AccessDecision;
    }
  /** The one-time code is exchanged for a session; `otherwise` if the code is not accepted. */
  | { readonly do: 'sign_on'; readonly code: string; readonly otherwise: AccessDecision };

/** Path of the screen that sets up the second step of the login. */
export const setUpPath = '/security';

/**
 * Decides whether a screen is shown.
 *
 * @param code the one-time code from the URL; it works only in the browser that requested it.
 */
export function decideAccess(screen: Screen, session: Session | null, url: URL, code: string | null): AccessDecision {
  if (screen.roles === 'public') return { do: 'show' };
  const otherwise = decideByRole(screen, session, url);
  if (code !== null) return { do: 'sign_on', code, otherwise };
  const tenantId = url.searchParams.get('tenant_id');
  const resourceId = url.searchParams.get('resource_id');
  if (!isId(tenantId) || !isId(resourceId)) return otherwise;
  const isSame = session?.claims.psaTenantId === tenantId && session.claims.psaResourceId === resourceId;
  return isSame ? otherwise : { do: 'authorize', tenantId, resourceId, otherwise };
}

function decideByRole(screen: Screen, session: Session | null, url: URL): AccessDecision {
  if (session === null) return { do: 'login', remember: withoutSignOn(url) };
  if (session.claims.mustSetUp) return screen.paths.includes(setUpPath) ? { do: 'show' } : { do: 'set_up' };
  return mayOpen(screen, session.claims.roles) ? { do: 'show' } : { do: 'refuse' };
}

const isId = (text: string | null): text is string => text !== null && /^[\w.-]{1,50}$/.test(text);

/** Returns the URL without the parameters of the PSA's link. */
export function withoutSignOn(url: URL): string {
  const query = new URLSearchParams(url.search);
  for (const name of ['kiss', 'tenant_id', 'resource_id']) query.delete(name);
  return query.size === 0 ? url.pathname : `${url.pathname}?${query.toString()}`;
}
