-- A log entry says whether its document was left waiting for approval: nothing was posted, and nothing failed.

alter table logs add column awaits_approval boolean not null default false;
comment on column logs.awaits_approval is 'The attempt ended with a draft that a person has to approve.';
update logs set awaits_approval = true
 where success and not is_test
   and (message like 'Waits for approval%' or message like '%so it waits for approval once more.%');
