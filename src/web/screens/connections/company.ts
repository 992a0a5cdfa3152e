import type * as connectionsRoutes from '#contract/connections.ts';
import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import { findAccountingCompany } from '#contract/calls/connections.ts';
import type { DataOf } from '#contract/define.ts';
import { useSession } from '../../data/current-session.ts';
import { scopedKey, read } from '../../data/queries.ts';
import { useSearchParams } from 'react-router';

export type Company = DataOf<typeof connectionsRoutes.findAccountingCompany>;

/**
 * Compares the QuickBooks company in the address with the company of the session's client. `realmId` is null if the address
 * contains no company. The query runs only with a company and a session.
 */
export function useCompany(): { readonly realmId: string | null; readonly found: UseQueryResult<Company> } {
  const [query] = useSearchParams();
  const session = useSession();
  const given = query.get('realmId') ?? '';
  const realmId = /^\d{1,30}$/.test(given) ? given : null;
  const found = useQuery({
    queryKey: scopedKey('company', realmId),
    queryFn: ({ signal }) => read(findAccountingCompany, { params: { realm_id: realmId ?? '' } }, signal),
    enabled: realmId !== null && session !== null,
  });
  return { realmId, found };
}
