-- A document grows older than a window without anything of its month changing: its proof stays the newest one, and what
-- was said with it of the documents that are left out is brought up to date. The proof itself stays as it was.

grant update (left_out) on closes to tallybridge_app;
comment on table closes is 'Proofs of a month as they were found. Rows are only ever added, and nothing of them changes but what is left out.';
