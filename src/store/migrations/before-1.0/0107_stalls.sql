-- The table of stalled clients is named after them. Processes of the previous release use the view under the old name;
-- the next release removes it, and the cross-tenant role's right to read all columns, which only the view needs.

alter table standstills rename to stalls;
alter table stalls rename constraint standstills_pkey to stalls_pkey;
alter table stalls rename constraint standstills_tenant_id_fkey to stalls_tenant_id_fkey;
comment on table stalls is 'Clients whose newest sessions all ended with a defect. The first session without a defect deletes the row.';
comment on column stalls.since is 'When the first session of the series failed.';
comment on column stalls.error is 'The latest failure, in one line, for support.';
comment on column stalls.mailed_at is 'When the administrators were notified by email.';

create view standstills with (security_invoker = true) as
  select tenant_id, since, last_at, failures, error, mailed_at from stalls;
comment on view standstills is 'The table stalls, for processes of the previous release.';
grant select, insert, update, delete on standstills to tallybridge_app;
grant select on standstills, stalls to tallybridge_root;
