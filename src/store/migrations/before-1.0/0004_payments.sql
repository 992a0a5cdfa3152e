-- How far the invoices that we posted are paid, and what was said of it on either side.

create table payment_states (
  tenant_id    uuid        not null references tenants,
  psa_id       bigint      not null,
  balance      numeric,
  was_paid     boolean     not null default false,
  written_on   date,
  seen_on      date,
  seen_at      timestamptz,
  seen_balance numeric,
  is_due       boolean     not null default false,
  primary key (tenant_id, psa_id),
  check (num_nulls(seen_on, seen_at, seen_balance) in (0, 3))
);
create index payment_states_due on payment_states (tenant_id, psa_id) where is_due;
comment on table payment_states is 'The paid state of invoices by their PSA id, as far as payments are kept in step.';
comment on column payment_states.balance is 'What the books showed as open when they were last looked at.';
comment on column payment_states.was_paid is 'The books have shown the invoice as fully paid: no payment is made for it any more.';
comment on column payment_states.written_on is 'The paid date that we wrote into the PSA, noted before it is written; only this one may be cleared.';
comment on column payment_states.seen_at is 'When a paid date that a person set was first seen, with that balance in the books; grace counts from here.';
comment on column payment_states.is_due is 'The books have changed, and what follows from it is not settled yet.';

create index postings_by_kind_and_target on postings (tenant_id, kind, target_id);

alter table payment_states enable row level security;
alter table payment_states force row level security;
create policy own_tenant on payment_states to tallybridge_app
  using (tenant_id = current_tenant()) with check (tenant_id = current_tenant());
create policy all_tenants on payment_states to tallybridge_root using (true) with check (true);
grant select, insert, update on payment_states to tallybridge_app;
