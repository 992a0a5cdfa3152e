-- A month is proved again only if something that its proof depends on has changed.
alter table close_runs add column checked_at timestamptz;
alter table close_runs add column sources_sha256 text;
comment on column close_runs.checked_at is 'Changes in QuickBooks up to this time are in the newest proof, or do not concern the month; null: unknown.';
comment on column close_runs.sources_sha256 is 'Hash of everything else that the newest proof depends on; null: unknown.';
