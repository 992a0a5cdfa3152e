-- After a time of which our database knows nothing, documents that were posted meanwhile are looked for in the books and
-- taken into the ledger; this is settled apart from the paid dates, which wait for the search of payments.

alter table tenants add column ledger_gaps_settled integer not null default noted_gaps();
comment on column tenants.ledger_gaps_settled is 'The last of deployment_clock.gaps after which documents that the ledger does not know were looked for.';
grant update (ledger_gaps_settled) on tenants to tallybridge_app;
