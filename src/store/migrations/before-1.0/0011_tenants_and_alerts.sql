-- Mails that the product sends by itself, and what a client is asked to leave behind: nothing.

create table alert_states (
  tenant_id       uuid        primary key references tenants,
  has_news        boolean     not null default false,
  seen_seq        bigint      not null default 0,
  not_before      timestamptz,
  lost_services   text[]      not null default '{}',
  loss_mailed_at  timestamptz
);
create index alert_states_news on alert_states (tenant_id) where has_news;
comment on table alert_states is 'What of a client''s log was told to its administrators by mail.';
comment on column alert_states.has_news is 'Set by triggers, whoever writes; the worker looks at such clients only.';
comment on column alert_states.seen_seq is 'Log rows up to here were looked at.';
comment on column alert_states.not_before is 'At most one mail an hour.';
comment on column alert_states.lost_services is 'Connections that were lost and not told of yet.';

create table outgoing_mails (
  tenant_id   uuid        not null references tenants,
  id          uuid        not null default gen_random_uuid(),
  recipient   text        not null,
  subject     text        not null,
  body_text   text        not null,
  body_html   text        not null,
  created_at  timestamptz not null,
  next_try_at timestamptz not null,
  tries       integer     not null default 0,
  taken_at    timestamptz,
  was_lost    boolean     not null default false,
  ended_at    timestamptz,
  primary key (tenant_id, id)
);
create index outgoing_mails_due on outgoing_mails (next_try_at) where ended_at is null;
comment on table outgoing_mails is 'Mails that are saved together with what they tell, and sent by any worker.';
comment on column outgoing_mails.taken_at is 'A worker is sending it; an old one means that the worker died, perhaps after the mail server had taken it.';
comment on column outgoing_mails.was_lost is 'A worker died over it once; it is tried once more and then no more.';
comment on column outgoing_mails.ended_at is 'Sent or given up; its words are emptied then.';

alter table users add column receives_alerts boolean not null default true;
comment on column users.receives_alerts is 'Whether an administrator of a client wants mails about what needs them.';
alter table tenants add column status_reason text;
comment on column tenants.status_reason is 'Why a system administrator suspended or cancelled the subscription.';

do $$
declare
  name text;
begin
  foreach name in array array['alert_states', 'outgoing_mails'] loop
    execute format('alter table %I enable row level security', name);
    execute format('alter table %I force row level security', name);
    execute format(
      'create policy own_tenant on %I to tallybridge_app using (tenant_id = current_tenant()) with check (tenant_id = current_tenant())',
      name);
    execute format('create policy all_tenants on %I to tallybridge_root using (true) with check (true)', name);
  end loop;
end $$;
grant select, insert, update on alert_states to tallybridge_app;
grant select, insert on outgoing_mails to tallybridge_app;
grant select (tenant_id, has_news, not_before) on alert_states to tallybridge_root;
grant select, update on outgoing_mails to tallybridge_root;
grant select (receives_alerts) on users to tallybridge_app;
grant update (status_reason) on tenants to tallybridge_app;

create function note_news() returns trigger
  language plpgsql
  as $$
begin
  insert into alert_states as a (tenant_id, has_news) values (new.tenant_id, true)
    on conflict (tenant_id) do update set has_news = true where not a.has_news;
  return null;
end $$;
comment on function note_news is 'Something in the log may be worth a mail.';
create trigger logs_note_news after insert on logs for each row
  when (not new.is_manual and not new.is_test and (not new.success or new.message like 'Payment reversed:%'))
  execute function note_news();
create trigger log_details_note_news after insert on log_details for each row
  when (new.transcript like '%SUBTOTAL_MISMATCH %')
  execute function note_news();

create function note_lost_connection() returns trigger
  language plpgsql
  as $$
begin
  insert into alert_states as a (tenant_id, has_news, lost_services) values (new.tenant_id, true, array[new.service])
    on conflict (tenant_id) do update
      set has_news = true,
          lost_services = case when new.service = any (a.lost_services) then a.lost_services else a.lost_services || new.service end;
  return null;
end $$;
comment on function note_lost_connection is 'A service refuses our access: its client has to connect it again.';
create trigger connections_note_loss after update on connections for each row
  when (old.status = 'active' and new.status = 'inactive' and new.problem is not null)
  execute function note_lost_connection();

-- What is old is looked for by its age alone.
create index logs_by_age on logs using brin (at);
create index jobs_by_age on jobs using brin (finished_at);
