-- Workers look for tenants with work and take them by their lease; nothing stands in a queue any more.

drop schema if exists queue cascade;
