-- Everything of the first floor. Rules that hold for every table of a tenant:
--   * tenant_id leads each key, and references between such tables carry it, so no row can join two tenants;
--   * row-level security is forced, and transactions run as tallybridge_app, bound to app.tenant;
--   * documents of the services are kept as json, not jsonb: exactly as they were, order of keys included.
-- The roles tallybridge_app and tallybridge_root are made by migrate.ts, because they belong to the whole cluster.

create function current_tenant() returns uuid
  language sql stable parallel safe
  as $$ select nullif(current_setting('app.tenant', true), '')::uuid $$;
comment on function current_tenant is 'The tenant that this transaction is bound to; null binds it to none, and then no row is visible.';

-- Tenants and people ---------------------------------------------------------------------------------------------------

create table tenants (
  id           uuid        primary key default gen_random_uuid(),
  name         text        not null,
  status       text        not null check (status in ('pending', 'active', 'suspended', 'cancelled')),
  time_zone    text        not null,
  created_at   timestamptz not null default now(),
  next_sync_at timestamptz
);
create index tenants_by_name on tenants (name, id);
create index tenants_by_next_sync on tenants (next_sync_at) where next_sync_at is not null;
comment on table tenants is 'Client organisations; the wire and the screens say “client”.';
comment on column tenants.time_zone is 'IANA name of the PSA''s time zone, in which documents are dated.';
comment on column tenants.next_sync_at is 'When the schedule takes this tenant up next; null: never by itself.';

create table users (
  id            uuid        primary key default gen_random_uuid(),
  username      text        not null unique check (username = lower(username)),
  password_hash text        not null,
  roles         text[]      not null,
  tenant_id     uuid        references tenants,
  is_active     boolean     not null default true,
  created_at    timestamptz not null default now()
);
create index users_by_tenant on users (tenant_id, username);
comment on table users is 'People who may sign in; without a tenant: sysadmins.';

create table sessions (
  jti         text        primary key,
  user_id     uuid        not null references users,
  tenant_id   uuid        references tenants,
  roles       text[]      not null,
  masquerader text,
  cookie_hash text,
  created_at  timestamptz not null,
  ends_at     timestamptz not null,
  revoked_at  timestamptz
);
create index sessions_by_user on sessions (user_id) where revoked_at is null;
create index sessions_by_end on sessions (ends_at);
comment on table sessions is 'A token counts only while its session stands here, neither revoked nor over.';

create table tickets (
  hash      text        primary key,
  purpose   text        not null,
  user_id   uuid        references users,
  tenant_id uuid        references tenants,
  data      json        not null,
  ends_at   timestamptz not null,
  spent_at  timestamptz
);
create index tickets_by_end on tickets (ends_at);
comment on table tickets is 'Hashes of one-time codes; the codes themselves are known only to whoever holds them.';

create table sign_in_failures (
  key text        not null,
  at  timestamptz not null
);
create index sign_in_failures_by_key on sign_in_failures (key, at);
create index sign_in_failures_by_time on sign_in_failures (at);
comment on table sign_in_failures is 'Failed tries per account and per address, for throttling; old rows are removed.';

create table budgets (
  key          text        primary key,
  slot_ms      bigint      not null default 1,
  newest       bigint      not null default 0,
  calls        integer[]   not null default '{}',
  paused_until timestamptz
);
comment on table budgets is 'Calls that left for an outside service, shared by all workers.';
comment on column budgets.newest is 'Number of the newest slot: epoch milliseconds divided by slot_ms.';
comment on column budgets.calls is 'Calls per slot, newest first.';

-- Connections and their secrets ----------------------------------------------------------------------------------------

create table data_keys (
  tenant_id   uuid        not null references tenants,
  id          uuid        not null,
  root_key_id text        not null,
  wrapped     text        not null,
  created_at  timestamptz not null default now(),
  primary key (tenant_id, id)
);
create index data_keys_by_root on data_keys (root_key_id);
comment on table data_keys is 'A tenant''s own key for secrets at rest, wrapped by a root key that is not in the database.';

create table connections (
  tenant_id          uuid not null references tenants,
  service            text not null check (service in ('psa', 'accounting')),
  status             text not null check (status in ('active', 'inactive')),
  name               text not null,
  user_name          text,
  external_id        text,
  connected_at       timestamptz,
  problem            text,
  credentials        text,
  primary key (tenant_id, service)
);
comment on table connections is 'A tenant''s links to its services.';
comment on column connections.external_id is 'Sealed. Stays after a disconnect, so that another company is noticed later.';
comment on column connections.credentials is 'Sealed; null after a disconnect.';

