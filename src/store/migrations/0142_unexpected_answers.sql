-- Answers of the services that contradict what the program relies on, for the operator. They contain no client data.

create table unexpected_answers (
  service   text        not null,
  kind      text        not null,
  fact      text        not null,
  name      text        not null,
  operation text        not null,
  shape     text        not null,
  count     bigint      not null,
  first_at  timestamptz not null,
  last_at   timestamptz not null,
  primary key (service, kind, fact, name)
);
comment on table unexpected_answers is 'Answers of Autotask and QuickBooks that contradict a fact of docs/facts. At most 200; they contain names of members and codes, and no client data.';
comment on column unexpected_answers.shape is 'Names and types of the members of the first such answer.';
grant select, insert, update on unexpected_answers to tallybridge_root;
