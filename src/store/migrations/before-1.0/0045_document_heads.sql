-- Which document a log row is about: what a person looks for it by. Rows from before have no more than their number.
alter table logs
  add column what     text,
  add column party    text,
  add column dated    date,
  add column amount   numeric,
  add column currency text;
comment on column logs.what is 'What the document is called, e.g. Invoice or Credit memo.';
comment on column logs.party is 'The customer, the vendor or the employee.';
comment on column logs.amount is 'What the document comes to, signed: a credit memo is negative.';

-- The log is searched by them, too. An expression cannot be changed in every version that is supported, so the column is
-- made anew, and its index with it.
alter table logs drop column search;
alter table logs add column search text not null generated always as
  (psa_id::text || ' ' || coalesce(number, '') || ' ' || coalesce(party, '') || ' ' || coalesce(amount::text, '') || ' '
    || message) stored;
comment on column logs.search is 'What View Logs searches: PSA id, document number, party, amount and message.';

do $$
begin
  create index logs_by_search on logs using gin (tenant_id, search gin_trgm_ops);
exception when others then
  raise notice 'the log is searched without an index: %', sqlerrm;
end $$;
