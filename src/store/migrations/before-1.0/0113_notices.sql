-- Notices to users: what needs them, shown on the Notices screen.

create table notices (
  tenant_id uuid        not null references tenants,
  id        uuid        not null default gen_random_uuid(),
  user_id   uuid        not null references users on delete cascade,
  kind      text        not null,
  at        timestamptz not null,
  facts     jsonb       not null,
  once      text        not null default gen_random_uuid()::text,
  read_at   timestamptz,
  primary key (tenant_id, id),
  unique (tenant_id, user_id, once)
);
create index notices_newest on notices (tenant_id, user_id, at desc, id);
create index notices_unread on notices (tenant_id, user_id) where read_at is null;
create index notices_by_age on notices (at);
create index notices_by_user on notices (user_id);
comment on table notices is 'What needs a user, one row per user. Rows are removed after 30 days.';
comment on column notices.facts is 'Values of the text, e.g. count and amounts; depends on the kind.';
comment on column notices.once is 'A user gets one notice with this key, however often it is saved.';

alter table notices enable row level security;
alter table notices force row level security;
create policy own_tenant on notices to tallybridge_app
  using (tenant_id = (select current_tenant())) with check (tenant_id = (select current_tenant()));
create policy all_tenants on notices to tallybridge_root using (true) with check (true);
create policy purge on notices to tallybridge_purge using (true) with check (true);
grant select, insert, delete on notices to tallybridge_app;
grant update (read_at) on notices to tallybridge_app;
grant select (tenant_id, user_id, once) on notices to tallybridge_root;
grant select, delete on notices to tallybridge_purge;
