-- The schema of a new database. Later migrations change it.

-- Functions name tables that are created later.
set local check_function_bodies = off;

create extension if not exists btree_gin with schema public;
create extension if not exists pg_trgm with schema public;
grant usage on schema public to tallybridge_app, tallybridge_root, tallybridge_purge;

create function announce_job()
  returns trigger
  language plpgsql
as $$
begin
  perform pg_notify('tallybridge_job', new.tenant_id || ' ' || new.id);
  return null;
end $$;
comment on function announce_job() is 'Notifies listening processes of a changed job, once per transaction.';

create function binding_mac(message text)
  returns text
  language plpgsql
  stable parallel restricted security definer
  set search_path to 'pg_catalog', 'public', 'pg_temp'
as $$
declare
  signed bytea;
begin
  select sha256(k.outer_pad || sha256(k.inner_pad || convert_to(message, 'UTF8'))) into strict signed from public.binding_key k;
  return encode(signed, 'hex');
end $$;
revoke all on function binding_mac(text) from public;
comment on function binding_mac(text) is 'HMAC-SHA-256 of a message with the binding key. Only the owner can call it.';

create function binding_token(tenant text)
  returns text
  language plpgsql
  stable parallel restricted
  set search_path to 'pg_catalog', 'public', 'pg_temp'
as $$
begin
  return tenant || '.' ||
    public.binding_mac('bound|' || tenant || '|' || pg_backend_pid() || '|' || extract(epoch from transaction_timestamp()));
end $$;
revoke all on function binding_token(text) from public;
comment on function binding_token(text) is 'Token that names a tenant; valid only in this transaction of this connection.';

create function current_tenant()
  returns uuid
  language plpgsql
  stable parallel restricted security definer
  set search_path to 'pg_catalog', 'public', 'pg_temp'
as $$
declare
  bound  text := current_setting('app.tenant', true);
  tenant text := split_part(bound, '.', 1);
begin
  if coalesce(bound, '') = '' or bound is distinct from public.binding_token(tenant) then
    return null;
  end if;
  return tenant::uuid;
end $$;
comment on function current_tenant() is 'Tenant of this transaction; null, so that no row is visible, unless enter_tenant has set it.';

create function enter_tenant(tenant uuid, proof text)
  returns boolean
  language plpgsql
  security definer
  set search_path to 'pg_catalog', 'public', 'pg_temp'
as $$
begin
  if proof is distinct from public.binding_mac('enter|' || tenant) then
    raise exception 'permission denied: this is no proof for the tenant' using errcode = '42501';
  end if;
  perform set_config('app.tenant', public.binding_token(tenant::text), true);
  return true;
end $$;
revoke all on function enter_tenant(uuid,text) from public;
grant execute on function enter_tenant(uuid,text) to tallybridge_app;
comment on function enter_tenant(uuid,text) is 'Sets the tenant of the transaction for a caller that knows the binding key.';

create function mark_alert_pending()
  returns trigger
  language plpgsql
as $$
begin
  insert into alert_states as a (tenant_id, is_pending) values (new.tenant_id, true)
    on conflict (tenant_id) do update set is_pending = true where not a.is_pending;
  return null;
end $$;
comment on function mark_alert_pending() is 'Marks that a new log entry may need an alert.';

create function mark_lost_connection()
  returns trigger
  language plpgsql
as $$
begin
  insert into alert_states as a (tenant_id, is_pending, lost_services) values (new.tenant_id, true, array[new.service])
    on conflict (tenant_id) do update
      set is_pending = true,
          lost_services = case when new.service = any (a.lost_services) then a.lost_services else a.lost_services || new.service end;
  return null;
end $$;
comment on function mark_lost_connection() is 'Records that a service denies access and its client must reconnect.';

create function noted_gaps()
  returns integer
  language sql
  stable security definer
  set search_path to ''
as $$ select gaps from public.deployment_clock $$;
revoke all on function noted_gaps() from public;
grant execute on function noted_gaps() to tallybridge_root;
grant execute on function noted_gaps() to tallybridge_app;

create function raise_access_version()
  returns trigger
  language plpgsql
as $$
begin
  if (new.password_hash, new.roles, new.tenant_id, new.is_active)
    is distinct from (old.password_hash, old.roles, old.tenant_id, old.is_active) then
    new.access_version := old.access_version + 1;
  end if;
  return new;
end $$;
comment on function raise_access_version() is 'Ends the sessions of a user when a statement changes what they depend on.';

create function set_updated_at()
  returns trigger
  language plpgsql
as $$
begin
  new.updated_at := clock_timestamp();
  return new;
end $$;
comment on function set_updated_at() is 'Sets when a row was last changed.';

create function wall_clock_ms()
  returns bigint
  language sql
as $$ select (extract(epoch from clock_timestamp()) * 1000)::bigint $$;
comment on function wall_clock_ms() is 'Milliseconds since 1970 by the wall clock of the database.';

create table tenants (
  id                     uuid not null default gen_random_uuid(),
  name                   text not null,
  status                 text not null,
  time_zone              text not null,
  created_at             timestamptz not null default now(),
  next_sync_at           timestamptz,
  registered_as          text,
  consecutive_failures   integer not null default 0,
  maintenance_at         timestamptz,
  requires_second_factor boolean not null default false,
  status_reason          text,
  proved_at              timestamptz,
  gaps_settled           integer not null default noted_gaps(),
  ledger_gaps_settled    integer not null default noted_gaps(),
  guide                  text not null default 'new'::text,
  moved_at               timestamptz,
  before_move            jsonb,
  constraint tenants_pkey primary key (id),
  constraint tenants_guide_check check (guide = ANY (ARRAY['new'::text, 'open'::text, 'closed'::text])),
  constraint tenants_status_check check (status = ANY (ARRAY['pending'::text, 'active'::text, 'suspended'::text, 'cancelled'::text]))
);

comment on table tenants is 'Client organizations; called “client” in the API and on screens.';
comment on column tenants.time_zone is 'IANA name of the time zone of the PSA, which decides the date of a document.';
comment on column tenants.next_sync_at is 'When the schedule processes this tenant next; null for never.';
comment on column tenants.registered_as is 'PSA database with which the client registered itself; null if it did not.';
comment on column tenants.consecutive_failures is 'Consecutive cycles that ended because a service denied access. The next one waits longer.';
comment on column tenants.maintenance_at is 'When the QuickBooks connection is maintained next: unused tokens are refreshed, disconnected ones revoked.';
comment on column tenants.requires_second_factor is 'Users must set up two-step login before they can do anything else.';
comment on column tenants.status_reason is 'Why a system administrator suspended or canceled the subscription.';
comment on column tenants.proved_at is 'When the open months were last prepared automatically.';
comment on column tenants.gaps_settled is 'The last restore after which all paid dates of this client were checked.';
comment on column tenants.ledger_gaps_settled is 'The last restore after which documents missing in the ledger were searched for.';
comment on column tenants.guide is 'State of the setup: new until a user closes it or an automatic sync is on; open if a user opened it again.';
comment on column tenants.moved_at is 'When the client was moved to another deployment. Its lease never ends, so that no worker takes it.';
comment on column tenants.before_move is 'Status and reason before the move: the client has them again in the other deployment, or here if the move is undone.';

create index tenants_by_maintenance on tenants (maintenance_at) where maintenance_at IS NOT NULL;
create index tenants_by_name on tenants (name, id);
create index tenants_due on tenants (next_sync_at) where status = 'active'::text;
create index tenants_moved on tenants (id) where moved_at IS NOT NULL;
create unique index tenants_registered_once on tenants (registered_as) where status <> 'cancelled'::text;
create index tenants_to_prove on tenants (proved_at NULLS FIRST) where status = 'active'::text;

alter table tenants enable row level security;
alter table tenants force row level security;
create policy all_tenants on tenants to tallybridge_root using (true) with check (true);
create policy own_tenant on tenants to tallybridge_app using (id = (select current_tenant())) with check (id = (select current_tenant()));
create policy purge on tenants to tallybridge_purge using (true) with check (true);
grant select on tenants to tallybridge_app;
grant select, delete on tenants to tallybridge_purge;
grant select, insert, update on tenants to tallybridge_root;
grant update (before_move, consecutive_failures, gaps_settled, guide, ledger_gaps_settled, maintenance_at, moved_at, next_sync_at, status, status_reason, time_zone) on tenants to tallybridge_app;

create table alert_states (
  tenant_id      uuid not null,
  is_pending     boolean not null default false,
  seen_seq       bigint not null default 0,
  not_before     timestamptz,
  lost_services  text[] not null default '{}'::text[],
  loss_mailed_at timestamptz,
  constraint alert_states_pkey primary key (tenant_id),
  constraint alert_states_tenant_id_fkey foreign key (tenant_id) references tenants(id)
);

comment on table alert_states is 'Which log entries the administrators of a client were notified of.';
comment on column alert_states.is_pending is 'Set by triggers. The worker checks only these clients.';
comment on column alert_states.seen_seq is 'The last log row that was checked.';
comment on column alert_states.not_before is 'When the next alert may be sent: at most one an hour.';
comment on column alert_states.lost_services is 'Lost connections that the administrators do not know of yet.';

create index alert_states_pending on alert_states (tenant_id) where is_pending;

alter table alert_states enable row level security;
alter table alert_states force row level security;
create policy all_tenants on alert_states to tallybridge_root using (true) with check (true);
create policy own_tenant on alert_states to tallybridge_app using (tenant_id = (select current_tenant())) with check (tenant_id = (select current_tenant()));
create policy purge on alert_states to tallybridge_purge using (true) with check (true);
grant select, insert, update on alert_states to tallybridge_app;
grant select, delete on alert_states to tallybridge_purge;
grant select (is_pending, not_before, tenant_id) on alert_states to tallybridge_root;

create table api_keys (
  tenant_id    uuid not null,
  id           uuid not null default gen_random_uuid(),
  name         text not null,
  scope        text not null,
  key_hash     text not null,
  created_by   text not null,
  created_at   timestamptz not null,
  ends_at      timestamptz not null,
  last_used_at timestamptz,
  owner        text,
  constraint api_keys_pkey primary key (tenant_id, id),
  constraint api_keys_key_hash_key unique (key_hash),
  constraint api_keys_tenant_id_fkey foreign key (tenant_id) references tenants(id),
  constraint api_keys_scope_check check (scope = ANY (ARRAY['read'::text, 'sync'::text]))
);

comment on table api_keys is 'Keys with which programs of a client call the API. A revoked key is deleted.';
comment on column api_keys.scope is 'read: lists and reads; sync: also starts and cancels syncs.';
comment on column api_keys.last_used_at is 'Accurate to one minute.';
comment on column api_keys.owner is 'User name after a hand-over; null: the creator. The key works only while this user is active.';

