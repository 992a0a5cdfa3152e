-- A document of a job may be held: nothing is wrong with it, but the books are closed for its date.

alter table jobs add column held integer not null default 0;
alter table job_results drop constraint job_results_outcome_check;
alter table job_results add constraint job_results_outcome_check
  check (outcome in ('succeeded', 'failed', 'skipped', 'held', 'pending'));
