-- Customers' own systems get signed events: endpoints with a secret, and one delivery for each event and endpoint.

create table webhook_endpoints (
  tenant_id          uuid        not null references tenants,
  id                 uuid        not null default gen_random_uuid(),
  address            text        not null,
  shown_address      text        not null,
  secret             text        not null,
  old_secret         text,
  old_secret_ends_at timestamptz,
  events             text[]      not null,
  state              text        not null default 'active' check (state in ('active', 'paused', 'failing')),
  created_by         text        not null,
  created_at         timestamptz not null,
  read_to            timestamptz not null,
  failures           integer     not null default 0,
  failing_since      timestamptz,
  wait_until         timestamptz,
  delivered_at       timestamptz,
  failed_at          timestamptz,
  tested_at          timestamptz,
  primary key (tenant_id, id)
);
create index webhook_endpoints_active on webhook_endpoints (tenant_id) where state = 'active';
comment on table webhook_endpoints is 'Addresses of a client''s own systems that get signed events.';
comment on column webhook_endpoints.address is 'Encrypted: its path or query may contain a secret.';
comment on column webhook_endpoints.shown_address is 'The address without its query, for people.';
comment on column webhook_endpoints.secret is 'Encrypted: signs the deliveries.';
comment on column webhook_endpoints.old_secret is 'Encrypted: the secret before the last rotation, which signs too until old_secret_ends_at.';
comment on column webhook_endpoints.state is 'paused: by a user. failing: automatically, after days without a successful delivery.';
comment on column webhook_endpoints.read_to is 'Events up to this time have deliveries, except for those that a transaction in progress may still commit.';
comment on column webhook_endpoints.failures is 'Consecutive failed attempts.';
comment on column webhook_endpoints.failing_since is 'First failed attempt since the last success.';
comment on column webhook_endpoints.wait_until is 'No delivery is attempted before this time, because the last attempt failed.';

create table webhook_deliveries (
  tenant_id    uuid        not null,
  id           uuid        not null default gen_random_uuid(),
  endpoint_id  uuid        not null,
  source       text        not null,
  event        text        not null,
  subject      text        not null,
  body         text        not null,
  created_at   timestamptz not null,
  next_try_at  timestamptz not null,
  tries        integer     not null default 0,
  taken_at     timestamptz,
  tried_at     timestamptz,
  ended_at     timestamptz,
  is_delivered boolean     not null default false,
  status       integer,
  answer       text,
  primary key (tenant_id, id),
  unique (tenant_id, endpoint_id, source),
  foreign key (tenant_id, endpoint_id) references webhook_endpoints on delete cascade
);
create index webhook_deliveries_due on webhook_deliveries (tenant_id, endpoint_id, next_try_at) where ended_at is null;
create index webhook_deliveries_newest on webhook_deliveries (tenant_id, endpoint_id, created_at desc, id);
create index webhook_deliveries_by_age on webhook_deliveries using brin (created_at);
comment on table webhook_deliveries is 'Events for webhook endpoints, with the result of the last attempt. Any worker sends them.';
comment on column webhook_deliveries.source is 'The record that the event comes from, e.g. a log key. An endpoint gets each record once.';
comment on column webhook_deliveries.subject is 'The document or month, for people.';
comment on column webhook_deliveries.body is 'The exact JSON; the same in each attempt.';
comment on column webhook_deliveries.taken_at is 'When a worker started to send it; an old time means that the worker died.';
comment on column webhook_deliveries.ended_at is 'When it was delivered or dropped.';
comment on column webhook_deliveries.status is 'HTTP status of the last attempt; null without an answer.';
comment on column webhook_deliveries.answer is 'Beginning of the last answer, or why there was none.';

alter table webhook_endpoints enable row level security;
alter table webhook_endpoints force row level security;
create policy own_tenant on webhook_endpoints to tallybridge_app
  using (tenant_id = (select current_tenant())) with check (tenant_id = (select current_tenant()));
create policy all_tenants on webhook_endpoints to tallybridge_root using (true) with check (true);
create policy purge on webhook_endpoints to tallybridge_purge using (true) with check (true);
grant select, insert, update, delete on webhook_endpoints to tallybridge_app;
grant select (tenant_id, id, state, read_to, wait_until) on webhook_endpoints to tallybridge_root;
grant select, delete on webhook_endpoints to tallybridge_purge;

alter table webhook_deliveries enable row level security;
alter table webhook_deliveries force row level security;
create policy own_tenant on webhook_deliveries to tallybridge_app
  using (tenant_id = (select current_tenant())) with check (tenant_id = (select current_tenant()));
create policy all_tenants on webhook_deliveries to tallybridge_root using (true) with check (true);
create policy purge on webhook_deliveries to tallybridge_purge using (true) with check (true);
grant select, insert, update on webhook_deliveries to tallybridge_app;
grant select (tenant_id, endpoint_id, next_try_at, taken_at, ended_at) on webhook_deliveries to tallybridge_root;
grant select, delete on webhook_deliveries to tallybridge_purge;
