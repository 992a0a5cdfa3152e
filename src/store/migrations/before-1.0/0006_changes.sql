-- What the books say has changed, and how far their changes are known.

alter table connections add column external_hash text;
create index connections_by_external on connections (service, external_hash) where external_hash is not null;
comment on column connections.external_hash is 'Keyed hash of the external id, so that a message that names a company finds its tenant; kept with the credentials.';
-- A message of the books names a company and nothing else.
grant select (tenant_id, service, status, external_hash) on connections to tallybridge_root;

create table books_feeds (
  tenant_id uuid        primary key references tenants,
  told_at   timestamptz,
  read_at   timestamptz,
  asked_at  timestamptz
);
comment on table books_feeds is 'How a tenant learns of changes in its books.';
comment on column books_feeds.told_at is 'When the newest signed message came; null: none ever came, or the feed has shown a change that none told.';
comment on column books_feeds.read_at is 'The books'' own time up to which their feed of changes was read.';
comment on column books_feeds.asked_at is 'When it was read last, by our clock.';

create table books_changes (
  tenant_id uuid        not null references tenants,
  record    text        not null,
  target_id text        not null,
  seq       bigint      not null generated always as identity,
  noted_at  timestamptz not null,
  due_at    timestamptz,
  primary key (tenant_id, record, target_id)
);
create index books_changes_due on books_changes (due_at, tenant_id) where due_at is not null;
comment on table books_changes is 'Records of the books that changed since they were last read: each once, however often it was told.';
comment on column books_changes.seq is 'Rises when the same record changes again, so that a reading settles only what it has seen.';
comment on column books_changes.noted_at is 'When the change was first told of since the record was last read.';
comment on column books_changes.due_at is 'When a worker looks at it; null: whenever something is synced.';

do $$
declare
  name text;
begin
  foreach name in array array['books_feeds', 'books_changes'] loop
    execute format('alter table %I enable row level security', name);
    execute format('alter table %I force row level security', name);
    execute format(
      'create policy own_tenant on %I to tallybridge_app using (tenant_id = current_tenant()) with check (tenant_id = current_tenant())',
      name);
    execute format('create policy all_tenants on %I to tallybridge_root using (true) with check (true)', name);
  end loop;
end $$;
grant select, insert, update on books_feeds to tallybridge_app;
grant select, insert, update, delete on books_changes to tallybridge_app;
grant select (tenant_id, due_at) on books_changes to tallybridge_root;

alter table sync_states add column settled text;
comment on column sync_states.settled is 'What the last search saw when there was nothing to do: whoever sees the same again need not look closer.';
