-- An expense report can be several bills, one for each month. Its posting had only the last one, so changes of the
-- others in QuickBooks were not recognized.
alter table postings add column earlier jsonb not null default '[]';
comment on column postings.earlier is 'The documents created before the last one of the same source: id, number, total and fingerprint.';
create index postings_with_earlier on postings (tenant_id, kind) where earlier <> '[]'::jsonb;
