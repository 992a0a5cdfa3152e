-- A company at the other side belongs to one client at a time, also when two connect it at the same moment.

-- Who owns the tables without being a superuser stands behind the wall like everybody else, and has to see every row here.
alter table connections no force row level security;
alter table alert_states no force row level security;
-- Of two that have it already, the one that connected it first keeps it; the other one's administrators are told.
update connections younger
   set status = 'inactive',
       problem = 'This company is connected to another subscription, which connected it first. Disconnect it there, then connect it here again.'
 where younger.status = 'active'
   and exists (
     select 1 from connections older
      where older.service = younger.service and older.external_hash = younger.external_hash and older.status = 'active'
        and (coalesce(older.connected_at, '-infinity'), older.tenant_id)
          < (coalesce(younger.connected_at, '-infinity'), younger.tenant_id));
alter table connections force row level security;
alter table alert_states force row level security;

create unique index connections_company_once on connections (service, external_hash) where status = 'active';
comment on column connections.external_hash is 'Keyed hash of the external id, so that a company finds its tenant; stays after a disconnect, as the id does.';
