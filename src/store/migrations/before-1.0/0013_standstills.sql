-- Clients for which nothing goes on, because a defect of ours ends every session.

create table standstills (
  tenant_id uuid        primary key references tenants,
  since     timestamptz not null,
  last_at   timestamptz not null,
  failures  integer     not null,
  error     text        not null,
  mailed_at timestamptz
);
comment on table standstills is 'Clients whose newest sessions all ended with a defect; the row goes with the first session that does not.';
comment on column standstills.since is 'The first of the sessions in a row that failed.';
comment on column standstills.error is 'What failed last, in one line, for support.';
comment on column standstills.mailed_at is 'When the administrators were told by mail.';
alter table standstills enable row level security;
alter table standstills force row level security;
create policy own_tenant on standstills to tallybridge_app
  using (tenant_id = current_tenant()) with check (tenant_id = current_tenant());
create policy all_tenants on standstills to tallybridge_root using (true) with check (true);
grant select, insert, update, delete on standstills to tallybridge_app;
grant select (tenant_id, since, failures) on standstills to tallybridge_root;
