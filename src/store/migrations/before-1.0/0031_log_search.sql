-- The log is searched by an index. Behind row-level security a condition that the database cannot prove to tell nothing
-- (ilike) never reads one, so the search runs in a function of a role whose rows are not hidden, which answers only what
-- belongs to the tenant that the transaction is bound to, and never more than it is asked for.

alter table logs add column search text not null generated always as
  (psa_id::text || ' ' || coalesce(number, '') || ' ' || message) stored;
comment on column logs.search is 'What View Logs searches: PSA id, document number and message.';

do $$
begin
  create extension if not exists pg_trgm;
  create extension if not exists btree_gin;
  create index logs_by_search on logs using gin (tenant_id, search gin_trgm_ops);
exception when others then
  -- A server without these extensions searches every row of the tenant, and gives up in time.
  raise notice 'the log is searched without an index: %', sqlerrm;
end $$;

create function search_logs(pattern text, most integer) returns setof logs
  language sql stable rows 1000 set search_path = public, pg_temp
  as $$
    select * from logs where tenant_id = current_tenant() and search ilike pattern order by seq desc limit most
  $$;
comment on function search_logs is 'Entries of the bound tenant that hold a text, the newest of them when there are more.';

do $$
begin
  grant create on schema public to tallybridge_purge;
  alter function search_logs security definer;
  alter function search_logs owner to tallybridge_purge;
  revoke create on schema public from tallybridge_purge;
exception when insufficient_privilege then
  -- Under its caller the function answers the same, only without the index.
  alter function search_logs security invoker;
end $$;
revoke execute on function search_logs from public;
grant execute on function search_logs to tallybridge_app;
