-- A read that a service refuses is shown until the same read succeeds.

alter table service_pauses add column refused_read text;
comment on column service_pauses.refused_read is 'Name of the read that the service refuses; null for other pauses, which any successful call ends.';