create table settings (
  tenant_id uuid        not null references tenants,
  section   text        not null check (section in ('settings', 'item_settings')),
  value     jsonb       not null,
  saved_at  timestamptz not null default now(),
  primary key (tenant_id, section)
);
comment on table settings is 'What was saved; keys that are missing have their default.';

create table mappings (
  tenant_id     uuid        not null references tenants,
  id            uuid        not null default gen_random_uuid(),
  namespace     text        not null,
  source_entity text        not null,
  source_value  text        not null,
  source_label  text,
  target_entity text        not null,
  target_value  text        not null,
  target_label  text,
  saved_at      timestamptz not null default now(),
  primary key (tenant_id, id),
  unique (tenant_id, namespace, source_entity, source_value)
);
comment on table mappings is 'From a record of the PSA to a record of the books; the wire says “xref”.';

create table reference_data (
  tenant_id  uuid        not null references tenants,
  key        text        not null,
  value      json        not null,
  fetched_at timestamptz not null,
  primary key (tenant_id, key)
);
comment on table reference_data is 'Lists of the services, kept so that they are not read per line.';

create table sync_states (
  tenant_id uuid not null references tenants,
  kind      text not null,
  polled_at timestamptz,
  synced_at timestamptz,
  info      text,
  primary key (tenant_id, kind)
);
comment on table sync_states is 'What the Overview tells of a kind; null until it happened.';

-- Work -----------------------------------------------------------------------------------------------------------------

create table leases (
  tenant_id uuid        primary key references tenants,
  owner     text,
  fence     bigint      not null,
  ends_at   timestamptz not null
);
comment on table leases is 'One worker at a time per tenant. Every write of a sync proves its fence against this row.';
comment on column leases.fence is 'Rises with each holder and never falls.';

create table jobs (
  tenant_id           uuid        not null references tenants,
  id                  uuid        not null default gen_random_uuid(),
  seq                 bigint      generated always as identity,
  kind                text        not null,
  mode                text        not null check (mode in ('test', 'live')),
  force               boolean     not null,
  trigger             text        not null check (trigger in ('manual', 'automatic')),
  log_level           text        not null,
  psa_ids             bigint[],
  submitted_by        json,
  same_as             text        not null,
  status              text        not null check (status in ('queued', 'running', 'finished', 'failed', 'cancelled')),
  total               integer,
  done                integer     not null default 0,
  succeeded           integer     not null default 0,
  failed              integer     not null default 0,
  skipped             integer     not null default 0,
  message             text,
  fence               bigint,
  cancel_requested_at timestamptz,
  created_at          timestamptz not null,
  started_at          timestamptz,
  finished_at         timestamptz,
  primary key (tenant_id, id)
);
create index jobs_newest on jobs (tenant_id, seq desc);
create unique index jobs_same on jobs (tenant_id, same_as) where status in ('queued', 'running');
create index jobs_open on jobs (tenant_id, seq) where status in ('queued', 'running');
comment on table jobs is 'One press of Sync, or one tick of the clock.';
comment on column jobs.psa_ids is 'What was chosen; null: everything that is eligible.';
comment on column jobs.same_as is 'A second submission with the same text while this one is open is answered with this one.';
comment on column jobs.fence is 'Of the lease under which it runs; an older one means that its worker is gone.';
comment on column jobs.done is 'Documents with a result, waiting ones included.';

create table job_results (
  tenant_id uuid   not null,
  job_id    uuid   not null,
  psa_id    bigint not null,
  seq       bigint generated always as identity,
  outcome   text   not null check (outcome in ('succeeded', 'failed', 'skipped', 'pending')),
  message   text   not null,
  log_key   text,
  primary key (tenant_id, job_id, psa_id),
  foreign key (tenant_id, job_id) references jobs
);
create index job_results_pending on job_results (tenant_id, psa_id) where outcome = 'pending';
comment on table job_results is 'How each document of a job ended.';

