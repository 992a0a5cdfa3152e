-- Users choose how they get each kind of notice: in the app, by email at once, in a daily email, or not at all.

create table notice_preferences (
  tenant_id   uuid     not null references tenants,
  user_id     uuid     not null references users on delete cascade,
  channels    jsonb    not null default '{}',
  digest_hour integer  not null default 8 check (digest_hour between 0 and 23),
  primary key (tenant_id, user_id)
);
create index notice_preferences_by_user on notice_preferences (user_id);
comment on table notice_preferences is 'How a user gets notices. Without a row, the defaults apply.';
comment on column notice_preferences.channels is 'The chosen channel by group of notices; missing groups have the default.';
comment on column notice_preferences.digest_hour is 'Hour of the daily email in the time zone of the client.';

-- Users who turned off alert emails get these notices in the app only.
alter table users no force row level security;
insert into notice_preferences (tenant_id, user_id, channels)
select tenant_id, id, '{"failed_documents": "app", "sync_paused": "app", "connection_lost": "app"}'
  from users where tenant_id is not null and not receives_alerts;
alter table users force row level security;

alter table notice_preferences enable row level security;
alter table notice_preferences force row level security;
create policy own_tenant on notice_preferences to tallybridge_app
  using (tenant_id = (select current_tenant())) with check (tenant_id = (select current_tenant()));
create policy all_tenants on notice_preferences to tallybridge_root using (true) with check (true);
create policy purge on notice_preferences to tallybridge_purge using (true) with check (true);
grant select, insert, update on notice_preferences to tallybridge_app;
grant select, delete on notice_preferences to tallybridge_purge;

alter table notices add column channel text not null default 'app';
alter table notices add column mail_at timestamptz;
comment on column notices.channel is 'How its user gets it: off (not shown), app, email or digest.';
comment on column notices.mail_at is 'When a worker writes its email; null without one and afterwards.';
create index notices_to_mail on notices (mail_at) where mail_at is not null;
grant update (mail_at) on notices to tallybridge_app;
grant select (mail_at) on notices to tallybridge_root;
