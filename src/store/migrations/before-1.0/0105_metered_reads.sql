-- Calls that only read QuickBooks, by client and month. Intuit limits them for the application as a whole.

create table metered_reads (
  tenant_id uuid    not null references tenants,
  month     text    not null,
  reads     bigint  not null,
  primary key (tenant_id, month)
);
comment on table metered_reads is 'Calls that only read QuickBooks. Processes add their counts every few seconds; a process that dies loses the last of them.';
comment on column metered_reads.month is 'Month in US Pacific time, e.g. 2026-11.';
alter table metered_reads enable row level security;
alter table metered_reads force row level security;
create policy own_tenant on metered_reads to tallybridge_app
  using (tenant_id = current_tenant()) with check (tenant_id = current_tenant());
create policy all_tenants on metered_reads to tallybridge_root using (true) with check (true);
grant select, insert, update, delete on metered_reads to tallybridge_app;
grant select, insert, update on metered_reads to tallybridge_root;

create table metered_read_alerts (
  month   text        not null,
  percent integer     not null,
  sent_at timestamptz not null,
  primary key (month, percent)
);
comment on table metered_read_alerts is 'Thresholds of the monthly limit of reads that the system administrators got an email about.';
grant select, insert on metered_read_alerts to tallybridge_root;
grant select on service_pauses to tallybridge_root;
