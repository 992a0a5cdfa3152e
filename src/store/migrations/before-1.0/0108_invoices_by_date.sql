-- The Overview shows what was invoiced and posted per day of the documents' dates.
create index logs_invoices_by_date on logs (tenant_id, dated) where type = 'invoice';
