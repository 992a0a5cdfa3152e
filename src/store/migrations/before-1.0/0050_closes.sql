-- The month-end proof: what was found, who signed it, and what was decided about its differences.

create table closes (
  tenant_id   uuid        not null references tenants,
  id          uuid        not null default gen_random_uuid(),
  seq         bigint      generated always as identity,
  month       text        not null check (month ~ '^\d{4}-(0[1-9]|1[0-2])$'),
  prepared_at timestamptz not null,
  prepared_by text        not null,
  sha256      text        not null,
  is_proved   boolean     not null,
  totals      json        not null,
  proof       json        not null,
  reports     json        not null,
  setup       json        not null,
  primary key (tenant_id, id)
);
create index closes_by_month on closes (tenant_id, month, seq);
comment on table closes is 'Proofs of a month as they were found. Rows are only ever added.';
comment on column closes.sha256 is 'Of the content: two proofs that found the same have the same.';
comment on column closes.totals is 'The numbers of the head, by currency, so that many months are listed without their proofs.';
comment on column closes.reports is 'The reports of the books exactly as they were answered.';
comment on column closes.setup is 'Settings and mappings in force, and the version of the program.';

create table close_signatures (
  tenant_id uuid        not null references tenants,
  id        uuid        not null default gen_random_uuid(),
  close_id  uuid        not null,
  signed_as text        not null check (signed_as in ('preparer', 'reviewer')),
  signed_by text        not null,
  signed_at timestamptz not null,
  checked   text[]      not null,
  reason    text,
  primary key (tenant_id, id),
  unique (tenant_id, close_id, signed_as),
  unique (tenant_id, close_id, signed_by),
  foreign key (tenant_id, close_id) references closes (tenant_id, id)
);
comment on table close_signatures is 'Who signed which proof, and as what. Nobody signs one proof twice. Rows are only ever added.';
comment on column close_signatures.reason is 'Why a month was signed although something was not 0.00.';

create table close_decisions (
  tenant_id  uuid        not null references tenants,
  id         uuid        not null default gen_random_uuid(),
  seq        bigint      generated always as identity,
  month      text        not null,
  key        text        not null,
  amount     numeric     not null,
  decision   text        not null check (decision in ('accept', 'carry')),
  reason     text        not null,
  decided_by text        not null,
  decided_at timestamptz not null,
  primary key (tenant_id, id)
);
create index close_decisions_by_month on close_decisions (tenant_id, month, seq);
comment on table close_decisions is 'Differences of a month that a person accepted, or carried to the next one, with the reason. Rows are only ever added.';
comment on column close_decisions.key is 'Names the difference; it holds while the amount is the same.';

create table close_runs (
  tenant_id  uuid        not null references tenants,
  month      text        not null,
  started_at timestamptz not null,
  ended_at   timestamptz,
  problem    text,
  primary key (tenant_id, month)
);
comment on table close_runs is 'The newest preparation of a month: under way while it has not ended.';

do $$
declare
  name text;
begin
  foreach name in array array['closes', 'close_signatures', 'close_decisions', 'close_runs'] loop
    execute format('alter table %I enable row level security', name);
    execute format('alter table %I force row level security', name);
    execute format(
      'create policy own_tenant on %I to tallybridge_app using (tenant_id = current_tenant()) with check (tenant_id = current_tenant())',
      name);
  end loop;
end $$;
grant select, insert on closes, close_signatures, close_decisions to tallybridge_app;
grant select, insert, update on close_runs to tallybridge_app;
