-- Every reading of a month that differs in anything shown is stored, and a month is ready when each difference is decided.

alter table closes add column reading_sha256 text;
alter table closes add column differences jsonb not null default '[]';
comment on column closes.reading_sha256 is 'Hash of everything that the month shows, lists, reasons and paid states included; null in proofs of earlier versions.';
comment on column closes.differences is 'Key, currency and amount of each difference, so that undecided ones are counted without the proof.';
