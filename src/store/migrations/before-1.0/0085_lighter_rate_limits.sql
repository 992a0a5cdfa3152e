-- A call takes from the windows in one statement, whatever it counts for, and writes each row once. Who was refused a
-- permit gets the next one that is given back, so that a process that makes call after call leaves room for the others.

drop function acquire_rate_limits_and_permit(text[], integer[], bigint[], bigint, text, integer, text, bigint);
drop function acquire_rate_limits(text[], integer[], bigint[], bigint);

alter table rate_limits add column waiting text, add column waiting_ms bigint;
comment on column rate_limits.waiting is 'Of a permit: the holder that was refused one and gets the next, while it goes on asking.';
comment on column rate_limits.waiting_ms is 'When the one that waits has asked last, in milliseconds of the epoch.';

create function acquire_rate_limits(keys text[], most integer[], weights integer[], window_ms bigint[], at_ms bigint)
  returns bigint
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
  -- What is written when every window has room, one after the other.
  names  text[] := '{}';
  widths bigint[] := '{}';
  slots  bigint[] := '{}';
  counts integer[] := '{}';
begin
  -- Always in the same order, so that two workers never wait for each other.
  for one in
    select w.key, w.most, w.weight, greatest(1, ceil(w.ms / parts::numeric))::bigint as width
    from unnest(keys, most, weights, window_ms) as w (key, most, weight, ms) order by w.key
  loop
    select * into line from rate_limits b where b.key = one.key for update;
    if not found then
      insert into rate_limits (key) values (one.key) on conflict (key) do nothing;
      select * into strict line from rate_limits b where b.key = one.key for update;
    end if;
    slot := greatest(at_ms / one.width, case when line.slot_ms = one.width then line.newest else 0 end);
    kept := case when line.slot_ms = one.width then shift_rate_window(line.calls, slot - line.newest, parts + 1) else '{}' end;
    kept := kept || array_fill(0, array[parts + 1 - coalesce(array_length(kept, 1), 0)]);
    if line.paused_until is not null then
      wait := greatest(wait, (extract(epoch from line.paused_until) * 1000)::bigint - at_ms);
    end if;
    select sum(c) into used from unnest(kept) as c;
    -- From the oldest slot on: which one has to leave before there is room?
    for i in reverse parts + 1 .. 1 loop
      exit when used + one.weight <= one.most;
      used := used - kept[i];
      if used + one.weight <= one.most then
        wait := greatest(wait, (slot - i + 1 + parts + 1) * one.width - at_ms);
      end if;
    end loop;
    kept[1] := kept[1] + one.weight;
    names := names || one.key;
    widths := widths || one.width;
    slots := slots || slot;
    counts := counts || kept;
  end loop;
  if wait > 0 then
    return wait;
  end if;
  for i in 1 .. coalesce(array_length(names, 1), 0) loop
    update rate_limits
       set slot_ms = widths[i], newest = slots[i], calls = counts[(i - 1) * (parts + 1) + 1 : i * (parts + 1)]
     where key = names[i];
  end loop;
  return 0;
end $$;
comment on function acquire_rate_limits is 'Takes a call from every window, as often as it counts there, or from none; answers the milliseconds to wait before asking again.';

-- Takes a permit for a call that will be under way, together with one call of every window, or neither.
create function acquire_rate_limits_and_permit(
  keys text[], most integer[], weights integer[], window_ms bigint[], at_ms bigint,
  permit_key text, permits integer, holder_name text, until_ms bigint
) returns bigint
  language plpgsql
  as $$
declare
  -- How soon to ask again for a permit: calls last longer than that.
  ask_again_ms constant bigint := 50;
  -- Who waits has its turn as long as it asks; one that has died holds nobody up for longer than this.
  turn_ms constant bigint := 500;
  line rate_limits;
  free integer;
  is_others_turn boolean;
  wait bigint;
begin
  -- One at a time per key; always before the windows, so that two workers never wait for each other.
  select * into line from rate_limits b where b.key = permit_key for update;
  if not found then
    insert into rate_limits (key) values (permit_key) on conflict (key) do nothing;
    select * into strict line from rate_limits b where b.key = permit_key for update;
  end if;
  delete from concurrency_permits p where p.key = permit_key and p.ends_ms <= at_ms;
  free := permits - (select count(*) from concurrency_permits p where p.key = permit_key);
  is_others_turn := line.waiting is not null and line.waiting <> holder_name and line.waiting_ms > at_ms - turn_ms;
  if free <= is_others_turn::integer then
    if not is_others_turn then
      update rate_limits set waiting = holder_name, waiting_ms = at_ms where key = permit_key;
    end if;
    return ask_again_ms;
  end if;
  wait := acquire_rate_limits(keys, most, weights, window_ms, at_ms);
  if wait <= 0 then
    insert into concurrency_permits (key, holder, ends_ms) values (permit_key, holder_name, until_ms)
      on conflict (key, holder) do update set ends_ms = excluded.ends_ms;
    if line.waiting = holder_name then
      update rate_limits set waiting = null, waiting_ms = null where key = permit_key;
    end if;
  end if;
  return wait;
end $$;
comment on function acquire_rate_limits_and_permit is 'Takes a permit and a call of every window, or nothing; who was refused a permit gets the next one, before anybody who comes later.';
revoke all on function acquire_rate_limits(text[], integer[], integer[], bigint[], bigint) from public;
revoke all on function acquire_rate_limits_and_permit(text[], integer[], integer[], bigint[], bigint, text, integer, text, bigint) from public;
grant execute on function acquire_rate_limits(text[], integer[], integer[], bigint[], bigint) to tallybridge_root;
grant execute on function acquire_rate_limits_and_permit(text[], integer[], integer[], bigint[], bigint, text, integer, text, bigint) to tallybridge_root;
