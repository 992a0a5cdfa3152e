import type { Session } from '../lib/session.ts';
import { mayOpen, type Screen } from './screens.ts';

/** What happens when somebody opens a screen (specification 2, section 4). */
export type Passage =
  | { readonly do: 'show' }
  | { readonly do: 'refuse' }
  /** Sign in first, and come back afterwards. */
  | { readonly do: 'login'; readonly remember: string }
  /** Prove who you are at the PSA, and come back afterwards. */
  | { readonly do: 'authorize'; readonly remember: string; readonly tenantId: string; readonly resourceId: string }
  /** Trade the one-time code in the address for a session. */
  | { readonly do: 'sign_on'; readonly code: string };

/** Decides whether a screen is shown. */
export function passage(screen: Screen, session: Session | null, url: URL): Passage {
  if (screen.roles === 'public') return { do: 'show' };
  if (session !== null) return mayOpen(screen, session.claims.roles) ? { do: 'show' } : { do: 'refuse' };
  const code = url.searchParams.get('kiss');
  if (code !== null && code !== '') return { do: 'sign_on', code };
  const remember = `${url.pathname}${url.search}`;
  const tenantId = url.searchParams.get('tenant_id');
  const resourceId = url.searchParams.get('resource_id');
  if (isId(tenantId) && isId(resourceId)) return { do: 'authorize', remember, tenantId, resourceId };
  return { do: 'login', remember };
}

const isId = (text: string | null): text is string => text !== null && /^[\w-]{1,50}$/.test(text);

/** The address without what the PSA's link brought along. */
export function withoutSignOn(url: URL): string {
  const query = new URLSearchParams(url.search);
  for (const name of ['kiss', 'tenant_id', 'resource_id']) query.delete(name);
  return query.size === 0 ? url.pathname : `${url.pathname}?${query.toString()}`;
}
