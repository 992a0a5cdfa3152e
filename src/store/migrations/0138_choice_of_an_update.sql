-- An update keeps what users changed in QuickBooks. A user chooses whose value fields get that both sides changed.

alter table jobs add column prefers text check (prefers in ('psa', 'accounting'));
comment on column jobs.prefers is 'Whose value fields get in an update that both sides changed; null: such a document is not updated.';
