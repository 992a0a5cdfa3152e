-- A client says itself in which time zone its documents are dated.

grant update (time_zone) on tenants to tallybridge_app;
