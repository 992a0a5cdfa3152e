-- Time goes on evenly when the clock of the database is set: how far the time of the deployment stands beside it is
-- kept here, so that all processes agree, and a new one with those that were there before.

create table deployment_clock (
  only_row boolean primary key default true check (only_row),
  wall_ms  bigint  not null,
  ahead_ms bigint  not null default 0,
  steps    integer not null default 0
);
comment on table deployment_clock is 'The time that all processes go by, beside the wall clock of the database.';
comment on column deployment_clock.wall_ms is 'The wall clock of the database, in milliseconds since 1970, when a process last measured it.';
comment on column deployment_clock.ahead_ms is 'How far the time of the deployment was ahead of it then; a tenth of the time that passes is worked off.';
comment on column deployment_clock.steps is 'How often the wall clock was set.';

create function wall_clock_ms() returns bigint language sql volatile
  as $$ select (extract(epoch from clock_timestamp()) * 1000)::bigint $$;
comment on function wall_clock_ms is 'Milliseconds since 1970 by the wall clock of the database.';

insert into deployment_clock (wall_ms) values (wall_clock_ms());
grant select, update on deployment_clock to tallybridge_root;
