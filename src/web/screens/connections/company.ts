import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import { findBooksCompany } from '#contract/connections.ts';
import type { DataOf } from '#contract/define.ts';
import { useSession } from '../../lib/current-session.ts';
import { scopedKey, read } from '../../lib/queries.ts';
import { useSearchParams } from '../../lib/router.tsx';

export type Company = DataOf<typeof findBooksCompany>;

/**
 * Returns the QuickBooks company that QuickBooks put into the address, and compares it with the client of the session.
 * `realmId` is null when the address names no company; the query then stays idle, as it does without a session.
 */
export function useCompany(): { readonly realmId: string | null; readonly found: UseQueryResult<Company> } {
  const [query] = useSearchParams();
  const session = useSession();
  const given = query.get('realmId') ?? '';
  const realmId = /^\d{1,30}$/.test(given) ? given : null;
  const found = useQuery({
    queryKey: scopedKey('company', realmId),
    queryFn: ({ signal }) => read(findBooksCompany, { params: { realm_id: realmId ?? '' } }, signal),
    enabled: realmId !== null && session !== null,
  });
  return { realmId, found };
}
