-- Keys are stored as hashes now: they held the ids of companies. Counts under the old keys end within minutes.

delete from rate_limits;
delete from concurrency_permits;
