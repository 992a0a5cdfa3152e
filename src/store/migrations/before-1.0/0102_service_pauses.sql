-- A service that does not respond or limits our calls: since when, why, and when the next call may leave.

create table service_pauses (
  tenant_id   uuid        not null references tenants,
  service     text        not null,
  since       timestamptz not null,
  last_at     timestamptz not null,
  next_try_at timestamptz,
  code        text        not null,
  detail      text        not null,
  primary key (tenant_id, service)
);
comment on table service_pauses is 'Services that refused the newest call of a client for a reason that passes. The next successful call removes the row.';
comment on column service_pauses.next_try_at is 'Null when the service did not say how long to wait.';
alter table service_pauses enable row level security;
alter table service_pauses force row level security;
create policy own_tenant on service_pauses to tallybridge_app
  using (tenant_id = current_tenant()) with check (tenant_id = current_tenant());
create policy all_tenants on service_pauses to tallybridge_root using (true) with check (true);
grant select, insert, update, delete on service_pauses to tallybridge_app;
