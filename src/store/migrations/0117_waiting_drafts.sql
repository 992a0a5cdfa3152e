-- Workers find clients whose waiting drafts nobody was notified of.

create index drafts_newest_waiting on drafts (tenant_id, prepared_at) where state = 'waiting';
create index notices_about_drafts on notices (tenant_id, at desc) where kind = 'drafts_waiting';
create policy all_tenants on drafts to tallybridge_root using (true) with check (true);
grant select (tenant_id, state, prepared_at) on drafts to tallybridge_root;
grant select (kind, at) on notices to tallybridge_root;
