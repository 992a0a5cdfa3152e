-- The jobs of a client take turns: since when a job waits that gave way to others, and whether its documents must be
-- created in order, so that no other job of its kind may run before it ends.
alter table jobs add column waits_since timestamptz;
alter table jobs add column keeps_order boolean not null default false;
