-- Keys with which programs of a client call the API. Only the hash of a key is stored.
create table api_keys (
  tenant_id    uuid        not null references tenants,
  id           uuid        not null default gen_random_uuid(),
  name         text        not null,
  scope        text        not null check (scope in ('read', 'sync')),
  key_hash     text        not null unique,
  created_by   text        not null,
  created_at   timestamptz not null,
  ends_at      timestamptz not null,
  last_used_at timestamptz,
  primary key (tenant_id, id)
);
comment on table api_keys is 'Keys with which programs of a client call the API. A revoked key is deleted.';
comment on column api_keys.scope is 'read: lists and reads; sync: also starts and cancels syncs.';
comment on column api_keys.last_used_at is 'Accurate to one minute.';

alter table api_keys enable row level security;
alter table api_keys force row level security;
create policy own_tenant on api_keys to tallybridge_app
  using (tenant_id = (select current_tenant())) with check (tenant_id = (select current_tenant()));
create policy all_tenants on api_keys to tallybridge_root using (true) with check (true);
create policy purge on api_keys to tallybridge_purge using (true) with check (true);
grant select, insert, delete on api_keys to tallybridge_app;
grant select on api_keys to tallybridge_root;
grant update (last_used_at) on api_keys to tallybridge_root;
grant select, delete on api_keys to tallybridge_purge;
