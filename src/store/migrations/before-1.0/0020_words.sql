-- Tables and columns in the words of the field; what they hold stays as it is.

alter table tickets rename to one_time_tokens;
alter index tickets_by_end rename to one_time_tokens_by_end;
alter index tickets_by_user rename to one_time_tokens_by_user;

alter table remembered_skips rename to suppressions;
comment on table suppressions is 'What was said of a document that the PSA shows no mark of; the schedule says it once.';

alter table tenants rename column sync_setbacks to consecutive_failures;
alter table tenants rename column care_at to maintenance_at;
alter index tenants_by_care rename to tenants_by_maintenance;
comment on column tenants.maintenance_at is 'When the connection to the books is maintained next: idle tokens refreshed, an ended access revoked.';

alter table sync_states rename column settled to fingerprint;
comment on column sync_states.fingerprint is 'Fingerprint of what the last search saw when there was nothing to do: whoever sees the same again need not look closer.';

alter table books_feeds rename to cdc_states;
alter table cdc_states rename column told_at to last_webhook_at;
alter table cdc_states rename column read_at to cursor;
alter table cdc_states rename column asked_at to polled_at;
comment on table cdc_states is 'How far change data capture (CDC) of a tenant''s books was read, and whether webhooks come.';
comment on column cdc_states.last_webhook_at is 'When the newest webhook came; null: none ever came, or CDC has shown a change that no webhook announced.';
comment on column cdc_states.cursor is 'The books'' own time up to which CDC was read.';
comment on column cdc_states.polled_at is 'When CDC was read last, by our clock.';

alter table books_changes rename to webhook_inbox;
alter index books_changes_due rename to webhook_inbox_due;
alter table webhook_inbox rename column noted_at to received_at;
comment on table webhook_inbox is 'Records of the books that changed since they were last read: each once, however often a webhook named it.';
comment on column webhook_inbox.received_at is 'When the change was first announced since the record was last read.';

alter table alert_states rename column has_news to is_pending;
alter index alert_states_news rename to alert_states_pending;
comment on table alert_states is 'What of a client''s log its administrators know by mail.';
drop trigger logs_note_news on logs;
drop trigger log_details_note_news on log_details;
drop trigger connections_note_loss on connections;
drop function note_news;
drop function note_lost_connection;

create function mark_alert_pending() returns trigger
  language plpgsql
  as $$
begin
  insert into alert_states as a (tenant_id, is_pending) values (new.tenant_id, true)
    on conflict (tenant_id) do update set is_pending = true where not a.is_pending;
  return null;
end $$;
comment on function mark_alert_pending is 'Something in the log may be worth a mail.';
create trigger logs_mark_alert after insert on logs for each row
  when (not new.is_manual and not new.is_test and (not new.success or new.message like 'Payment reversed:%'))
  execute function mark_alert_pending();
create trigger log_details_mark_alert after insert on log_details for each row
  when (new.transcript like '%SUBTOTAL_MISMATCH %')
  execute function mark_alert_pending();

create function mark_lost_connection() returns trigger
  language plpgsql
  as $$
begin
  insert into alert_states as a (tenant_id, is_pending, lost_services) values (new.tenant_id, true, array[new.service])
    on conflict (tenant_id) do update
      set is_pending = true,
          lost_services = case when new.service = any (a.lost_services) then a.lost_services else a.lost_services || new.service end;
  return null;
end $$;
comment on function mark_lost_connection is 'A service refuses our access: its client has to connect it again.';
create trigger connections_mark_lost after update on connections for each row
  when (old.status = 'active' and new.status = 'inactive' and new.problem is not null)
  execute function mark_lost_connection();

-- The role that removes old rows is tallybridge_purge from here on; every table lets it in after the migrations.
do $$
declare
  name text;
begin
  for name in select tablename from pg_policies where schemaname = 'public' and policyname = 'keeper' loop
    execute format('drop policy keeper on %I', name);
  end loop;
  if exists (select from pg_roles where rolname = 'tallybridge_keeper') then
    revoke all on all tables in schema public from tallybridge_keeper;
    revoke usage on schema public from tallybridge_keeper;
  end if;
end $$;
