-- What an automatic run would post waits as a draft until a person approves exactly that.

create table drafts (
  tenant_id         uuid        not null references tenants,
  id                uuid        not null default gen_random_uuid(),
  seq               bigint      generated always as identity,
  kind              text        not null,
  psa_id            bigint      not null,
  force             boolean     not null,
  state             text        not null
    check (state in ('waiting', 'approved', 'posted', 'rejected', 'changed', 'replaced', 'closed')),
  plan              json        not null,
  plan_hash         text        not null,
  psa_hash          text        not null,
  what              text        not null,
  number            text,
  party             text,
  dated             date,
  amount            numeric,
  currency          text,
  home_currency     text        not null,
  view              json        not null,
  effect            json        not null,
  warnings          json        not null,
  prepared_by       text,
  prepared_at       timestamptz not null,
  first_approved_by text,
  decided_by        text,
  decided_at        timestamptz,
  reason            text,
  job_id            uuid,
  replaces          uuid,
  primary key (tenant_id, id)
);
create unique index drafts_open on drafts (tenant_id, kind, psa_id) where state in ('waiting', 'approved');
create index drafts_by_document on drafts (tenant_id, kind, psa_id, seq);
create index drafts_waiting on drafts (tenant_id, seq) where state in ('waiting', 'approved');
create index drafts_by_job on drafts (tenant_id, job_id) where job_id is not null;
comment on table drafts is 'Plans that wait for approval, and what became of them. A changed plan is a row of its own.';
comment on column drafts.plan_hash is 'Of what would be posted: two plans that post the same have the same.';
comment on column drafts.psa_hash is 'Of what the PSA says of the document: tells whether it changed there, or in settings and mappings.';
comment on column drafts.home_currency is 'Of the books when it was prepared; a document that names no currency is in it.';
comment on column drafts.prepared_by is 'Who asked for the run; null: the schedule.';
comment on column drafts.first_approved_by is 'Whoever approved it first, while a second person is needed.';
comment on column drafts.reason is 'Why it was rejected, or how the last try to post it ended.';
comment on column drafts.job_id is 'The job that posts it.';
comment on column drafts.replaces is 'The draft of the same document before this one.';

alter table drafts enable row level security;
alter table drafts force row level security;
create policy own_tenant on drafts to tallybridge_app
  using (tenant_id = current_tenant()) with check (tenant_id = current_tenant());
grant select, insert, update on drafts to tallybridge_app;

alter table jobs add column approves boolean not null default false;
comment on column jobs.approves is 'Posts drafts that were approved, and nothing else.';
