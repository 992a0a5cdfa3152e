-- A copy of the database elsewhere is noticed at the start.

alter table deployment_clock add column server_id bigint;
alter table deployment_clock add column database_oid oid;
comment on column deployment_clock.server_id is 'System identifier of the server at the last start; null: unknown.';
comment on column deployment_clock.database_oid is 'The database on that server; null: unknown. Another server or database: it was restored.';
