-- An address is proved by its mailbox before its account may do more than look around and set things up.

alter table users add column email_proved_at timestamptz default now();
comment on column users.email_proved_at is 'When somebody proved to read the mails of the address; null: a company registered with it, and nobody has yet.';
grant select (email_proved_at) on users to tallybridge_app;
-- Whoever proves an address takes it over from an account that never did.
grant delete on users to tallybridge_root;