alter table api_keys enable row level security;
alter table api_keys force row level security;
create policy all_tenants on api_keys to tallybridge_root using (true) with check (true);
create policy own_tenant on api_keys to tallybridge_app using (tenant_id = (select current_tenant())) with check (tenant_id = (select current_tenant()));
create policy purge on api_keys to tallybridge_purge using (true) with check (true);
grant select, insert, delete on api_keys to tallybridge_app;
grant select, delete on api_keys to tallybridge_purge;
grant select on api_keys to tallybridge_root;
grant update (owner) on api_keys to tallybridge_app;
grant update (last_used_at) on api_keys to tallybridge_root;

create table jobs (
  tenant_id           uuid not null,
  id                  uuid not null default gen_random_uuid(),
  seq                 bigint not null generated always as identity,
  kind                text not null,
  mode                text not null,
  force               boolean not null,
  trigger             text not null,
  log_level           text not null,
  psa_ids             bigint[],
  submitted_by        json,
  same_as             text not null,
  status              text not null,
  total               integer,
  done                integer not null default 0,
  succeeded           integer not null default 0,
  failed              integer not null default 0,
  skipped             integer not null default 0,
  message             text,
  fence               bigint,
  cancel_requested_at timestamptz,
  created_at          timestamptz not null,
  started_at          timestamptz,
  finished_at         timestamptz,
  held                integer not null default 0,
  approves            boolean not null default false,
  revises             boolean not null default false,
  stop_code           text,
  reviews             uuid,
  waits_since         timestamptz,
  keeps_order         boolean not null default false,
  prefers             json,
  constraint jobs_pkey primary key (tenant_id, id),
  constraint jobs_tenant_id_fkey foreign key (tenant_id) references tenants(id),
  constraint jobs_mode_check check (mode = ANY (ARRAY['test'::text, 'live'::text])),
  constraint jobs_status_check check (status = ANY (ARRAY['queued'::text, 'running'::text, 'finished'::text, 'failed'::text, 'cancelled'::text])),
  constraint jobs_trigger_check check (trigger = ANY (ARRAY['manual'::text, 'automatic'::text]))
);

comment on table jobs is 'Syncs and tests that a user or the schedule started.';
comment on column jobs.psa_ids is 'Selected documents; null for all eligible ones.';
comment on column jobs.same_as is 'Another request with the same text returns this job while it is open.';
comment on column jobs.done is 'Documents with a result, including waiting ones.';
comment on column jobs.fence is 'Fence of the lease under which it runs; an older one means that its worker is gone.';
comment on column jobs.approves is 'Posts approved drafts and nothing else.';
comment on column jobs.revises is 'Updates documents in QuickBooks to match the PSA; creates none.';
comment on column jobs.stop_code is 'Code of the problem that stopped an automatic job before it found documents; otherwise null.';
comment on column jobs.reviews is 'The reviewed test; exactly its plans are posted. Not a foreign key, because the test may be deleted first.';
comment on column jobs.prefers is 'Whose value fields get in an update that both sides changed: one side, or a side for the key of each field; null: such a document is not updated.';

create index jobs_by_age on jobs using brin (finished_at);
create index jobs_newest on jobs (tenant_id, seq DESC);
create unique index jobs_one_per_review on jobs (tenant_id, reviews) where reviews IS NOT NULL;
create index jobs_open on jobs (tenant_id, seq) where status = ANY (ARRAY['queued'::text, 'running'::text]);
create unique index jobs_same on jobs (tenant_id, same_as) where status = ANY (ARRAY['queued'::text, 'running'::text]);

alter table jobs enable row level security;
alter table jobs force row level security;
create policy all_tenants on jobs to tallybridge_root using (true) with check (true);
create policy own_tenant on jobs to tallybridge_app using (tenant_id = (select current_tenant())) with check (tenant_id = (select current_tenant()));
create policy purge on jobs to tallybridge_purge using (true) with check (true);
grant select, insert, update on jobs to tallybridge_app;
grant select, delete on jobs to tallybridge_purge;
grant select (created_at, failed, fence, finished_at, held, mode, seq, status, succeeded, tenant_id) on jobs to tallybridge_root;

create table attempts (
  tenant_id  uuid not null,
  id         uuid not null default gen_random_uuid(),
  seq        bigint not null generated always as identity,
  job_id     uuid,
  kind       text not null,
  psa_id     bigint not null,
  mode       text not null,
  force      boolean not null,
  trigger    text not null,
  log_level  text not null,
  state      text not null,
  is_ended   boolean not null generated always as ((state = ANY (ARRAY['done'::text, 'simulated'::text, 'skipped'::text, 'refused'::text, 'postponed'::text]))) stored,
  generation integer not null,
  revision   integer not null,
  started_at timestamptz not null,
  sent_at    timestamptz,
  not_before timestamptz,
  answered   integer not null default 0,
  transcript json not null,
  warnings   json not null,
  body       json not null,
  revises    boolean not null default false,
  plan       json,
  constraint attempts_pkey primary key (tenant_id, id),
  constraint attempts_tenant_id_fkey foreign key (tenant_id) references tenants(id),
  constraint attempts_tenant_id_job_id_fkey foreign key (tenant_id, job_id) references jobs(tenant_id, id),
  constraint attempts_mode_check check (mode = ANY (ARRAY['test'::text, 'live'::text])),
  constraint attempts_state_check check (state = ANY (ARRAY['planning'::text, 'posting'::text, 'unsure'::text, 'posted'::text, 'refusing'::text, 'done'::text, 'simulated'::text, 'skipped'::text, 'refused'::text, 'postponed'::text]))
);

comment on table attempts is 'One document in one job. Each state is saved before the next step begins.';
comment on column attempts.sent_at is 'When the latest command was sent; null before the next one is sent.';
comment on column attempts.answered is 'Number of commands with a response. State, answered and sent_at show whether a row has changed.';
comment on column attempts.body is 'Data of the state, in addition to the plan: responses, problems and mark, or the outcome.';
comment on column attempts.revises is 'Copied from its job.';
comment on column attempts.plan is 'What is sent; null before the decision and after the end.';

create index attempts_by_document on attempts (tenant_id, kind, psa_id, seq DESC);
create index attempts_by_job on attempts (tenant_id, job_id);
create index attempts_due on attempts (tenant_id, seq) where (NOT is_ended) AND (mode = 'live'::text);
create unique index attempts_unfinished on attempts (tenant_id, kind, psa_id) where (NOT is_ended) AND (mode = 'live'::text);

alter table attempts enable row level security;
alter table attempts force row level security;
create policy all_tenants on attempts to tallybridge_root using (true) with check (true);
create policy own_tenant on attempts to tallybridge_app using (tenant_id = (select current_tenant())) with check (tenant_id = (select current_tenant()));
create policy purge on attempts to tallybridge_purge using (true) with check (true);
grant select, insert, update, delete on attempts to tallybridge_app;
grant select, delete on attempts to tallybridge_purge;
grant select (is_ended, mode, not_before, tenant_id) on attempts to tallybridge_root;

create table audit_events (
  tenant_id   uuid not null,
  id          uuid not null default gen_random_uuid(),
  seq         bigint not null generated always as identity,
  at          timestamptz not null,
  username    text not null,
  masquerader text,
  action      text not null,
  subject     text,
  before      json not null,
  after       json not null,
  constraint audit_events_pkey primary key (tenant_id, id),
  constraint audit_events_tenant_id_fkey foreign key (tenant_id) references tenants(id)
);

comment on table audit_events is 'Who changed what and when, with the values before and after. Rows are never changed.';

create index audit_newest on audit_events (tenant_id, seq DESC);

alter table audit_events enable row level security;
alter table audit_events force row level security;
create policy all_tenants on audit_events to tallybridge_root using (true) with check (true);
create policy own_tenant on audit_events to tallybridge_app using (tenant_id = (select current_tenant())) with check (tenant_id = (select current_tenant()));
create policy purge on audit_events to tallybridge_purge using (true) with check (true);
grant select, insert on audit_events to tallybridge_app;
grant select, delete on audit_events to tallybridge_purge;

create table binding_key (
  is_only   boolean not null default true,
  key       bytea not null,
  inner_pad bytea not null,
  outer_pad bytea not null,
  constraint binding_key_pkey primary key (is_only),
  constraint binding_key_inner_pad_check check (length(inner_pad) = 64),
  constraint binding_key_is_only_check check (is_only),
  constraint binding_key_key_check check (length(key) = 32),
  constraint binding_key_outer_pad_check check (length(outer_pad) = 64)
);

comment on table binding_key is 'Signs the tenant of a transaction. Only the owner of the tables can read it.';

create table cdc_states (
  tenant_id            uuid not null,
  last_notification_at      timestamptz,
  cursor               timestamptz,
  polled_at            timestamptz,
  before_gap_cursor    timestamptz,
  before_gap_polled_at timestamptz,
  constraint accounting_feeds_pkey primary key (tenant_id),
  constraint accounting_feeds_tenant_id_fkey foreign key (tenant_id) references tenants(id)
);

comment on table cdc_states is 'Up to when changes in QuickBooks were read (change data capture, CDC), and whether webhooks arrive.';
comment on column cdc_states.last_notification_at is 'When the latest notification of Intuit arrived; null if none ever did, or CDC found a change without one.';
comment on column cdc_states.cursor is 'QuickBooks time up to which CDC was read.';
comment on column cdc_states.polled_at is 'When CDC was last read, by the time of the deployment.';
comment on column cdc_states.before_gap_cursor is 'The cursor when a gap was noticed, until documents missing in the ledger were searched for; null if it equals the cursor.';
comment on column cdc_states.before_gap_polled_at is 'polled_at when the gap was noticed.';

alter table cdc_states enable row level security;
alter table cdc_states force row level security;
create policy all_tenants on cdc_states to tallybridge_root using (true) with check (true);
create policy own_tenant on cdc_states to tallybridge_app using (tenant_id = (select current_tenant())) with check (tenant_id = (select current_tenant()));
create policy purge on cdc_states to tallybridge_purge using (true) with check (true);
grant select, insert, update on cdc_states to tallybridge_app;
grant select, delete on cdc_states to tallybridge_purge;

create table close_decisions (
  tenant_id  uuid not null,
  id         uuid not null default gen_random_uuid(),
  seq        bigint not null generated always as identity,
  month      text not null,
  key        text not null,
  amount     numeric not null,
  decision   text not null,
  reason     text not null,
  decided_by text not null,
  decided_at timestamptz not null,
  constraint close_decisions_pkey primary key (tenant_id, id),
  constraint close_decisions_tenant_id_fkey foreign key (tenant_id) references tenants(id),
  constraint close_decisions_decision_check check (decision = ANY (ARRAY['accept'::text, 'carry'::text]))
);

comment on table close_decisions is 'Differences of a month that a user accepted or carried to the next month, with the reason. Rows are never changed.';
comment on column close_decisions.key is 'Identifies the difference. The decision applies while the amount is the same.';

create index close_decisions_by_month on close_decisions (tenant_id, month, seq);

