-- What a document comes to in the books is kept with its log entry, and a live sync can be held to what was reviewed.

alter table log_details add column preview json;
comment on column log_details.preview is 'The document in names, what it books, and prints of its plan; null where nothing was planned.';
alter table jobs add column reviews uuid;
comment on column jobs.reviews is 'The test whose plans were looked at: exactly these are posted. Not a foreign key: it may be removed first.';
create unique index jobs_one_per_review on jobs (tenant_id, reviews) where reviews is not null;
