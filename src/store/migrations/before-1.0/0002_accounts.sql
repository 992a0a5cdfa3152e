-- People are known by name, and by who they are in the PSA, so that they can come from there.
alter table users
  add column name text not null default '',
  add column psa_database_id text,
  add column psa_resource_id bigint,
  add check ((psa_database_id is null) = (psa_resource_id is null));
create unique index users_by_psa on users (psa_database_id, psa_resource_id);
comment on column users.psa_database_id is 'The PSA database in which the person is a resource; part of links, no secret.';

-- A company registers once, also when two of its people do so at the same moment.
alter table tenants add column registered_as text;
create unique index tenants_registered_once on tenants (registered_as) where status <> 'cancelled';
comment on column tenants.registered_as is 'The PSA database by which the client registered itself; null when it came in another way.';

-- A browser's session is found by its cookie where there is no token: on pages that the server writes.
create index sessions_by_cookie on sessions (cookie_hash) where revoked_at is null and cookie_hash is not null;
create index tickets_by_user on tickets (user_id, purpose) where spent_at is null;
