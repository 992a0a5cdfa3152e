-- How long a consent lasts, accesses that are still to be given back, and what all workers share about the limits.

alter table connections
  add column consent_ends_at timestamptz,
  add column ended           text,
  add column ended_at        timestamptz;
comment on column connections.consent_ends_at is 'When the access ends unless it is used or given anew; null when it does not end by itself.';
comment on column connections.ended is 'Sealed. The tokens of a connection that was ended here, until the service has heard of it.';
comment on column connections.ended_at is 'When that connection was ended.';

alter table tenants add column care_at timestamptz;
comment on column tenants.care_at is 'When the connection to the books is looked after next: idle tokens renewed, an ended access given back.';
create index tenants_by_care on tenants (care_at) where care_at is not null;
grant update (care_at) on tenants to tallybridge_app;
update tenants t set care_at = now()
  where exists (
    select 1 from connections c
     where c.tenant_id = t.id and c.service = 'accounting' and c.status = 'active' and c.credentials is not null);

alter table budgets
  add column share    real,
  add column share_at timestamptz;
comment on column budgets.share is 'How much of the service''s own quota all integrations together have used, as it last told; 1 is all of it.';

create table budget_places (
  key     text   not null,
  holder  text   not null,
  ends_ms bigint not null,
  primary key (key, holder)
);
comment on table budget_places is 'Calls that are under way, one row each, so that all processes together keep the limit of calls at once.';
comment on column budget_places.ends_ms is 'Epoch milliseconds after which the caller must be dead.';
grant select, insert, update, delete on budget_places to tallybridge_root;

-- Takes a place among the calls under way together with one call of every window, or neither.
create function take_budget_and_place(
  keys text[], most integer[], window_ms bigint[], at_ms bigint,
  place_key text, places integer, holder_name text, until_ms bigint
) returns bigint
  language plpgsql
  as $$
declare
  -- How soon to ask again for a place: calls last longer than that.
  ask_again_ms constant bigint := 50;
  wait bigint;
begin
  -- One at a time per key; always before the windows, so that two workers never wait for each other.
  insert into budgets as b (key) values (place_key) on conflict (key) do update set key = b.key;
  delete from budget_places p where p.key = place_key and p.ends_ms <= at_ms;
  if (select count(*) from budget_places p where p.key = place_key) >= places then
    return ask_again_ms;
  end if;
  wait := take_budget(keys, most, window_ms, at_ms);
  if wait <= 0 then
    insert into budget_places (key, holder, ends_ms) values (place_key, holder_name, until_ms)
      on conflict (key, holder) do update set ends_ms = excluded.ends_ms;
  end if;
  return wait;
end $$;
revoke all on function take_budget_and_place(text[], integer[], bigint[], bigint, text, integer, text, bigint) from public;
grant execute on function take_budget_and_place(text[], integer[], bigint[], bigint, text, integer, text, bigint) to tallybridge_root;
