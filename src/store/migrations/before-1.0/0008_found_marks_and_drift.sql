-- Words that somebody else has left behind, and documents that one side has changed since they were posted.

create table found_marks (
  tenant_id     uuid        not null references tenants,
  kind          text        not null,
  psa_id        bigint      not null,
  first_seen_at timestamptz not null,
  last_seen_at  timestamptz not null,
  primary key (tenant_id, kind, psa_id)
);
comment on table found_marks is 'Documents that say in the PSA that they run, while no attempt of ours is under way for them.';
comment on column found_marks.first_seen_at is 'A word that has stood for long enough is stale, and the document is taken up again.';
comment on column found_marks.last_seen_at is 'A word that was away meanwhile counts from anew.';

alter table found_marks enable row level security;
alter table found_marks force row level security;
create policy own_tenant on found_marks to tallybridge_app
  using (tenant_id = current_tenant()) with check (tenant_id = current_tenant());
create policy all_tenants on found_marks to tallybridge_root using (true) with check (true);
grant select, insert, update, delete on found_marks to tallybridge_app;

-- What was said of a document is forgotten once it is synced, or a person clears its status.
grant delete on remembered_skips to tallybridge_app;

alter table postings add column drift jsonb not null default '[]';
comment on column postings.drift is 'How the two sides have come apart since: a list of kinds, empty while they agree.';

create index payment_states_watched on payment_states (tenant_id, seen_on) where was_paid and seen_on is not null;
