-- A second factor beside the password: one-time codes of an app, and recovery codes for the day the phone is gone.

create table second_factors (
  user_id      uuid        primary key references users on delete cascade,
  key_id       uuid        not null,
  root_key_id  text        not null,
  wrapped_key  text        not null,
  secret       text        not null,
  begun_at     timestamptz not null,
  confirmed_at timestamptz,
  last_step    bigint      not null default 0
);
comment on table second_factors is 'Secrets of the apps that make one-time codes.';
comment on column second_factors.secret is 'Sealed with the user''s own key, which stands beside it, wrapped by a root key that is not in the database.';
comment on column second_factors.confirmed_at is 'Set by the first right code; before that nothing is asked at the login.';
comment on column second_factors.last_step is 'The half minute whose code was used last: no code counts twice.';

create table recovery_codes (
  user_id  uuid        not null references second_factors on delete cascade,
  hash     text        not null,
  spent_at timestamptz,
  primary key (user_id, hash)
);
comment on table recovery_codes is 'Hashes of codes that stand in for the app, each once.';

alter table tenants add column requires_second_factor boolean not null default false;
comment on column tenants.requires_second_factor is 'Its users can do nothing before they have set up a second factor.';

create table deployment_events (
  id      uuid        primary key default gen_random_uuid(),
  seq     bigint      generated always as identity,
  at      timestamptz not null,
  actor   text        not null,
  action  text        not null,
  subject text        not null,
  detail  json        not null
);
comment on table deployment_events is 'What was done to the deployment itself, outside any client''s own audit trail. Rows are only ever added.';

do $$
declare
  name text;
begin
  foreach name in array array['second_factors', 'recovery_codes', 'deployment_events'] loop
    execute format('alter table %I enable row level security', name);
    execute format('alter table %I force row level security', name);
    execute format('create policy all_tenants on %I to tallybridge_root using (true) with check (true)', name);
  end loop;
end $$;
grant select, insert, update, delete on second_factors, recovery_codes to tallybridge_root;
grant select, insert on deployment_events to tallybridge_root;
