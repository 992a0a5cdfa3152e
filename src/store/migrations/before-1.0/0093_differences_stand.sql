-- A document that bills a further difference of an invoice was noted as one that takes the place of those before it. They
-- stand beside one another, and each stands in the way of a change or a void of the invoice.

-- Who owns the tables without being a superuser stands behind the wall like everybody else, and has to see every row here.
alter table postings no force row level security;
update postings set status = 'synced', superseded_at = null where kind = 'difference' and status = 'superseded';
alter table postings force row level security;
