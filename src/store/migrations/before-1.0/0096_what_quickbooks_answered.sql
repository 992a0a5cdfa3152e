-- Fingerprint of a document as QuickBooks answered it. The body that was sent does not name records that were created
-- with it, nor a due date that a term made, so a later change of these could not be found.

alter table postings add column answered jsonb;
