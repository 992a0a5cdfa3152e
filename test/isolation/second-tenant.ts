import { Client } from 'pg';
import { month as toMonth } from '#core/reconciliation/month.ts';
import { instant } from '#core/values/dates.ts';
import type { RootStore } from '#store/root-store.ts';
import { newApi, people, type TestApi } from '#test/support/api.ts';
import { closeOf, proofOf } from '#test/support/closes.ts';
import { asOwner } from '#test/support/database.ts';
import type { IdKind } from './id-catalogue.ts';
import { unknownId } from './request.ts';

/** Two clients with the same data; a marker identifies what belongs to the second one. */
export interface TwoTenants {
  readonly api: TestApi;
  readonly ours: string;
  readonly theirs: string;
  /** The marker, included in every text of the second client. */
  readonly canary: string;
  /** For each kind of record an id of the first client, one of the second, and an unknown one. */
  readonly ids: Readonly<Record<IdKind, { readonly ours: string; readonly theirs: string; readonly unknown: string }>>;
  /** Hashes of the second client's rows, by table. */
  theirRows(): Promise<Readonly<Record<string, string>>>;
  /** Hash of what decides who may do what, and who gets data, in both clients. New sessions are not part of it. */
  access(): Promise<string>;
  /** Resets failed logins, so that the slowdown of one test does not affect the next. */
  resetLoginFailures(): Promise<void>;
  close(): Promise<void>;
}

const month = toMonth('2025-02');
const canary = 'canary-of-the-second-tenant';

