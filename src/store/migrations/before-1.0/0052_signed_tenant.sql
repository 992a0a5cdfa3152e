-- A transaction is bound to its tenant by a token that only the program can ask for and that counts in that transaction
-- alone: a statement that somebody manages to slip in cannot name another tenant to the wall.

create table binding_key (
  is_only   boolean primary key default true check (is_only),
  key       bytea   not null check (length(key) = 32),
  -- The key as HMAC-SHA-256 (RFC 2104) uses it: filled up to a block, and every byte changed by 0x36 or 0x5c.
  inner_pad bytea   not null check (length(inner_pad) = 64),
  outer_pad bytea   not null check (length(outer_pad) = 64)
);
comment on table binding_key is 'Signs which tenant a transaction is bound to. Readable by the owner of the tables alone.';
revoke all on binding_key from public;

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

create function binding_mac(message text) returns text
  language plpgsql stable parallel restricted security definer set search_path = pg_catalog, public, pg_temp
  as $$
declare
  signed bytea;
begin
  select sha256(k.outer_pad || sha256(k.inner_pad || convert_to(message, 'UTF8'))) into strict signed from public.binding_key k;
  return encode(signed, 'hex');
end $$;
comment on function binding_mac is 'HMAC-SHA-256 of a message under the binding key. Nobody but the owner may ask for one.';
revoke execute on function binding_mac from public;

create function binding_token(tenant text) returns text
  language plpgsql stable parallel restricted set search_path = pg_catalog, public, pg_temp
  as $$
begin
  return tenant || '.' ||
    public.binding_mac('bound|' || tenant || '|' || pg_backend_pid() || '|' || extract(epoch from transaction_timestamp()));
end $$;
comment on function binding_token is 'Names a tenant for this transaction of this connection, and is worth nothing in another.';
revoke execute on function binding_token from public;

create function enter_tenant(tenant uuid, proof text) returns boolean
  language plpgsql security definer set search_path = pg_catalog, public, pg_temp
  as $$
begin
  if proof is distinct from public.binding_mac('enter|' || tenant) then
    raise exception 'permission denied: this is no proof for the tenant' using errcode = '42501';
  end if;
  perform set_config('app.tenant', public.binding_token(tenant::text), true);
  return true;
end $$;
comment on function enter_tenant is 'Binds the transaction to a tenant, for whoever proves that they know the binding key.';
revoke execute on function enter_tenant from public;
grant execute on function enter_tenant to tallybridge_app;

create or replace function current_tenant() returns uuid
  language plpgsql stable parallel restricted security definer set search_path = pg_catalog, public, pg_temp
  as $$
declare
  bound  text := current_setting('app.tenant', true);
  tenant text := split_part(bound, '.', 1);
begin
  if coalesce(bound, '') = '' or bound is distinct from public.binding_token(tenant) then
    return null;
  end if;
  return tenant::uuid;
end $$;
comment on function current_tenant is 'The tenant that this transaction is bound to; null, and then no row is visible, when it is bound to none or by another hand than enter_tenant.';
