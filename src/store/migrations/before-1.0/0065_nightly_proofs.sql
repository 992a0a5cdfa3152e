-- Open months are proved every night; what was changed after it was posted is shown without anybody asking.

alter table tenants add column proved_at timestamptz;
comment on column tenants.proved_at is 'When its open months were last taken up to be proved by themselves.';
create index tenants_to_prove on tenants (proved_at nulls first) where status = 'active';

alter table closes add column changed_since json not null default '[]';
comment on column closes.changed_since is 'Differences of documents that were changed after they were posted: key, currency and amount of each.';
