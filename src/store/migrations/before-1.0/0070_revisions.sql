-- A document that stands in the books is brought to what the PSA says, where a person asks for it.

alter table jobs add column revises boolean not null default false;
comment on column jobs.revises is 'Documents that stand in the books are changed to what the PSA says; none is made.';
alter table attempts add column revises boolean not null default false;
comment on column attempts.revises is 'As of its job.';
alter table drafts add column revises boolean not null default false;
comment on column drafts.revises is 'As of the attempt that it was prepared by.';