alter table close_decisions enable row level security;
alter table close_decisions force row level security;
create policy own_tenant on close_decisions to tallybridge_app using (tenant_id = (select current_tenant())) with check (tenant_id = (select current_tenant()));
create policy purge on close_decisions to tallybridge_purge using (true) with check (true);
grant select, insert on close_decisions to tallybridge_app;
grant select, delete on close_decisions to tallybridge_purge;

create table close_runs (
  tenant_id      uuid not null,
  month          text not null,
  started_at     timestamptz not null,
  ended_at       timestamptz,
  problem        text,
  checked_at     timestamptz,
  sources_sha256 text,
  constraint close_runs_pkey primary key (tenant_id, month),
  constraint close_runs_tenant_id_fkey foreign key (tenant_id) references tenants(id)
);

comment on table close_runs is 'The latest preparation of a month; in progress until it has ended.';
comment on column close_runs.checked_at is 'Changes in QuickBooks up to this time are in the newest proof, or do not concern the month; null: unknown.';
comment on column close_runs.sources_sha256 is 'Hash of everything else that the newest proof depends on; null: unknown.';

alter table close_runs enable row level security;
alter table close_runs force row level security;
create policy own_tenant on close_runs to tallybridge_app using (tenant_id = (select current_tenant())) with check (tenant_id = (select current_tenant()));
create policy purge on close_runs to tallybridge_purge using (true) with check (true);
grant select, insert, update on close_runs to tallybridge_app;
grant select, delete on close_runs to tallybridge_purge;

create table closes (
  tenant_id      uuid not null,
  id             uuid not null default gen_random_uuid(),
  seq            bigint not null generated always as identity,
  month          text not null,
  prepared_at    timestamptz not null,
  prepared_by    text not null,
  sha256         text not null,
  is_proved      boolean not null,
  totals         json not null,
  proof          json not null,
  reports        json not null,
  setup          json not null,
  changed_since  json not null default '[]'::json,
  left_out       json not null default '[]'::json,
  reading_sha256 text,
  differences    jsonb not null default '[]'::jsonb,
  constraint closes_pkey primary key (tenant_id, id),
  constraint closes_tenant_id_fkey foreign key (tenant_id) references tenants(id),
  constraint closes_month_check check (month ~ '^\d{4}-(0[1-9]|1[0-2])$'::text)
);

comment on table closes is 'Proofs of a month. Rows are never changed, except for left_out.';
comment on column closes.sha256 is 'Hash of the content; equal for proofs with the same findings.';
comment on column closes.totals is 'Totals by currency, for lists of many months.';
comment on column closes.reports is 'The reports of QuickBooks, exactly as received.';
comment on column closes.setup is 'Settings, mappings and program version at the time of the proof.';
comment on column closes.changed_since is 'Differences of documents that were changed after posting: key, currency and amount.';
comment on column closes.left_out is 'PSA documents that no automatic sync includes, with reason and amount.';
comment on column closes.reading_sha256 is 'Hash of everything that the month shows, including lists, reasons and paid states; null in proofs of earlier versions.';
comment on column closes.differences is 'Key, currency and amount of each difference, to count undecided ones without reading the proof.';

create index closes_by_month on closes (tenant_id, month, seq);

alter table closes enable row level security;
alter table closes force row level security;
create policy own_tenant on closes to tallybridge_app using (tenant_id = (select current_tenant())) with check (tenant_id = (select current_tenant()));
create policy purge on closes to tallybridge_purge using (true) with check (true);
grant select, insert on closes to tallybridge_app;
grant select, delete on closes to tallybridge_purge;
grant update (left_out) on closes to tallybridge_app;

create table close_signatures (
  tenant_id      uuid not null,
  id             uuid not null default gen_random_uuid(),
  close_id       uuid not null,
  signed_as      text not null,
  signed_by      text not null,
  signed_at      timestamptz not null,
  checked        text[] not null,
  reason         text,
  by_one_allowed boolean not null default false,
  constraint close_signatures_pkey primary key (tenant_id, id),
  constraint close_signatures_tenant_id_close_id_signed_as_key unique (tenant_id, close_id, signed_as),
  constraint close_signatures_tenant_id_close_id_fkey foreign key (tenant_id, close_id) references closes(tenant_id, id),
  constraint close_signatures_tenant_id_fkey foreign key (tenant_id) references tenants(id),
  constraint close_signatures_signed_as_check check (signed_as = ANY (ARRAY['preparer'::text, 'reviewer'::text]))
);

comment on table close_signatures is 'Who signed which proof, and in which role. Rows are never changed.';
comment on column close_signatures.reason is 'Why a month was signed with an unexplained or undecided difference.';
comment on column close_signatures.by_one_allowed is 'When this was signed, the settings allowed one person to prepare and review.';

create unique index close_signatures_two_people on close_signatures (tenant_id, close_id, signed_by) where NOT by_one_allowed;

alter table close_signatures enable row level security;
alter table close_signatures force row level security;
create policy own_tenant on close_signatures to tallybridge_app using (tenant_id = (select current_tenant())) with check (tenant_id = (select current_tenant()));
create policy purge on close_signatures to tallybridge_purge using (true) with check (true);
grant select, insert on close_signatures to tallybridge_app;
grant select, delete on close_signatures to tallybridge_purge;

create table connections (
  tenant_id       uuid not null,
  service         text not null,
  status          text not null,
  name            text not null,
  user_name       text,
  external_id     text,
  connected_at    timestamptz,
  problem         text,
  credentials     text,
  external_hash   text,
  consent_ends_at timestamptz,
  ended           text,
  ended_at        timestamptz,
  constraint connections_pkey primary key (tenant_id, service),
  constraint connections_tenant_id_fkey foreign key (tenant_id) references tenants(id),
  constraint connections_service_check check (service = ANY (ARRAY['psa'::text, 'accounting'::text])),
  constraint connections_status_check check (status = ANY (ARRAY['active'::text, 'inactive'::text]))
);

comment on table connections is 'Connections of a tenant to its services.';
comment on column connections.external_id is 'Encrypted. Stored after a disconnect too, to detect that another company is connected.';
comment on column connections.credentials is 'Encrypted; null after a disconnect.';
comment on column connections.external_hash is 'Keyed hash of the external id, to find the tenant of a company. Stored after a disconnect too.';
comment on column connections.consent_ends_at is 'When access ends unless it is used or renewed; null if it does not expire.';
comment on column connections.ended is 'Encrypted. Tokens of a disconnected connection, until the service has revoked them.';
comment on column connections.ended_at is 'When the connection was disconnected.';

create index connections_by_external on connections (service, external_hash) where external_hash IS NOT NULL;
create unique index connections_company_once on connections (service, external_hash) where status = 'active'::text;

alter table connections enable row level security;
alter table connections force row level security;
create policy all_tenants on connections to tallybridge_root using (true) with check (true);
create policy own_tenant on connections to tallybridge_app using (tenant_id = (select current_tenant())) with check (tenant_id = (select current_tenant()));
create policy purge on connections to tallybridge_purge using (true) with check (true);
grant select, insert, update, delete on connections to tallybridge_app;
grant select, delete on connections to tallybridge_purge;
grant select (consent_ends_at, external_hash, service, status, tenant_id) on connections to tallybridge_root;

create table data_keys (
  tenant_id   uuid not null,
  id          uuid not null,
  root_key_id text not null,
  wrapped     text not null,
  created_at  timestamptz not null default now(),
  constraint data_keys_pkey primary key (tenant_id, id),
  constraint data_keys_tenant_id_fkey foreign key (tenant_id) references tenants(id)
);

comment on table data_keys is 'A key per tenant that encrypts its secrets, itself encrypted with a root key that is not in the database.';

create index data_keys_by_root on data_keys (root_key_id);

alter table data_keys enable row level security;
alter table data_keys force row level security;
create policy all_tenants on data_keys to tallybridge_root using (true) with check (true);
create policy own_tenant on data_keys to tallybridge_app using (tenant_id = (select current_tenant())) with check (tenant_id = (select current_tenant()));
create policy purge on data_keys to tallybridge_purge using (true) with check (true);
grant select, insert on data_keys to tallybridge_app;
grant select, delete on data_keys to tallybridge_purge;
grant update (root_key_id, wrapped) on data_keys to tallybridge_app;

create table deployment_clock (
  only_row     boolean not null default true,
  wall_ms      bigint not null,
  ahead_ms     bigint not null default 0,
  steps        integer not null default 0,
  gaps         integer not null default 0,
  server_id    bigint,
  database_oid oid,
  constraint deployment_clock_pkey primary key (only_row),
  constraint deployment_clock_only_row_check check (only_row)
);

comment on table deployment_clock is 'The clock that all processes use, relative to the clock of the database.';
comment on column deployment_clock.wall_ms is 'Clock of the database at the latest measurement, in milliseconds since 1970.';
comment on column deployment_clock.ahead_ms is 'How far the deployment was ahead at that moment. It shrinks by a tenth of the elapsed time.';
comment on column deployment_clock.steps is 'How often the clock of the database was set.';
comment on column deployment_clock.gaps is 'How often the database was restored from a backup.';
comment on column deployment_clock.server_id is 'System identifier of the server at the last start; null: unknown.';
comment on column deployment_clock.database_oid is 'The database on that server; null: unknown. Another server or database: it was restored.';

grant select, update on deployment_clock to tallybridge_root;

create table data_folders (
  id      uuid not null,
  beat    bigint not null,
  seen_at timestamptz not null,
  constraint data_folders_pkey primary key (id)
);

comment on table data_folders is 'Data folders of the processes. Each stores its counter, too: a lower one here means that the database was restored.';
comment on column data_folders.beat is 'Grows by one with each check of a process that uses the folder.';
comment on column data_folders.seen_at is 'Last check. Folders that are no longer used are deleted.';

create table deployment_events (
  id      uuid not null default gen_random_uuid(),
  seq     bigint not null generated always as identity,
  at      timestamptz not null,
  actor   text not null,
  action  text not null,
  subject text not null,
  detail  json not null,
  constraint deployment_events_pkey primary key (id)
);

create index deployment_events_of_maintenance on deployment_events (seq DESC) where action = ANY (ARRAY['maintenance.on'::text, 'maintenance.off'::text]);

comment on table deployment_events is 'Actions on the deployment itself, outside the audit trail of a client. Rows are never changed.';

alter table deployment_events enable row level security;
alter table deployment_events force row level security;
create policy all_tenants on deployment_events to tallybridge_root using (true) with check (true);
create policy purge on deployment_events to tallybridge_purge using (true) with check (true);
grant select, insert on deployment_events to tallybridge_purge;
grant select, insert on deployment_events to tallybridge_root;