create table attempts (
  tenant_id  uuid        not null references tenants,
  id         uuid        not null default gen_random_uuid(),
  seq        bigint      generated always as identity,
  job_id     uuid,
  kind       text        not null,
  psa_id     bigint      not null,
  mode       text        not null check (mode in ('test', 'live')),
  force      boolean     not null,
  trigger    text        not null,
  log_level  text        not null,
  state      text        not null check (state in ('planning', 'posting', 'unsure', 'posted', 'refusing',
                                                   'done', 'simulated', 'skipped', 'refused', 'postponed')),
  is_ended   boolean     not null generated always as
                         (state in ('done', 'simulated', 'skipped', 'refused', 'postponed')) stored,
  generation integer     not null,
  revision   integer     not null,
  started_at timestamptz not null,
  sent_at    timestamptz,
  not_before timestamptz,
  answered   integer     not null default 0,
  transcript json        not null,
  warnings   json        not null,
  body       json        not null,
  primary key (tenant_id, id),
  foreign key (tenant_id, job_id) references jobs
);
create unique index attempts_unfinished on attempts (tenant_id, kind, psa_id) where not is_ended and mode = 'live';
create index attempts_due on attempts (tenant_id, seq) where not is_ended and mode = 'live';
create index attempts_by_document on attempts (tenant_id, kind, psa_id, seq desc);
create index attempts_by_job on attempts (tenant_id, job_id);
comment on table attempts is 'One document''s passage through a job. Every state is saved before the next step begins.';
comment on column attempts.sent_at is 'When the newest command was sent; null while nothing of the next one has left.';
comment on column attempts.answered is 'How many commands have their answer; with state and sent_at it tells whether a row has moved.';
comment on column attempts.body is 'What belongs to the state alone: plan and answers, problems and mark, or the ending.';

create table postings (
  tenant_id     uuid        not null references tenants,
  id            uuid        not null default gen_random_uuid(),
  seq           bigint      generated always as identity,
  kind          text        not null,
  psa_id        bigint      not null,
  generation    integer     not null,
  revision      integer     not null,
  status        text        not null check (status in ('sending', 'unconfirmed', 'synced', 'refused', 'voided',
                                                       'deleted_in_books', 'superseded')),
  request_id    text        not null,
  body          json        not null,
  psa_total     numeric,
  target_type   text,
  target_id     text,
  number        text,
  total         numeric,
  tax           numeric,
  created_at    timestamptz not null,
  superseded_at timestamptz,
  primary key (tenant_id, id),
  unique (tenant_id, kind, psa_id, generation, revision),
  check (status in ('sending', 'refused') or target_id is not null)
);
create index postings_by_target on postings (tenant_id, target_type, target_id);
comment on table postings is 'The ledger: documents that exist in the books because of us, or may exist. Rows are never deleted.';
comment on column postings.status is 'sending: recorded, may have been sent. unconfirmed: in the books, the PSA does not show it yet.';
comment on column postings.body is 'The exact document, recorded before anything was sent.';
comment on column postings.total is 'In the document''s currency, as the books answered it; never recomputed.';
comment on column postings.superseded_at is 'Set when “Sync it again” made a newer document of the same source.';

create table remembered_skips (
  tenant_id uuid        not null references tenants,
  kind      text        not null,
  psa_id    bigint      not null,
  at        timestamptz not null,
  primary key (tenant_id, kind, psa_id)
);
comment on table remembered_skips is 'Documents that were skipped for good and are logged only once, e.g. those over 0.00.';

-- What happened --------------------------------------------------------------------------------------------------------

create table logs (
  tenant_id uuid        not null references tenants,
  key       text        not null,
  seq       bigint      generated always as identity,
  at        timestamptz not null,
  type      text        not null,
  psa_id    bigint      not null,
  is_test   boolean     not null,
  is_manual boolean     not null,
  success   boolean     not null,
  number    text,
  message   text        not null,
  primary key (tenant_id, key)
);
create index logs_newest on logs (tenant_id, at desc, seq desc);
create index logs_by_type on logs (tenant_id, type, at desc, seq desc);
create index logs_by_document on logs (tenant_id, psa_id, at desc, seq desc);
create index logs_by_test on logs (tenant_id, is_test, at desc, seq desc);
create index logs_by_manual on logs (tenant_id, is_manual, at desc, seq desc);
create index logs_by_success on logs (tenant_id, success, at desc, seq desc);
comment on table logs is 'One row per attempt that ended. Heads only, so that lists and text search read little.';

create table log_details (
  tenant_id  uuid not null,
  key        text not null,
  transcript text not null,
  problems   json not null,
  document   json,
  primary key (tenant_id, key),
  foreign key (tenant_id, key) references logs
);
comment on table log_details is 'The story of an attempt and its exact document: customer data, never in operational logs.';

create table audit_events (
  tenant_id   uuid        not null references tenants,
  id          uuid        not null default gen_random_uuid(),
  seq         bigint      generated always as identity,
  at          timestamptz not null,
  username    text        not null,
  masquerader text,
  action      text        not null,
  subject     text,
  before      json        not null,
  after       json        not null,
  primary key (tenant_id, id)
);
create index audit_newest on audit_events (tenant_id, seq desc);
comment on table audit_events is 'Who changed what, when, from what to what. Rows are only ever added.';

