-- Every list of the log is read from an index in its own order, however deep its page is. Filters that are not set are
-- written out value by value, and the database merges what the index holds of each; so two indexes serve what five did not.

drop index logs_by_type;
drop index logs_by_test;
drop index logs_by_manual;
drop index logs_by_success;
drop index logs_by_filters;
drop index logs_newest;
create index logs_newest on logs (tenant_id, at desc, seq desc) include (psa_id);
create index logs_by_filters on logs (tenant_id, type, is_test, is_manual, success, at desc, seq desc) include (psa_id);
create index logs_by_filters_and_document
  on logs (tenant_id, type, is_test, is_manual, success, psa_id, at desc, seq desc);
-- What still needs somebody is looked for among the live failures alone.
create index logs_failed on logs (tenant_id, at desc, seq desc) where not success and not is_test;

-- Entries are skipped in the index alone, for which the database has to have looked over the pages of the table since they
-- were written. Rows are only added here, and by its own measure it would wait for a fifth of the table.
alter table logs set (autovacuum_vacuum_insert_scale_factor = 0.02, autovacuum_vacuum_insert_threshold = 2000);

do $$
begin
  drop function search_logs(text, text, boolean, boolean, boolean, timestamptz, timestamptz, integer);
exception when insufficient_privilege then
  raise notice 'the former search_logs stays: %', sqlerrm;
end $$;

-- Behind row-level security the database does not know how common a text is. The newest entries that pass the filters
-- tell: of a rare text the index of its letters is read, of a common one the entries in order of time until there are
-- enough. Words that most entries have are not looked up at either end of a text that has others: for each of their
-- letters the index keeps a list as long as the log.
create function search_logs(
  pattern text, kinds text[], of_type text, tests boolean, manuals boolean, successes boolean,
  since timestamptz, until timestamptz, most integer
) returns setof logs
  language plpgsql stable rows 1000
  set search_path = public, pg_temp
  set enable_bitmapscan = on set enable_seqscan = on set enable_indexscan = on set enable_sort = on
  as $$
declare
  looked constant integer := 1000;
  common constant integer := 30;
  asked constant integer := 200;
  letters constant text := '[[:alnum:]]{3}';
  -- Asked once: in a condition it would be asked with every row that the index of letters names.
  tenant constant uuid := current_tenant();
  either constant boolean[] := array[false, true];
  dated text := case when since is null then '' else ' and at >= $2' end
    || case when until is null then '' else ' and at < $3' end;
  newest text;
  sample text[];
  words text[];
  is_common boolean[];
  first integer := 1;
  last integer;
  rare text;
begin
  if of_type is null and tests is null and manuals is null and successes is null then
    newest := 'select * from logs where tenant_id = $1' || dated;
  else
    select string_agg(
        format('(select * from logs where tenant_id = $1 and type = %L and is_test = %L and is_manual = %L and success = %L',
               kind, test, manual, success)
          || dated || ' order by at desc, seq desc)', ' union all ')
      into newest
      from unnest(case when of_type is null then kinds else array[of_type] end) kind,
           unnest(case when tests is null then either else array[tests] end) test,
           unnest(case when manuals is null then either else array[manuals] end) manual,
           unnest(case when successes is null then either else array[successes] end) success;
  end if;
  perform set_config('enable_bitmapscan', 'off', true), set_config('enable_seqscan', 'off', true),
          set_config('enable_sort', 'off', true);
  execute 'select array_agg(lower(search)) from (select search from (' || newest || ') listed order by at desc, seq desc limit $4) newest'
    into sample using tenant, since, until, looked;
  if common <= (select count(*) from unnest(sample) entry where entry like lower(pattern)) then
    return query execute
      'select * from (' || newest || ') listed where search ilike $4 order by at desc, seq desc limit $5'
      using tenant, since, until, pattern, most;
    return;
  end if;

  perform set_config('enable_bitmapscan', 'on', true), set_config('enable_seqscan', 'on', true),
          set_config('enable_sort', 'on', true);
  -- Whatever holds a text holds each part of it.
  select array_agg(word[1] order by place) into words
    from regexp_matches(btrim(pattern, '%'), '[^[:alnum:]]*[[:alnum:]]+', 'g') with ordinality found(word, place);
  last := coalesce(array_length(words, 1), 0);
  select array_agg((select 2 * count(*) > cardinality(sample[1:asked]) from unnest(sample[1:asked]) entry
                     where entry like '%' || lower(word) || '%') order by place)
    into is_common from unnest(words) with ordinality found(word, place);
  while first < last and is_common[first] and array_to_string(words[first + 1:last], '') ~ letters loop
    first := first + 1;
  end loop;
  while first < last and is_common[last] and array_to_string(words[first:last - 1], '') ~ letters loop
    last := last - 1;
  end loop;
  rare := '%' || array_to_string(words[first:last], '') || '%';
  if rare ~ letters then
    perform set_config('enable_indexscan', 'off', true), set_config('enable_seqscan', 'off', true);
  else
    rare := pattern;
  end if;
  return query execute
    -- Spelled so that the index is not asked for the whole text as well.
    'select * from logs where tenant_id = $1 and search ilike $4 and (search || '''') ilike $5' || dated
    || case when of_type is null then '' else ' and type = $6' end
    || case when tests is null then '' else ' and is_test = $7' end
    || case when manuals is null then '' else ' and is_manual = $8' end
    || case when successes is null then '' else ' and success = $9' end
    || ' order by at desc, seq desc limit $10'
    using tenant, since, until, rare, pattern, of_type, tests, manuals, successes, most;
end $$;
comment on function search_logs is 'Entries of the bound tenant that hold a text and pass the filters, the newest of them when there are more.';

do $$
begin
  grant create on schema public to tallybridge_purge;
  alter function search_logs(text, text[], text, boolean, boolean, boolean, timestamptz, timestamptz, integer) security definer;
  alter function search_logs(text, text[], text, boolean, boolean, boolean, timestamptz, timestamptz, integer) owner to tallybridge_purge;
  revoke create on schema public from tallybridge_purge;
exception when insufficient_privilege then
  -- Under its caller the function answers the same, only without the index of the letters.
  alter function search_logs(text, text[], text, boolean, boolean, boolean, timestamptz, timestamptz, integer) security invoker;
end $$;
revoke execute on function search_logs(text, text[], text, boolean, boolean, boolean, timestamptz, timestamptz, integer) from public;
grant execute on function search_logs(text, text[], text, boolean, boolean, boolean, timestamptz, timestamptz, integer) to tallybridge_app;
