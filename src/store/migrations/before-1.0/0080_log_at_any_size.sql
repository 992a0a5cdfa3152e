-- The log answers at once however long it is: every combination of filters is counted and found by one index, and a search
-- stops when it has found as many as anybody looks through.

create index logs_by_filters on logs (tenant_id, type, is_test, is_manual, success, at desc, seq desc);

do $$
begin
  drop function search_logs(text, integer);
exception when insufficient_privilege then
  raise notice 'the former search_logs stays: %', sqlerrm;
end $$;

-- Behind row-level security the database does not know how common a text is. The newest entries tell: of a rare text the
-- index of its letters is read, of a common one the entries in order of time until there are enough.
create function search_logs(
  pattern text, of_type text, tests boolean, manuals boolean, successes boolean, since timestamptz, until timestamptz, most integer
) returns setof logs
  language plpgsql stable rows 1000
  set search_path = public, pg_temp set enable_bitmapscan = on set enable_seqscan = on set enable_sort = on
  as $$
declare
  looked constant integer := 2000;
  common constant integer := 60;
begin
  if common <= (
    select count(*) from (
      select l.search from logs l where l.tenant_id = current_tenant() order by l.at desc, l.seq desc limit looked
    ) newest where newest.search ilike pattern
  ) then
    perform set_config('enable_bitmapscan', 'off', true), set_config('enable_seqscan', 'off', true),
            set_config('enable_sort', 'off', true);
  end if;
  return query execute
    'select * from logs where tenant_id = current_tenant() and search ilike $1'
    || case when of_type is null then '' else ' and type = $2' end
    || case when tests is null then '' else ' and is_test = $3' end
    || case when manuals is null then '' else ' and is_manual = $4' end
    || case when successes is null then '' else ' and success = $5' end
    || case when since is null then '' else ' and at >= $6' end
    || case when until is null then '' else ' and at < $7' end
    || ' order by at desc, seq desc limit $8'
    using pattern, of_type, tests, manuals, successes, since, until, most;
end $$;
comment on function search_logs is 'Entries of the bound tenant that hold a text and pass the filters, the newest of them when there are more.';

do $$
begin
  grant create on schema public to tallybridge_purge;
  alter function search_logs(text, text, boolean, boolean, boolean, timestamptz, timestamptz, integer) security definer;
  alter function search_logs(text, text, boolean, boolean, boolean, timestamptz, timestamptz, integer) owner to tallybridge_purge;
  revoke create on schema public from tallybridge_purge;
exception when insufficient_privilege then
  -- Under its caller the function answers the same, only without the index of the letters.
  alter function search_logs(text, text, boolean, boolean, boolean, timestamptz, timestamptz, integer) security invoker;
end $$;
revoke execute on function search_logs(text, text, boolean, boolean, boolean, timestamptz, timestamptz, integer) from public;
grant execute on function search_logs(text, text, boolean, boolean, boolean, timestamptz, timestamptz, integer) to tallybridge_app;
