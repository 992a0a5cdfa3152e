-- Webhook events of payments are decided from data, not from the text of the message.

alter table logs add column marked_paid boolean;
comment on column logs.marked_paid is 'Whether the sync set (true) or removed (false) the paid date in the PSA; null: neither.';

-- A resumed webhook endpoint gets the events of the last 30 days.
update logs set marked_paid = message !~ '(^Payment reversed: | open: a difference was billed after it was paid)'
 where type = 'payment' and success and not is_test and at > now() - interval '31 days'
   and message ~ '(^Payment reversed: | open: a difference was billed after it was paid| was paid on | was settled by a credit on | was used up on |^Closed without a payment: )'
   and message !~ '^(Nothing|Waiting)';