/** Fills the first client by using the product, and copies its rows to the second one with different ids. */
export async function createTwoTenants(): Promise<TwoTenants> {
  const api = await newApi();
  const { world, otherTenantId: theirs } = api;
  const { app, database } = world;
  const ours = world.tenant.tenantId;
  const token = await api.signIn(people.admin);
  await api.call('GET', '/api/my/qbo?refresh=true', { token });
  await api.call('POST', '/api/my/xrefs/ItemBilling/multiple', {
    token,
    body: { xrefs: ['29', '30'].map((value) => mappingOf(value)) },
  });
  await api.call('POST', '/api/my/settings/', { token, body: { inv_max_age_days: 90 } });
  await world.sync('invoice', { mode: 'test', psaIds: [48_213] });
  await world.sync('invoice', { mode: 'live', psaIds: [48_213] });

  await world.store.addClose(closeOf(proofOf()));
  await world.saveSettings({ require_approval: true, approval_four_eyes: true });
  await world.sync('invoice', { mode: 'live', psaIds: [48_310] });
  await world.saveSettings({ require_approval: false, approval_four_eyes: false });

  await asOwner(database.url, async (client) => {
    await client.query('set session_replication_role = replica');
    for (const table of await tenantTables(client))
      if (!notCopied.has(table)) await copyRows(client, table, ours, theirs);
    await client.query(`update tenants set status = 'active', name = name || ' ${canary}' where id = $1`, [theirs]);
    await client.query(`update users set name = '${canary} Admin' where tenant_id = $1`, [theirs]);
  });
  await connectTheirs(app.store, theirs);
  const otherToken = await api.signIn(people.other);
  for (const [who, tenantId] of [
    [token, ours],
    [otherToken, theirs],
  ] as const) {
    const body = { email: 'a.guest@elsewhere.example', name: `Guest ${tenantId === theirs ? canary : ''}` };
    await api.call('POST', '/api/my/users/invitations', { token: who, body });
    const key = { name: `Report ${tenantId === theirs ? canary : ''}`, scope: 'read', days: 30 };
    await api.call('POST', '/api/my/api-keys', { token: who, body: key });
    const webhook = {
      kind: 'slack',
      name: `Chat ${tenantId === theirs ? canary : ''}`,
      address: `${world.quickbooks.url}/webhooks/slack`,
      groups: ['month_signed'],
    };
    await api.call('POST', '/api/my/webhooks', { token: who, body: webhook });
    const address = `${world.quickbooks.url}/webhooks/events/${tenantId === theirs ? canary : 'ours'}`;
    const endpoints = '/api/my/webhook-endpoints';
    const added = await api.call('POST', endpoints, { token: who, body: { address, events: ['month.signed'] } });
    const { id: endpointId } = added.data['endpoint'] as unknown as { readonly id: string };
    await api.call('POST', `${endpoints}/${endpointId}/test`, { token: who, body: {} });
    const notice = {
      kind: 'month_signed',
      by: `Ada ${tenantId === theirs ? canary : ''}`,
      month,
      as: 'preparer',
    } as const;
    await app.store.forTenant(tenantId).addNotices([{ notice, at: world.clock.now(), roles: ['clientadmin'] }]);
    const username = `a.colleague@${tenantId}.example`;
    await app.store.addUser({ username, passwordHash: '', roles: ['clientadmin'], tenantId, isActive: true });
  }

  const one = async (statement: string, tenantId: string): Promise<string> =>
    asOwner(database.url, async (client) => {
      const { rows } = await client.query<{ id: string }>(statement, [tenantId]);
      const found = rows[0];
      if (found === undefined) throw new Error(`no row for ${statement}`);
      return found.id;
    });
  const both = async (statement: string, unknown = unknownId) => ({
    ours: await one(statement, ours),
    theirs: await one(statement, theirs),
    unknown,
  });
  const ids = {
    tenants: { ours, theirs, unknown: unknownId },
    // A finished job, so that its event stream ends.
    jobs: await both(`select id from jobs where tenant_id = $1 and status = 'finished' order by seq limit 1`),
    closes: await both('select id from closes where tenant_id = $1'),
    drafts: await both('select id from drafts where tenant_id = $1 order by seq limit 1'),
    mappings: await both(
      `select id from mappings where tenant_id = $1 and namespace = 'ItemBilling' order by source_value limit 1`,
    ),
    logs: await both('select key as id from logs where tenant_id = $1 limit 1', 'invoice/1/2025-03-03T15:00:00.000Z'),
    users: await both('select id from users where tenant_id = $1 order by username limit 1'),
    sessions: await both('select id from sessions where tenant_id = $1 order by created_at limit 1'),
    invitations: await both('select id from invitations where tenant_id = $1'),
    notices: await both('select id from notices where tenant_id = $1 limit 1'),
    api_keys: await both('select id from api_keys where tenant_id = $1 limit 1'),
    chats: await both('select id from chats where tenant_id = $1 limit 1'),
    webhook_endpoints: await both('select id from webhook_endpoints where tenant_id = $1 limit 1'),
    webhook_deliveries: await both('select id from webhook_deliveries where tenant_id = $1 limit 1'),
  };
  const owner = new Client({ connectionString: database.url });
  await owner.connect();
  const fingerprint = await fingerprintStatement(owner);
  return {
    api,
    ours,
    theirs,
    canary,
    ids,
    async theirRows() {
      const { rows } = await owner.query<{ name: string; hash: string }>(fingerprint, [theirs]);
      return Object.fromEntries(rows.map(({ name, hash }) => [name, hash]));
    },
    async access() {
      const { rows } = await owner.query<{ hash: string }>(accessFingerprint);
      return rows[0]?.hash ?? '';
    },
    resetLoginFailures: async () => void (await owner.query('delete from sign_in_failures')),
    async close() {
      await owner.end();
      await api.close();
    },
  };
}

/** Every table with credentials or permissions; of each row, the columns that decide. */
const accessFingerprint = `
  select md5(string_agg(line, ',' order by line)) as hash from (
    select concat('u', id, access_version, email_proved_at) as line from users
    union all select concat('i', id, token_hash) from invitations
    union all select concat('s', jti) from sessions where revoked_at is not null
    union all select concat('k', id, scope, owner) from api_keys
    union all select concat('e', id, address, secret, events, state, owner) from webhook_endpoints
    union all select concat('t', id, address, groups, owner) from chats
    union all select concat('2', user_id, confirmed_at) from second_factors
    union all select concat('r', user_id, hash) from recovery_codes
    union all select concat('p', tenant_id, issuer, client_id, client_secret, is_required, break_glass_user_id)
      from sign_in_providers
    union all select concat('l', user_id, subject) from sign_in_links
    union all select concat('c', tenant_id, service, status) from connections
    union all select concat('m', id, status, requires_second_factor) from tenants) as access`;

const mappingOf = (value: string) => ({
  source_entity: 'BillingCode',
  source_value: value,
  source_value_label: `Labour ${value}`,
  target_entity: 'Item',
  target_value: '21',
  target_value_label: 'Our services',
});