create table drafts (
  tenant_id         uuid not null,
  id                uuid not null default gen_random_uuid(),
  seq               bigint not null generated always as identity,
  kind              text not null,
  psa_id            bigint not null,
  force             boolean not null,
  state             text not null,
  plan              json not null,
  plan_hash         text not null,
  psa_hash          text not null,
  what              text not null,
  number            text,
  party             text,
  dated             date,
  amount            numeric,
  currency          text,
  home_currency     text not null,
  view              json not null,
  effect            json not null,
  warnings          json not null,
  prepared_by       text,
  prepared_at       timestamptz not null,
  first_approved_by text,
  decided_by        text,
  decided_at        timestamptz,
  reason            text,
  job_id            uuid,
  replaces          uuid,
  revises           boolean not null default false,
  constraint drafts_pkey primary key (tenant_id, id),
  constraint drafts_tenant_id_fkey foreign key (tenant_id) references tenants(id),
  constraint drafts_state_check check (state = ANY (ARRAY['waiting'::text, 'approved'::text, 'posted'::text, 'rejected'::text, 'changed'::text, 'replaced'::text, 'closed'::text]))
);

comment on table drafts is 'Plans that wait for approval, and their outcome. A changed plan is a new row.';
comment on column drafts.plan_hash is 'Hash of what would be posted; equal for plans that post the same.';
comment on column drafts.psa_hash is 'Hash of the PSA document, to notice changes of it, of settings and of mappings.';
comment on column drafts.home_currency is 'Home currency when it was prepared; also the currency of documents without one.';
comment on column drafts.prepared_by is 'Who started the job; null for the schedule.';
comment on column drafts.first_approved_by is 'Who approved it first, while a second approval is required.';
comment on column drafts.reason is 'Why it was rejected, or the outcome of the latest try to post it.';
comment on column drafts.job_id is 'The job that posts it.';
comment on column drafts.replaces is 'The previous draft of the same document.';
comment on column drafts.revises is 'Copied from the attempt that prepared it.';

create index drafts_by_document on drafts (tenant_id, kind, psa_id, seq);
create index drafts_by_job on drafts (tenant_id, job_id) where job_id IS NOT NULL;
create index drafts_newest_waiting on drafts (tenant_id, prepared_at) where state = 'waiting'::text;
create unique index drafts_open on drafts (tenant_id, kind, psa_id) where state = ANY (ARRAY['waiting'::text, 'approved'::text]);
create index drafts_waiting on drafts (tenant_id, seq) where state = ANY (ARRAY['waiting'::text, 'approved'::text]);

alter table drafts enable row level security;
alter table drafts force row level security;
create policy all_tenants on drafts to tallybridge_root using (true) with check (true);
create policy own_tenant on drafts to tallybridge_app using (tenant_id = (select current_tenant())) with check (tenant_id = (select current_tenant()));
create policy purge on drafts to tallybridge_purge using (true) with check (true);
grant select, insert, update on drafts to tallybridge_app;
grant select, delete on drafts to tallybridge_purge;
grant select (prepared_at, state, tenant_id) on drafts to tallybridge_root;

create table found_marks (
  tenant_id     uuid not null,
  kind          text not null,
  psa_id        bigint not null,
  first_seen_at timestamptz not null,
  last_seen_at  timestamptz not null,
  constraint found_marks_pkey primary key (tenant_id, kind, psa_id),
  constraint found_marks_tenant_id_fkey foreign key (tenant_id) references tenants(id)
);

comment on table found_marks is 'Documents that the PSA marks as syncing, but which no attempt of ours is processing.';
comment on column found_marks.first_seen_at is 'After some time the mark counts as stale, and the document is synced again.';
comment on column found_marks.last_seen_at is 'When the mark was last seen. If it disappears in between, the time starts again.';

alter table found_marks enable row level security;
alter table found_marks force row level security;
create policy all_tenants on found_marks to tallybridge_root using (true) with check (true);
create policy own_tenant on found_marks to tallybridge_app using (tenant_id = (select current_tenant())) with check (tenant_id = (select current_tenant()));
create policy purge on found_marks to tallybridge_purge using (true) with check (true);
grant select, insert, update, delete on found_marks to tallybridge_app;
grant select, delete on found_marks to tallybridge_purge;

create table invitations (
  tenant_id  uuid not null,
  id         uuid not null default gen_random_uuid(),
  email      text not null,
  name       text not null,
  token_hash text not null,
  invited_by text not null,
  invited_at timestamptz not null,
  ends_at    timestamptz not null,
  role       text not null default 'clientadmin'::text,
  constraint invitations_pkey primary key (tenant_id, id),
  constraint invitations_tenant_id_email_key unique (tenant_id, email),
  constraint invitations_token_hash_key unique (token_hash),
  constraint invitations_tenant_id_fkey foreign key (tenant_id) references tenants(id),
  constraint invitations_email_check check (email = lower(email)),
  constraint invitations_role_check check (role = ANY (ARRAY['clientadmin'::text, 'accountant'::text]))
);

comment on table invitations is 'People invited to join a client. Accepted and withdrawn invitations are deleted.';
comment on column invitations.email is 'May belong to a user of another client; the inviting user must not find out.';
comment on column invitations.role is 'Role of the new user.';

alter table invitations enable row level security;
alter table invitations force row level security;
create policy all_tenants on invitations to tallybridge_root using (true) with check (true);
create policy own_tenant on invitations to tallybridge_app using (tenant_id = (select current_tenant())) with check (tenant_id = (select current_tenant()));
create policy purge on invitations to tallybridge_purge using (true) with check (true);
grant select, insert, update, delete on invitations to tallybridge_app;
grant select, delete on invitations to tallybridge_purge;
grant select, delete on invitations to tallybridge_root;

create table job_results (
  tenant_id uuid not null,
  job_id    uuid not null,
  psa_id    bigint not null,
  seq       bigint not null generated always as identity,
  outcome   text not null,
  message   text not null,
  log_key   text,
  constraint job_results_pkey primary key (tenant_id, job_id, psa_id),
  constraint job_results_tenant_id_job_id_fkey foreign key (tenant_id, job_id) references jobs(tenant_id, id),
  constraint job_results_outcome_check check (outcome = ANY (ARRAY['succeeded'::text, 'failed'::text, 'skipped'::text, 'held'::text, 'pending'::text]))
);

comment on table job_results is 'Outcome of each document of a job.';

create index job_results_pending on job_results (tenant_id, psa_id) where outcome = 'pending'::text;

alter table job_results enable row level security;
alter table job_results force row level security;
create policy all_tenants on job_results to tallybridge_root using (true) with check (true);
create policy own_tenant on job_results to tallybridge_app using (tenant_id = (select current_tenant())) with check (tenant_id = (select current_tenant()));
create policy purge on job_results to tallybridge_purge using (true) with check (true);
grant select, insert, update on job_results to tallybridge_app;
grant select, delete on job_results to tallybridge_purge;

create table leases (
  tenant_id uuid not null,
  owner     text,
  fence     bigint not null,
  ends_at   timestamptz not null,
  constraint leases_pkey primary key (tenant_id),
  constraint leases_tenant_id_fkey foreign key (tenant_id) references tenants(id)
);

comment on table leases is 'One worker at a time per tenant. Each write of a sync compares its fence with this row.';
comment on column leases.fence is 'Increases with each holder and never decreases.';
comment on column leases.ends_at is 'By the clock of the database, which no process replaces by its own.';

alter table leases enable row level security;
alter table leases force row level security;
create policy all_tenants on leases to tallybridge_root using (true) with check (true);
create policy own_tenant on leases to tallybridge_app using (tenant_id = (select current_tenant())) with check (tenant_id = (select current_tenant()));
create policy purge on leases to tallybridge_purge using (true) with check (true);
grant select, insert, update on leases to tallybridge_app;
grant select, delete on leases to tallybridge_purge;
grant select (ends_at, fence, owner, tenant_id) on leases to tallybridge_root;

create table logs (
  tenant_id       uuid not null,
  key             text not null,
  seq             bigint not null generated always as identity,
  at              timestamptz not null,
  type            text not null,
  psa_id          bigint not null,
  is_test         boolean not null,
  is_manual       boolean not null,
  success         boolean not null,
  number          text,
  message         text not null,
  what            text,
  party           text,
  dated           date,
  amount          numeric,
  currency        text,
  search          text not null generated always as ((((((((((psa_id)::text || ' '::text) || COALESCE(number, ''::text)) || ' '::text) || COALESCE(party, ''::text)) || ' '::text) || COALESCE((amount)::text, ''::text)) || ' '::text) || message)) stored,
  awaits_approval boolean not null default false,
  marked_paid     boolean,
  constraint logs_pkey primary key (tenant_id, key),
  constraint logs_tenant_id_fkey foreign key (tenant_id) references tenants(id)
) with (autovacuum_vacuum_insert_scale_factor=0.02, autovacuum_vacuum_insert_threshold=2000);

comment on table logs is 'One row for each ended attempt. Details are in another table, to keep lists and search fast.';
comment on column logs.what is 'Type of document, e.g. Invoice or Credit memo.';
comment on column logs.party is 'Customer, vendor or employee.';
comment on column logs.amount is 'Total of the document; negative for a credit memo.';
comment on column logs.search is 'Text that the search of Logs uses: PSA id, document number, party, amount and message.';
comment on column logs.awaits_approval is 'The attempt ended with a draft that needs approval.';
comment on column logs.marked_paid is 'Whether the sync set (true) or removed (false) the paid date in the PSA; null: neither.';

create index logs_by_age on logs using brin (at);
create index logs_by_document on logs (tenant_id, psa_id, at DESC, seq DESC);
create index logs_by_filters on logs (tenant_id, type, is_test, is_manual, success, at DESC, seq DESC) INCLUDE (psa_id);
create index logs_by_filters_and_document on logs (tenant_id, type, is_test, is_manual, success, psa_id, at DESC, seq DESC);
create index logs_by_search on logs using gin (tenant_id, search gin_trgm_ops);
create index logs_failed on logs (tenant_id, at DESC, seq DESC) where (NOT success) AND (NOT is_test);
create index logs_invoices_by_date on logs (tenant_id, dated) where type = 'invoice'::text;
create index logs_newest on logs (tenant_id, at DESC, seq DESC) INCLUDE (psa_id);

alter table logs enable row level security;
alter table logs force row level security;
create policy all_tenants on logs to tallybridge_root using (true) with check (true);
create policy own_tenant on logs to tallybridge_app using (tenant_id = (select current_tenant())) with check (tenant_id = (select current_tenant()));
create policy purge on logs to tallybridge_purge using (true) with check (true);
grant select, insert on logs to tallybridge_app;
grant select, delete on logs to tallybridge_purge;

create table log_details (
  tenant_id  uuid not null,
  key        text not null,
  transcript text not null,
  problems   json not null,
  document   json,
  preview    json,
  constraint log_details_pkey primary key (tenant_id, key),
  constraint log_details_tenant_id_key_fkey foreign key (tenant_id, key) references logs(tenant_id, key)
);

comment on table log_details is 'Transcript and exact document of an attempt: customer data that never appears in operational logs.';
comment on column log_details.preview is 'The document in names, its bookings and its printed plan; null if nothing was planned.';

