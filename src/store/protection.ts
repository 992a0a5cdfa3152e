import type { Pool } from 'pg';
import { SchemaMismatch } from './errors.ts';

/** Tables without client data that only the role across tenants may read. */
const guardedTables = ['deployment_events', 'recovery_codes', 'second_factors', 'sign_in_links'] as const;
const roles = ['tallybridge_app', 'tallybridge_root', 'tallybridge_purge'] as const;

/**
 * Lists what separates clients in the schema and is missing in the database, for example after an incomplete restore:
 * roles, row-level security, policies, rights and the owner of tables and functions.
 */
export async function missingProtection(pool: Pick<Pool, 'query'>): Promise<readonly string[]> {
  const { rows: ofRoles } = await pool.query<{ text: string }>(
    `select 'the role ' || one || case when oid is null then ' does not exist' else ' may bypass row-level security' end as text
       from unnest($1::text[]) one left join pg_roles on rolname = one
      where oid is null or rolsuper or rolbypassrls`,
    [roles],
  );
  if (ofRoles.length > 0) return ofRoles.map(({ text }) => text);
  const { rows } = await pool.query<{ text: string }>(
    `with tables as (
       select c.oid, c.relname::text as name, c.relowner, c.relrowsecurity and c.relforcerowsecurity as is_guarded,
              c.relname = 'tenants' or exists (
                select from pg_attribute a where a.attrelid = c.oid and a.attname = 'tenant_id' and not a.attisdropped
              ) as has_tenant
         from pg_class c where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p')
     ), functions as (
       select p.proname::text as name, p.proowner from pg_proc p
        where p.pronamespace = 'public'::regnamespace and p.prosecdef
     )
     select 'row-level security of ' || name || ' is off' as text from tables
      where not is_guarded and (has_tenant or name = any ($1))
     union all
     select 'the policy ' || p.policy || ' of ' || t.name || ' is missing'
       from tables t, (values ('own_tenant', 'tallybridge_app', '(%id = ( SELECT current_tenant() AS current_tenant))'), ('purge', 'tallybridge_purge', 'true')) p (policy, role, qual)
      where t.has_tenant and not exists (
        select from pg_policies o where o.schemaname = 'public' and o.tablename = t.name and o.policyname = p.policy
           and o.roles = array[p.role]::name[] and o.cmd = 'ALL' and o.qual = replace(p.qual, '%', case t.name when 'tenants' then '' else 'tenant_' end)
           and o.with_check = o.qual)
     union all
     select 'the policy ' || policyname || ' of ' || tablename || ' lets other clients’ rows through' from pg_policies
      where schemaname = 'public' and roles && array['tallybridge_app', 'public']::name[] and policyname <> 'own_tenant'
     union all
     select 'the policy all_tenants of ' || name || ' is missing' from tables t
      where name = any ($1) and not exists (
        select from pg_policies o where o.schemaname = 'public' and o.tablename = t.name and o.policyname = 'all_tenants')
     union all
     select 'tallybridge_app may not read ' || name from tables
      where has_tenant and not has_any_column_privilege('tallybridge_app', oid, 'select')
     union all
     select 'the table ' || name || ' belongs to ' || relowner::regrole from tables where not pg_has_role(relowner, 'usage')
     union all
     select 'the function ' || name || ' belongs to ' || proowner::regrole from functions where not pg_has_role(proowner, 'usage')`,
    [guardedTables],
  );
  return rows.map(({ text }) => text);
}

/** @throws SchemaMismatch if the database does not separate clients as the schema declares. */
export async function assertProtected(pool: Pick<Pool, 'query'>): Promise<void> {
  const [first, ...others] = await missingProtection(pool);
  if (first === undefined) return;
  const more = others.length === 0 ? '' : ` and ${others.length} more`;
  throw new SchemaMismatch(
    `The database does not separate clients (${first}${more}), for example after an incomplete restore: restore it into an empty database with “tallybridge restore”.`,
  );
}
