-- The schema that the migrations in before-1.0 make. A new database starts with it. A database that has some of those
-- migrations gets the others instead. docs/schema.sql has the present schema, for people.

-- Functions name tables that are created later.
set local check_function_bodies = off;

CREATE EXTENSION IF NOT EXISTS btree_gin WITH SCHEMA public;

CREATE EXTENSION IF NOT EXISTS pg_trgm WITH SCHEMA public;

CREATE FUNCTION public.acquire_rate_limits(keys text[], most integer[], weights integer[], window_ms bigint[], at_ms bigint) RETURNS bigint
    LANGUAGE plpgsql
    AS $$
declare
  -- A window is counted in this many slots and one more for the part that is under way, so that no stretch of its
  -- length, wherever it begins, holds more calls than allowed.
  parts constant integer := 60;
  wait   bigint := 0;
  one    record;
  line   rate_limits;
  slot   bigint;
  kept   integer[];
  used   bigint;
  -- What is written when every window has room, one after the other.
  names  text[] := '{}';
  widths bigint[] := '{}';
  slots  bigint[] := '{}';
  counts integer[] := '{}';
begin
  -- Always in the same order, so that two workers never wait for each other.
  for one in
    select w.key, w.most, w.weight, greatest(1, ceil(w.ms / parts::numeric))::bigint as width
    from unnest(keys, most, weights, window_ms) as w (key, most, weight, ms) order by w.key
  loop
    select * into line from rate_limits b where b.key = one.key for update;
    if not found then
      insert into rate_limits (key) values (one.key) on conflict (key) do nothing;
      select * into strict line from rate_limits b where b.key = one.key for update;
    end if;
    slot := greatest(at_ms / one.width, case when line.slot_ms = one.width then line.newest else 0 end);
    kept := case when line.slot_ms = one.width then shift_rate_window(line.calls, slot - line.newest, parts + 1) else '{}' end;
    kept := kept || array_fill(0, array[parts + 1 - coalesce(array_length(kept, 1), 0)]);
    if line.paused_until is not null then
      wait := greatest(wait, (extract(epoch from line.paused_until) * 1000)::bigint - at_ms);
    end if;
    select sum(c) into used from unnest(kept) as c;
    -- From the oldest slot on: which one has to leave before there is room?
    for i in reverse parts + 1 .. 1 loop
      exit when used + one.weight <= one.most;
      used := used - kept[i];
      if used + one.weight <= one.most then
        wait := greatest(wait, (slot - i + 1 + parts + 1) * one.width - at_ms);
      end if;
    end loop;
    kept[1] := kept[1] + one.weight;
    names := names || one.key;
    widths := widths || one.width;
    slots := slots || slot;
    counts := counts || kept;
  end loop;
  if wait > 0 then
    return wait;
  end if;
  for i in 1 .. coalesce(array_length(names, 1), 0) loop
    update rate_limits
       set slot_ms = widths[i], newest = slots[i], calls = counts[(i - 1) * (parts + 1) + 1 : i * (parts + 1)]
     where key = names[i];
  end loop;
  return 0;
end $$;

COMMENT ON FUNCTION public.acquire_rate_limits(keys text[], most integer[], weights integer[], window_ms bigint[], at_ms bigint) IS 'Takes a call from every window, as often as it counts there, or from none; answers the milliseconds to wait before asking again.';

CREATE FUNCTION public.acquire_rate_limits_and_permit(keys text[], most integer[], weights integer[], window_ms bigint[], at_ms bigint, permit_key text, permits integer, holder_name text, until_ms bigint) RETURNS bigint
    LANGUAGE plpgsql
    AS $$
declare
  -- How soon to ask again for a permit: calls last longer than that.
  ask_again_ms constant bigint := 50;
  -- Who waits has its turn as long as it asks; one that has died holds nobody up for longer than this.
  turn_ms constant bigint := 500;
  line rate_limits;
  free integer;
  is_others_turn boolean;
  wait bigint;
begin
  -- One at a time per key; always before the windows, so that two workers never wait for each other.
  select * into line from rate_limits b where b.key = permit_key for update;
  if not found then
    insert into rate_limits (key) values (permit_key) on conflict (key) do nothing;
    select * into strict line from rate_limits b where b.key = permit_key for update;
  end if;
  delete from concurrency_permits p where p.key = permit_key and p.ends_ms <= at_ms;
  free := permits - (select count(*) from concurrency_permits p where p.key = permit_key);
  is_others_turn := line.waiting is not null and line.waiting <> holder_name and line.waiting_ms > at_ms - turn_ms;
  if free <= is_others_turn::integer then
    if not is_others_turn then
      update rate_limits set waiting = holder_name, waiting_ms = at_ms where key = permit_key;
    end if;
    return ask_again_ms;
  end if;
  wait := acquire_rate_limits(keys, most, weights, window_ms, at_ms);
  if wait <= 0 then
    insert into concurrency_permits (key, holder, ends_ms) values (permit_key, holder_name, until_ms)
      on conflict (key, holder) do update set ends_ms = excluded.ends_ms;
    if line.waiting = holder_name then
      update rate_limits set waiting = null, waiting_ms = null where key = permit_key;
    end if;
  end if;
  return wait;
end $$;

COMMENT ON FUNCTION public.acquire_rate_limits_and_permit(keys text[], most integer[], weights integer[], window_ms bigint[], at_ms bigint, permit_key text, permits integer, holder_name text, until_ms bigint) IS 'Takes a permit and a call of every window, or nothing; who was refused a permit gets the next one, before anybody who comes later.';

CREATE FUNCTION public.announce_job() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
begin
  perform pg_notify('tallybridge_job', new.tenant_id || ' ' || new.id);
  return null;
end $$;

COMMENT ON FUNCTION public.announce_job() IS 'Notifies listening processes of a changed job, once per transaction.';

CREATE FUNCTION public.binding_mac(message text) RETURNS text
    LANGUAGE plpgsql STABLE SECURITY DEFINER PARALLEL RESTRICTED
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
declare
  signed bytea;
begin
  select sha256(k.outer_pad || sha256(k.inner_pad || convert_to(message, 'UTF8'))) into strict signed from public.binding_key k;
  return encode(signed, 'hex');
end $$;

COMMENT ON FUNCTION public.binding_mac(message text) IS 'HMAC-SHA-256 of a message with the binding key. Only the owner can call it.';

CREATE FUNCTION public.binding_token(tenant text) RETURNS text
    LANGUAGE plpgsql STABLE PARALLEL RESTRICTED
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
begin
  return tenant || '.' ||
    public.binding_mac('bound|' || tenant || '|' || pg_backend_pid() || '|' || extract(epoch from transaction_timestamp()));
end $$;

COMMENT ON FUNCTION public.binding_token(tenant text) IS 'Token that names a tenant; valid only in this transaction of this connection.';

CREATE FUNCTION public.current_tenant() RETURNS uuid
    LANGUAGE plpgsql STABLE SECURITY DEFINER PARALLEL RESTRICTED
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
declare
  bound  text := current_setting('app.tenant', true);
  tenant text := split_part(bound, '.', 1);
begin
  if coalesce(bound, '') = '' or bound is distinct from public.binding_token(tenant) then
    return null;
  end if;
  return tenant::uuid;
end $$;

COMMENT ON FUNCTION public.current_tenant() IS 'Tenant of this transaction; null, so that no row is visible, unless enter_tenant has set it.';

CREATE FUNCTION public.enter_tenant(tenant uuid, proof text) RETURNS boolean
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
begin
  if proof is distinct from public.binding_mac('enter|' || tenant) then
    raise exception 'permission denied: this is no proof for the tenant' using errcode = '42501';
  end if;
  perform set_config('app.tenant', public.binding_token(tenant::text), true);
  return true;
end $$;

COMMENT ON FUNCTION public.enter_tenant(tenant uuid, proof text) IS 'Sets the tenant of the transaction for a caller that knows the binding key.';

CREATE FUNCTION public.mark_alert_pending() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
begin
  insert into alert_states as a (tenant_id, is_pending) values (new.tenant_id, true)
    on conflict (tenant_id) do update set is_pending = true where not a.is_pending;
  return null;
end $$;

COMMENT ON FUNCTION public.mark_alert_pending() IS 'Marks that a new log entry may need an alert.';

CREATE FUNCTION public.mark_lost_connection() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
begin
  insert into alert_states as a (tenant_id, is_pending, lost_services) values (new.tenant_id, true, array[new.service])
    on conflict (tenant_id) do update
      set is_pending = true,
          lost_services = case when new.service = any (a.lost_services) then a.lost_services else a.lost_services || new.service end;
  return null;
end $$;

COMMENT ON FUNCTION public.mark_lost_connection() IS 'Records that a service denies access and its client must reconnect.';

CREATE FUNCTION public.noted_gaps() RETURNS integer
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO ''
    AS $$ select gaps from public.deployment_clock $$;

CREATE FUNCTION public.raise_access_version() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
begin
  if (new.password_hash, new.roles, new.tenant_id, new.is_active)
    is distinct from (old.password_hash, old.roles, old.tenant_id, old.is_active) then
    new.access_version := old.access_version + 1;
  end if;
  return new;
end $$;

COMMENT ON FUNCTION public.raise_access_version() IS 'Ends the sessions of a user when a statement changes what they depend on.';

CREATE FUNCTION public.release_answered_call(permit_key text, holder_name text, keys text[], weights integer[], window_ms bigint[], after_answer_ms bigint[], counted_ms bigint, answered_ms bigint) RETURNS void
    LANGUAGE plpgsql
    AS $$
declare
  parts  constant integer := 60;
  one    record;
  line   rate_limits;
  since  integer;
  before integer;
begin
  -- In the order in which a call takes them: permits before windows.
  delete from concurrency_permits p where p.key = permit_key and p.holder = holder_name;
  for one in
    select w.key, w.weight, greatest(1, ceil(w.ms / parts::numeric))::bigint as width, w.ms - w.after_ms as earlier_ms
    from unnest(keys, weights, window_ms, after_answer_ms) as w (key, weight, ms, after_ms) order by w.key
  loop
    select * into line from rate_limits b where b.key = one.key for update;
    continue when not found or line.slot_ms is distinct from one.width;
    -- Slots count from the newest one, which is the first. Clocks of two processes may differ by a moment, so the call is
    -- looked for in the slots beside its own as well.
    since := line.newest - counted_ms / one.width + 1;
    before := line.newest - (answered_ms - one.earlier_ms) / one.width + 1;
    since := (
      select i from unnest(array[since, since + 1, since - 1]) with ordinality as near (i, place)
      where i between 1 and parts + 1 and line.calls[i] >= one.weight order by place limit 1
    );
    -- It is past, or was answered late: then it counts as it did.
    continue when since is null or before <= since;
    line.calls[since] := line.calls[since] - one.weight;
    if before <= parts + 1 then
      line.calls[before] := line.calls[before] + one.weight;
    end if;
    update rate_limits b set calls = line.calls where b.key = one.key;
  end loop;
end $$;

COMMENT ON FUNCTION public.release_answered_call(permit_key text, holder_name text, keys text[], weights integer[], window_ms bigint[], after_answer_ms bigint[], counted_ms bigint, answered_ms bigint) IS 'Gives a permit back and lets the call count in each window as if it had been made so much before its answer that it counts no longer than asked for.';

CREATE TABLE public.logs (
    tenant_id uuid NOT NULL,
    key text NOT NULL,
    seq bigint NOT NULL,
    at timestamp with time zone NOT NULL,
    type text NOT NULL,
    psa_id bigint NOT NULL,
    is_test boolean NOT NULL,
    is_manual boolean NOT NULL,
    success boolean NOT NULL,
    number text,
    message text NOT NULL,
    what text,
    party text,
    dated date,
    amount numeric,
    currency text,
    search text GENERATED ALWAYS AS ((((((((((psa_id)::text || ' '::text) || COALESCE(number, ''::text)) || ' '::text) || COALESCE(party, ''::text)) || ' '::text) || COALESCE((amount)::text, ''::text)) || ' '::text) || message)) STORED NOT NULL,
    awaits_approval boolean DEFAULT false NOT NULL
)
WITH (autovacuum_vacuum_insert_scale_factor='0.02', autovacuum_vacuum_insert_threshold='2000');

ALTER TABLE ONLY public.logs FORCE ROW LEVEL SECURITY;

COMMENT ON TABLE public.logs IS 'One row for each ended attempt. Details are in another table, to keep lists and search fast.';
COMMENT ON COLUMN public.logs.what IS 'Type of document, e.g. Invoice or Credit memo.';
COMMENT ON COLUMN public.logs.party IS 'Customer, vendor or employee.';
COMMENT ON COLUMN public.logs.amount IS 'Total of the document; negative for a credit memo.';
COMMENT ON COLUMN public.logs.search IS 'Text that the search of Logs uses: PSA id, document number, party, amount and message.';
COMMENT ON COLUMN public.logs.awaits_approval IS 'The attempt ended with a draft that needs approval.';

CREATE FUNCTION public.search_logs(pattern text, kinds text[], of_type text, tests boolean, manuals boolean, successes boolean, since timestamp with time zone, until timestamp with time zone, most integer) RETURNS SETOF public.logs
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    SET enable_bitmapscan TO 'on'
    SET enable_seqscan TO 'on'
    SET enable_indexscan TO 'on'
    SET enable_sort TO 'on'
    AS $_$
declare
  looked constant integer := 1000;
  common constant integer := 30;
  asked constant integer := 200;
  letters constant text := '[[:alnum:]]{3}';
  -- Asked once: in a condition it would be asked with every row that the index of letters names.
  tenant constant uuid := current_tenant();
  either constant boolean[] := array[false, true];
  dated text := case when since is null then '' else ' and at >= $2' end
    || case when until is null then '' else ' and at < $3' end;
  newest text;
  sample text[];
  words text[];
  is_common boolean[];
  first integer := 1;
  last integer;
  rare text;