alter table log_details enable row level security;
alter table log_details force row level security;
create policy all_tenants on log_details to tallybridge_root using (true) with check (true);
create policy own_tenant on log_details to tallybridge_app using (tenant_id = (select current_tenant())) with check (tenant_id = (select current_tenant()));
create policy purge on log_details to tallybridge_purge using (true) with check (true);
grant select, insert on log_details to tallybridge_app;
grant select, delete on log_details to tallybridge_purge;

create table mappings (
  tenant_id     uuid not null,
  id            uuid not null default gen_random_uuid(),
  namespace     text not null,
  source_entity text not null,
  source_value  text not null,
  source_label  text,
  target_entity text not null,
  target_value  text not null,
  target_label  text,
  saved_at      timestamptz not null default now(),
  constraint mappings_pkey primary key (tenant_id, id),
  constraint mappings_tenant_id_namespace_source_entity_source_value_key unique (tenant_id, namespace, source_entity, source_value),
  constraint mappings_tenant_id_fkey foreign key (tenant_id) references tenants(id)
);

comment on table mappings is 'From a record of the PSA to a record of QuickBooks; called “xref” in the API.';

alter table mappings enable row level security;
alter table mappings force row level security;
create policy all_tenants on mappings to tallybridge_root using (true) with check (true);
create policy own_tenant on mappings to tallybridge_app using (tenant_id = (select current_tenant())) with check (tenant_id = (select current_tenant()));
create policy purge on mappings to tallybridge_purge using (true) with check (true);
grant select, insert, update, delete on mappings to tallybridge_app;
grant select, delete on mappings to tallybridge_purge;

create table metered_read_alerts (
  month   text not null,
  percent integer not null,
  sent_at timestamptz not null,
  share   bigint not null default 500000,
  constraint metered_read_alerts_pkey primary key (month, percent, share)
);

comment on table metered_read_alerts is 'Thresholds of the monthly read limit for which the system administrators received an email.';
comment on column metered_read_alerts.share is 'Metered calls a month that the tier included at the time.';

grant select, insert on metered_read_alerts to tallybridge_root;

create table metered_reads (
  tenant_id uuid not null,
  month     text not null,
  reads     bigint not null,
  constraint metered_reads_pkey primary key (tenant_id, month),
  constraint metered_reads_tenant_id_fkey foreign key (tenant_id) references tenants(id)
);

comment on table metered_reads is 'Metered calls to QuickBooks: reads, and batches of any kind. Processes add their counts every few seconds; a process that dies loses the last of them.';
comment on column metered_reads.month is 'Month in US Pacific time, e.g. 2026-11.';

alter table metered_reads enable row level security;
alter table metered_reads force row level security;
create policy all_tenants on metered_reads to tallybridge_root using (true) with check (true);
create policy own_tenant on metered_reads to tallybridge_app using (tenant_id = (select current_tenant())) with check (tenant_id = (select current_tenant()));
create policy purge on metered_reads to tallybridge_purge using (true) with check (true);
grant select, insert, update, delete on metered_reads to tallybridge_app;
grant select, delete on metered_reads to tallybridge_purge;
grant select, insert, update on metered_reads to tallybridge_root;

create table users (
  id              uuid not null default gen_random_uuid(),
  username        text not null,
  password_hash   text not null,
  roles           text[] not null,
  tenant_id       uuid,
  is_active       boolean not null default true,
  created_at      timestamptz not null default now(),
  name            text not null default ''::text,
  psa_database_id text,
  psa_resource_id bigint,
  access_version  integer not null default 1,
  last_sign_in_at timestamptz,
  email_proved_at timestamptz default now(),
  constraint users_pkey primary key (id),
  constraint users_username_key unique (username),
  constraint users_tenant_id_fkey foreign key (tenant_id) references tenants(id),
  constraint users_check check ((psa_database_id IS NULL) = (psa_resource_id IS NULL)),
  constraint users_username_check check (username = lower(username))
);

comment on table users is 'People who can log in; system administrators have no tenant.';
comment on column users.psa_database_id is 'PSA database in which the person is a resource; used in links, not secret.';
comment on column users.access_version is 'Increases with each new password and each change of roles, client or is_active. Sessions of an earlier version are invalid.';
comment on column users.email_proved_at is 'When the user confirmed the address; null if a company registered with it and it is not confirmed.';

create unique index users_by_psa on users (psa_database_id, psa_resource_id);
create index users_by_tenant on users (tenant_id, username);

alter table users enable row level security;
alter table users force row level security;
create policy all_tenants on users to tallybridge_root using (true) with check (true);
create policy own_tenant on users to tallybridge_app using (tenant_id = (select current_tenant())) with check (tenant_id = (select current_tenant()));
create policy purge on users to tallybridge_purge using (true) with check (true);
grant delete on users to tallybridge_app;
grant select, delete on users to tallybridge_purge;
grant select, insert, update, delete on users to tallybridge_root;
grant select (access_version, created_at, email_proved_at, id, is_active, last_sign_in_at, name, roles, tenant_id, username) on users to tallybridge_app;
grant update (is_active) on users to tallybridge_app;

create table notice_preferences (
  tenant_id   uuid not null,
  user_id     uuid not null,
  channels    jsonb not null default '{}'::jsonb,
  digest_hour integer not null default 8,
  constraint notice_preferences_pkey primary key (tenant_id, user_id),
  constraint notice_preferences_tenant_id_fkey foreign key (tenant_id) references tenants(id),
  constraint notice_preferences_user_id_fkey foreign key (user_id) references users(id) on delete cascade,
  constraint notice_preferences_digest_hour_check check ((digest_hour >= 0) AND (digest_hour <= 23))
);

comment on table notice_preferences is 'How a user gets notices. Without a row, the defaults apply.';
comment on column notice_preferences.channels is 'The chosen channel by group of notices; missing groups have the default.';
comment on column notice_preferences.digest_hour is 'Hour of the daily email in the time zone of the client.';

create index notice_preferences_by_user on notice_preferences (user_id);

alter table notice_preferences enable row level security;
alter table notice_preferences force row level security;
create policy all_tenants on notice_preferences to tallybridge_root using (true) with check (true);
create policy own_tenant on notice_preferences to tallybridge_app using (tenant_id = (select current_tenant())) with check (tenant_id = (select current_tenant()));
create policy purge on notice_preferences to tallybridge_purge using (true) with check (true);
grant select, insert, update on notice_preferences to tallybridge_app;
grant select, delete on notice_preferences to tallybridge_purge;

create table notices (
  tenant_id uuid not null,
  id        uuid not null default gen_random_uuid(),
  user_id   uuid not null,
  kind      text not null,
  at        timestamptz not null,
  facts     jsonb not null,
  once      text not null default (gen_random_uuid())::text,
  read_at   timestamptz,
  channel   text not null default 'app'::text,
  mail_at   timestamptz,
  constraint notices_pkey primary key (tenant_id, id),
  constraint notices_tenant_id_user_id_once_key unique (tenant_id, user_id, once),
  constraint notices_tenant_id_fkey foreign key (tenant_id) references tenants(id),
  constraint notices_user_id_fkey foreign key (user_id) references users(id) on delete cascade
);

comment on table notices is 'What needs a user, one row per user. Rows are removed after 30 days.';
comment on column notices.facts is 'Values of the text, e.g. count and amounts; depends on the kind.';
comment on column notices.once is 'A user gets one notice with this key, however often it is saved.';
comment on column notices.channel is 'How its user gets it: off (not shown), app, email or digest.';
comment on column notices.mail_at is 'When a worker writes its email; null without one and afterwards.';

create index notices_about_drafts on notices (tenant_id, at DESC) where kind = 'drafts_waiting'::text;
create index notices_by_age on notices (at);
create index notices_by_user on notices (user_id);
create index notices_newest on notices (tenant_id, user_id, at DESC, id);
create index notices_to_mail on notices (mail_at) where mail_at IS NOT NULL;
create index notices_unread on notices (tenant_id, user_id) where read_at IS NULL;

alter table notices enable row level security;
alter table notices force row level security;
create policy all_tenants on notices to tallybridge_root using (true) with check (true);
create policy own_tenant on notices to tallybridge_app using (tenant_id = (select current_tenant())) with check (tenant_id = (select current_tenant()));
create policy purge on notices to tallybridge_purge using (true) with check (true);
grant select, insert, delete on notices to tallybridge_app;
grant select, delete on notices to tallybridge_purge;
grant update (mail_at, read_at) on notices to tallybridge_app;
grant select (at, kind, mail_at, once, tenant_id, user_id) on notices to tallybridge_root;

create table one_time_tokens (
  hash      text not null,
  purpose   text not null,
  user_id   uuid,
  tenant_id uuid,
  data      json not null,
  ends_at   timestamptz not null,
  spent_at  timestamptz,
  constraint tickets_pkey primary key (hash),
  constraint tickets_tenant_id_fkey foreign key (tenant_id) references tenants(id),
  constraint tickets_user_id_fkey foreign key (user_id) references users(id) on delete cascade
);

comment on table one_time_tokens is 'Hashes of one-time codes. Only the recipient has the code itself.';

create index one_time_tokens_by_end on one_time_tokens (ends_at);
create index one_time_tokens_by_user on one_time_tokens (user_id, purpose) where spent_at IS NULL;

alter table one_time_tokens enable row level security;
alter table one_time_tokens force row level security;
create policy all_tenants on one_time_tokens to tallybridge_root using (true) with check (true);
create policy own_tenant on one_time_tokens to tallybridge_app using (tenant_id = (select current_tenant())) with check (tenant_id = (select current_tenant()));
create policy purge on one_time_tokens to tallybridge_purge using (true) with check (true);
grant select, delete on one_time_tokens to tallybridge_purge;
grant select, insert, update, delete on one_time_tokens to tallybridge_root;
grant select (purpose, spent_at, tenant_id, user_id) on one_time_tokens to tallybridge_app;
grant update (spent_at) on one_time_tokens to tallybridge_app;

create table chats (
  tenant_id    uuid not null,
  id           uuid not null default gen_random_uuid(),
  kind         text not null,
  name         text not null,
  address      text not null,
  address_end  text not null,
  groups       text[] not null,
  created_by   text not null,
  created_at   timestamptz not null,
  delivered_at timestamptz,
  failed_at    timestamptz,
  error        text,
  owner        text,
  constraint chats_pkey primary key (tenant_id, id),
  constraint chats_tenant_id_fkey foreign key (tenant_id) references tenants(id)
);

comment on table chats is 'Channels in Slack and Teams that get notices of a client.';
comment on column chats.kind is 'Format of the messages: slack or teams.';
comment on column chats.address is 'Encrypted: a program that knows it can post to the channel.';
comment on column chats.address_end is 'Host and last characters of the address, for people.';
comment on column chats.groups is 'Groups of notices that are posted.';
comment on column chats.error is 'Why the last delivery failed; null after a success.';
comment on column chats.owner is 'User name after a hand-over; null: the creator.';

