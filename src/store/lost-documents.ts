import { sql } from 'kysely';
import type { Kind } from '#core/kinds.ts';
import type { Instant } from '#core/values/dates.ts';
import type { TenantWork } from './scope.ts';

/** Documents that a restored ledger lacks. */
export const lostDocuments = {
  /**
   * Lists QuickBooks documents that name their source and that neither the ledger nor an open attempt knows. Excluded
   * are documents older than the client, which another deployment posted, and copies of a document that the ledger
   * knows: a user who copies a document copies its note [Q94].
   */
  listUnknownDocuments: async (
    { tx, tenantId }: TenantWork,
    named: readonly {
      readonly kind: Kind;
      readonly psaId: number;
      readonly targetId: string;
      readonly createdAt: Instant;
    }[],
  ): Promise<readonly { readonly kind: Kind; readonly psaId: number; readonly targetId: string }[]> => {
    if (named.length === 0) return [];
    const { rows } = await sql<{ kind: Kind; psaId: number; targetId: string }>`
      with named as (
        select * from unnest(
          ${named.map(({ kind }) => kind)}::text[], ${named.map(({ psaId }) => psaId)}::bigint[],
          ${named.map(({ targetId }) => targetId)}::text[], ${named.map(({ createdAt }) => createdAt)}::timestamptz[]
        ) as one (kind, psa_id, target_id, created_at)
      ), own as (
        select * from postings where tenant_id = ${tenantId} and psa_id in (select psa_id from named)
      )
      select distinct kind, psa_id as "psaId", target_id as "targetId" from named
       where created_at > (select t.created_at from tenants t where t.id = ${tenantId})
         and not exists (
           select from own where own.kind = named.kind and own.psa_id = named.psa_id
              and (own.target_id = named.target_id
                or (named.kind <> 'payment' and own.status not in ('refused', 'deleted_in_accounting'))))
         and (named.kind not in ('payment', 'void', 'difference')
           or exists (select from own where own.kind = 'invoice' and own.psa_id = named.psa_id))
         and not exists (
           select from attempts a where a.tenant_id = ${tenantId} and a.kind = named.kind and a.psa_id = named.psa_id
              and not a.is_ended and a.mode = 'live')
       order by kind, "psaId", "targetId"`.execute(tx);
    return rows;
  },
};
