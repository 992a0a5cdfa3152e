-- A client that was moved to another deployment stays here without work until it is deleted.

alter table tenants add column moved_at timestamptz;
alter table tenants add column before_move jsonb;
comment on column tenants.moved_at is 'When the client was moved to another deployment. Its lease never ends, so that no worker takes it.';
comment on column tenants.before_move is 'Status and reason before the move: the client has them again in the other deployment, or here if the move is undone.';
create index tenants_moved on tenants (id) where moved_at is not null;
grant update (moved_at, before_move) on tenants to tallybridge_app;