alter table chats enable row level security;
alter table chats force row level security;
create policy all_tenants on chats to tallybridge_root using (true) with check (true);
create policy own_tenant on chats to tallybridge_app using (tenant_id = (select current_tenant())) with check (tenant_id = (select current_tenant()));
create policy purge on chats to tallybridge_purge using (true) with check (true);
grant select, insert, update, delete on chats to tallybridge_app;
grant select, delete on chats to tallybridge_purge;

create table outbox (
  id          uuid not null default gen_random_uuid(),
  tenant_id   uuid,
  kind        text not null,
  recipient   text,
  subject     text,
  chat_id     uuid,
  content     jsonb,
  created_at  timestamptz not null,
  next_try_at timestamptz not null,
  tries       integer not null default 0,
  taken_at    timestamptz,
  was_lost    boolean not null default false,
  ended_at    timestamptz,
  constraint outbox_pkey primary key (id),
  constraint outbox_tenant_id_fkey foreign key (tenant_id) references tenants(id),
  constraint outbox_tenant_id_chat_id_fkey foreign key (tenant_id, chat_id) references chats(tenant_id, id) on delete cascade,
  constraint outbox_kind_check check (kind = ANY (ARRAY['mail'::text, 'chat'::text]))
);

comment on table outbox is 'Emails and chat messages, saved in the transaction of the event that they report. Any worker sends them.';
comment on column outbox.tenant_id is 'Null for emails to users about their accounts.';
comment on column outbox.recipient is 'Email address; null for chat messages and for emails about accounts.';
comment on column outbox.content is 'What is needed to send it; null after it was sent or given up. Emails about accounts are encrypted because they contain login links.';
comment on column outbox.taken_at is 'When a process started to send it; an old time means that the process died, possibly after the receiver got the message.';
comment on column outbox.was_lost is 'The receiver may have it already; it is tried one last time.';
comment on column outbox.ended_at is 'When it was sent or given up.';

create index outbox_by_age on outbox (ended_at) where ended_at IS NOT NULL;
create index outbox_by_chat on outbox (tenant_id, chat_id) where chat_id IS NOT NULL;
create index outbox_due on outbox (next_try_at) where ended_at IS NULL;
create index outbox_due_by_client on outbox (tenant_id, next_try_at) where ended_at IS NULL;

alter table outbox enable row level security;
alter table outbox force row level security;
create policy all_tenants on outbox to tallybridge_root using (true) with check (true);
create policy own_tenant on outbox to tallybridge_app using (tenant_id = (select current_tenant())) with check (tenant_id = (select current_tenant()));
create policy purge on outbox to tallybridge_purge using (true) with check (true);
grant select, insert on outbox to tallybridge_app;
grant select, delete on outbox to tallybridge_purge;
grant select, insert, update on outbox to tallybridge_root;

create table payment_states (
  tenant_id    uuid not null,
  psa_id       bigint not null,
  balance      numeric,
  was_paid     boolean not null default false,
  written_on   date,
  seen_on      date,
  seen_at      timestamptz,
  seen_balance numeric,
  is_due       boolean not null default false,
  held_on      date,
  constraint payment_states_pkey primary key (tenant_id, psa_id),
  constraint payment_states_tenant_id_fkey foreign key (tenant_id) references tenants(id),
  constraint payment_states_check check (num_nulls(seen_on, seen_at, seen_balance) = ANY (ARRAY[0, 3]))
);

comment on table payment_states is 'Paid state of invoices by PSA id, as known to the payment sync.';
comment on column payment_states.balance is 'Open amount in QuickBooks when it was last read.';
comment on column payment_states.was_paid is 'QuickBooks has shown the invoice as fully paid, so no further payment is created.';
comment on column payment_states.written_on is 'The paid date that we set in the PSA, saved before it is sent. Only this date may be cleared.';
comment on column payment_states.seen_at is 'When a paid date set by a user was first seen with this balance. The waiting time starts here.';
comment on column payment_states.is_due is 'Changed in QuickBooks, and not processed yet.';
comment on column payment_states.held_on is 'A paid date first seen after a restore, which may be ours. It is paid only if a user starts the sync.';

create index payment_states_due on payment_states (tenant_id, psa_id) where is_due;
create index payment_states_watched on payment_states (tenant_id, seen_on) where was_paid AND (seen_on IS NOT NULL);

alter table payment_states enable row level security;
alter table payment_states force row level security;
create policy all_tenants on payment_states to tallybridge_root using (true) with check (true);
create policy own_tenant on payment_states to tallybridge_app using (tenant_id = (select current_tenant())) with check (tenant_id = (select current_tenant()));
create policy purge on payment_states to tallybridge_purge using (true) with check (true);
grant select, insert, update on payment_states to tallybridge_app;
grant select, delete on payment_states to tallybridge_purge;

create table postings (
  tenant_id     uuid not null,
  id            uuid not null default gen_random_uuid(),
  seq           bigint not null generated always as identity,
  kind          text not null,
  psa_id        bigint not null,
  generation    integer not null,
  revision      integer not null,
  status        text not null,
  request_id    text not null,
  body          json not null,
  psa_total     numeric,
  target_type   text,
  target_id     text,
  number        text,
  total         numeric,
  tax           numeric,
  created_at    timestamptz not null,
  superseded_at timestamptz,
  drift         jsonb not null default '[]'::jsonb,
  was_adopted   boolean not null default false,
  answered      jsonb,
  earlier       jsonb not null default '[]'::jsonb,
  constraint postings_pkey primary key (tenant_id, id),
  constraint postings_tenant_id_kind_psa_id_generation_revision_key unique (tenant_id, kind, psa_id, generation, revision),
  constraint postings_tenant_id_fkey foreign key (tenant_id) references tenants(id),
  constraint postings_check check ((status = ANY (ARRAY['sending'::text, 'refused'::text])) OR (target_id IS NOT NULL)),
  constraint postings_status_check check (status = ANY (ARRAY['sending'::text, 'unconfirmed'::text, 'synced'::text, 'refused'::text, 'voided'::text, 'deleted_in_accounting'::text, 'superseded'::text]))
);

comment on table postings is 'The ledger: documents that we created, or may have created, in QuickBooks. Rows are never deleted.';
comment on column postings.status is 'sending: recorded, possibly sent. unconfirmed: in QuickBooks, but not shown in the PSA yet.';
comment on column postings.body is 'The exact document, recorded before it was sent.';
comment on column postings.total is 'Total in the currency of the document, as returned by QuickBooks; never recomputed.';
comment on column postings.superseded_at is 'When “Sync it again” created a newer document of the same source.';
comment on column postings.drift is 'Kinds of differences between both sides since posting; empty if they agree.';
comment on column postings.was_adopted is 'Added from QuickBooks after a restore. We have no record of sending it.';
comment on column postings.earlier is 'The documents created before the last one of the same source: id, number, total and fingerprint.';

create index postings_by_kind_and_target on postings (tenant_id, kind, target_id);
create index postings_by_target on postings (tenant_id, target_type, target_id);
create index postings_differing on postings (tenant_id, kind, psa_id) where drift ?| ARRAY['total_differs'::text, 'not_mailed'::text];
create index postings_with_earlier on postings (tenant_id, kind) where earlier <> '[]'::jsonb;

alter table postings enable row level security;
alter table postings force row level security;
create policy all_tenants on postings to tallybridge_root using (true) with check (true);
create policy own_tenant on postings to tallybridge_app using (tenant_id = (select current_tenant())) with check (tenant_id = (select current_tenant()));
create policy purge on postings to tallybridge_purge using (true) with check (true);
grant select, insert, update on postings to tallybridge_app;
grant select, delete on postings to tallybridge_purge;

create table second_factors (
  user_id      uuid not null,
  key_id       uuid not null,
  root_key_id  text not null,
  wrapped_key  text not null,
  secret       text not null,
  begun_at     timestamptz not null,
  confirmed_at timestamptz,
  last_step    bigint not null default 0,
  constraint second_factors_pkey primary key (user_id),
  constraint second_factors_user_id_fkey foreign key (user_id) references users(id) on delete cascade
);

comment on table second_factors is 'Secrets of authenticator apps.';
comment on column second_factors.secret is 'Encrypted with a key of the user, which is stored with it, itself encrypted with a root key that is not in the database.';
comment on column second_factors.confirmed_at is 'When the first valid code was entered; before that no code is required at login.';
comment on column second_factors.last_step is 'Half minute of the last used code; a code is valid once.';

alter table second_factors enable row level security;
alter table second_factors force row level security;
create policy all_tenants on second_factors to tallybridge_root using (true) with check (true);
grant select, insert, update, delete on second_factors to tallybridge_root;

create table recovery_codes (
  user_id  uuid not null,
  hash     text not null,
  spent_at timestamptz,
  constraint recovery_codes_pkey primary key (user_id, hash),
  constraint recovery_codes_user_id_fkey foreign key (user_id) references second_factors(user_id) on delete cascade
);

comment on table recovery_codes is 'Hashes of recovery codes, which replace the authenticator app once each.';

alter table recovery_codes enable row level security;
alter table recovery_codes force row level security;
create policy all_tenants on recovery_codes to tallybridge_root using (true) with check (true);
grant select, insert, update, delete on recovery_codes to tallybridge_root;

create table reference_data (
  tenant_id  uuid not null,
  key        text not null,
  value      json not null,
  fetched_at timestamptz not null,
  updated_at timestamptz not null default now(),
  constraint reference_data_pkey primary key (tenant_id, key),
  constraint reference_data_tenant_id_fkey foreign key (tenant_id) references tenants(id)
);

comment on table reference_data is 'Cached lists of the services.';
comment on column reference_data.updated_at is 'Set by a trigger.';

alter table reference_data enable row level security;
alter table reference_data force row level security;
create policy all_tenants on reference_data to tallybridge_root using (true) with check (true);
create policy own_tenant on reference_data to tallybridge_app using (tenant_id = (select current_tenant())) with check (tenant_id = (select current_tenant()));
create policy purge on reference_data to tallybridge_purge using (true) with check (true);
grant select, insert, update, delete on reference_data to tallybridge_app;
grant select, delete on reference_data to tallybridge_purge;

create table service_pauses (
  tenant_id    uuid not null,
  service      text not null,
  since        timestamptz not null,
  last_at      timestamptz not null,
  next_try_at  timestamptz,
  code         text not null,
  detail       text not null,
  mailed_at    timestamptz,
  refused_read text,
  constraint service_pauses_pkey primary key (tenant_id, service),
  constraint service_pauses_tenant_id_fkey foreign key (tenant_id) references tenants(id)
);

comment on table service_pauses is 'Services that refused the latest call of a client for a temporary reason. The next successful call deletes the row.';
comment on column service_pauses.next_try_at is 'Null when the service did not say how long to wait.';
comment on column service_pauses.mailed_at is 'When the email about this pause was saved.';
comment on column service_pauses.refused_read is 'Name of the read that the service refuses; null for other pauses, which any successful call ends.';