-- Walls ----------------------------------------------------------------------------------------------------------------

do $$
declare
  name text;
begin
  foreach name in array array[
    'data_keys', 'connections', 'settings', 'mappings', 'reference_data', 'sync_states', 'leases', 'jobs', 'job_results',
    'attempts', 'postings', 'remembered_skips', 'logs', 'log_details', 'audit_events', 'users', 'sessions', 'tickets'
  ] loop
    execute format('alter table %I enable row level security', name);
    execute format('alter table %I force row level security', name);
    execute format(
      'create policy own_tenant on %I to tallybridge_app using (tenant_id = current_tenant()) with check (tenant_id = current_tenant())',
      name);
    execute format('create policy all_tenants on %I to tallybridge_root using (true) with check (true)', name);
  end loop;
end $$;

alter table tenants enable row level security;
alter table tenants force row level security;
create policy own_tenant on tenants to tallybridge_app using (id = current_tenant()) with check (id = current_tenant());
create policy all_tenants on tenants to tallybridge_root using (true) with check (true);

grant usage on schema public to tallybridge_app, tallybridge_root;

grant select, update (status) on tenants to tallybridge_app;
grant select, insert, update, delete on settings, mappings, reference_data, sync_states, connections to tallybridge_app;
grant select, insert on data_keys to tallybridge_app;
grant update (root_key_id, wrapped) on data_keys to tallybridge_app;
grant select, insert, update on leases, jobs, job_results, remembered_skips to tallybridge_app;
grant select, insert, update, delete on attempts to tallybridge_app;
-- The ledger and the log tell what was; nobody takes anything back, and the audit trail and the log never change.
grant select, insert, update on postings to tallybridge_app;
grant select, insert on logs, log_details, audit_events to tallybridge_app;

grant select, insert, update on tenants, users, sessions to tallybridge_root;
grant delete on sessions to tallybridge_root;
grant select, insert, update, delete on tickets, sign_in_failures, budgets to tallybridge_root;
-- The schedule learns which tenants have work, and nothing of what the work is.
grant select (tenant_id, status, fence) on jobs to tallybridge_root;
grant select (tenant_id, is_ended, mode, not_before) on attempts to tallybridge_root;
grant select (tenant_id, owner, fence, ends_at) on leases to tallybridge_root;

-- The budget -----------------------------------------------------------------------------------------------------------

create function take_budget(keys text[], most integer[], window_ms bigint[], at_ms bigint) returns bigint
  language plpgsql
  as $$
declare
  -- A window is counted in this many slots and one more for the part that is under way, so that no stretch of its
  -- length, wherever it begins, holds more calls than allowed.
  parts constant integer := 60;
  wait   bigint := 0;
  one    record;
  line   budgets;
  slot   bigint;
  width  bigint;
  kept   integer[];
  used   bigint;
begin
  -- Always in the same order, so that two workers never wait for each other.
  for one in
    select w.key, w.most, greatest(1, ceil(w.ms / parts::numeric))::bigint as width
    from unnest(keys, most, window_ms) as w (key, most, ms) order by w.key
  loop
    insert into budgets as b (key) values (one.key) on conflict (key) do update set key = b.key returning b.* into line;
    slot := greatest(at_ms / one.width, case when line.slot_ms = one.width then line.newest else 0 end);
    kept := case when line.slot_ms = one.width then shift_budget(line.calls, slot - line.newest, parts + 1) else '{}' end;
    kept := kept || array_fill(0, array[parts + 1 - coalesce(array_length(kept, 1), 0)]);
    update budgets set slot_ms = one.width, newest = slot, calls = kept where key = one.key;
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
    update budgets set calls[1] = calls[1] + 1 where key = any (keys);
  end if;
  return greatest(wait, 0);
end $$;
comment on function take_budget is 'Takes one call from every window or from none; answers the milliseconds to wait before asking again.';

create function shift_budget(calls integer[], by bigint, most integer) returns integer[]
  language sql immutable
  as $$
    select case
      when by <= 0 then calls
      when by >= most then '{}'::integer[]
      else (array_fill(0, array[by::integer]) || calls)[1:most]
    end
  $$;
comment on function shift_budget is 'Moves slots into the past; what is older than the window is forgotten.';

revoke execute on function take_budget, shift_budget from public;
grant execute on function take_budget, shift_budget to tallybridge_root;
