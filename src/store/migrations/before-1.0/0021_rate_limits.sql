-- The limits of the services in the words of the field: windows that calls count in, permits for calls at once.

drop function take_budget_and_place(text[], integer[], bigint[], bigint, text, integer, text, bigint);
drop function take_budget(text[], integer[], bigint[], bigint);
alter function shift_budget rename to shift_rate_window;
alter table budgets rename to rate_limits;
alter table budget_places rename to concurrency_permits;
comment on table concurrency_permits is 'Calls that are under way, one row each, so that all processes together keep the limit of calls at once.';

create function acquire_rate_limits(keys text[], most integer[], window_ms bigint[], at_ms bigint) returns bigint
  language plpgsql
  as $$
declare
  -- A window is counted in this many slots and one more for the part that is under way, so that no stretch of its
  -- length, wherever it begins, holds more calls than allowed.
  parts constant integer := 60;
  wait   bigint := 0;
  one    record;
  line   rate_limits;
  slot   bigint;
  kept   integer[];
  used   bigint;
begin
  -- Always in the same order, so that two workers never wait for each other.
  for one in
    select w.key, w.most, greatest(1, ceil(w.ms / parts::numeric))::bigint as width
    from unnest(keys, most, window_ms) as w (key, most, ms) order by w.key
  loop
    insert into rate_limits as b (key) values (one.key) on conflict (key) do update set key = b.key returning b.* into line;
    slot := greatest(at_ms / one.width, case when line.slot_ms = one.width then line.newest else 0 end);
    kept := case when line.slot_ms = one.width then shift_rate_window(line.calls, slot - line.newest, parts + 1) else '{}' end;
    kept := kept || array_fill(0, array[parts + 1 - coalesce(array_length(kept, 1), 0)]);
    update rate_limits set slot_ms = one.width, newest = slot, calls = kept where key = one.key;
    if line.paused_until is not null then
      wait := greatest(wait, (extract(epoch from line.paused_until) * 1000)::bigint - at_ms);
    end if;
    select sum(c) into used from unnest(kept) as c;
    -- From the oldest slot on: which one has to leave before there is room?
    for i in reverse parts + 1 .. 1 loop
      exit when used < one.most;
      used := used - kept[i];
      if used < one.most then
        wait := greatest(wait, (slot - i + 1 + parts + 1) * one.width - at_ms);
      end if;
    end loop;
  end loop;
  if wait <= 0 then
    update rate_limits set calls[1] = calls[1] + 1 where key = any (keys);
  end if;
  return greatest(wait, 0);
end $$;
comment on function acquire_rate_limits is 'Takes one call from every window or from none; answers the milliseconds to wait before asking again.';

-- Takes a permit for a call that will be under way, together with one call of every window, or neither.
create function acquire_rate_limits_and_permit(
  keys text[], most integer[], window_ms bigint[], at_ms bigint,
  permit_key text, permits integer, holder_name text, until_ms bigint
) returns bigint
  language plpgsql
  as $$
declare
  -- How soon to ask again for a permit: calls last longer than that.
  ask_again_ms constant bigint := 50;
  wait bigint;
begin
  -- One at a time per key; always before the windows, so that two workers never wait for each other.
  insert into rate_limits as b (key) values (permit_key) on conflict (key) do update set key = b.key;
  delete from concurrency_permits p where p.key = permit_key and p.ends_ms <= at_ms;
  if (select count(*) from concurrency_permits p where p.key = permit_key) >= permits then
    return ask_again_ms;
  end if;
  wait := acquire_rate_limits(keys, most, window_ms, at_ms);
  if wait <= 0 then
    insert into concurrency_permits (key, holder, ends_ms) values (permit_key, holder_name, until_ms)
      on conflict (key, holder) do update set ends_ms = excluded.ends_ms;
  end if;
  return wait;
end $$;
revoke all on function acquire_rate_limits(text[], integer[], bigint[], bigint) from public;
revoke all on function acquire_rate_limits_and_permit(text[], integer[], bigint[], bigint, text, integer, text, bigint) from public;
grant execute on function acquire_rate_limits(text[], integer[], bigint[], bigint) to tallybridge_root;
grant execute on function acquire_rate_limits_and_permit(text[], integer[], bigint[], bigint, text, integer, text, bigint) to tallybridge_root;
