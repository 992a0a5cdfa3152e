-- Processes compare their cached copy of a list with the time of its last change. The database sets it, so that no
-- writer can forget it.

alter table reference_data add column updated_at timestamptz not null default now();
comment on column reference_data.updated_at is 'Set by a trigger.';

create function set_updated_at() returns trigger language plpgsql as $$
begin
  new.updated_at := clock_timestamp();
  return new;
end $$;
comment on function set_updated_at() is 'Sets when a row was last changed.';

create trigger reference_data_set_updated_at before insert or update on reference_data
  for each row execute function set_updated_at();
