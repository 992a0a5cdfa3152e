-- Emails about accounts (passwords, two-step login, invitations, proof of address) are saved before they are sent.

create table account_mails (
  id          uuid        primary key,
  key_id      uuid        not null,
  root_key_id text        not null,
  wrapped_key text        not null,
  sealed      text        not null,
  created_at  timestamptz not null,
  next_try_at timestamptz not null,
  tries       integer     not null default 0,
  taken_at    timestamptz,
  was_lost    boolean     not null default false,
  ended_at    timestamptz
);
create index account_mails_due on account_mails (next_try_at) where ended_at is null;
comment on table account_mails is 'Emails to users about their accounts. Any worker sends them.';
comment on column account_mails.sealed is 'Recipient, subject and text, encrypted because they hold links to log in; empty after the email ended.';
comment on column account_mails.taken_at is 'A process is sending the email; an old time means that the process died.';
comment on column account_mails.was_lost is 'One process died while sending; the email is tried one last time.';
comment on column account_mails.ended_at is 'Sent or given up.';

alter table account_mails enable row level security;
alter table account_mails force row level security;
create policy all_tenants on account_mails to tallybridge_root using (true) with check (true);
grant select, insert, update on account_mails to tallybridge_root;
create policy purge on account_mails to tallybridge_purge using (true) with check (true);
grant select, delete on account_mails to tallybridge_purge;