alter table service_pauses enable row level security;
alter table service_pauses force row level security;
create policy all_tenants on service_pauses to tallybridge_root using (true) with check (true);
create policy own_tenant on service_pauses to tallybridge_app using (tenant_id = (select current_tenant())) with check (tenant_id = (select current_tenant()));
create policy purge on service_pauses to tallybridge_purge using (true) with check (true);
grant select, insert, update, delete on service_pauses to tallybridge_app;
grant select, delete on service_pauses to tallybridge_purge;
grant select on service_pauses to tallybridge_root;

create table sessions (
  jti            text not null,
  user_id        uuid not null,
  tenant_id      uuid,
  roles          text[] not null,
  masquerader    text,
  cookie_hash    text,
  created_at     timestamptz not null,
  ends_at        timestamptz not null,
  revoked_at     timestamptz,
  id             uuid not null default gen_random_uuid(),
  access_version integer not null default 1,
  user_agent     text not null default ''::text,
  address        text not null default ''::text,
  last_used_at   timestamptz not null,
  proof          text not null default 'password'::text,
  constraint sessions_pkey primary key (jti),
  constraint sessions_id_key unique (id),
  constraint sessions_tenant_id_fkey foreign key (tenant_id) references tenants(id),
  constraint sessions_user_id_fkey foreign key (user_id) references users(id) on delete cascade,
  constraint sessions_proof_check check (proof = ANY (ARRAY['password'::text, 'provider'::text, 'provider_two_step'::text]))
);

comment on table sessions is 'A token is valid only while its session is here, not revoked and not expired.';
comment on column sessions.id is 'Public id for screens; jti never leaves token and server.';
comment on column sessions.user_agent is 'Name of the browser at login, shortened.';
comment on column sessions.last_used_at is 'To the minute, so that further requests in a minute write nothing.';
comment on column sessions.proof is 'How the user logged in. provider_two_step: the provider also checked the second step.';

create index sessions_by_cookie on sessions (cookie_hash) where (revoked_at IS NULL) AND (cookie_hash IS NOT NULL);
create index sessions_by_end on sessions (ends_at);
create index sessions_by_user on sessions (user_id) where revoked_at IS NULL;

alter table sessions enable row level security;
alter table sessions force row level security;
create policy all_tenants on sessions to tallybridge_root using (true) with check (true);
create policy own_tenant on sessions to tallybridge_app using (tenant_id = (select current_tenant())) with check (tenant_id = (select current_tenant()));
create policy purge on sessions to tallybridge_purge using (true) with check (true);
grant select, delete on sessions to tallybridge_purge;
grant select, insert, update, delete on sessions to tallybridge_root;
grant select (access_version, created_at, ends_at, id, last_used_at, masquerader, proof, revoked_at, tenant_id, user_id) on sessions to tallybridge_app;
grant update (revoked_at) on sessions to tallybridge_app;

create table settings (
  tenant_id uuid not null,
  section   text not null,
  value     jsonb not null,
  saved_at  timestamptz not null default now(),
  constraint settings_pkey primary key (tenant_id, section),
  constraint settings_tenant_id_fkey foreign key (tenant_id) references tenants(id),
  constraint settings_section_check check (section = ANY (ARRAY['settings'::text, 'item_settings'::text]))
);

comment on table settings is 'Saved settings; missing keys have their default.';

alter table settings enable row level security;
alter table settings force row level security;
create policy all_tenants on settings to tallybridge_root using (true) with check (true);
create policy own_tenant on settings to tallybridge_app using (tenant_id = (select current_tenant())) with check (tenant_id = (select current_tenant()));
create policy purge on settings to tallybridge_purge using (true) with check (true);
grant select, insert, update, delete on settings to tallybridge_app;
grant select, delete on settings to tallybridge_purge;

create table sign_in_providers (
  tenant_id           uuid not null,
  kind                text not null,
  issuer              text not null,
  client_id           text not null,
  client_secret       text not null,
  covers_second_step  boolean not null default false,
  tested_at           timestamptz,
  is_required         boolean not null default false,
  break_glass_user_id uuid,
  constraint sign_in_providers_pkey primary key (tenant_id),
  constraint sign_in_providers_break_glass_user_id_fkey foreign key (break_glass_user_id) references users(id) on delete set null,
  constraint sign_in_providers_tenant_id_fkey foreign key (tenant_id) references tenants(id),
  constraint sign_in_providers_check check ((NOT is_required) OR (tested_at IS NOT NULL)),
  constraint sign_in_providers_kind_check check (kind = ANY (ARRAY['microsoft'::text, 'google'::text, 'other'::text]))
);

comment on table sign_in_providers is 'Where the users of a client log in instead of with a password.';
comment on column sign_in_providers.issuer is 'Exact issuer of the provider''s ID tokens.';
comment on column sign_in_providers.client_secret is 'Encrypted.';
comment on column sign_in_providers.covers_second_step is 'The provider checks the second step, so Tallybridge does not ask for a code.';
comment on column sign_in_providers.tested_at is 'When an administrator logged in with these values; null after a change.';
comment on column sign_in_providers.break_glass_user_id is 'The administrator who may log in with a password although the provider is required.';

alter table sign_in_providers enable row level security;
alter table sign_in_providers force row level security;
create policy own_tenant on sign_in_providers to tallybridge_app using (tenant_id = (select current_tenant())) with check (tenant_id = (select current_tenant()));
create policy purge on sign_in_providers to tallybridge_purge using (true) with check (true);
grant select, insert, update, delete on sign_in_providers to tallybridge_app;
grant select, delete on sign_in_providers to tallybridge_purge;

create table sign_in_domains (
  domain    text not null,
  tenant_id uuid not null,
  constraint sign_in_domains_pkey primary key (domain),
  constraint sign_in_domains_tenant_id_fkey foreign key (tenant_id) references sign_in_providers(tenant_id) on delete cascade
);

comment on table sign_in_domains is 'Email domains whose users log in with the provider of a client; each belongs to one client.';

create index sign_in_domains_of on sign_in_domains (tenant_id);

alter table sign_in_domains enable row level security;
alter table sign_in_domains force row level security;
create policy all_tenants on sign_in_domains to tallybridge_root using (true) with check (true);
create policy own_tenant on sign_in_domains to tallybridge_app using (tenant_id = (select current_tenant())) with check (tenant_id = (select current_tenant()));
create policy purge on sign_in_domains to tallybridge_purge using (true) with check (true);
grant select, insert, delete on sign_in_domains to tallybridge_app;
grant select, delete on sign_in_domains to tallybridge_purge;
grant select on sign_in_domains to tallybridge_root;

create table sign_in_failures (
  key text not null,
  at  timestamptz not null
);

comment on table sign_in_failures is 'Failed logins per account and address, to limit them; old rows are deleted.';

create index sign_in_failures_by_key on sign_in_failures (key, at);
create index sign_in_failures_by_time on sign_in_failures (at);

grant select, insert, update, delete on sign_in_failures to tallybridge_root;

create table sign_in_links (
  user_id       uuid not null,
  issuer        text not null,
  subject       text not null,
  linked_at     timestamptz not null,
  checked_at    timestamptz not null,
  next_check_at timestamptz,
  key_id        uuid,
  root_key_id   text,
  wrapped_key   text,
  refresh_token text,
  constraint sign_in_links_pkey primary key (user_id),
  constraint sign_in_links_issuer_subject_key unique (issuer, subject),
  constraint sign_in_links_user_id_fkey foreign key (user_id) references users(id) on delete cascade
);

comment on table sign_in_links is 'The account at a provider that each user logs in with, from the first login on.';
comment on column sign_in_links.subject is 'Id of the account at the provider: the object id at Microsoft, otherwise the subject.';
comment on column sign_in_links.checked_at is 'When the provider last confirmed the account; its sessions end an hour later.';
comment on column sign_in_links.next_check_at is 'When a worker asks the provider again; null without a refresh token.';
comment on column sign_in_links.refresh_token is 'Encrypted with a key of the user, which is stored with it, itself encrypted with a root key that is not in the database.';

create index sign_in_links_due on sign_in_links (next_check_at) where next_check_at IS NOT NULL;

alter table sign_in_links enable row level security;
alter table sign_in_links force row level security;
create policy all_tenants on sign_in_links to tallybridge_root using (true) with check (true);
grant select, insert, update, delete on sign_in_links to tallybridge_root;

create table stalls (
  tenant_id uuid not null,
  since     timestamptz not null,
  last_at   timestamptz not null,
  failures  integer not null,
  error     text not null,
  mailed_at timestamptz,
  constraint stalls_pkey primary key (tenant_id),
  constraint stalls_tenant_id_fkey foreign key (tenant_id) references tenants(id)
);

comment on table stalls is 'Clients whose latest sessions all ended with a defect. The first session without a defect deletes the row.';
comment on column stalls.since is 'When the first session of the series failed.';
comment on column stalls.error is 'The latest failure, in one line, for support.';
comment on column stalls.mailed_at is 'When the administrators were notified by email.';

alter table stalls enable row level security;
alter table stalls force row level security;
create policy all_tenants on stalls to tallybridge_root using (true) with check (true);
create policy own_tenant on stalls to tallybridge_app using (tenant_id = (select current_tenant())) with check (tenant_id = (select current_tenant()));
create policy purge on stalls to tallybridge_purge using (true) with check (true);
grant select, insert, update, delete on stalls to tallybridge_app;
grant select, delete on stalls to tallybridge_purge;
grant select on stalls to tallybridge_root;
grant select (failures, since, tenant_id) on stalls to tallybridge_root;

create table suppressions (
  tenant_id uuid not null,
  kind      text not null,
  psa_id    bigint not null,
  at        timestamptz not null,
  reason    text not null,
  constraint remembered_skips_pkey primary key (tenant_id, kind, psa_id),
  constraint remembered_skips_tenant_id_fkey foreign key (tenant_id) references tenants(id)
);

comment on table suppressions is 'Documents whose problem is already in the log and not marked in the PSA. Automatic syncs report it only once.';
comment on column suppressions.reason is 'The logged message. When another one applies, the document is processed again.';

alter table suppressions enable row level security;
alter table suppressions force row level security;
create policy all_tenants on suppressions to tallybridge_root using (true) with check (true);
create policy own_tenant on suppressions to tallybridge_app using (tenant_id = (select current_tenant())) with check (tenant_id = (select current_tenant()));
create policy purge on suppressions to tallybridge_purge using (true) with check (true);
grant select, insert, update, delete on suppressions to tallybridge_app;
grant select, delete on suppressions to tallybridge_purge;

create table sync_states (
  tenant_id   uuid not null,
  kind        text not null,
  polled_at   timestamptz,
  synced_at   timestamptz,
  info        text,
  fingerprint text,
  constraint sync_states_pkey primary key (tenant_id, kind),
  constraint sync_states_tenant_id_fkey foreign key (tenant_id) references tenants(id)
);

comment on table sync_states is 'What the Overview shows for each kind; null if it has not happened yet.';
comment on column sync_states.fingerprint is 'What the last search found when nothing was to be done. If the next search finds the same, it stops there.';

