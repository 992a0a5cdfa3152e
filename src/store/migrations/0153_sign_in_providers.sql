-- Users log in with their company's account at Microsoft, Google or another OpenID Connect provider.

create table sign_in_providers (
  tenant_id            uuid        primary key references tenants,
  kind                 text        not null check (kind in ('microsoft', 'google', 'other')),
  issuer               text        not null,
  client_id            text        not null,
  client_secret        text        not null,
  covers_second_step   boolean     not null default false,
  tested_at            timestamptz,
  is_required          boolean     not null default false,
  break_glass_user_id  uuid        references users on delete set null,
  check (not is_required or tested_at is not null)
);
comment on table sign_in_providers is 'Where the users of a client log in instead of with a password.';
comment on column sign_in_providers.issuer is 'Exact issuer of the provider''s ID tokens.';
comment on column sign_in_providers.client_secret is 'Encrypted.';
comment on column sign_in_providers.covers_second_step is 'The provider checks the second step, so Tallybridge does not ask for a code.';
comment on column sign_in_providers.tested_at is 'When an administrator logged in with these values; null after a change.';
comment on column sign_in_providers.break_glass_user_id is 'The administrator who may log in with a password although the provider is required.';

create table sign_in_domains (
  domain    text not null primary key,
  tenant_id uuid not null references sign_in_providers on delete cascade
);
create index sign_in_domains_of on sign_in_domains (tenant_id);
comment on table sign_in_domains is 'Email domains whose users log in with the provider of a client; each belongs to one client.';

create table sign_in_links (
  user_id       uuid        not null primary key references users on delete cascade,
  issuer        text        not null,
  subject       text        not null,
  linked_at     timestamptz not null,
  checked_at    timestamptz not null,
  next_check_at timestamptz,
  key_id        uuid,
  root_key_id   text,
  wrapped_key   text,
  refresh_token text,
  unique (issuer, subject)
);
create index sign_in_links_due on sign_in_links (next_check_at) where next_check_at is not null;
comment on table sign_in_links is 'The account at a provider that each user logs in with, from the first login on.';
comment on column sign_in_links.subject is 'Id of the account at the provider: the object id at Microsoft, otherwise the subject.';
comment on column sign_in_links.checked_at is 'When the provider last confirmed the account; its sessions end an hour later.';
comment on column sign_in_links.next_check_at is 'When a worker asks the provider again; null without a refresh token.';
comment on column sign_in_links.refresh_token is 'Encrypted with a key of the user, which is stored with it, itself encrypted with a root key that is not in the database.';

alter table sessions add column proof text not null default 'password'
  check (proof in ('password', 'provider', 'provider_two_step'));
comment on column sessions.proof is 'How the user logged in. provider_two_step: the provider also checked the second step.';
-- The default serves the earlier release, which may still run.
grant select (proof) on sessions to tallybridge_app;

alter table sign_in_providers enable row level security;
alter table sign_in_providers force row level security;
create policy own_tenant on sign_in_providers to tallybridge_app
  using (tenant_id = (select current_tenant())) with check (tenant_id = (select current_tenant()));
create policy purge on sign_in_providers to tallybridge_purge using (true) with check (true);
grant select, insert, update, delete on sign_in_providers to tallybridge_app;
grant select, delete on sign_in_providers to tallybridge_purge;

alter table sign_in_domains enable row level security;
alter table sign_in_domains force row level security;
create policy own_tenant on sign_in_domains to tallybridge_app
  using (tenant_id = (select current_tenant())) with check (tenant_id = (select current_tenant()));
create policy all_tenants on sign_in_domains to tallybridge_root using (true) with check (true);
create policy purge on sign_in_domains to tallybridge_purge using (true) with check (true);
grant select, insert, delete on sign_in_domains to tallybridge_app;
grant select on sign_in_domains to tallybridge_root;
grant select, delete on sign_in_domains to tallybridge_purge;

alter table sign_in_links enable row level security;
alter table sign_in_links force row level security;
create policy all_tenants on sign_in_links to tallybridge_root using (true) with check (true);
grant select, insert, update, delete on sign_in_links to tallybridge_root;
