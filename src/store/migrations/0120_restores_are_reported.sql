-- A time without records no longer counts as a restore: `tallybridge restore` and `restored` report one.
comment on column deployment_clock.gaps is 'How often the database was restored from a backup.';
comment on column tenants.gaps_settled is 'The last restore after which all paid dates of this client were checked.';
comment on column tenants.ledger_gaps_settled is 'The last restore after which documents missing in the ledger were searched for.';
comment on column leases.ends_at is 'By the clock of the database, which no process replaces by its own.';
