-- API keys, webhook endpoints and chats of a user who leaves are handed over to another user or removed.

alter table api_keys add column owner text;
comment on column api_keys.owner is 'User name after a hand-over; null: the creator. The key works only while this user is active.';
grant update (owner) on api_keys to tallybridge_app;

alter table webhook_endpoints add column owner text;
comment on column webhook_endpoints.owner is 'User name after a hand-over; null: the creator.';

alter table webhook_targets add column owner text;
comment on column webhook_targets.owner is 'User name after a hand-over; null: the creator.';

-- The path of an address may be the secret of its receiver.
update webhook_endpoints
   set shown_address = regexp_replace(shown_address, '^([^/?]+).*$', '\1/…')
 where shown_address ~ '[/?]';
comment on column webhook_endpoints.shown_address is 'Host and last characters of the address, for people.';
