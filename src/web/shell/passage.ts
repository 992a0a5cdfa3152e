import type { Session } from '../lib/session.ts';
import { mayOpen, type Screen } from './screens.ts';

/** What happens when a user opens a screen (screens reference 2.4). */
export type Passage =
  | { readonly do: 'show' }
  | { readonly do: 'refuse' }
  /** The user must first set up the second step of the login. */
  | { readonly do: 'set_up' }
  /** The user must log in first and then returns. */
  | { readonly do: 'login'; readonly remember: string }
  /** The user must log in for the PSA's link and then returns; `otherwise` if the link contains no known user. */
  | { readonly do: 'authorize'; readonly tenantId: string; readonly resourceId: string; readonly otherwise: Passage }
  /** The one-time code is exchanged for a session; `otherwise` if the code is not accepted. */
  | { readonly do: 'sign_on'; readonly code: string; readonly otherwise: Passage };

/** Path of the screen that sets up the second step of the login. */
export const setUpPath = '/security';

/**
 * Decides whether a screen is shown.
 *
 * @param code the one-time code from the URL; it works only in the browser that requested it.
 */
export function passage(screen: Screen, session: Session | null, url: URL, code: string | null): Passage {
  if (screen.roles === 'public') return { do: 'show' };
  const otherwise = ordinary(screen, session, url);
  if (code !== null) return { do: 'sign_on', code, otherwise };
  const tenantId = url.searchParams.get('tenant_id');
  const resourceId = url.searchParams.get('resource_id');
  if (!isId(tenantId) || !isId(resourceId)) return otherwise;
  const isSame = session?.claims.psaTenantId === tenantId && session.claims.psaResourceId === resourceId;
  return isSame ? otherwise : { do: 'authorize', tenantId, resourceId, otherwise };
}

function ordinary(screen: Screen, session: Session | null, url: URL): Passage {
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
