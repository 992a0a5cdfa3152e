import { useEffect } from 'react';
import { useLocation, useNavigate, useParams } from 'react-router';

/** Replaces the token in the URL, so that a reload still finds the screen. */
const placeholder = 'set';

/**
 * Returns the token of an emailed link; null if there is none. Removes it from the URL, where others could see it on
 * the screen or in the history. The token stays in the history entry of the tab for a reload.
 *
 * @param base the path before the token.
 */
export function useLinkToken(base: '/password' | '/invitation'): string | null {
  const { token: inUrl = '' } = useParams();
  const state: unknown = useLocation().state;
  const navigate = useNavigate();
  const hasToken = inUrl !== placeholder;
  useEffect(() => {
    if (hasToken) void navigate(`${base}/${placeholder}`, { replace: true, state: { token: inUrl } });
  }, [base, hasToken, inUrl, navigate]);
  if (hasToken) return inUrl;
  return typeof state === 'object' && state !== null && 'token' in state && typeof state.token === 'string'
    ? state.token
    : null;
}
