-- The people of a client: who is invited, what a session rests on, and what is known of each sign-in.

alter table users
  add column access_version  integer not null default 1,
  add column last_sign_in_at timestamptz;
comment on column users.access_version is 'Rises with every new password and every change of roles, client or is_active. A session counts only under the version it began under.';

create function raise_access_version() returns trigger
  language plpgsql
  as $$
begin
  if (new.password_hash, new.roles, new.tenant_id, new.is_active)
    is distinct from (old.password_hash, old.roles, old.tenant_id, old.is_active) then
    new.access_version := old.access_version + 1;
  end if;
  return new;
end $$;
comment on function raise_access_version is 'Ends the sessions of a user whatever statement changes what they rest on.';
create trigger users_raise_access_version before update on users for each row execute function raise_access_version();

alter table sessions
  add column id             uuid        not null default gen_random_uuid() unique,
  add column access_version integer     not null default 1,
  add column user_agent     text        not null default '',
  add column address        text        not null default '',
  add column last_used_at   timestamptz not null default now();
update sessions set last_used_at = created_at;
alter table sessions alter column last_used_at drop default;
comment on column sessions.id is 'What screens call it by; jti stays between the token and us.';
comment on column sessions.user_agent is 'What the browser called itself at the sign-in, cut short.';
comment on column sessions.last_used_at is 'To the minute: a request within the same minute writes nothing.';

-- Who is removed takes their sessions and codes along; the audit trail names people by text and keeps its rows.
alter table sessions drop constraint sessions_user_id_fkey,
  add foreign key (user_id) references users on delete cascade;
alter table tickets drop constraint tickets_user_id_fkey,
  add foreign key (user_id) references users on delete cascade;

create table invitations (
  tenant_id  uuid        not null references tenants,
  id         uuid        not null default gen_random_uuid(),
  email      text        not null check (email = lower(email)),
  name       text        not null,
  token_hash text        not null unique,
  invited_by text        not null,
  invited_at timestamptz not null,
  ends_at    timestamptz not null,
  primary key (tenant_id, id),
  unique (tenant_id, email)
);
comment on table invitations is 'People who were asked to join a client. An accepted or withdrawn invitation is deleted.';
comment on column invitations.email is 'May belong to a user of another client: whoever invites must not learn of it.';

alter table invitations enable row level security;
alter table invitations force row level security;
create policy own_tenant on invitations to tallybridge_app
  using (tenant_id = current_tenant()) with check (tenant_id = current_tenant());
create policy all_tenants on invitations to tallybridge_root using (true) with check (true);

grant select, insert, update, delete on invitations to tallybridge_app;
grant select, delete on invitations to tallybridge_root;
-- A client sees its people and when they were here, and never a password, a token's id or a code.
grant select (id, username, name, tenant_id, roles, is_active, created_at, last_sign_in_at, access_version) on users to tallybridge_app;
grant update (is_active), delete on users to tallybridge_app;
grant select (id, user_id, tenant_id, masquerader, access_version, created_at, last_used_at, ends_at, revoked_at) on sessions to tallybridge_app;
grant update (revoked_at) on sessions to tallybridge_app;
grant select (user_id, tenant_id, purpose, spent_at), update (spent_at) on tickets to tallybridge_app;
