-- Whoever follows a job is told when it has changed, instead of looking twice a second.

create function announce_job()
  returns trigger
  language plpgsql
  as $$
begin
  perform pg_notify('tallybridge_job', new.tenant_id || ' ' || new.id);
  return null;
end $$;
comment on function announce_job is 'Tells listening processes that a job has changed; several changes of a transaction are told once.';
create trigger jobs_announce after update on jobs for each row execute function announce_job();
