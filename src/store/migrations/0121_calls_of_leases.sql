-- A worker hands over the calls that QuickBooks still counts, so its successor may use the rest of the limits.

alter table leases add column calls json;
alter table leases add column calls_fence bigint;
comment on column leases.calls is 'Calls that still counted against limits of QuickBooks when the lease was released.';
comment on column leases.calls_fence is 'Fence of the lease that was released with `calls`; another fence: its calls are unknown.';
