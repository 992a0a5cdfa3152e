-- Preparer and reviewer are two people, unless the client's settings let one person sign as both.

alter table close_signatures add column by_one_allowed boolean not null default false;
comment on column close_signatures.by_one_allowed is 'The settings let one person be preparer and reviewer when this was signed.';
alter table close_signatures drop constraint close_signatures_tenant_id_close_id_signed_by_key;
create unique index close_signatures_two_people on close_signatures (tenant_id, close_id, signed_by) where not by_one_allowed;
comment on table close_signatures is 'Who signed which proof, and as what. Rows are only ever added.';
