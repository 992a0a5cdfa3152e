-- After a gap in our records the documents that the ledger lacks are looked for from where the feed of the books had been
-- read. Whoever reads the feed before that look was made, a screen or a cycle in which it failed, moves its cursor on.

alter table cdc_states add column before_gap_cursor timestamptz, add column before_gap_polled_at timestamptz;
comment on column cdc_states.before_gap_cursor is
  'The cursor as our records had it when the gap was noticed, kept until forgotten documents were looked for; null: it is the cursor.';
comment on column cdc_states.before_gap_polled_at is 'The same of polled_at.';
