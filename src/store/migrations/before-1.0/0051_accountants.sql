-- Somebody who reads everything of a client, signs its months, and changes nothing.

alter table invitations add column role text not null default 'clientadmin' check (role in ('clientadmin', 'accountant'));
comment on column invitations.role is 'What its user will be allowed to do.';
