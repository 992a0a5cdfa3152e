-- System administrators see how syncs of a client went: counts and times, never documents.
grant select (mode, seq, succeeded, failed, held, created_at, finished_at) on jobs to tallybridge_root;
grant select (consent_ends_at) on connections to tallybridge_root;
