-- Documents that differ from the PSA, or were not mailed, need somebody although they were synced.

create index postings_differing on postings (tenant_id, kind, psa_id)
  where drift ?| array['total_differs', 'not_mailed'];
