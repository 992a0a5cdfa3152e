import { useEffect } from 'react';
import { useLocation, useNavigate, useParams } from './router.tsx';

/** Stands in the address instead of the token, so that a reload still finds the screen. */
const placeholder = 'set';

/**
 * The token of a mailed link; null when there is none. It is taken out of the address, where others could read it over a
 * shoulder or in the history, and stays with this entry of the tab for a reload.
 *
 * @param base the path before the token.
 */
export function useLinkToken(base: '/password' | '/invitation'): string | null {
  const { token: inAddress = '' } = useParams();
  const state: unknown = useLocation().state;
  const navigate = useNavigate();
  const hasToken = inAddress !== placeholder;
  useEffect(() => {
    if (hasToken) void navigate(`${base}/${placeholder}`, { replace: true, state: { token: inAddress } });
  }, [base, hasToken, inAddress, navigate]);
  if (hasToken) return inAddress;
  return typeof state === 'object' && state !== null && 'token' in state && typeof state.token === 'string'
    ? state.token
    : null;
}
