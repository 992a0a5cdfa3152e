-- A service has counted a call by the time it answers it. So a call that was answered soon need not be counted in a short
-- window for as long as one of which it is only known when it left.

create function release_answered_call(
  permit_key text, holder_name text,
  keys text[], weights integer[], window_ms bigint[], after_answer_ms bigint[], counted_ms bigint, answered_ms bigint
) returns void
  language plpgsql
  as $$
declare
  parts  constant integer := 60;
  one    record;
  line   rate_limits;
  since  integer;
  before integer;
begin
  -- In the order in which a call takes them: permits before windows.
  delete from concurrency_permits p where p.key = permit_key and p.holder = holder_name;
  for one in
    select w.key, w.weight, greatest(1, ceil(w.ms / parts::numeric))::bigint as width, w.ms - w.after_ms as earlier_ms
    from unnest(keys, weights, window_ms, after_answer_ms) as w (key, weight, ms, after_ms) order by w.key
  loop
    select * into line from rate_limits b where b.key = one.key for update;
    continue when not found or line.slot_ms is distinct from one.width;
    -- Slots count from the newest one, which is the first. Clocks of two processes may differ by a moment, so the call is
    -- looked for in the slots beside its own as well.
    since := line.newest - counted_ms / one.width + 1;
    before := line.newest - (answered_ms - one.earlier_ms) / one.width + 1;
    since := (
      select i from unnest(array[since, since + 1, since - 1]) with ordinality as near (i, place)
      where i between 1 and parts + 1 and line.calls[i] >= one.weight order by place limit 1
    );
    -- It is past, or was answered late: then it counts as it did.
    continue when since is null or before <= since;
    line.calls[since] := line.calls[since] - one.weight;
    if before <= parts + 1 then
      line.calls[before] := line.calls[before] + one.weight;
    end if;
    update rate_limits b set calls = line.calls where b.key = one.key;
  end loop;
end $$;
comment on function release_answered_call is 'Gives a permit back and lets the call count in each window as if it had been made so much before its answer that it counts no longer than asked for.';
revoke all on function release_answered_call(text, text, text[], integer[], bigint[], bigint[], bigint, bigint) from public;
grant execute on function release_answered_call(text, text, text[], integer[], bigint[], bigint[], bigint, bigint) to tallybridge_root;
