-- What a window, a start date or a status keeps out of a month's syncs is kept with its proof, so that it can be counted and
-- summed without reading the proof.

alter table closes add column left_out json not null default '[]';
comment on column closes.left_out is 'Documents of the PSA that no automatic sync takes up by itself, each with why and what it comes to.';