/** Connects the second client to separate companies. */
async function connectTheirs(store: RootStore, theirs: string): Promise<void> {
  const connection = {
    status: 'active',
    name: `TwoTenants Inc. ${canary}`,
    user: `${canary}@second-tenant.example`,
    connectedAt: instant('2025-03-01T00:00:00Z'),
    problem: null,
  } as const;
  const tenant = store.forTenant(theirs);
  await tenant.saveConnection(
    { ...connection, service: 'psa', externalId: 'database-of-the-second-tenant' },
    { userName: `${canary}@second-tenant.example`, secret: canary },
  );
  await tenant.saveConnection(
    { ...connection, service: 'accounting', externalId: '9990001112223334' },
    {
      realmId: '9990001112223334',
      accessToken: canary,
      refreshToken: canary,
      accessTokenEndsAt: instant('2030-01-01T00:00:00Z'),
      refreshTokenEndsAt: instant('2030-01-01T00:00:00Z'),
    },
  );
}

/**
 * Tables that are not copied: each client has its own users and sessions, and encrypted values belong to one client.
 */
const notCopied = new Set([
  'users',
  'sessions',
  'one_time_tokens',
  'invitations',
  'api_keys',
  'chats',
  'webhook_endpoints',
  'webhook_deliveries',
  'notices',
  'data_keys',
  'connections',
]);

async function tenantTables(client: Client): Promise<readonly string[]> {
  const { rows } = await client.query<{ name: string }>(
    `select c.relname as name from pg_class c
      where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p')
        and exists (select 1 from pg_attribute a where a.attrelid = c.oid and a.attname = 'tenant_id' and not a.attisdropped)
      order by 1`,
  );
  return rows.map(({ name }) => name);
}

/** Copies the rows of one client to another with different ids and the marker in each text. */
async function copyRows(client: Client, table: string, from: string, to: string): Promise<void> {
  const { rows: columns } = await client.query<{ name: string; type: string }>(
    `select attname as name, format_type(atttypid, atttypmod) as type from pg_attribute
      where attrelid = $1::regclass and attnum > 0 and not attisdropped and attgenerated = '' and attidentity = ''`,
    [table],
  );
  const list = (write: (column: { name: string; type: string }, index: number) => string) =>
    columns.map(write).join(', ');
  const { rows } = await client.query<Record<string, string | null>>(
    `select ${list(({ name }) => `"${name}"::text`)} from ${table} where tenant_id = $1`,
    [from],
  );
  for (const row of rows)
    await client.query(
      `insert into ${table} (${list(({ name }) => `"${name}"`)}) values (${list(({ type }, index) => `$${index + 1}::${type}`)})`,
      columns.map(({ name, type }) => copyColumn(name, type, row[name] ?? null, from, to)),
    );
}

function copyColumn(name: string, type: string, text: string | null, from: string, to: string): string | null {
  if (text === null) return null;
  if (type.startsWith('json')) return JSON.stringify(copyValue(JSON.parse(text), from, to));
  if (name === 'psa_id') return String(Number(text) + shift);
  return type === 'text' || type === 'uuid' ? copyString(text, from, to) : text;
}

const shift = 900_000;

function copyValue(value: unknown, from: string, to: string): unknown {
  if (Array.isArray(value)) return value.map((one) => copyValue(one, from, to));
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, copyValue(inner, from, to)]));
  return typeof value === 'string' ? copyString(value, from, to) : value;
}

function copyString(value: string, from: string, to: string): string {
  if (value === from) return to;
  if (/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(value)) return otherId(value);
  if (/^[a-z_]+\/\d+\/20/.test(value)) return value.replace(/\d+/, (id) => String(Number(id) + shift));
  return value.includes(' ') && !/^\d{4}-/.test(value) ? `${value} ${canary}` : value;
}

/** Maps each id to the same other id, so that references stay valid. */
const otherId = (id: string): string =>
  id.replace(/^[0-9a-f]{8}/, (head) => (0xff_ff_ff_ff - Number.parseInt(head, 16)).toString(16).padStart(8, '0'));

/** Builds a statement that returns a hash of a client's rows per table. */
async function fingerprintStatement(client: Client): Promise<string> {
  const parts = (await tenantTables(client)).map(
    (table) =>
      `select '${table}' as name, md5(coalesce(string_agg(t::text, chr(10) order by t::text), '')) || count(*) as hash from ${table} t where tenant_id = $1`,
  );
  return [...parts, `select 'tenants', md5(coalesce(string_agg(t::text, ''), '')) from tenants t where id = $1`].join(
    ' union all ',
  );
}