begin
  if of_type is null and tests is null and manuals is null and successes is null then
    newest := 'select * from logs where tenant_id = $1' || dated;
  else
    select string_agg(
        format('(select * from logs where tenant_id = $1 and type = %L and is_test = %L and is_manual = %L and success = %L',
               kind, test, manual, success)
          || dated || ' order by at desc, seq desc)', ' union all ')
      into newest
      from unnest(case when of_type is null then kinds else array[of_type] end) kind,
           unnest(case when tests is null then either else array[tests] end) test,
           unnest(case when manuals is null then either else array[manuals] end) manual,
           unnest(case when successes is null then either else array[successes] end) success;
  end if;
  perform set_config('enable_bitmapscan', 'off', true), set_config('enable_seqscan', 'off', true),
          set_config('enable_sort', 'off', true);
  execute 'select array_agg(lower(search)) from (select search from (' || newest || ') listed order by at desc, seq desc limit $4) newest'
    into sample using tenant, since, until, looked;
  if common <= (select count(*) from unnest(sample) entry where entry like lower(pattern)) then
    return query execute
      'select * from (' || newest || ') listed where search ilike $4 order by at desc, seq desc limit $5'
      using tenant, since, until, pattern, most;
    return;
  end if;

  perform set_config('enable_bitmapscan', 'on', true), set_config('enable_seqscan', 'on', true),
          set_config('enable_sort', 'on', true);
  -- Whatever holds a text holds each part of it.
  select array_agg(word[1] order by place) into words
    from regexp_matches(btrim(pattern, '%'), '[^[:alnum:]]*[[:alnum:]]+', 'g') with ordinality found(word, place);
  last := coalesce(array_length(words, 1), 0);
  select array_agg((select 2 * count(*) > cardinality(sample[1:asked]) from unnest(sample[1:asked]) entry
                     where entry like '%' || lower(word) || '%') order by place)
    into is_common from unnest(words) with ordinality found(word, place);
  while first < last and is_common[first] and array_to_string(words[first + 1:last], '') ~ letters loop
    first := first + 1;
  end loop;
  while first < last and is_common[last] and array_to_string(words[first:last - 1], '') ~ letters loop
    last := last - 1;
  end loop;
  rare := '%' || array_to_string(words[first:last], '') || '%';
  if rare ~ letters then
    perform set_config('enable_indexscan', 'off', true), set_config('enable_seqscan', 'off', true);
  else
    rare := pattern;
  end if;
  return query execute
    -- Spelled so that the index is not asked for the whole text as well.
    'select * from logs where tenant_id = $1 and search ilike $4 and (search || '''') ilike $5' || dated
    || case when of_type is null then '' else ' and type = $6' end
    || case when tests is null then '' else ' and is_test = $7' end
    || case when manuals is null then '' else ' and is_manual = $8' end
    || case when successes is null then '' else ' and success = $9' end
    || ' order by at desc, seq desc limit $10'
    using tenant, since, until, rare, pattern, of_type, tests, manuals, successes, most;
end $_$;

COMMENT ON FUNCTION public.search_logs(pattern text, kinds text[], of_type text, tests boolean, manuals boolean, successes boolean, since timestamp with time zone, until timestamp with time zone, most integer) IS 'Entries of the bound tenant that hold a text and pass the filters, the newest of them when there are more.';

CREATE FUNCTION public.shift_rate_window(calls integer[], by bigint, most integer) RETURNS integer[]
    LANGUAGE sql IMMUTABLE
    AS $$
    select case
      when by <= 0 then calls
      when by >= most then '{}'::integer[]
      else (array_fill(0, array[by::integer]) || calls)[1:most]
    end
  $$;

COMMENT ON FUNCTION public.shift_rate_window(calls integer[], by bigint, most integer) IS 'Moves slots into the past and drops those older than the window.';

CREATE FUNCTION public.wall_clock_ms() RETURNS bigint
    LANGUAGE sql
    AS $$ select (extract(epoch from clock_timestamp()) * 1000)::bigint $$;

COMMENT ON FUNCTION public.wall_clock_ms() IS 'Milliseconds since 1970 by the wall clock of the database.';

CREATE TABLE public.account_mails (
    id uuid NOT NULL,
    key_id uuid NOT NULL,
    root_key_id text NOT NULL,
    wrapped_key text NOT NULL,
    sealed text NOT NULL,
    created_at timestamp with time zone NOT NULL,
    next_try_at timestamp with time zone NOT NULL,
    tries integer DEFAULT 0 NOT NULL,
    taken_at timestamp with time zone,
    was_lost boolean DEFAULT false NOT NULL,
    ended_at timestamp with time zone
);

ALTER TABLE ONLY public.account_mails FORCE ROW LEVEL SECURITY;

COMMENT ON TABLE public.account_mails IS 'Emails to users about their accounts. Any worker sends them.';
COMMENT ON COLUMN public.account_mails.sealed IS 'Recipient, subject and text, encrypted because they contain login links; empty after the email was sent or given up.';
COMMENT ON COLUMN public.account_mails.taken_at IS 'When a process started to send the email; an old time means that the process died.';
COMMENT ON COLUMN public.account_mails.was_lost IS 'A process died while sending; the email is tried one last time.';
COMMENT ON COLUMN public.account_mails.ended_at IS 'When it was sent or given up.';

CREATE TABLE public.alert_states (
    tenant_id uuid NOT NULL,
    is_pending boolean DEFAULT false NOT NULL,
    seen_seq bigint DEFAULT 0 NOT NULL,
    not_before timestamp with time zone,
    lost_services text[] DEFAULT '{}'::text[] NOT NULL,
    loss_mailed_at timestamp with time zone
);

ALTER TABLE ONLY public.alert_states FORCE ROW LEVEL SECURITY;

COMMENT ON TABLE public.alert_states IS 'Which log entries the administrators of a client were notified of.';
COMMENT ON COLUMN public.alert_states.is_pending IS 'Set by triggers. The worker checks only these clients.';
COMMENT ON COLUMN public.alert_states.seen_seq IS 'The last log row that was checked.';
COMMENT ON COLUMN public.alert_states.not_before IS 'When the next alert may be sent: at most one an hour.';
COMMENT ON COLUMN public.alert_states.lost_services IS 'Lost connections that the administrators do not know of yet.';

CREATE TABLE public.api_keys (
    tenant_id uuid NOT NULL,
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    name text NOT NULL,
    scope text NOT NULL,
    key_hash text NOT NULL,
    created_by text NOT NULL,
    created_at timestamp with time zone NOT NULL,
    ends_at timestamp with time zone NOT NULL,
    last_used_at timestamp with time zone,
    CONSTRAINT api_keys_scope_check CHECK ((scope = ANY (ARRAY['read'::text, 'sync'::text])))
);

ALTER TABLE ONLY public.api_keys FORCE ROW LEVEL SECURITY;

COMMENT ON TABLE public.api_keys IS 'Keys with which programs of a client call the API. A revoked key is deleted.';
COMMENT ON COLUMN public.api_keys.scope IS 'read: lists and reads; sync: also starts and cancels syncs.';
COMMENT ON COLUMN public.api_keys.last_used_at IS 'Accurate to one minute.';

CREATE TABLE public.attempts (
    tenant_id uuid NOT NULL,
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    seq bigint NOT NULL,
    job_id uuid,
    kind text NOT NULL,
    psa_id bigint NOT NULL,
    mode text NOT NULL,
    force boolean NOT NULL,
    trigger text NOT NULL,
    log_level text NOT NULL,
    state text NOT NULL,
    is_ended boolean GENERATED ALWAYS AS ((state = ANY (ARRAY['done'::text, 'simulated'::text, 'skipped'::text, 'refused'::text, 'postponed'::text]))) STORED NOT NULL,
    generation integer NOT NULL,
    revision integer NOT NULL,
    started_at timestamp with time zone NOT NULL,
    sent_at timestamp with time zone,
    not_before timestamp with time zone,
    answered integer DEFAULT 0 NOT NULL,
    transcript json NOT NULL,
    warnings json NOT NULL,
    body json NOT NULL,
    revises boolean DEFAULT false NOT NULL,
    plan json,
    CONSTRAINT attempts_mode_check CHECK ((mode = ANY (ARRAY['test'::text, 'live'::text]))),
    CONSTRAINT attempts_state_check CHECK ((state = ANY (ARRAY['planning'::text, 'posting'::text, 'unsure'::text, 'posted'::text, 'refusing'::text, 'done'::text, 'simulated'::text, 'skipped'::text, 'refused'::text, 'postponed'::text])))
);

ALTER TABLE ONLY public.attempts FORCE ROW LEVEL SECURITY;

COMMENT ON TABLE public.attempts IS 'One document in one job. Each state is saved before the next step begins.';
COMMENT ON COLUMN public.attempts.sent_at IS 'When the latest command was sent; null before the next one is sent.';
COMMENT ON COLUMN public.attempts.answered IS 'Number of commands with a response. State, answered and sent_at show whether a row has changed.';
COMMENT ON COLUMN public.attempts.body IS 'Data of the state, in addition to the plan: responses, problems and mark, or the outcome.';
COMMENT ON COLUMN public.attempts.revises IS 'Copied from its job.';
COMMENT ON COLUMN public.attempts.plan IS 'What is sent; null before the decision and after the end.';

ALTER TABLE public.attempts ALTER COLUMN seq ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.attempts_seq_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE public.audit_events (
    tenant_id uuid NOT NULL,
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    seq bigint NOT NULL,
    at timestamp with time zone NOT NULL,
    username text NOT NULL,
    masquerader text,
    action text NOT NULL,
    subject text,
    before json NOT NULL,
    after json NOT NULL
);

ALTER TABLE ONLY public.audit_events FORCE ROW LEVEL SECURITY;

COMMENT ON TABLE public.audit_events IS 'Who changed what and when, with the values before and after. Rows are never changed.';

ALTER TABLE public.audit_events ALTER COLUMN seq ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.audit_events_seq_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE public.binding_key (
    is_only boolean DEFAULT true NOT NULL,
    key bytea NOT NULL,
    inner_pad bytea NOT NULL,
    outer_pad bytea NOT NULL,
    CONSTRAINT binding_key_inner_pad_check CHECK ((length(inner_pad) = 64)),
    CONSTRAINT binding_key_is_only_check CHECK (is_only),
    CONSTRAINT binding_key_key_check CHECK ((length(key) = 32)),
    CONSTRAINT binding_key_outer_pad_check CHECK ((length(outer_pad) = 64))
);

COMMENT ON TABLE public.binding_key IS 'Signs the tenant of a transaction. Only the owner of the tables can read it.';

CREATE TABLE public.webhook_inbox (
    tenant_id uuid NOT NULL,
    record text NOT NULL,
    target_id text NOT NULL,
    seq bigint NOT NULL,
    received_at timestamp with time zone NOT NULL,
    due_at timestamp with time zone
);

ALTER TABLE ONLY public.webhook_inbox FORCE ROW LEVEL SECURITY;

COMMENT ON TABLE public.webhook_inbox IS 'QuickBooks records that changed since they were last read, one row each.';
COMMENT ON COLUMN public.webhook_inbox.seq IS 'Increases when the record changes again, so that a read settles only the changes it has seen.';
COMMENT ON COLUMN public.webhook_inbox.received_at IS 'When the first change since the last read was announced.';
COMMENT ON COLUMN public.webhook_inbox.due_at IS 'When a worker processes it; null: with the next sync.';

ALTER TABLE public.webhook_inbox ALTER COLUMN seq ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.books_changes_seq_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE public.cdc_states (
    tenant_id uuid NOT NULL,
    last_webhook_at timestamp with time zone,
    cursor timestamp with time zone,
    polled_at timestamp with time zone,
    before_gap_cursor timestamp with time zone,
    before_gap_polled_at timestamp with time zone
);

ALTER TABLE ONLY public.cdc_states FORCE ROW LEVEL SECURITY;

COMMENT ON TABLE public.cdc_states IS 'Up to when changes in QuickBooks were read (change data capture, CDC), and whether webhooks arrive.';
COMMENT ON COLUMN public.cdc_states.last_webhook_at IS 'When the latest webhook arrived; null if none ever did, or CDC found a change without a webhook.';
COMMENT ON COLUMN public.cdc_states.cursor IS 'QuickBooks time up to which CDC was read.';
COMMENT ON COLUMN public.cdc_states.polled_at IS 'When CDC was last read, by the time of the deployment.';
COMMENT ON COLUMN public.cdc_states.before_gap_cursor IS 'The cursor when a gap was noticed, until documents missing in the ledger were searched for; null if it equals the cursor.';
COMMENT ON COLUMN public.cdc_states.before_gap_polled_at IS 'polled_at when the gap was noticed.';

CREATE TABLE public.close_decisions (
    tenant_id uuid NOT NULL,
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    seq bigint NOT NULL,
    month text NOT NULL,
    key text NOT NULL,
    amount numeric NOT NULL,
    decision text NOT NULL,
    reason text NOT NULL,
    decided_by text NOT NULL,
    decided_at timestamp with time zone NOT NULL,
    CONSTRAINT close_decisions_decision_check CHECK ((decision = ANY (ARRAY['accept'::text, 'carry'::text])))
);

ALTER TABLE ONLY public.close_decisions FORCE ROW LEVEL SECURITY;

COMMENT ON TABLE public.close_decisions IS 'Differences of a month that a user accepted or carried to the next month, with the reason. Rows are never changed.';
COMMENT ON COLUMN public.close_decisions.key IS 'Identifies the difference. The decision applies while the amount is the same.';

ALTER TABLE public.close_decisions ALTER COLUMN seq ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.close_decisions_seq_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE public.close_runs (
    tenant_id uuid NOT NULL,
    month text NOT NULL,
    started_at timestamp with time zone NOT NULL,
    ended_at timestamp with time zone,
    problem text
);

ALTER TABLE ONLY public.close_runs FORCE ROW LEVEL SECURITY;

COMMENT ON TABLE public.close_runs IS 'The latest preparation of a month; in progress until it has ended.';

CREATE TABLE public.close_signatures (
    tenant_id uuid NOT NULL,
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    close_id uuid NOT NULL,
    signed_as text NOT NULL,
    signed_by text NOT NULL,
    signed_at timestamp with time zone NOT NULL,
    checked text[] NOT NULL,
    reason text,
    by_one_allowed boolean DEFAULT false NOT NULL,
    CONSTRAINT close_signatures_signed_as_check CHECK ((signed_as = ANY (ARRAY['preparer'::text, 'reviewer'::text])))
);

ALTER TABLE ONLY public.close_signatures FORCE ROW LEVEL SECURITY;

COMMENT ON TABLE public.close_signatures IS 'Who signed which proof, and in which role. Rows are never changed.';
COMMENT ON COLUMN public.close_signatures.reason IS 'Why a month was signed with an unexplained or undecided difference.';
COMMENT ON COLUMN public.close_signatures.by_one_allowed IS 'When this was signed, the settings allowed one person to prepare and review.';

CREATE TABLE public.closes (
    tenant_id uuid NOT NULL,
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    seq bigint NOT NULL,
    month text NOT NULL,
    prepared_at timestamp with time zone NOT NULL,
    prepared_by text NOT NULL,
    sha256 text NOT NULL,
    is_proved boolean NOT NULL,
    totals json NOT NULL,
    proof json NOT NULL,
    reports json NOT NULL,
    setup json NOT NULL,
    changed_since json DEFAULT '[]'::json NOT NULL,
    left_out json DEFAULT '[]'::json NOT NULL,
    reading_sha256 text,
    differences jsonb DEFAULT '[]'::jsonb NOT NULL,
    CONSTRAINT closes_month_check CHECK ((month ~ '^\d{4}-(0[1-9]|1[0-2])$'::text))
);

ALTER TABLE ONLY public.closes FORCE ROW LEVEL SECURITY;

COMMENT ON TABLE public.closes IS 'Proofs of a month. Rows are never changed, except for left_out.';
COMMENT ON COLUMN public.closes.sha256 IS 'Hash of the content; equal for proofs with the same findings.';
COMMENT ON COLUMN public.closes.totals IS 'Totals by currency, for lists of many months.';
COMMENT ON COLUMN public.closes.reports IS 'The reports of QuickBooks, exactly as received.';
COMMENT ON COLUMN public.closes.setup IS 'Settings, mappings and program version at the time of the proof.';
COMMENT ON COLUMN public.closes.changed_since IS 'Differences of documents that were changed after posting: key, currency and amount.';
COMMENT ON COLUMN public.closes.left_out IS 'PSA documents that no automatic sync includes, with reason and amount.';
COMMENT ON COLUMN public.closes.reading_sha256 IS 'Hash of everything that the month shows, including lists, reasons and paid states; null in proofs of earlier versions.';
COMMENT ON COLUMN public.closes.differences IS 'Key, currency and amount of each difference, to count undecided ones without reading the proof.';

ALTER TABLE public.closes ALTER COLUMN seq ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.closes_seq_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE public.concurrency_permits (
    key text NOT NULL,
    holder text NOT NULL,
    ends_ms bigint NOT NULL
);

COMMENT ON TABLE public.concurrency_permits IS 'Calls in progress, one row each, so that all processes together respect the limit of parallel calls.';
COMMENT ON COLUMN public.concurrency_permits.ends_ms IS 'Epoch milliseconds after which the caller counts as dead.';

CREATE TABLE public.connections (
    tenant_id uuid NOT NULL,
    service text NOT NULL,
    status text NOT NULL,
    name text NOT NULL,
    user_name text,
    external_id text,
    connected_at timestamp with time zone,
    problem text,
    credentials text,
    external_hash text,
    consent_ends_at timestamp with time zone,
    ended text,
    ended_at timestamp with time zone,
    CONSTRAINT connections_service_check CHECK ((service = ANY (ARRAY['psa'::text, 'accounting'::text]))),
    CONSTRAINT connections_status_check CHECK ((status = ANY (ARRAY['active'::text, 'inactive'::text])))
);

ALTER TABLE ONLY public.connections FORCE ROW LEVEL SECURITY;

COMMENT ON TABLE public.connections IS 'Connections of a tenant to its services.';
COMMENT ON COLUMN public.connections.external_id IS 'Encrypted. Kept after a disconnect, to notice when another company is connected.';
COMMENT ON COLUMN public.connections.credentials IS 'Encrypted; null after a disconnect.';
COMMENT ON COLUMN public.connections.external_hash IS 'Keyed hash of the external id, to find the tenant of a company. Kept after a disconnect.';
COMMENT ON COLUMN public.connections.consent_ends_at IS 'When access ends unless it is used or renewed; null if it does not expire.';
COMMENT ON COLUMN public.connections.ended IS 'Encrypted. Tokens of a disconnected connection, until the service has revoked them.';
COMMENT ON COLUMN public.connections.ended_at IS 'When the connection was disconnected.';

CREATE TABLE public.data_keys (
    tenant_id uuid NOT NULL,
    id uuid NOT NULL,
    root_key_id text NOT NULL,
    wrapped text NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL
);

ALTER TABLE ONLY public.data_keys FORCE ROW LEVEL SECURITY;

COMMENT ON TABLE public.data_keys IS 'A key per tenant that encrypts its secrets, itself encrypted with a root key that is not in the database.';

CREATE TABLE public.deployment_clock (
    only_row boolean DEFAULT true NOT NULL,
    wall_ms bigint NOT NULL,
    ahead_ms bigint DEFAULT 0 NOT NULL,
    steps integer DEFAULT 0 NOT NULL,
    gaps integer DEFAULT 0 NOT NULL,
    CONSTRAINT deployment_clock_only_row_check CHECK (only_row)
);

COMMENT ON TABLE public.deployment_clock IS 'The clock that all processes use, relative to the clock of the database.';
COMMENT ON COLUMN public.deployment_clock.wall_ms IS 'Clock of the database at the latest measurement, in milliseconds since 1970.';
COMMENT ON COLUMN public.deployment_clock.ahead_ms IS 'How far the deployment was ahead at that moment. It shrinks by a tenth of the elapsed time.';
COMMENT ON COLUMN public.deployment_clock.steps IS 'How often the clock of the database was set.';
COMMENT ON COLUMN public.deployment_clock.gaps IS 'How often nothing was recorded for minutes: no process ran, or the database was restored.';

CREATE TABLE public.deployment_events (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    seq bigint NOT NULL,
    at timestamp with time zone NOT NULL,
    actor text NOT NULL,
    action text NOT NULL,
    subject text NOT NULL,
    detail json NOT NULL
);

ALTER TABLE ONLY public.deployment_events FORCE ROW LEVEL SECURITY;

COMMENT ON TABLE public.deployment_events IS 'Actions on the deployment itself, outside the audit trail of a client. Rows are never changed.';

ALTER TABLE public.deployment_events ALTER COLUMN seq ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.deployment_events_seq_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE public.drafts (
    tenant_id uuid NOT NULL,
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    seq bigint NOT NULL,
    kind text NOT NULL,
    psa_id bigint NOT NULL,
    force boolean NOT NULL,
    state text NOT NULL,
    plan json NOT NULL,
    plan_hash text NOT NULL,
    psa_hash text NOT NULL,
    what text NOT NULL,
    number text,
    party text,
    dated date,
    amount numeric,
    currency text,
    home_currency text NOT NULL,
    view json NOT NULL,
    effect json NOT NULL,
    warnings json NOT NULL,
    prepared_by text,
    prepared_at timestamp with time zone NOT NULL,
    first_approved_by text,
    decided_by text,
    decided_at timestamp with time zone,
    reason text,
    job_id uuid,
    replaces uuid,
    revises boolean DEFAULT false NOT NULL,
    CONSTRAINT drafts_state_check CHECK ((state = ANY (ARRAY['waiting'::text, 'approved'::text, 'posted'::text, 'rejected'::text, 'changed'::text, 'replaced'::text, 'closed'::text])))
);

ALTER TABLE ONLY public.drafts FORCE ROW LEVEL SECURITY;

COMMENT ON TABLE public.drafts IS 'Plans that wait for approval, and their outcome. A changed plan is a new row.';
COMMENT ON COLUMN public.drafts.plan_hash IS 'Hash of what would be posted; equal for plans that post the same.';
COMMENT ON COLUMN public.drafts.psa_hash IS 'Hash of the PSA document, to notice changes of it, of settings and of mappings.';
COMMENT ON COLUMN public.drafts.home_currency IS 'Home currency when it was prepared; also the currency of documents without one.';
COMMENT ON COLUMN public.drafts.prepared_by IS 'Who started the job; null for the schedule.';
COMMENT ON COLUMN public.drafts.first_approved_by IS 'Who approved it first, while a second approval is required.';
COMMENT ON COLUMN public.drafts.reason IS 'Why it was rejected, or the outcome of the latest try to post it.';
COMMENT ON COLUMN public.drafts.job_id IS 'The job that posts it.';
COMMENT ON COLUMN public.drafts.replaces IS 'The previous draft of the same document.';
COMMENT ON COLUMN public.drafts.revises IS 'Copied from the attempt that prepared it.';

ALTER TABLE public.drafts ALTER COLUMN seq ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.drafts_seq_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE public.found_marks (
    tenant_id uuid NOT NULL,
    kind text NOT NULL,
    psa_id bigint NOT NULL,
    first_seen_at timestamp with time zone NOT NULL,
    last_seen_at timestamp with time zone NOT NULL
);

ALTER TABLE ONLY public.found_marks FORCE ROW LEVEL SECURITY;

COMMENT ON TABLE public.found_marks IS 'Documents that the PSA marks as syncing, but which no attempt of ours is processing.';
COMMENT ON COLUMN public.found_marks.first_seen_at IS 'After some time the mark counts as stale, and the document is synced again.';
COMMENT ON COLUMN public.found_marks.last_seen_at IS 'When the mark was last seen. If it disappears in between, the time starts again.';

CREATE TABLE public.invitations (
    tenant_id uuid NOT NULL,
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    email text NOT NULL,
    name text NOT NULL,
    token_hash text NOT NULL,
    invited_by text NOT NULL,
    invited_at timestamp with time zone NOT NULL,
    ends_at timestamp with time zone NOT NULL,
    role text DEFAULT 'clientadmin'::text NOT NULL,
    CONSTRAINT invitations_email_check CHECK ((email = lower(email))),
    CONSTRAINT invitations_role_check CHECK ((role = ANY (ARRAY['clientadmin'::text, 'accountant'::text])))
);

ALTER TABLE ONLY public.invitations FORCE ROW LEVEL SECURITY;

COMMENT ON TABLE public.invitations IS 'People invited to join a client. Accepted and withdrawn invitations are deleted.';
COMMENT ON COLUMN public.invitations.email IS 'May belong to a user of another client; the inviting user must not find out.';
COMMENT ON COLUMN public.invitations.role IS 'Role of the new user.';

CREATE TABLE public.job_results (
    tenant_id uuid NOT NULL,
    job_id uuid NOT NULL,
    psa_id bigint NOT NULL,
    seq bigint NOT NULL,
    outcome text NOT NULL,
    message text NOT NULL,
    log_key text,
    CONSTRAINT job_results_outcome_check CHECK ((outcome = ANY (ARRAY['succeeded'::text, 'failed'::text, 'skipped'::text, 'held'::text, 'pending'::text])))
);

ALTER TABLE ONLY public.job_results FORCE ROW LEVEL SECURITY;

COMMENT ON TABLE public.job_results IS 'Outcome of each document of a job.';

ALTER TABLE public.job_results ALTER COLUMN seq ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.job_results_seq_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE public.jobs (
    tenant_id uuid NOT NULL,
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    seq bigint NOT NULL,
    kind text NOT NULL,
    mode text NOT NULL,
    force boolean NOT NULL,
    trigger text NOT NULL,
    log_level text NOT NULL,
    psa_ids bigint[],
    submitted_by json,
    same_as text NOT NULL,
    status text NOT NULL,
    total integer,
    done integer DEFAULT 0 NOT NULL,
    succeeded integer DEFAULT 0 NOT NULL,
    failed integer DEFAULT 0 NOT NULL,
    skipped integer DEFAULT 0 NOT NULL,
    message text,
    fence bigint,
    cancel_requested_at timestamp with time zone,
    created_at timestamp with time zone NOT NULL,
    started_at timestamp with time zone,
    finished_at timestamp with time zone,
    held integer DEFAULT 0 NOT NULL,
    approves boolean DEFAULT false NOT NULL,
    revises boolean DEFAULT false NOT NULL,
    stop_code text,
    reviews uuid,
    waits_since timestamp with time zone,
    keeps_order boolean DEFAULT false NOT NULL,
    CONSTRAINT jobs_mode_check CHECK ((mode = ANY (ARRAY['test'::text, 'live'::text]))),
    CONSTRAINT jobs_status_check CHECK ((status = ANY (ARRAY['queued'::text, 'running'::text, 'finished'::text, 'failed'::text, 'cancelled'::text]))),
    CONSTRAINT jobs_trigger_check CHECK ((trigger = ANY (ARRAY['manual'::text, 'automatic'::text])))
);

ALTER TABLE ONLY public.jobs FORCE ROW LEVEL SECURITY;

COMMENT ON TABLE public.jobs IS 'Syncs and tests that a user or the schedule started.';
COMMENT ON COLUMN public.jobs.psa_ids IS 'Selected documents; null for all eligible ones.';
COMMENT ON COLUMN public.jobs.same_as IS 'Another request with the same text returns this job while it is open.';
COMMENT ON COLUMN public.jobs.done IS 'Documents with a result, including waiting ones.';
COMMENT ON COLUMN public.jobs.fence IS 'Fence of the lease under which it runs; an older one means that its worker is gone.';
COMMENT ON COLUMN public.jobs.approves IS 'Posts approved drafts and nothing else.';
COMMENT ON COLUMN public.jobs.revises IS 'Updates documents in QuickBooks to match the PSA; creates none.';
COMMENT ON COLUMN public.jobs.stop_code IS 'Code of the problem that stopped an automatic job before it found documents; otherwise null.';
COMMENT ON COLUMN public.jobs.reviews IS 'The reviewed test; exactly its plans are posted. Not a foreign key, because the test may be deleted first.';

ALTER TABLE public.jobs ALTER COLUMN seq ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.jobs_seq_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE public.leases (
    tenant_id uuid NOT NULL,
    owner text,
    fence bigint NOT NULL,
    ends_at timestamp with time zone NOT NULL
);

ALTER TABLE ONLY public.leases FORCE ROW LEVEL SECURITY;

COMMENT ON TABLE public.leases IS 'One worker at a time per tenant. Each write of a sync compares its fence with this row.';
COMMENT ON COLUMN public.leases.fence IS 'Increases with each holder and never decreases.';

CREATE TABLE public.log_details (
    tenant_id uuid NOT NULL,
    key text NOT NULL,
    transcript text NOT NULL,
    problems json NOT NULL,
    document json,
    preview json
);

ALTER TABLE ONLY public.log_details FORCE ROW LEVEL SECURITY;

COMMENT ON TABLE public.log_details IS 'Transcript and exact document of an attempt: customer data that never appears in operational logs.';
COMMENT ON COLUMN public.log_details.preview IS 'The document in names, its bookings and its printed plan; null if nothing was planned.';

ALTER TABLE public.logs ALTER COLUMN seq ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.logs_seq_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE public.mappings (
    tenant_id uuid NOT NULL,
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    namespace text NOT NULL,
    source_entity text NOT NULL,
    source_value text NOT NULL,
    source_label text,
    target_entity text NOT NULL,
    target_value text NOT NULL,
    target_label text,
    saved_at timestamp with time zone DEFAULT now() NOT NULL
);

ALTER TABLE ONLY public.mappings FORCE ROW LEVEL SECURITY;

COMMENT ON TABLE public.mappings IS 'From a record of the PSA to a record of QuickBooks; called “xref” in the API.';

CREATE TABLE public.metered_read_alerts (
    month text NOT NULL,
    percent integer NOT NULL,
    sent_at timestamp with time zone NOT NULL
);

COMMENT ON TABLE public.metered_read_alerts IS 'Thresholds of the monthly read limit for which the system administrators received an email.';

CREATE TABLE public.metered_reads (
    tenant_id uuid NOT NULL,
    month text NOT NULL,
    reads bigint NOT NULL
);

ALTER TABLE ONLY public.metered_reads FORCE ROW LEVEL SECURITY;

COMMENT ON TABLE public.metered_reads IS 'Number of QuickBooks calls that only read. Processes add their counts every few seconds; a dying process loses its latest ones.';
COMMENT ON COLUMN public.metered_reads.month IS 'Month in US Pacific time, e.g. 2026-11.';

CREATE TABLE public.notices (
    tenant_id uuid NOT NULL,
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    user_id uuid NOT NULL,
    kind text NOT NULL,
    at timestamp with time zone NOT NULL,
    facts jsonb NOT NULL,
    once text DEFAULT (gen_random_uuid())::text NOT NULL,
    read_at timestamp with time zone
);

ALTER TABLE ONLY public.notices FORCE ROW LEVEL SECURITY;

COMMENT ON TABLE public.notices IS 'What needs a user, one row per user. Rows are removed after 30 days.';
COMMENT ON COLUMN public.notices.facts IS 'Values of the text, e.g. count and amounts; depends on the kind.';
COMMENT ON COLUMN public.notices.once IS 'A user gets one notice with this key, however often it is saved.';

CREATE TABLE public.one_time_tokens (
    hash text NOT NULL,
    purpose text NOT NULL,
    user_id uuid,
    tenant_id uuid,
    data json NOT NULL,
    ends_at timestamp with time zone NOT NULL,
    spent_at timestamp with time zone
);

ALTER TABLE ONLY public.one_time_tokens FORCE ROW LEVEL SECURITY;

COMMENT ON TABLE public.one_time_tokens IS 'Hashes of one-time codes. Only the recipient has the code itself.';

CREATE TABLE public.outgoing_mails (
    tenant_id uuid NOT NULL,
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    recipient text NOT NULL,
    subject text NOT NULL,
    body_text text NOT NULL,
    body_html text NOT NULL,
    created_at timestamp with time zone NOT NULL,
    next_try_at timestamp with time zone NOT NULL,
    tries integer DEFAULT 0 NOT NULL,
    taken_at timestamp with time zone,
    was_lost boolean DEFAULT false NOT NULL,
    ended_at timestamp with time zone
);

ALTER TABLE ONLY public.outgoing_mails FORCE ROW LEVEL SECURITY;

COMMENT ON TABLE public.outgoing_mails IS 'Emails, saved in the transaction of the event that they report. Any worker sends them.';
COMMENT ON COLUMN public.outgoing_mails.taken_at IS 'When a worker started to send it; an old time means that the worker died, possibly after the mail server accepted it.';
COMMENT ON COLUMN public.outgoing_mails.was_lost IS 'A worker died while sending; the email is tried one last time.';
COMMENT ON COLUMN public.outgoing_mails.ended_at IS 'When it was sent or given up; the text is then deleted.';

CREATE TABLE public.payment_states (
    tenant_id uuid NOT NULL,
    psa_id bigint NOT NULL,
    balance numeric,
    was_paid boolean DEFAULT false NOT NULL,
    written_on date,
    seen_on date,
    seen_at timestamp with time zone,
    seen_balance numeric,
    is_due boolean DEFAULT false NOT NULL,
    held_on date,
    CONSTRAINT payment_states_check CHECK ((num_nulls(seen_on, seen_at, seen_balance) = ANY (ARRAY[0, 3])))
);

ALTER TABLE ONLY public.payment_states FORCE ROW LEVEL SECURITY;

COMMENT ON TABLE public.payment_states IS 'Paid state of invoices by PSA id, as known to the payment sync.';
COMMENT ON COLUMN public.payment_states.balance IS 'Open amount in QuickBooks when it was last read.';
COMMENT ON COLUMN public.payment_states.was_paid IS 'QuickBooks has shown the invoice as fully paid, so no further payment is created.';
COMMENT ON COLUMN public.payment_states.written_on IS 'The paid date that we set in the PSA, saved before it is sent. Only this date may be cleared.';
COMMENT ON COLUMN public.payment_states.seen_at IS 'When a paid date set by a user was first seen with this balance. The waiting time starts here.';
COMMENT ON COLUMN public.payment_states.is_due IS 'Changed in QuickBooks, and not processed yet.';
COMMENT ON COLUMN public.payment_states.held_on IS 'A paid date first seen after a restore, which may be ours. It is paid only if a user starts the sync.';

CREATE TABLE public.postings (
    tenant_id uuid NOT NULL,
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    seq bigint NOT NULL,
    kind text NOT NULL,
    psa_id bigint NOT NULL,
    generation integer NOT NULL,
    revision integer NOT NULL,
    status text NOT NULL,
    request_id text NOT NULL,
    body json NOT NULL,
    psa_total numeric,
    target_type text,
    target_id text,
    number text,
    total numeric,
    tax numeric,
    created_at timestamp with time zone NOT NULL,
    superseded_at timestamp with time zone,
    drift jsonb DEFAULT '[]'::jsonb NOT NULL,
    was_adopted boolean DEFAULT false NOT NULL,
    answered jsonb,
    CONSTRAINT postings_check CHECK (((status = ANY (ARRAY['sending'::text, 'refused'::text])) OR (target_id IS NOT NULL))),
    CONSTRAINT postings_status_check CHECK ((status = ANY (ARRAY['sending'::text, 'unconfirmed'::text, 'synced'::text, 'refused'::text, 'voided'::text, 'deleted_in_books'::text, 'superseded'::text])))
);

ALTER TABLE ONLY public.postings FORCE ROW LEVEL SECURITY;

COMMENT ON TABLE public.postings IS 'The ledger: documents that we created, or may have created, in QuickBooks. Rows are never deleted.';
COMMENT ON COLUMN public.postings.status IS 'sending: recorded, possibly sent. unconfirmed: in QuickBooks, but not shown in the PSA yet.';
COMMENT ON COLUMN public.postings.body IS 'The exact document, recorded before it was sent.';
COMMENT ON COLUMN public.postings.total IS 'Total in the currency of the document, as returned by QuickBooks; never recomputed.';
COMMENT ON COLUMN public.postings.superseded_at IS 'When “Sync it again” created a newer document of the same source.';
COMMENT ON COLUMN public.postings.drift IS 'Kinds of differences between both sides since posting; empty if they agree.';
COMMENT ON COLUMN public.postings.was_adopted IS 'Added from QuickBooks after a restore. We have no record of sending it.';

ALTER TABLE public.postings ALTER COLUMN seq ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.postings_seq_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE public.rate_limits (
    key text NOT NULL,
    slot_ms bigint DEFAULT 1 NOT NULL,
    newest bigint DEFAULT 0 NOT NULL,
    calls integer[] DEFAULT '{}'::integer[] NOT NULL,
    paused_until timestamp with time zone,
    share real,
    share_at timestamp with time zone,
    waiting text,
    waiting_ms bigint
);

COMMENT ON TABLE public.rate_limits IS 'Calls to a service, shared by all workers.';
COMMENT ON COLUMN public.rate_limits.newest IS 'Number of the latest slot: epoch milliseconds divided by slot_ms.';
COMMENT ON COLUMN public.rate_limits.calls IS 'Calls per slot, latest first.';
COMMENT ON COLUMN public.rate_limits.share IS 'Used share of the quota of the service, by all integrations together, as last reported; 1 is all of it.';
COMMENT ON COLUMN public.rate_limits.waiting IS 'Of a permit: the caller that was refused and gets the next one if it keeps asking.';
COMMENT ON COLUMN public.rate_limits.waiting_ms IS 'When that caller last asked, in epoch milliseconds.';

CREATE TABLE public.recovery_codes (
    user_id uuid NOT NULL,
    hash text NOT NULL,
    spent_at timestamp with time zone
);

ALTER TABLE ONLY public.recovery_codes FORCE ROW LEVEL SECURITY;

COMMENT ON TABLE public.recovery_codes IS 'Hashes of recovery codes, which replace the authenticator app once each.';

CREATE TABLE public.reference_data (
    tenant_id uuid NOT NULL,
    key text NOT NULL,
    value json NOT NULL,
    fetched_at timestamp with time zone NOT NULL
);

ALTER TABLE ONLY public.reference_data FORCE ROW LEVEL SECURITY;

COMMENT ON TABLE public.reference_data IS 'Cached lists of the services.';

CREATE TABLE public.second_factors (
    user_id uuid NOT NULL,
    key_id uuid NOT NULL,
    root_key_id text NOT NULL,
    wrapped_key text NOT NULL,
    secret text NOT NULL,
    begun_at timestamp with time zone NOT NULL,
    confirmed_at timestamp with time zone,
    last_step bigint DEFAULT 0 NOT NULL
);

ALTER TABLE ONLY public.second_factors FORCE ROW LEVEL SECURITY;

COMMENT ON TABLE public.second_factors IS 'Secrets of authenticator apps.';
COMMENT ON COLUMN public.second_factors.secret IS 'Encrypted with a key of the user, which is stored with it, itself encrypted with a root key that is not in the database.';
COMMENT ON COLUMN public.second_factors.confirmed_at IS 'When the first valid code was entered; before that no code is required at login.';
COMMENT ON COLUMN public.second_factors.last_step IS 'Half minute of the last used code; a code is valid once.';

CREATE TABLE public.service_pauses (
    tenant_id uuid NOT NULL,
    service text NOT NULL,
    since timestamp with time zone NOT NULL,
    last_at timestamp with time zone NOT NULL,
    next_try_at timestamp with time zone,
    code text NOT NULL,
    detail text NOT NULL,
    mailed_at timestamp with time zone
);

ALTER TABLE ONLY public.service_pauses FORCE ROW LEVEL SECURITY;

COMMENT ON TABLE public.service_pauses IS 'Services that refused the latest call of a client for a temporary reason. The next successful call deletes the row.';
COMMENT ON COLUMN public.service_pauses.next_try_at IS 'Null when the service did not say how long to wait.';
COMMENT ON COLUMN public.service_pauses.mailed_at IS 'When the email about this pause was saved.';

CREATE TABLE public.sessions (
    jti text NOT NULL,
    user_id uuid NOT NULL,
    tenant_id uuid,
    roles text[] NOT NULL,
    masquerader text,
    cookie_hash text,
    created_at timestamp with time zone NOT NULL,
    ends_at timestamp with time zone NOT NULL,
    revoked_at timestamp with time zone,
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    access_version integer DEFAULT 1 NOT NULL,
    user_agent text DEFAULT ''::text NOT NULL,
    address text DEFAULT ''::text NOT NULL,
    last_used_at timestamp with time zone NOT NULL
);

ALTER TABLE ONLY public.sessions FORCE ROW LEVEL SECURITY;

COMMENT ON TABLE public.sessions IS 'A token is valid only while its session is here, not revoked and not expired.';
COMMENT ON COLUMN public.sessions.id IS 'Public id for screens; jti never leaves token and server.';
COMMENT ON COLUMN public.sessions.user_agent IS 'Name of the browser at login, shortened.';
COMMENT ON COLUMN public.sessions.last_used_at IS 'To the minute, so that further requests in a minute write nothing.';

CREATE TABLE public.settings (
    tenant_id uuid NOT NULL,
    section text NOT NULL,
    value jsonb NOT NULL,
    saved_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT settings_section_check CHECK ((section = ANY (ARRAY['settings'::text, 'item_settings'::text])))
);

ALTER TABLE ONLY public.settings FORCE ROW LEVEL SECURITY;

COMMENT ON TABLE public.settings IS 'Saved settings; missing keys have their default.';

CREATE TABLE public.sign_in_failures (
    key text NOT NULL,
    at timestamp with time zone NOT NULL
);

COMMENT ON TABLE public.sign_in_failures IS 'Failed logins per account and address, to limit them; old rows are deleted.';

CREATE TABLE public.stalls (
    tenant_id uuid NOT NULL,
    since timestamp with time zone NOT NULL,
    last_at timestamp with time zone NOT NULL,
    failures integer NOT NULL,
    error text NOT NULL,
    mailed_at timestamp with time zone
);

ALTER TABLE ONLY public.stalls FORCE ROW LEVEL SECURITY;

COMMENT ON TABLE public.stalls IS 'Clients whose latest sessions all ended with a defect. The first session without a defect deletes the row.';
COMMENT ON COLUMN public.stalls.since IS 'When the first session of the series failed.';
COMMENT ON COLUMN public.stalls.error IS 'The latest failure, in one line, for support.';
COMMENT ON COLUMN public.stalls.mailed_at IS 'When the administrators were notified by email.';

CREATE VIEW public.standstills WITH (security_invoker='true') AS
 SELECT stalls.tenant_id,
    stalls.since,
    stalls.last_at,
    stalls.failures,
    stalls.error,
    stalls.mailed_at
   FROM public.stalls;

COMMENT ON VIEW public.standstills IS 'The table stalls, for processes of the previous release.';

CREATE TABLE public.suppressions (
    tenant_id uuid NOT NULL,
    kind text NOT NULL,
    psa_id bigint NOT NULL,
    at timestamp with time zone NOT NULL,
    reason text NOT NULL
);

ALTER TABLE ONLY public.suppressions FORCE ROW LEVEL SECURITY;

COMMENT ON TABLE public.suppressions IS 'Documents whose problem is already in the log and not marked in the PSA. Automatic syncs report it only once.';
COMMENT ON COLUMN public.suppressions.reason IS 'The logged message. When another one applies, the document is processed again.';

CREATE TABLE public.sync_states (
    tenant_id uuid NOT NULL,
    kind text NOT NULL,
    polled_at timestamp with time zone,
    synced_at timestamp with time zone,
    info text,
    fingerprint text
);

ALTER TABLE ONLY public.sync_states FORCE ROW LEVEL SECURITY;

COMMENT ON TABLE public.sync_states IS 'What the Overview shows for each kind; null if it has not happened yet.';
COMMENT ON COLUMN public.sync_states.fingerprint IS 'What the last search found when nothing was to be done. If the next search finds the same, it stops there.';

CREATE TABLE public.tenants (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    name text NOT NULL,
    status text NOT NULL,
    time_zone text NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    next_sync_at timestamp with time zone,
    registered_as text,
    consecutive_failures integer DEFAULT 0 NOT NULL,
    maintenance_at timestamp with time zone,
    requires_second_factor boolean DEFAULT false NOT NULL,
    status_reason text,
    proved_at timestamp with time zone,
    gaps_settled integer DEFAULT public.noted_gaps() NOT NULL,
    ledger_gaps_settled integer DEFAULT public.noted_gaps() NOT NULL,
    guide text DEFAULT 'new'::text NOT NULL,
    CONSTRAINT tenants_guide_check CHECK ((guide = ANY (ARRAY['new'::text, 'open'::text, 'closed'::text]))),
    CONSTRAINT tenants_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'active'::text, 'suspended'::text, 'cancelled'::text])))
);

ALTER TABLE ONLY public.tenants FORCE ROW LEVEL SECURITY;

COMMENT ON TABLE public.tenants IS 'Client organizations; called “client” in the API and on screens.';
COMMENT ON COLUMN public.tenants.time_zone IS 'IANA name of the time zone of the PSA, which decides the date of a document.';
COMMENT ON COLUMN public.tenants.next_sync_at IS 'When the schedule processes this tenant next; null for never.';
COMMENT ON COLUMN public.tenants.registered_as IS 'PSA database with which the client registered itself; null if it did not.';
COMMENT ON COLUMN public.tenants.consecutive_failures IS 'Consecutive cycles that ended because a service denied access. The next one waits longer.';
COMMENT ON COLUMN public.tenants.maintenance_at IS 'When the QuickBooks connection is maintained next: unused tokens are refreshed, disconnected ones revoked.';
COMMENT ON COLUMN public.tenants.requires_second_factor IS 'Users must set up two-step login before they can do anything else.';
COMMENT ON COLUMN public.tenants.status_reason IS 'Why a system administrator suspended or canceled the subscription.';
COMMENT ON COLUMN public.tenants.proved_at IS 'When the open months were last prepared automatically.';
COMMENT ON COLUMN public.tenants.gaps_settled IS 'The last value of deployment_clock.gaps after which all paid dates of this client were checked.';
COMMENT ON COLUMN public.tenants.ledger_gaps_settled IS 'The last value of deployment_clock.gaps after which documents missing in the ledger were searched for.';
COMMENT ON COLUMN public.tenants.guide IS 'State of the setup: new until somebody closes it or an automatic sync is on; open if somebody opened it again.';

CREATE TABLE public.users (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    username text NOT NULL,
    password_hash text NOT NULL,
    roles text[] NOT NULL,
    tenant_id uuid,
    is_active boolean DEFAULT true NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    name text DEFAULT ''::text NOT NULL,
    psa_database_id text,
    psa_resource_id bigint,
    access_version integer DEFAULT 1 NOT NULL,
    last_sign_in_at timestamp with time zone,
    receives_alerts boolean DEFAULT true NOT NULL,
    email_proved_at timestamp with time zone DEFAULT now(),
    CONSTRAINT users_check CHECK (((psa_database_id IS NULL) = (psa_resource_id IS NULL))),
    CONSTRAINT users_username_check CHECK ((username = lower(username)))
);

ALTER TABLE ONLY public.users FORCE ROW LEVEL SECURITY;

COMMENT ON TABLE public.users IS 'People who can log in; system administrators have no tenant.';
COMMENT ON COLUMN public.users.psa_database_id IS 'PSA database in which the person is a resource; used in links, not secret.';
COMMENT ON COLUMN public.users.access_version IS 'Increases with each new password and each change of roles, client or is_active. Sessions of an earlier version are invalid.';
COMMENT ON COLUMN public.users.receives_alerts IS 'The administrator receives emails about documents that need attention.';
COMMENT ON COLUMN public.users.email_proved_at IS 'When the user confirmed the address; null if a company registered with it and nobody has confirmed it.';

ALTER TABLE ONLY public.account_mails
    ADD CONSTRAINT account_mails_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.alert_states
    ADD CONSTRAINT alert_states_pkey PRIMARY KEY (tenant_id);

ALTER TABLE ONLY public.api_keys
    ADD CONSTRAINT api_keys_key_hash_key UNIQUE (key_hash);

ALTER TABLE ONLY public.api_keys
    ADD CONSTRAINT api_keys_pkey PRIMARY KEY (tenant_id, id);

ALTER TABLE ONLY public.attempts
    ADD CONSTRAINT attempts_pkey PRIMARY KEY (tenant_id, id);

ALTER TABLE ONLY public.audit_events
    ADD CONSTRAINT audit_events_pkey PRIMARY KEY (tenant_id, id);

ALTER TABLE ONLY public.binding_key
    ADD CONSTRAINT binding_key_pkey PRIMARY KEY (is_only);

ALTER TABLE ONLY public.webhook_inbox
    ADD CONSTRAINT books_changes_pkey PRIMARY KEY (tenant_id, record, target_id);

ALTER TABLE ONLY public.cdc_states
    ADD CONSTRAINT books_feeds_pkey PRIMARY KEY (tenant_id);

ALTER TABLE ONLY public.concurrency_permits
    ADD CONSTRAINT budget_places_pkey PRIMARY KEY (key, holder);

ALTER TABLE ONLY public.rate_limits
    ADD CONSTRAINT budgets_pkey PRIMARY KEY (key);

ALTER TABLE ONLY public.close_decisions
    ADD CONSTRAINT close_decisions_pkey PRIMARY KEY (tenant_id, id);

ALTER TABLE ONLY public.close_runs
    ADD CONSTRAINT close_runs_pkey PRIMARY KEY (tenant_id, month);

ALTER TABLE ONLY public.close_signatures
    ADD CONSTRAINT close_signatures_pkey PRIMARY KEY (tenant_id, id);

ALTER TABLE ONLY public.close_signatures
    ADD CONSTRAINT close_signatures_tenant_id_close_id_signed_as_key UNIQUE (tenant_id, close_id, signed_as);

ALTER TABLE ONLY public.closes
    ADD CONSTRAINT closes_pkey PRIMARY KEY (tenant_id, id);

ALTER TABLE ONLY public.connections
    ADD CONSTRAINT connections_pkey PRIMARY KEY (tenant_id, service);

ALTER TABLE ONLY public.data_keys
    ADD CONSTRAINT data_keys_pkey PRIMARY KEY (tenant_id, id);

ALTER TABLE ONLY public.deployment_clock
    ADD CONSTRAINT deployment_clock_pkey PRIMARY KEY (only_row);

ALTER TABLE ONLY public.deployment_events
    ADD CONSTRAINT deployment_events_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.drafts
    ADD CONSTRAINT drafts_pkey PRIMARY KEY (tenant_id, id);

ALTER TABLE ONLY public.found_marks
    ADD CONSTRAINT found_marks_pkey PRIMARY KEY (tenant_id, kind, psa_id);

ALTER TABLE ONLY public.invitations
    ADD CONSTRAINT invitations_pkey PRIMARY KEY (tenant_id, id);

ALTER TABLE ONLY public.invitations
    ADD CONSTRAINT invitations_tenant_id_email_key UNIQUE (tenant_id, email);

ALTER TABLE ONLY public.invitations
    ADD CONSTRAINT invitations_token_hash_key UNIQUE (token_hash);

ALTER TABLE ONLY public.job_results
    ADD CONSTRAINT job_results_pkey PRIMARY KEY (tenant_id, job_id, psa_id);

ALTER TABLE ONLY public.jobs
    ADD CONSTRAINT jobs_pkey PRIMARY KEY (tenant_id, id);

ALTER TABLE ONLY public.leases
    ADD CONSTRAINT leases_pkey PRIMARY KEY (tenant_id);

ALTER TABLE ONLY public.log_details
    ADD CONSTRAINT log_details_pkey PRIMARY KEY (tenant_id, key);

ALTER TABLE ONLY public.logs
    ADD CONSTRAINT logs_pkey PRIMARY KEY (tenant_id, key);

ALTER TABLE ONLY public.mappings
    ADD CONSTRAINT mappings_pkey PRIMARY KEY (tenant_id, id);

ALTER TABLE ONLY public.mappings
    ADD CONSTRAINT mappings_tenant_id_namespace_source_entity_source_value_key UNIQUE (tenant_id, namespace, source_entity, source_value);

ALTER TABLE ONLY public.metered_read_alerts
    ADD CONSTRAINT metered_read_alerts_pkey PRIMARY KEY (month, percent);

ALTER TABLE ONLY public.metered_reads
    ADD CONSTRAINT metered_reads_pkey PRIMARY KEY (tenant_id, month);

ALTER TABLE ONLY public.notices
    ADD CONSTRAINT notices_pkey PRIMARY KEY (tenant_id, id);

ALTER TABLE ONLY public.notices
    ADD CONSTRAINT notices_tenant_id_user_id_once_key UNIQUE (tenant_id, user_id, once);

ALTER TABLE ONLY public.outgoing_mails
    ADD CONSTRAINT outgoing_mails_pkey PRIMARY KEY (tenant_id, id);

ALTER TABLE ONLY public.payment_states
    ADD CONSTRAINT payment_states_pkey PRIMARY KEY (tenant_id, psa_id);

ALTER TABLE ONLY public.postings
    ADD CONSTRAINT postings_pkey PRIMARY KEY (tenant_id, id);

ALTER TABLE ONLY public.postings
    ADD CONSTRAINT postings_tenant_id_kind_psa_id_generation_revision_key UNIQUE (tenant_id, kind, psa_id, generation, revision);

ALTER TABLE ONLY public.recovery_codes
    ADD CONSTRAINT recovery_codes_pkey PRIMARY KEY (user_id, hash);

ALTER TABLE ONLY public.reference_data
    ADD CONSTRAINT reference_data_pkey PRIMARY KEY (tenant_id, key);

ALTER TABLE ONLY public.suppressions
    ADD CONSTRAINT remembered_skips_pkey PRIMARY KEY (tenant_id, kind, psa_id);

ALTER TABLE ONLY public.second_factors
    ADD CONSTRAINT second_factors_pkey PRIMARY KEY (user_id);

ALTER TABLE ONLY public.service_pauses
    ADD CONSTRAINT service_pauses_pkey PRIMARY KEY (tenant_id, service);

ALTER TABLE ONLY public.sessions
    ADD CONSTRAINT sessions_id_key UNIQUE (id);

ALTER TABLE ONLY public.sessions
    ADD CONSTRAINT sessions_pkey PRIMARY KEY (jti);

ALTER TABLE ONLY public.settings
    ADD CONSTRAINT settings_pkey PRIMARY KEY (tenant_id, section);

ALTER TABLE ONLY public.stalls
    ADD CONSTRAINT stalls_pkey PRIMARY KEY (tenant_id);

ALTER TABLE ONLY public.sync_states
    ADD CONSTRAINT sync_states_pkey PRIMARY KEY (tenant_id, kind);

ALTER TABLE ONLY public.tenants
    ADD CONSTRAINT tenants_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.one_time_tokens
    ADD CONSTRAINT tickets_pkey PRIMARY KEY (hash);

ALTER TABLE ONLY public.users
    ADD CONSTRAINT users_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.users
    ADD CONSTRAINT users_username_key UNIQUE (username);

CREATE INDEX account_mails_due ON public.account_mails USING btree (next_try_at) WHERE (ended_at IS NULL);
CREATE INDEX alert_states_pending ON public.alert_states USING btree (tenant_id) WHERE is_pending;
CREATE INDEX attempts_by_document ON public.attempts USING btree (tenant_id, kind, psa_id, seq DESC);
CREATE INDEX attempts_by_job ON public.attempts USING btree (tenant_id, job_id);
CREATE INDEX attempts_due ON public.attempts USING btree (tenant_id, seq) WHERE ((NOT is_ended) AND (mode = 'live'::text));

CREATE UNIQUE INDEX attempts_unfinished ON public.attempts USING btree (tenant_id, kind, psa_id) WHERE ((NOT is_ended) AND (mode = 'live'::text));

CREATE INDEX audit_newest ON public.audit_events USING btree (tenant_id, seq DESC);
CREATE INDEX close_decisions_by_month ON public.close_decisions USING btree (tenant_id, month, seq);

CREATE UNIQUE INDEX close_signatures_two_people ON public.close_signatures USING btree (tenant_id, close_id, signed_by) WHERE (NOT by_one_allowed);

CREATE INDEX closes_by_month ON public.closes USING btree (tenant_id, month, seq);
CREATE INDEX connections_by_external ON public.connections USING btree (service, external_hash) WHERE (external_hash IS NOT NULL);

CREATE UNIQUE INDEX connections_company_once ON public.connections USING btree (service, external_hash) WHERE (status = 'active'::text);

CREATE INDEX data_keys_by_root ON public.data_keys USING btree (root_key_id);
CREATE INDEX drafts_by_document ON public.drafts USING btree (tenant_id, kind, psa_id, seq);
CREATE INDEX drafts_by_job ON public.drafts USING btree (tenant_id, job_id) WHERE (job_id IS NOT NULL);

CREATE UNIQUE INDEX drafts_open ON public.drafts USING btree (tenant_id, kind, psa_id) WHERE (state = ANY (ARRAY['waiting'::text, 'approved'::text]));

CREATE INDEX drafts_waiting ON public.drafts USING btree (tenant_id, seq) WHERE (state = ANY (ARRAY['waiting'::text, 'approved'::text]));
CREATE INDEX job_results_pending ON public.job_results USING btree (tenant_id, psa_id) WHERE (outcome = 'pending'::text);
CREATE INDEX jobs_by_age ON public.jobs USING brin (finished_at);
CREATE INDEX jobs_newest ON public.jobs USING btree (tenant_id, seq DESC);

CREATE UNIQUE INDEX jobs_one_per_review ON public.jobs USING btree (tenant_id, reviews) WHERE (reviews IS NOT NULL);

CREATE INDEX jobs_open ON public.jobs USING btree (tenant_id, seq) WHERE (status = ANY (ARRAY['queued'::text, 'running'::text]));

CREATE UNIQUE INDEX jobs_same ON public.jobs USING btree (tenant_id, same_as) WHERE (status = ANY (ARRAY['queued'::text, 'running'::text]));

CREATE INDEX logs_by_age ON public.logs USING brin (at);
CREATE INDEX logs_by_document ON public.logs USING btree (tenant_id, psa_id, at DESC, seq DESC);
CREATE INDEX logs_by_filters ON public.logs USING btree (tenant_id, type, is_test, is_manual, success, at DESC, seq DESC) INCLUDE (psa_id);
CREATE INDEX logs_by_filters_and_document ON public.logs USING btree (tenant_id, type, is_test, is_manual, success, psa_id, at DESC, seq DESC);
CREATE INDEX logs_by_search ON public.logs USING gin (tenant_id, search public.gin_trgm_ops);
CREATE INDEX logs_failed ON public.logs USING btree (tenant_id, at DESC, seq DESC) WHERE ((NOT success) AND (NOT is_test));
CREATE INDEX logs_invoices_by_date ON public.logs USING btree (tenant_id, dated) WHERE (type = 'invoice'::text);
CREATE INDEX logs_newest ON public.logs USING btree (tenant_id, at DESC, seq DESC) INCLUDE (psa_id);
CREATE INDEX notices_by_age ON public.notices USING btree (at);
CREATE INDEX notices_by_user ON public.notices USING btree (user_id);
CREATE INDEX notices_newest ON public.notices USING btree (tenant_id, user_id, at DESC, id);
CREATE INDEX notices_unread ON public.notices USING btree (tenant_id, user_id) WHERE (read_at IS NULL);
CREATE INDEX one_time_tokens_by_end ON public.one_time_tokens USING btree (ends_at);
CREATE INDEX one_time_tokens_by_user ON public.one_time_tokens USING btree (user_id, purpose) WHERE (spent_at IS NULL);
CREATE INDEX outgoing_mails_due ON public.outgoing_mails USING btree (next_try_at) WHERE (ended_at IS NULL);
CREATE INDEX payment_states_due ON public.payment_states USING btree (tenant_id, psa_id) WHERE is_due;
CREATE INDEX payment_states_watched ON public.payment_states USING btree (tenant_id, seen_on) WHERE (was_paid AND (seen_on IS NOT NULL));
CREATE INDEX postings_by_kind_and_target ON public.postings USING btree (tenant_id, kind, target_id);
CREATE INDEX postings_by_target ON public.postings USING btree (tenant_id, target_type, target_id);
CREATE INDEX postings_differing ON public.postings USING btree (tenant_id, kind, psa_id) WHERE (drift ?| ARRAY['total_differs'::text, 'not_mailed'::text]);
CREATE INDEX sessions_by_cookie ON public.sessions USING btree (cookie_hash) WHERE ((revoked_at IS NULL) AND (cookie_hash IS NOT NULL));
CREATE INDEX sessions_by_end ON public.sessions USING btree (ends_at);
CREATE INDEX sessions_by_user ON public.sessions USING btree (user_id) WHERE (revoked_at IS NULL);
CREATE INDEX sign_in_failures_by_key ON public.sign_in_failures USING btree (key, at);
CREATE INDEX sign_in_failures_by_time ON public.sign_in_failures USING btree (at);
CREATE INDEX tenants_by_maintenance ON public.tenants USING btree (maintenance_at) WHERE (maintenance_at IS NOT NULL);
CREATE INDEX tenants_by_name ON public.tenants USING btree (name, id);
CREATE INDEX tenants_due ON public.tenants USING btree (next_sync_at) WHERE (status = 'active'::text);

CREATE UNIQUE INDEX tenants_registered_once ON public.tenants USING btree (registered_as) WHERE (status <> 'cancelled'::text);

CREATE INDEX tenants_to_prove ON public.tenants USING btree (proved_at NULLS FIRST) WHERE (status = 'active'::text);

CREATE UNIQUE INDEX users_by_psa ON public.users USING btree (psa_database_id, psa_resource_id);

CREATE INDEX users_by_tenant ON public.users USING btree (tenant_id, username);
CREATE INDEX webhook_inbox_due ON public.webhook_inbox USING btree (due_at, tenant_id) WHERE (due_at IS NOT NULL);

CREATE TRIGGER connections_mark_lost AFTER UPDATE ON public.connections FOR EACH ROW WHEN (((old.status = 'active'::text) AND (new.status = 'inactive'::text) AND (new.problem IS NOT NULL))) EXECUTE FUNCTION public.mark_lost_connection();

CREATE TRIGGER jobs_announce AFTER UPDATE ON public.jobs FOR EACH ROW EXECUTE FUNCTION public.announce_job();

CREATE TRIGGER log_details_mark_alert AFTER INSERT ON public.log_details FOR EACH ROW WHEN ((new.transcript ~~ '%SUBTOTAL_MISMATCH %'::text)) EXECUTE FUNCTION public.mark_alert_pending();

CREATE TRIGGER logs_mark_alert AFTER INSERT ON public.logs FOR EACH ROW WHEN (((NOT new.is_manual) AND (NOT new.is_test) AND ((NOT new.success) OR (new.message ~~ 'Payment reversed:%'::text)))) EXECUTE FUNCTION public.mark_alert_pending();

CREATE TRIGGER users_raise_access_version BEFORE UPDATE ON public.users FOR EACH ROW EXECUTE FUNCTION public.raise_access_version();

ALTER TABLE ONLY public.alert_states
    ADD CONSTRAINT alert_states_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES public.tenants(id);

ALTER TABLE ONLY public.api_keys
    ADD CONSTRAINT api_keys_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES public.tenants(id);

ALTER TABLE ONLY public.attempts
    ADD CONSTRAINT attempts_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES public.tenants(id);

ALTER TABLE ONLY public.attempts
    ADD CONSTRAINT attempts_tenant_id_job_id_fkey FOREIGN KEY (tenant_id, job_id) REFERENCES public.jobs(tenant_id, id);

ALTER TABLE ONLY public.audit_events
    ADD CONSTRAINT audit_events_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES public.tenants(id);

ALTER TABLE ONLY public.webhook_inbox
    ADD CONSTRAINT books_changes_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES public.tenants(id);

ALTER TABLE ONLY public.cdc_states
    ADD CONSTRAINT books_feeds_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES public.tenants(id);

ALTER TABLE ONLY public.close_decisions
    ADD CONSTRAINT close_decisions_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES public.tenants(id);

ALTER TABLE ONLY public.close_runs
    ADD CONSTRAINT close_runs_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES public.tenants(id);

ALTER TABLE ONLY public.close_signatures
    ADD CONSTRAINT close_signatures_tenant_id_close_id_fkey FOREIGN KEY (tenant_id, close_id) REFERENCES public.closes(tenant_id, id);

ALTER TABLE ONLY public.close_signatures
    ADD CONSTRAINT close_signatures_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES public.tenants(id);

ALTER TABLE ONLY public.closes
    ADD CONSTRAINT closes_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES public.tenants(id);

ALTER TABLE ONLY public.connections
    ADD CONSTRAINT connections_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES public.tenants(id);

ALTER TABLE ONLY public.data_keys
    ADD CONSTRAINT data_keys_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES public.tenants(id);

ALTER TABLE ONLY public.drafts
    ADD CONSTRAINT drafts_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES public.tenants(id);

ALTER TABLE ONLY public.found_marks
    ADD CONSTRAINT found_marks_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES public.tenants(id);

ALTER TABLE ONLY public.invitations
    ADD CONSTRAINT invitations_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES public.tenants(id);

ALTER TABLE ONLY public.job_results
    ADD CONSTRAINT job_results_tenant_id_job_id_fkey FOREIGN KEY (tenant_id, job_id) REFERENCES public.jobs(tenant_id, id);

ALTER TABLE ONLY public.jobs
    ADD CONSTRAINT jobs_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES public.tenants(id);

ALTER TABLE ONLY public.leases
    ADD CONSTRAINT leases_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES public.tenants(id);

ALTER TABLE ONLY public.log_details
    ADD CONSTRAINT log_details_tenant_id_key_fkey FOREIGN KEY (tenant_id, key) REFERENCES public.logs(tenant_id, key);

ALTER TABLE ONLY public.logs
    ADD CONSTRAINT logs_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES public.tenants(id);

ALTER TABLE ONLY public.mappings
    ADD CONSTRAINT mappings_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES public.tenants(id);

ALTER TABLE ONLY public.metered_reads
    ADD CONSTRAINT metered_reads_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES public.tenants(id);

ALTER TABLE ONLY public.notices
    ADD CONSTRAINT notices_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES public.tenants(id);

ALTER TABLE ONLY public.notices
    ADD CONSTRAINT notices_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.outgoing_mails
    ADD CONSTRAINT outgoing_mails_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES public.tenants(id);

ALTER TABLE ONLY public.payment_states
    ADD CONSTRAINT payment_states_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES public.tenants(id);

ALTER TABLE ONLY public.postings
    ADD CONSTRAINT postings_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES public.tenants(id);

ALTER TABLE ONLY public.recovery_codes
    ADD CONSTRAINT recovery_codes_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.second_factors(user_id) ON DELETE CASCADE;

ALTER TABLE ONLY public.reference_data
    ADD CONSTRAINT reference_data_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES public.tenants(id);

ALTER TABLE ONLY public.suppressions
    ADD CONSTRAINT remembered_skips_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES public.tenants(id);

ALTER TABLE ONLY public.second_factors
    ADD CONSTRAINT second_factors_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.service_pauses
    ADD CONSTRAINT service_pauses_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES public.tenants(id);

ALTER TABLE ONLY public.sessions
    ADD CONSTRAINT sessions_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES public.tenants(id);

ALTER TABLE ONLY public.sessions
    ADD CONSTRAINT sessions_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.settings
    ADD CONSTRAINT settings_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES public.tenants(id);

ALTER TABLE ONLY public.stalls
    ADD CONSTRAINT stalls_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES public.tenants(id);

ALTER TABLE ONLY public.sync_states
    ADD CONSTRAINT sync_states_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES public.tenants(id);

ALTER TABLE ONLY public.one_time_tokens
    ADD CONSTRAINT tickets_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES public.tenants(id);

ALTER TABLE ONLY public.one_time_tokens
    ADD CONSTRAINT tickets_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.users
    ADD CONSTRAINT users_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES public.tenants(id);

ALTER TABLE public.account_mails ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.alert_states ENABLE ROW LEVEL SECURITY;

CREATE POLICY all_tenants ON public.account_mails TO tallybridge_root USING (true) WITH CHECK (true);
CREATE POLICY all_tenants ON public.alert_states TO tallybridge_root USING (true) WITH CHECK (true);
CREATE POLICY all_tenants ON public.api_keys TO tallybridge_root USING (true) WITH CHECK (true);
CREATE POLICY all_tenants ON public.attempts TO tallybridge_root USING (true) WITH CHECK (true);
CREATE POLICY all_tenants ON public.audit_events TO tallybridge_root USING (true) WITH CHECK (true);
CREATE POLICY all_tenants ON public.cdc_states TO tallybridge_root USING (true) WITH CHECK (true);
CREATE POLICY all_tenants ON public.connections TO tallybridge_root USING (true) WITH CHECK (true);
CREATE POLICY all_tenants ON public.data_keys TO tallybridge_root USING (true) WITH CHECK (true);
CREATE POLICY all_tenants ON public.deployment_events TO tallybridge_root USING (true) WITH CHECK (true);
CREATE POLICY all_tenants ON public.found_marks TO tallybridge_root USING (true) WITH CHECK (true);
CREATE POLICY all_tenants ON public.invitations TO tallybridge_root USING (true) WITH CHECK (true);
CREATE POLICY all_tenants ON public.job_results TO tallybridge_root USING (true) WITH CHECK (true);
CREATE POLICY all_tenants ON public.jobs TO tallybridge_root USING (true) WITH CHECK (true);
CREATE POLICY all_tenants ON public.leases TO tallybridge_root USING (true) WITH CHECK (true);
CREATE POLICY all_tenants ON public.log_details TO tallybridge_root USING (true) WITH CHECK (true);
CREATE POLICY all_tenants ON public.logs TO tallybridge_root USING (true) WITH CHECK (true);
CREATE POLICY all_tenants ON public.mappings TO tallybridge_root USING (true) WITH CHECK (true);
CREATE POLICY all_tenants ON public.metered_reads TO tallybridge_root USING (true) WITH CHECK (true);
CREATE POLICY all_tenants ON public.notices TO tallybridge_root USING (true) WITH CHECK (true);
CREATE POLICY all_tenants ON public.one_time_tokens TO tallybridge_root USING (true) WITH CHECK (true);
CREATE POLICY all_tenants ON public.outgoing_mails TO tallybridge_root USING (true) WITH CHECK (true);
CREATE POLICY all_tenants ON public.payment_states TO tallybridge_root USING (true) WITH CHECK (true);
CREATE POLICY all_tenants ON public.postings TO tallybridge_root USING (true) WITH CHECK (true);
CREATE POLICY all_tenants ON public.recovery_codes TO tallybridge_root USING (true) WITH CHECK (true);
CREATE POLICY all_tenants ON public.reference_data TO tallybridge_root USING (true) WITH CHECK (true);
CREATE POLICY all_tenants ON public.second_factors TO tallybridge_root USING (true) WITH CHECK (true);
CREATE POLICY all_tenants ON public.service_pauses TO tallybridge_root USING (true) WITH CHECK (true);
CREATE POLICY all_tenants ON public.sessions TO tallybridge_root USING (true) WITH CHECK (true);
CREATE POLICY all_tenants ON public.settings TO tallybridge_root USING (true) WITH CHECK (true);
CREATE POLICY all_tenants ON public.stalls TO tallybridge_root USING (true) WITH CHECK (true);
CREATE POLICY all_tenants ON public.suppressions TO tallybridge_root USING (true) WITH CHECK (true);
CREATE POLICY all_tenants ON public.sync_states TO tallybridge_root USING (true) WITH CHECK (true);
CREATE POLICY all_tenants ON public.tenants TO tallybridge_root USING (true) WITH CHECK (true);
CREATE POLICY all_tenants ON public.users TO tallybridge_root USING (true) WITH CHECK (true);
CREATE POLICY all_tenants ON public.webhook_inbox TO tallybridge_root USING (true) WITH CHECK (true);

ALTER TABLE public.api_keys ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.attempts ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.audit_events ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.cdc_states ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.close_decisions ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.close_runs ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.close_signatures ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.closes ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.connections ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.data_keys ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.deployment_events ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.drafts ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.found_marks ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.invitations ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.job_results ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.jobs ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.leases ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.log_details ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.logs ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.mappings ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.metered_reads ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.notices ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.one_time_tokens ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.outgoing_mails ENABLE ROW LEVEL SECURITY;

CREATE POLICY own_tenant ON public.alert_states TO tallybridge_app USING ((tenant_id = ( SELECT public.current_tenant() AS current_tenant))) WITH CHECK ((tenant_id = ( SELECT public.current_tenant() AS current_tenant)));
CREATE POLICY own_tenant ON public.api_keys TO tallybridge_app USING ((tenant_id = ( SELECT public.current_tenant() AS current_tenant))) WITH CHECK ((tenant_id = ( SELECT public.current_tenant() AS current_tenant)));
CREATE POLICY own_tenant ON public.attempts TO tallybridge_app USING ((tenant_id = ( SELECT public.current_tenant() AS current_tenant))) WITH CHECK ((tenant_id = ( SELECT public.current_tenant() AS current_tenant)));
CREATE POLICY own_tenant ON public.audit_events TO tallybridge_app USING ((tenant_id = ( SELECT public.current_tenant() AS current_tenant))) WITH CHECK ((tenant_id = ( SELECT public.current_tenant() AS current_tenant)));
CREATE POLICY own_tenant ON public.cdc_states TO tallybridge_app USING ((tenant_id = ( SELECT public.current_tenant() AS current_tenant))) WITH CHECK ((tenant_id = ( SELECT public.current_tenant() AS current_tenant)));
CREATE POLICY own_tenant ON public.close_decisions TO tallybridge_app USING ((tenant_id = ( SELECT public.current_tenant() AS current_tenant))) WITH CHECK ((tenant_id = ( SELECT public.current_tenant() AS current_tenant)));
CREATE POLICY own_tenant ON public.close_runs TO tallybridge_app USING ((tenant_id = ( SELECT public.current_tenant() AS current_tenant))) WITH CHECK ((tenant_id = ( SELECT public.current_tenant() AS current_tenant)));
CREATE POLICY own_tenant ON public.close_signatures TO tallybridge_app USING ((tenant_id = ( SELECT public.current_tenant() AS current_tenant))) WITH CHECK ((tenant_id = ( SELECT public.current_tenant() AS current_tenant)));
CREATE POLICY own_tenant ON public.closes TO tallybridge_app USING ((tenant_id = ( SELECT public.current_tenant() AS current_tenant))) WITH CHECK ((tenant_id = ( SELECT public.current_tenant() AS current_tenant)));
CREATE POLICY own_tenant ON public.connections TO tallybridge_app USING ((tenant_id = ( SELECT public.current_tenant() AS current_tenant))) WITH CHECK ((tenant_id = ( SELECT public.current_tenant() AS current_tenant)));
CREATE POLICY own_tenant ON public.data_keys TO tallybridge_app USING ((tenant_id = ( SELECT public.current_tenant() AS current_tenant))) WITH CHECK ((tenant_id = ( SELECT public.current_tenant() AS current_tenant)));
CREATE POLICY own_tenant ON public.drafts TO tallybridge_app USING ((tenant_id = ( SELECT public.current_tenant() AS current_tenant))) WITH CHECK ((tenant_id = ( SELECT public.current_tenant() AS current_tenant)));
CREATE POLICY own_tenant ON public.found_marks TO tallybridge_app USING ((tenant_id = ( SELECT public.current_tenant() AS current_tenant))) WITH CHECK ((tenant_id = ( SELECT public.current_tenant() AS current_tenant)));
CREATE POLICY own_tenant ON public.invitations TO tallybridge_app USING ((tenant_id = ( SELECT public.current_tenant() AS current_tenant))) WITH CHECK ((tenant_id = ( SELECT public.current_tenant() AS current_tenant)));
CREATE POLICY own_tenant ON public.job_results TO tallybridge_app USING ((tenant_id = ( SELECT public.current_tenant() AS current_tenant))) WITH CHECK ((tenant_id = ( SELECT public.current_tenant() AS current_tenant)));
CREATE POLICY own_tenant ON public.jobs TO tallybridge_app USING ((tenant_id = ( SELECT public.current_tenant() AS current_tenant))) WITH CHECK ((tenant_id = ( SELECT public.current_tenant() AS current_tenant)));
CREATE POLICY own_tenant ON public.leases TO tallybridge_app USING ((tenant_id = ( SELECT public.current_tenant() AS current_tenant))) WITH CHECK ((tenant_id = ( SELECT public.current_tenant() AS current_tenant)));
CREATE POLICY own_tenant ON public.log_details TO tallybridge_app USING ((tenant_id = ( SELECT public.current_tenant() AS current_tenant))) WITH CHECK ((tenant_id = ( SELECT public.current_tenant() AS current_tenant)));
CREATE POLICY own_tenant ON public.logs TO tallybridge_app USING ((tenant_id = ( SELECT public.current_tenant() AS current_tenant))) WITH CHECK ((tenant_id = ( SELECT public.current_tenant() AS current_tenant)));
CREATE POLICY own_tenant ON public.mappings TO tallybridge_app USING ((tenant_id = ( SELECT public.current_tenant() AS current_tenant))) WITH CHECK ((tenant_id = ( SELECT public.current_tenant() AS current_tenant)));
CREATE POLICY own_tenant ON public.metered_reads TO tallybridge_app USING ((tenant_id = ( SELECT public.current_tenant() AS current_tenant))) WITH CHECK ((tenant_id = ( SELECT public.current_tenant() AS current_tenant)));
CREATE POLICY own_tenant ON public.notices TO tallybridge_app USING ((tenant_id = ( SELECT public.current_tenant() AS current_tenant))) WITH CHECK ((tenant_id = ( SELECT public.current_tenant() AS current_tenant)));
CREATE POLICY own_tenant ON public.one_time_tokens TO tallybridge_app USING ((tenant_id = ( SELECT public.current_tenant() AS current_tenant))) WITH CHECK ((tenant_id = ( SELECT public.current_tenant() AS current_tenant)));
CREATE POLICY own_tenant ON public.outgoing_mails TO tallybridge_app USING ((tenant_id = ( SELECT public.current_tenant() AS current_tenant))) WITH CHECK ((tenant_id = ( SELECT public.current_tenant() AS current_tenant)));
CREATE POLICY own_tenant ON public.payment_states TO tallybridge_app USING ((tenant_id = ( SELECT public.current_tenant() AS current_tenant))) WITH CHECK ((tenant_id = ( SELECT public.current_tenant() AS current_tenant)));
CREATE POLICY own_tenant ON public.postings TO tallybridge_app USING ((tenant_id = ( SELECT public.current_tenant() AS current_tenant))) WITH CHECK ((tenant_id = ( SELECT public.current_tenant() AS current_tenant)));
CREATE POLICY own_tenant ON public.reference_data TO tallybridge_app USING ((tenant_id = ( SELECT public.current_tenant() AS current_tenant))) WITH CHECK ((tenant_id = ( SELECT public.current_tenant() AS current_tenant)));
CREATE POLICY own_tenant ON public.service_pauses TO tallybridge_app USING ((tenant_id = ( SELECT public.current_tenant() AS current_tenant))) WITH CHECK ((tenant_id = ( SELECT public.current_tenant() AS current_tenant)));
CREATE POLICY own_tenant ON public.sessions TO tallybridge_app USING ((tenant_id = ( SELECT public.current_tenant() AS current_tenant))) WITH CHECK ((tenant_id = ( SELECT public.current_tenant() AS current_tenant)));
CREATE POLICY own_tenant ON public.settings TO tallybridge_app USING ((tenant_id = ( SELECT public.current_tenant() AS current_tenant))) WITH CHECK ((tenant_id = ( SELECT public.current_tenant() AS current_tenant)));
CREATE POLICY own_tenant ON public.stalls TO tallybridge_app USING ((tenant_id = ( SELECT public.current_tenant() AS current_tenant))) WITH CHECK ((tenant_id = ( SELECT public.current_tenant() AS current_tenant)));
CREATE POLICY own_tenant ON public.suppressions TO tallybridge_app USING ((tenant_id = ( SELECT public.current_tenant() AS current_tenant))) WITH CHECK ((tenant_id = ( SELECT public.current_tenant() AS current_tenant)));
CREATE POLICY own_tenant ON public.sync_states TO tallybridge_app USING ((tenant_id = ( SELECT public.current_tenant() AS current_tenant))) WITH CHECK ((tenant_id = ( SELECT public.current_tenant() AS current_tenant)));
CREATE POLICY own_tenant ON public.tenants TO tallybridge_app USING ((id = ( SELECT public.current_tenant() AS current_tenant))) WITH CHECK ((id = ( SELECT public.current_tenant() AS current_tenant)));
CREATE POLICY own_tenant ON public.users TO tallybridge_app USING ((tenant_id = ( SELECT public.current_tenant() AS current_tenant))) WITH CHECK ((tenant_id = ( SELECT public.current_tenant() AS current_tenant)));
CREATE POLICY own_tenant ON public.webhook_inbox TO tallybridge_app USING ((tenant_id = ( SELECT public.current_tenant() AS current_tenant))) WITH CHECK ((tenant_id = ( SELECT public.current_tenant() AS current_tenant)));

ALTER TABLE public.payment_states ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.postings ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.recovery_codes ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.reference_data ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.second_factors ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.service_pauses ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.sessions ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.settings ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.stalls ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.suppressions ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.sync_states ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.tenants ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.users ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.webhook_inbox ENABLE ROW LEVEL SECURITY;

CREATE POLICY purge ON public.account_mails TO tallybridge_purge USING (true) WITH CHECK (true);
CREATE POLICY purge ON public.alert_states TO tallybridge_purge USING (true) WITH CHECK (true);
CREATE POLICY purge ON public.api_keys TO tallybridge_purge USING (true) WITH CHECK (true);
CREATE POLICY purge ON public.attempts TO tallybridge_purge USING (true) WITH CHECK (true);
CREATE POLICY purge ON public.audit_events TO tallybridge_purge USING (true) WITH CHECK (true);
CREATE POLICY purge ON public.cdc_states TO tallybridge_purge USING (true) WITH CHECK (true);
CREATE POLICY purge ON public.close_decisions TO tallybridge_purge USING (true) WITH CHECK (true);
CREATE POLICY purge ON public.close_runs TO tallybridge_purge USING (true) WITH CHECK (true);
CREATE POLICY purge ON public.close_signatures TO tallybridge_purge USING (true) WITH CHECK (true);
CREATE POLICY purge ON public.closes TO tallybridge_purge USING (true) WITH CHECK (true);
CREATE POLICY purge ON public.connections TO tallybridge_purge USING (true) WITH CHECK (true);
CREATE POLICY purge ON public.data_keys TO tallybridge_purge USING (true) WITH CHECK (true);
CREATE POLICY purge ON public.deployment_events TO tallybridge_purge USING (true) WITH CHECK (true);
CREATE POLICY purge ON public.drafts TO tallybridge_purge USING (true) WITH CHECK (true);
CREATE POLICY purge ON public.found_marks TO tallybridge_purge USING (true) WITH CHECK (true);
CREATE POLICY purge ON public.invitations TO tallybridge_purge USING (true) WITH CHECK (true);
CREATE POLICY purge ON public.job_results TO tallybridge_purge USING (true) WITH CHECK (true);
CREATE POLICY purge ON public.jobs TO tallybridge_purge USING (true) WITH CHECK (true);
CREATE POLICY purge ON public.leases TO tallybridge_purge USING (true) WITH CHECK (true);
CREATE POLICY purge ON public.log_details TO tallybridge_purge USING (true) WITH CHECK (true);
CREATE POLICY purge ON public.logs TO tallybridge_purge USING (true) WITH CHECK (true);
CREATE POLICY purge ON public.mappings TO tallybridge_purge USING (true) WITH CHECK (true);
CREATE POLICY purge ON public.metered_reads TO tallybridge_purge USING (true) WITH CHECK (true);
CREATE POLICY purge ON public.notices TO tallybridge_purge USING (true) WITH CHECK (true);
CREATE POLICY purge ON public.one_time_tokens TO tallybridge_purge USING (true) WITH CHECK (true);
CREATE POLICY purge ON public.outgoing_mails TO tallybridge_purge USING (true) WITH CHECK (true);
CREATE POLICY purge ON public.payment_states TO tallybridge_purge USING (true) WITH CHECK (true);
CREATE POLICY purge ON public.postings TO tallybridge_purge USING (true) WITH CHECK (true);
CREATE POLICY purge ON public.reference_data TO tallybridge_purge USING (true) WITH CHECK (true);
CREATE POLICY purge ON public.service_pauses TO tallybridge_purge USING (true) WITH CHECK (true);
CREATE POLICY purge ON public.sessions TO tallybridge_purge USING (true) WITH CHECK (true);
CREATE POLICY purge ON public.settings TO tallybridge_purge USING (true) WITH CHECK (true);
CREATE POLICY purge ON public.stalls TO tallybridge_purge USING (true) WITH CHECK (true);
CREATE POLICY purge ON public.suppressions TO tallybridge_purge USING (true) WITH CHECK (true);
CREATE POLICY purge ON public.sync_states TO tallybridge_purge USING (true) WITH CHECK (true);
CREATE POLICY purge ON public.tenants TO tallybridge_purge USING (true) WITH CHECK (true);
CREATE POLICY purge ON public.users TO tallybridge_purge USING (true) WITH CHECK (true);
CREATE POLICY purge ON public.webhook_inbox TO tallybridge_purge USING (true) WITH CHECK (true);

GRANT USAGE ON SCHEMA public TO tallybridge_app;
GRANT USAGE ON SCHEMA public TO tallybridge_root;
GRANT USAGE ON SCHEMA public TO tallybridge_purge;

REVOKE ALL ON FUNCTION public.acquire_rate_limits(keys text[], most integer[], weights integer[], window_ms bigint[], at_ms bigint) FROM PUBLIC;
GRANT ALL ON FUNCTION public.acquire_rate_limits(keys text[], most integer[], weights integer[], window_ms bigint[], at_ms bigint) TO tallybridge_root;

REVOKE ALL ON FUNCTION public.acquire_rate_limits_and_permit(keys text[], most integer[], weights integer[], window_ms bigint[], at_ms bigint, permit_key text, permits integer, holder_name text, until_ms bigint) FROM PUBLIC;
GRANT ALL ON FUNCTION public.acquire_rate_limits_and_permit(keys text[], most integer[], weights integer[], window_ms bigint[], at_ms bigint, permit_key text, permits integer, holder_name text, until_ms bigint) TO tallybridge_root;

REVOKE ALL ON FUNCTION public.binding_mac(message text) FROM PUBLIC;
REVOKE ALL ON FUNCTION public.binding_token(tenant text) FROM PUBLIC;
REVOKE ALL ON FUNCTION public.enter_tenant(tenant uuid, proof text) FROM PUBLIC;
GRANT ALL ON FUNCTION public.enter_tenant(tenant uuid, proof text) TO tallybridge_app;

REVOKE ALL ON FUNCTION public.noted_gaps() FROM PUBLIC;
GRANT ALL ON FUNCTION public.noted_gaps() TO tallybridge_root;
GRANT ALL ON FUNCTION public.noted_gaps() TO tallybridge_app;

REVOKE ALL ON FUNCTION public.release_answered_call(permit_key text, holder_name text, keys text[], weights integer[], window_ms bigint[], after_answer_ms bigint[], counted_ms bigint, answered_ms bigint) FROM PUBLIC;
GRANT ALL ON FUNCTION public.release_answered_call(permit_key text, holder_name text, keys text[], weights integer[], window_ms bigint[], after_answer_ms bigint[], counted_ms bigint, answered_ms bigint) TO tallybridge_root;
GRANT SELECT,INSERT ON TABLE public.logs TO tallybridge_app;

do $$
begin
  grant create on schema public to tallybridge_purge;
  alter function public.search_logs(text, text[], text, boolean, boolean, boolean, timestamptz, timestamptz, integer) owner to tallybridge_purge;
  revoke create on schema public from tallybridge_purge;
exception when insufficient_privilege then
  -- Run as its caller, the function returns the same, but without the index on letters.
  alter function public.search_logs(text, text[], text, boolean, boolean, boolean, timestamptz, timestamptz, integer) security invoker;
end $$;
REVOKE ALL ON FUNCTION public.search_logs(pattern text, kinds text[], of_type text, tests boolean, manuals boolean, successes boolean, since timestamp with time zone, until timestamp with time zone, most integer) FROM PUBLIC;
GRANT ALL ON FUNCTION public.search_logs(pattern text, kinds text[], of_type text, tests boolean, manuals boolean, successes boolean, since timestamp with time zone, until timestamp with time zone, most integer) TO tallybridge_app;

REVOKE ALL ON FUNCTION public.shift_rate_window(calls integer[], by bigint, most integer) FROM PUBLIC;
GRANT ALL ON FUNCTION public.shift_rate_window(calls integer[], by bigint, most integer) TO tallybridge_root;
GRANT SELECT,INSERT,UPDATE ON TABLE public.account_mails TO tallybridge_root;
GRANT SELECT,INSERT,UPDATE ON TABLE public.alert_states TO tallybridge_app;
GRANT SELECT (tenant_id, is_pending, not_before) ON TABLE public.alert_states TO tallybridge_root;
GRANT SELECT,INSERT,DELETE ON TABLE public.api_keys TO tallybridge_app;
GRANT SELECT ON TABLE public.api_keys TO tallybridge_root;
GRANT UPDATE (last_used_at) ON TABLE public.api_keys TO tallybridge_root;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.attempts TO tallybridge_app;
GRANT SELECT (tenant_id, mode, is_ended, not_before) ON TABLE public.attempts TO tallybridge_root;
GRANT SELECT,INSERT ON TABLE public.audit_events TO tallybridge_app;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.webhook_inbox TO tallybridge_app;
GRANT SELECT (tenant_id, due_at) ON TABLE public.webhook_inbox TO tallybridge_root;
GRANT SELECT,INSERT,UPDATE ON TABLE public.cdc_states TO tallybridge_app;
GRANT SELECT,INSERT ON TABLE public.close_decisions TO tallybridge_app;
GRANT SELECT,INSERT,UPDATE ON TABLE public.close_runs TO tallybridge_app;
GRANT SELECT,INSERT ON TABLE public.close_signatures TO tallybridge_app;
GRANT SELECT,INSERT ON TABLE public.closes TO tallybridge_app;
GRANT UPDATE (left_out) ON TABLE public.closes TO tallybridge_app;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.concurrency_permits TO tallybridge_root;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.connections TO tallybridge_app;
GRANT SELECT (tenant_id, service, status, external_hash, consent_ends_at) ON TABLE public.connections TO tallybridge_root;
GRANT SELECT,INSERT ON TABLE public.data_keys TO tallybridge_app;
GRANT UPDATE (root_key_id, wrapped) ON TABLE public.data_keys TO tallybridge_app;
GRANT SELECT,UPDATE ON TABLE public.deployment_clock TO tallybridge_root;
GRANT SELECT,INSERT ON TABLE public.deployment_events TO tallybridge_root;
GRANT SELECT,INSERT,UPDATE ON TABLE public.drafts TO tallybridge_app;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.found_marks TO tallybridge_app;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.invitations TO tallybridge_app;
GRANT SELECT,DELETE ON TABLE public.invitations TO tallybridge_root;
GRANT SELECT,INSERT,UPDATE ON TABLE public.job_results TO tallybridge_app;
GRANT SELECT,INSERT,UPDATE ON TABLE public.jobs TO tallybridge_app;
GRANT SELECT (tenant_id, seq, mode, status, succeeded, failed, fence, created_at, finished_at, held) ON TABLE public.jobs TO tallybridge_root;
GRANT SELECT,INSERT,UPDATE ON TABLE public.leases TO tallybridge_app;
GRANT SELECT (tenant_id, owner, fence, ends_at) ON TABLE public.leases TO tallybridge_root;
GRANT SELECT,INSERT ON TABLE public.log_details TO tallybridge_app;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.mappings TO tallybridge_app;
GRANT SELECT,INSERT ON TABLE public.metered_read_alerts TO tallybridge_root;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.metered_reads TO tallybridge_app;
GRANT SELECT,INSERT,UPDATE ON TABLE public.metered_reads TO tallybridge_root;
GRANT SELECT,INSERT,DELETE ON TABLE public.notices TO tallybridge_app;
GRANT SELECT (tenant_id, user_id, once) ON TABLE public.notices TO tallybridge_root;
GRANT UPDATE (read_at) ON TABLE public.notices TO tallybridge_app;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.one_time_tokens TO tallybridge_root;
GRANT SELECT (purpose, user_id, tenant_id) ON TABLE public.one_time_tokens TO tallybridge_app;
GRANT SELECT(spent_at),UPDATE(spent_at) ON TABLE public.one_time_tokens TO tallybridge_app;
GRANT SELECT,INSERT ON TABLE public.outgoing_mails TO tallybridge_app;
GRANT SELECT,UPDATE ON TABLE public.outgoing_mails TO tallybridge_root;
GRANT SELECT,INSERT,UPDATE ON TABLE public.payment_states TO tallybridge_app;
GRANT SELECT,INSERT,UPDATE ON TABLE public.postings TO tallybridge_app;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.rate_limits TO tallybridge_root;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.recovery_codes TO tallybridge_root;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.reference_data TO tallybridge_app;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.second_factors TO tallybridge_root;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.service_pauses TO tallybridge_app;
GRANT SELECT ON TABLE public.service_pauses TO tallybridge_root;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.sessions TO tallybridge_root;
GRANT SELECT (user_id, tenant_id, masquerader, created_at, ends_at) ON TABLE public.sessions TO tallybridge_app;
GRANT SELECT(revoked_at),UPDATE(revoked_at) ON TABLE public.sessions TO tallybridge_app;
GRANT SELECT (id, access_version, last_used_at) ON TABLE public.sessions TO tallybridge_app;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.settings TO tallybridge_app;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.sign_in_failures TO tallybridge_root;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.stalls TO tallybridge_app;
GRANT SELECT ON TABLE public.stalls TO tallybridge_root;
GRANT SELECT (tenant_id, since, failures) ON TABLE public.stalls TO tallybridge_root;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.standstills TO tallybridge_app;
GRANT SELECT ON TABLE public.standstills TO tallybridge_root;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.suppressions TO tallybridge_app;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.sync_states TO tallybridge_app;
GRANT SELECT ON TABLE public.tenants TO tallybridge_app;
GRANT SELECT,INSERT,UPDATE ON TABLE public.tenants TO tallybridge_root;
GRANT UPDATE (status, time_zone, next_sync_at, consecutive_failures, maintenance_at, status_reason, gaps_settled, ledger_gaps_settled, guide) ON TABLE public.tenants TO tallybridge_app;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.users TO tallybridge_root;
GRANT DELETE ON TABLE public.users TO tallybridge_app;
GRANT SELECT (id, username, roles, tenant_id) ON TABLE public.users TO tallybridge_app;
GRANT SELECT(is_active),UPDATE(is_active) ON TABLE public.users TO tallybridge_app;
GRANT SELECT (created_at, name, access_version, last_sign_in_at, receives_alerts, email_proved_at) ON TABLE public.users TO tallybridge_app;

GRANT SELECT,DELETE ON TABLE public.logs TO tallybridge_purge;
GRANT SELECT,DELETE ON TABLE public.account_mails TO tallybridge_purge;
GRANT SELECT,DELETE ON TABLE public.alert_states TO tallybridge_purge;
GRANT SELECT,DELETE ON TABLE public.api_keys TO tallybridge_purge;
GRANT SELECT,DELETE ON TABLE public.attempts TO tallybridge_purge;
GRANT SELECT,DELETE ON TABLE public.audit_events TO tallybridge_purge;
GRANT SELECT,DELETE ON TABLE public.webhook_inbox TO tallybridge_purge;
GRANT SELECT,DELETE ON TABLE public.cdc_states TO tallybridge_purge;
GRANT SELECT,DELETE ON TABLE public.close_decisions TO tallybridge_purge;
GRANT SELECT,DELETE ON TABLE public.close_runs TO tallybridge_purge;
GRANT SELECT,DELETE ON TABLE public.close_signatures TO tallybridge_purge;
GRANT SELECT,DELETE ON TABLE public.closes TO tallybridge_purge;
GRANT SELECT,DELETE ON TABLE public.connections TO tallybridge_purge;
GRANT SELECT,DELETE ON TABLE public.data_keys TO tallybridge_purge;
GRANT SELECT,INSERT ON TABLE public.deployment_events TO tallybridge_purge;
GRANT SELECT,DELETE ON TABLE public.drafts TO tallybridge_purge;
GRANT SELECT,DELETE ON TABLE public.found_marks TO tallybridge_purge;
GRANT SELECT,DELETE ON TABLE public.invitations TO tallybridge_purge;
GRANT SELECT,DELETE ON TABLE public.job_results TO tallybridge_purge;
GRANT SELECT,DELETE ON TABLE public.jobs TO tallybridge_purge;
GRANT SELECT,DELETE ON TABLE public.leases TO tallybridge_purge;
GRANT SELECT,DELETE ON TABLE public.log_details TO tallybridge_purge;
GRANT SELECT,DELETE ON TABLE public.mappings TO tallybridge_purge;
GRANT SELECT,DELETE ON TABLE public.metered_reads TO tallybridge_purge;
GRANT SELECT,DELETE ON TABLE public.notices TO tallybridge_purge;
GRANT SELECT,DELETE ON TABLE public.one_time_tokens TO tallybridge_purge;
GRANT SELECT,DELETE ON TABLE public.outgoing_mails TO tallybridge_purge;
GRANT SELECT,DELETE ON TABLE public.payment_states TO tallybridge_purge;
GRANT SELECT,DELETE ON TABLE public.postings TO tallybridge_purge;
GRANT SELECT,DELETE ON TABLE public.reference_data TO tallybridge_purge;
GRANT SELECT,DELETE ON TABLE public.service_pauses TO tallybridge_purge;
GRANT SELECT,DELETE ON TABLE public.sessions TO tallybridge_purge;
GRANT SELECT,DELETE ON TABLE public.settings TO tallybridge_purge;
GRANT SELECT,DELETE ON TABLE public.stalls TO tallybridge_purge;
GRANT SELECT,DELETE ON TABLE public.suppressions TO tallybridge_purge;
GRANT SELECT,DELETE ON TABLE public.sync_states TO tallybridge_purge;
GRANT SELECT,DELETE ON TABLE public.tenants TO tallybridge_purge;
GRANT SELECT,DELETE ON TABLE public.users TO tallybridge_purge;

-- Signs the tenant of a transaction: 32 random bytes, and the two pads of HMAC-SHA-256 (RFC 2104).
do $$
declare
  key   bytea := sha256(uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()));
  inner_pad bytea := key || decode(repeat('00', 32), 'hex');
  outer_pad bytea := inner_pad;
begin
  for i in 0 .. 63 loop
    inner_pad := set_byte(inner_pad, i, get_byte(inner_pad, i) # 54);
    outer_pad := set_byte(outer_pad, i, get_byte(outer_pad, i) # 92);
  end loop;
  insert into binding_key (key, inner_pad, outer_pad) values (key, inner_pad, outer_pad);
end $$;

insert into deployment_clock (wall_ms) values (wall_clock_ms());
