-- Notices are also posted to chats: targets with a secret address, and an outbox that the workers empty.

create table webhook_targets (
  tenant_id    uuid        not null references tenants,
  id           uuid        not null default gen_random_uuid(),
  kind         text        not null,
  name         text        not null,
  address      text        not null,
  address_end  text        not null,
  groups       text[]      not null,
  created_by   text        not null,
  created_at   timestamptz not null,
  delivered_at timestamptz,
  failed_at    timestamptz,
  error        text,
  primary key (tenant_id, id)
);
comment on table webhook_targets is 'Addresses outside that get notices of a client.';
comment on column webhook_targets.kind is 'Format of the messages: slack or teams.';
comment on column webhook_targets.address is 'Encrypted: whoever knows it can post to the channel.';
comment on column webhook_targets.address_end is 'Host and last characters of the address, for people.';
comment on column webhook_targets.groups is 'Groups of notices that are posted.';
comment on column webhook_targets.error is 'Why the last delivery failed; null after a success.';

create table outgoing_webhooks (
  tenant_id   uuid        not null,
  id          uuid        not null default gen_random_uuid(),
  target_id   uuid        not null,
  payload     jsonb       not null,
  created_at  timestamptz not null,
  next_try_at timestamptz not null,
  tries       integer     not null default 0,
  taken_at    timestamptz,
  ended_at    timestamptz,
  primary key (tenant_id, id),
  foreign key (tenant_id, target_id) references webhook_targets on delete cascade
);
create index outgoing_webhooks_due on outgoing_webhooks (next_try_at) where ended_at is null;
create index outgoing_webhooks_by_target on outgoing_webhooks (tenant_id, target_id);
create index outgoing_webhooks_by_age on outgoing_webhooks (ended_at) where ended_at is not null;
comment on table outgoing_webhooks is 'Messages to webhook targets, saved in the transaction of the event. Any worker sends them.';
comment on column outgoing_webhooks.payload is 'The event; the target''s kind defines the format when it is sent. Null after the end.';
comment on column outgoing_webhooks.taken_at is 'When a worker started to send it; an old time means that the worker died.';
comment on column outgoing_webhooks.ended_at is 'When it was delivered or dropped.';

alter table webhook_targets enable row level security;
alter table webhook_targets force row level security;
create policy own_tenant on webhook_targets to tallybridge_app
  using (tenant_id = (select current_tenant())) with check (tenant_id = (select current_tenant()));
create policy all_tenants on webhook_targets to tallybridge_root using (true) with check (true);
create policy purge on webhook_targets to tallybridge_purge using (true) with check (true);
grant select, insert, update, delete on webhook_targets to tallybridge_app;
grant select, delete on webhook_targets to tallybridge_purge;

alter table outgoing_webhooks enable row level security;
alter table outgoing_webhooks force row level security;
create policy own_tenant on outgoing_webhooks to tallybridge_app
  using (tenant_id = (select current_tenant())) with check (tenant_id = (select current_tenant()));
create policy all_tenants on outgoing_webhooks to tallybridge_root using (true) with check (true);
create policy purge on outgoing_webhooks to tallybridge_purge using (true) with check (true);
grant select, insert, update on outgoing_webhooks to tallybridge_app;
grant select, update on outgoing_webhooks to tallybridge_root;
grant select, delete on outgoing_webhooks to tallybridge_purge;
