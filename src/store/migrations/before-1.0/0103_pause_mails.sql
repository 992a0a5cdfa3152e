-- The administrators of a client get one email about a service that limits calls or does not respond for long.

alter table service_pauses add column mailed_at timestamptz;
comment on column service_pauses.mailed_at is 'When the email about this pause was saved.';
