-- Each client's chat messages are taken separately, so that slow chats of one client delay no other client.

create index concurrently if not exists outgoing_webhooks_due_by_client on outgoing_webhooks (tenant_id, next_try_at) where ended_at is null;
