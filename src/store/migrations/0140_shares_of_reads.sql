-- A deployment that moves to a larger tier of Intuit gets the emails about the new share, too.
alter table metered_read_alerts add column share bigint not null default 500000;
alter table metered_read_alerts drop constraint metered_read_alerts_pkey;
alter table metered_read_alerts add constraint metered_read_alerts_pkey primary key (month, percent, share);
comment on column metered_read_alerts.share is 'Metered calls a month that the tier included at the time.';
comment on table metered_reads is 'Metered calls to QuickBooks: reads, and batches of any kind. Processes add their counts every few seconds; a process that dies loses the last of them.';
