-- The first steps on the Overview are open or closed for everyone of a client, in every browser.

alter table tenants add column guide text not null default 'new' check (guide in ('new', 'open', 'closed'));
comment on column tenants.guide is
  'The first steps on the Overview: new until somebody closes them, or automatic sync is on; open when somebody asked for them again.';
grant update (guide) on tenants to tallybridge_app;
