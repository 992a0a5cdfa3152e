-- A plan is written once, when it is made; the steps that follow leave it as it stands. The plan of an attempt that an
-- earlier version left unfinished stands in its body, and counts from there.
alter table attempts add column plan json;
comment on column attempts.plan is 'What is sent, as it was decided; null before, and once the attempt has ended.';
comment on column attempts.body is 'What belongs to the state alone beside the plan: answers, problems and mark, or the ending.';