alter table sync_states enable row level security;
alter table sync_states force row level security;
create policy all_tenants on sync_states to tallybridge_root using (true) with check (true);
create policy own_tenant on sync_states to tallybridge_app using (tenant_id = (select current_tenant())) with check (tenant_id = (select current_tenant()));
create policy purge on sync_states to tallybridge_purge using (true) with check (true);
grant select, insert, update, delete on sync_states to tallybridge_app;
grant select, delete on sync_states to tallybridge_purge;

create table unexpected_answers (
  service   text not null,
  kind      text not null,
  fact      text not null,
  name      text not null,
  operation text not null,
  shape     text not null,
  count     bigint not null,
  first_at  timestamptz not null,
  last_at   timestamptz not null,
  constraint unexpected_answers_pkey primary key (service, kind, fact, name)
);

comment on table unexpected_answers is 'Answers of Autotask and QuickBooks that contradict a fact of docs/facts. At most 200; they contain names of members and codes, and no client data.';
comment on column unexpected_answers.shape is 'Names and types of the members of the first such answer.';

grant select, insert, update on unexpected_answers to tallybridge_root;

create table webhook_endpoints (
  tenant_id          uuid not null,
  id                 uuid not null default gen_random_uuid(),
  address            text not null,
  shown_address      text not null,
  secret             text not null,
  old_secret         text,
  old_secret_ends_at timestamptz,
  events             text[] not null,
  state              text not null default 'active'::text,
  created_by         text not null,
  created_at         timestamptz not null,
  read_to            timestamptz not null,
  failures           integer not null default 0,
  failing_since      timestamptz,
  wait_until         timestamptz,
  delivered_at       timestamptz,
  failed_at          timestamptz,
  tested_at          timestamptz,
  owner              text,
  constraint webhook_endpoints_pkey primary key (tenant_id, id),
  constraint webhook_endpoints_tenant_id_fkey foreign key (tenant_id) references tenants(id),
  constraint webhook_endpoints_state_check check (state = ANY (ARRAY['active'::text, 'paused'::text, 'failing'::text]))
);

comment on table webhook_endpoints is 'Addresses of a client''s own systems that get signed events.';
comment on column webhook_endpoints.address is 'Encrypted: its path or query may contain a secret.';
comment on column webhook_endpoints.shown_address is 'Host and last characters of the address, for people.';
comment on column webhook_endpoints.secret is 'Encrypted: signs the deliveries.';
comment on column webhook_endpoints.old_secret is 'Encrypted: the secret before the last rotation, which signs too until old_secret_ends_at.';
comment on column webhook_endpoints.state is 'paused: by a user. failing: automatically, after days without a successful delivery.';
comment on column webhook_endpoints.read_to is 'Events up to this time have deliveries, except for those that a transaction in progress may still commit.';
comment on column webhook_endpoints.failures is 'Consecutive failed attempts.';
comment on column webhook_endpoints.failing_since is 'First failed attempt since the last success.';
comment on column webhook_endpoints.wait_until is 'No delivery is attempted before this time, because the last attempt failed.';
comment on column webhook_endpoints.owner is 'User name after a hand-over; null: the creator.';

create index webhook_endpoints_active on webhook_endpoints (tenant_id) where state = 'active'::text;

alter table webhook_endpoints enable row level security;
alter table webhook_endpoints force row level security;
create policy all_tenants on webhook_endpoints to tallybridge_root using (true) with check (true);
create policy own_tenant on webhook_endpoints to tallybridge_app using (tenant_id = (select current_tenant())) with check (tenant_id = (select current_tenant()));
create policy purge on webhook_endpoints to tallybridge_purge using (true) with check (true);
grant select, insert, update, delete on webhook_endpoints to tallybridge_app;
grant select, delete on webhook_endpoints to tallybridge_purge;
grant select (id, read_to, state, tenant_id, wait_until) on webhook_endpoints to tallybridge_root;

create table webhook_deliveries (
  tenant_id    uuid not null,
  id           uuid not null default gen_random_uuid(),
  endpoint_id  uuid not null,
  source       text not null,
  event        text not null,
  subject      text not null,
  body         text not null,
  created_at   timestamptz not null,
  next_try_at  timestamptz not null,
  tries        integer not null default 0,
  taken_at     timestamptz,
  tried_at     timestamptz,
  ended_at     timestamptz,
  is_delivered boolean not null default false,
  status       integer,
  answer       text,
  constraint webhook_deliveries_pkey primary key (tenant_id, id),
  constraint webhook_deliveries_tenant_id_endpoint_id_source_key unique (tenant_id, endpoint_id, source),
  constraint webhook_deliveries_tenant_id_endpoint_id_fkey foreign key (tenant_id, endpoint_id) references webhook_endpoints(tenant_id, id) on delete cascade
);

comment on table webhook_deliveries is 'Events for webhook endpoints, with the result of the last attempt. Any worker sends them.';
comment on column webhook_deliveries.source is 'The record that the event comes from, e.g. a log key. An endpoint gets each record once.';
comment on column webhook_deliveries.subject is 'The document or month, for people.';
comment on column webhook_deliveries.body is 'The exact JSON; the same in each attempt.';
comment on column webhook_deliveries.taken_at is 'When a worker started to send it; an old time means that the worker died.';
comment on column webhook_deliveries.ended_at is 'When it was delivered or dropped.';
comment on column webhook_deliveries.status is 'HTTP status of the last attempt; null without an answer.';
comment on column webhook_deliveries.answer is 'Beginning of the last answer, or why there was none.';

create index webhook_deliveries_by_age on webhook_deliveries using brin (created_at);
create index webhook_deliveries_due on webhook_deliveries (tenant_id, endpoint_id, next_try_at) where ended_at IS NULL;
create index webhook_deliveries_newest on webhook_deliveries (tenant_id, endpoint_id, created_at DESC, id);

alter table webhook_deliveries enable row level security;
alter table webhook_deliveries force row level security;
create policy all_tenants on webhook_deliveries to tallybridge_root using (true) with check (true);
create policy own_tenant on webhook_deliveries to tallybridge_app using (tenant_id = (select current_tenant())) with check (tenant_id = (select current_tenant()));
create policy purge on webhook_deliveries to tallybridge_purge using (true) with check (true);
grant select, insert, update on webhook_deliveries to tallybridge_app;
grant select, delete on webhook_deliveries to tallybridge_purge;
grant select (ended_at, endpoint_id, next_try_at, taken_at, tenant_id) on webhook_deliveries to tallybridge_root;

create table notifications (
  tenant_id   uuid not null,
  record      text not null,
  target_id   text not null,
  seq         bigint not null generated always as identity,
  received_at timestamptz not null,
  due_at      timestamptz,
  constraint notifications_pkey primary key (tenant_id, record, target_id),
  constraint notifications_tenant_id_fkey foreign key (tenant_id) references tenants(id)
);

comment on table notifications is 'QuickBooks records that changed since they were last read, one row each, from notifications of Intuit or the change feed.';
comment on column notifications.seq is 'Increases when the record changes again, so that a read settles only the changes it has seen.';
comment on column notifications.received_at is 'When the first change since the last read was announced.';
comment on column notifications.due_at is 'When a worker processes it; null: with the next sync.';

create index notifications_due on notifications (due_at, tenant_id) where due_at IS NOT NULL;

alter table notifications enable row level security;
alter table notifications force row level security;
create policy all_tenants on notifications to tallybridge_root using (true) with check (true);
create policy own_tenant on notifications to tallybridge_app using (tenant_id = (select current_tenant())) with check (tenant_id = (select current_tenant()));
create policy purge on notifications to tallybridge_purge using (true) with check (true);
grant select, insert, update, delete on notifications to tallybridge_app;
grant select, delete on notifications to tallybridge_purge;
grant select (due_at, tenant_id) on notifications to tallybridge_root;

create trigger connections_mark_lost AFTER UPDATE on connections for each row WHEN (((old.status = 'active'::text) AND (new.status = 'inactive'::text) AND (new.problem IS NOT NULL))) execute function mark_lost_connection();
create trigger jobs_announce AFTER UPDATE on jobs for each row execute function announce_job();
create trigger log_details_mark_alert AFTER INSERT on log_details for each row WHEN ((new.transcript ~~ '%SUBTOTAL_MISMATCH %'::text)) execute function mark_alert_pending();
create trigger logs_mark_alert AFTER INSERT on logs for each row WHEN (((NOT new.is_manual) AND (NOT new.is_test) AND ((NOT new.success) OR (new.message ~~ 'Payment reversed:%'::text)))) execute function mark_alert_pending();
create trigger reference_data_set_updated_at BEFORE INSERT OR UPDATE on reference_data for each row execute function set_updated_at();
create trigger users_raise_access_version BEFORE UPDATE on users for each row execute function raise_access_version();

create function search_logs(pattern text, kinds text[], of_type text, tests boolean, manuals boolean, successes boolean, since timestamp with time zone, until timestamp with time zone, most integer)
  returns setof logs
  language plpgsql
  stable security definer
  set search_path to 'public', 'pg_temp'
  set enable_bitmapscan to 'on'
  set enable_seqscan to 'on'
  set enable_indexscan to 'on'
  set enable_sort to 'on'
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
revoke all on function search_logs(text,text[],text,boolean,boolean,boolean,timestamp with time zone,timestamp with time zone,integer) from public;
grant execute on function search_logs(text,text[],text,boolean,boolean,boolean,timestamp with time zone,timestamp with time zone,integer) to tallybridge_app;
comment on function search_logs(text,text[],text,boolean,boolean,boolean,timestamp with time zone,timestamp with time zone,integer) is 'Entries of the bound tenant that hold a text and pass the filters, the newest of them when there are more.';

do $$
begin
  grant create on schema public to tallybridge_purge;
  alter function search_logs(text, text[], text, boolean, boolean, boolean, timestamptz, timestamptz, integer) owner to tallybridge_purge;
  revoke create on schema public from tallybridge_purge;
exception when insufficient_privilege then
  -- Run as its caller, the function returns the same, but without the index on letters.
  alter function search_logs(text, text[], text, boolean, boolean, boolean, timestamptz, timestamptz, integer) security invoker;
end $$;

-- Signs the tenant of a transaction: 32 random bytes, and the two pads of HMAC-SHA-256 (RFC 2104).
do $$
declare
  key   bytea := sha256(uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()));
  inner_pad bytea := key || decode(repeat('00', 32), 'hex');
  outer_pad bytea := inner_pad;
begin
  for i in 0 .. 63 loop
    inner_pad := set_byte(inner_pad, i, get_byte(inner_pad, i) # 54);
    outer_pad := set_byte(outer_pad, i, get_byte(outer_pad, i) # 92);
  end loop;
  insert into binding_key (key, inner_pad, outer_pad) values (key, inner_pad, outer_pad);
end $$;

insert into deployment_clock (wall_ms) values (wall_clock_ms());
