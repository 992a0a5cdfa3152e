-- When a tenant is due, and what was said of a document that is still as it was.

alter table tenants add column sync_setbacks integer not null default 0;
comment on column tenants.sync_setbacks is 'How many cycles in a row ended because a service refused our access; the next one waits longer.';

drop index tenants_by_next_sync;
create index tenants_due on tenants (next_sync_at) where status = 'active';
-- Tenants that are there already do not begin all at once.
update tenants set next_sync_at = now() + random() * interval '15 minutes' where status = 'active';
grant update (next_sync_at, sync_setbacks) on tenants to tallybridge_app;

alter table remembered_skips add column reason text not null default 'Skipped: zero balance.';
alter table remembered_skips alter column reason drop default;
comment on table remembered_skips is 'What was said of a document that the PSA shows no mark of; the schedule says it once.';
comment on column remembered_skips.reason is 'The sentence of the log. Once another one applies, the document is taken up again.';
