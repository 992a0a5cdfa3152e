-- After a time of which our database knows nothing (it was restored from a backup, or nothing ran), paid dates in the PSA
-- may be our own: what was found first then waits for a person.

alter table deployment_clock add column gaps integer not null default 0;
comment on column deployment_clock.gaps is 'How often nothing was noted for minutes: nothing ran, or the database is an older one than before.';

-- The time itself is the root login's; that there was a gap, each client's rules have to know.
create function noted_gaps() returns integer language sql stable security definer set search_path = ''
  as $$ select gaps from public.deployment_clock $$;
revoke all on function noted_gaps from public;
grant execute on function noted_gaps to tallybridge_root, tallybridge_app;

alter table tenants add column gaps_settled integer not null default 0;
alter table tenants alter column gaps_settled set default noted_gaps();
comment on column tenants.gaps_settled is 'The last of deployment_clock.gaps after which the paid dates of this client were looked through.';
grant update (gaps_settled) on tenants to tallybridge_app;

alter table payment_states add column held_on date;
comment on column payment_states.held_on is 'A paid date that was first seen after such a gap, so that it may be ours: it is paid only when a person asks.';
