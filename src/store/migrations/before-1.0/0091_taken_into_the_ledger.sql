-- A document that was taken into the ledger afterwards may be the one that a person had asked for: nobody has sent it from
-- these records. The name of its request said so until now.

alter table postings add column was_adopted boolean not null default false;
comment on column postings.was_adopted is 'Taken from the books after a gap in our records: nothing was sent from these.';
update postings set was_adopted = true where request_id like 'adopted %';
