-- What stopped a run before it had a document, as a code: nothing is decided by its sentence.

alter table jobs add column stop_code text;
comment on column jobs.stop_code is 'What stopped an automatic run before there was anything to do: a code of the error catalogue, with the codes of the service. Null for every other job.';
