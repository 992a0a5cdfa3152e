import { inflateRawSync } from 'node:zlib';
import { afterAll, describe, expect, test } from 'vitest';
import { newApi, people } from '#test/support/api.ts';
import { asOwner } from '#test/support/database.ts';

const api = await newApi();
const sysadmin = await api.signIn(people.sysadmin);
afterAll(() => api.close());

const ours = () => api.world.tenant.tenantId;
const change = (id: string, status: string, reason = 'The bill is open.') =>
  api.call('PUT', `/api/clients/${id}/status`, { token: sysadmin, body: { status, reason } });

describe('the list of clients', () => {
  const states = async (query = '') => {
    const { data } = await api.call('GET', `/api/client-states${query}`, { token: sysadmin });
    return data as {
      clients: {
        id: string;
        needs_help: boolean;
        posted_by_day: number[];
        failed: number;
        last_synced_at: string | null;
      }[];
      total: number;
      needing_help: number;
    };
  };

  test('shows the syncs of each client, those that need help first', async () => {
    await api.world.sync('invoice', { mode: 'test', psaIds: [48_213] });
    const before = (await states()).clients.find(({ id }) => id === ours());
    expect(before).toMatchObject({ last_synced_at: null, failed: 0 });
    await api.world.sync('invoice', { mode: 'live', psaIds: [48_213] });
    const { clients, total, needing_help: needing } = await states();
    expect(total).toBe(clients.length);
    expect(needing).toBe(clients.filter(({ needs_help: needsHelp }) => needsHelp).length);
    const mine = clients.find(({ id }) => id === ours());
    expect(mine).toMatchObject({ status: 'active', psa: 'active', accounting: 'active', needs_help: false });
    expect(mine?.last_synced_at).toBe(api.world.clock.now());
    expect(mine?.posted_by_day).toEqual([...Array<number>(13).fill(0), 1]);
  });

  const setPsa = (status: string) =>
    asOwner(api.world.database.url, (client) =>
      client.query("update connections set status = $1 where tenant_id = $2 and service = 'psa'", [status, ours()]),
    );

  test('puts a client with a lost connection first and counts it', async () => {
    await setPsa('inactive');
    const { clients } = await states('?needs_help=true');
    expect(clients.map(({ id }) => id)).toContain(ours());
    expect((await states('?page_size=1')).clients).toMatchObject([{ needs_help: true }]);
    await setPsa('active');
    expect((await states('?q=no%20such%20client')).clients).toEqual([]);
  });
});

describe('a suspended subscription', () => {
  test('is not synced; its users can read and export but change nothing until it is reactivated', async () => {
    const admin = await api.signIn(people.admin);
    const queued = await api.call('POST', '/api/my/invoices/sync/submit', {
      token: admin,
      body: { invoice_ids: [48_213], mode: 'test', force: false },
    });
    expect(queued.status).toBe(200);
    const { data } = await change(ours(), 'suspended');
    expect(data).toMatchObject({ id: ours(), status: 'suspended', reason: 'The bill is open.' });
    expect(await api.world.app.store.dueTenants(api.world.clock.now(), 10)).toEqual([]);
    const [job] = await api.world.store.listJobs(1);
    expect(job).toMatchObject({ status: 'cancelled' });

    expect((await api.call('GET', '/api/my', { token: admin })).data).toMatchObject({ status: 'suspended' });
    const refused = await api.call('POST', '/api/my/settings/', { token: admin, body: { inv_max_age_days: 20 } });
    expect([refused.status, refused.body?.['error']]).toEqual([409, 'subscription_suspended']);
    expect((await api.call('GET', '/api/my/export', { token: admin })).status).toBe(200);
    const query = { filter: [{ field: 'isVoided', op: 'noteq', value: true }] };
    const response = await api.call('POST', '/api/my/autotask/Invoices/query', { token: admin, body: { query } });
    expect([response.status, response.body?.['error']]).toEqual([200, undefined]);
    const again = await change(ours(), 'suspended');
    expect([again.status, again.body?.['error']]).toEqual([409, 'same_status']);

    expect((await change(ours(), 'active', 'Paid.')).data).toMatchObject({ status: 'active', reason: null });
    const saved = await api.call('POST', '/api/my/settings/', { token: admin, body: { inv_max_age_days: 20 } });
    expect(saved.status).toBe(200);
    const { events } = await api.world.store.listAudit({ page: 1, pageSize: 10, text: 'subscription' });
    expect(events.map(({ action, actor }) => `${action} ${actor.username}`)).toEqual([
      'subscription.activated system',
      `subscription.reactivated ${people.sysadmin}`,
      `subscription.suspended ${people.sysadmin}`,
    ]);
  });

  test('that was never set up is pending after its reactivation', async () => {
    expect((await change(api.otherTenantId, 'cancelled')).data).toMatchObject({ status: 'cancelled' });
    expect((await change(api.otherTenantId, 'active')).data).toMatchObject({ status: 'pending' });
    expect((await change('00000000-0000-4000-8000-000000000000', 'active')).status).toBe(404);
  });
});

const reactivated = async () => {
  if ((await api.world.store.readTenant()).status !== 'active') await api.world.store.setStatus('active');
};

test('an export contains every table as JSON lines with an explanation, and no secrets', async () => {
  await reactivated();
  const admin = await api.signIn(people.admin);
  await api.world.sync('invoice', { mode: 'test', psaIds: [48_213] });
  const answer = await fetch(`${api.url}/api/my/export`, { headers: { authorization: `Bearer ${admin}` } });
  expect(answer.headers.get('content-type')).toBe('application/zip');
  expect(answer.headers.get('content-disposition')).toMatch(
    /^attachment; filename="tallybridge-northwind-it-services-[\d-]+\.zip"$/,
  );
  const files = unzip(Buffer.from(await answer.arrayBuffer()));
  const linesOf = (table: string) =>
    (files.get(`${table}.jsonl`) ?? '')
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line) as Record<string, unknown>);
  expect(files.get('README.txt')).toContain('Northwind IT Services');
  expect(linesOf('logs').map((row) => row['psa_id'])).toContain(48_213);
  expect(linesOf('log_details')).toHaveLength(linesOf('logs').length);
  expect(linesOf('users').map((row) => row['username'])).toContain(people.admin);
  expect(
    linesOf('connections')
      .map((row) => row['service'])
      .sort(),
  ).toEqual(['accounting', 'psa']);
  const whole = [...files.values()].join('\n');
  for (const secret of ['argon2id', '"credentials"', 'token_hash', 'cookie_hash', 'password_hash', people.other])
    expect(whole, secret).not.toContain(secret);
  const psa = await api.world.store.readPsaCredentials();
  expect(whole).not.toContain(psa?.secret);
});

test('an export has a safe file name for any client name', async () => {
  await reactivated();
  const rename = (name: string) =>
    asOwner(api.world.database.url, (client) =>
      client.query('update tenants set name = $1 where id = $2', [name, api.world.tenant.tenantId]),
    );
  for (const name of ['../../etc/passwd', 'a"; filename="evil.exe', 'x\r\nSet-Cookie: a=b', '公司', '.'.repeat(300)]) {
    await rename(name);
    // Exports are limited to a few per client in 15 minutes.
    await api.world.advance(901);
    const admin = await api.signIn(people.admin);
    const answer = await fetch(`${api.url}/api/my/export`, { headers: { authorization: `Bearer ${admin}` } });
    await answer.arrayBuffer();
    expect([name, answer.status, answer.headers.get('content-disposition')]).toEqual([
      name,
      200,
      expect.stringMatching(/^attachment; filename="tallybridge-[a-z0-9-]{1,100}\.zip"$/),
    ]);
  }
  await rename('Northwind IT Services');
});

test('a deleted client leaves only a record of its deletion', async () => {
  const { world } = api;
  await reactivated();
  const token = await api.signIn(people.admin);
  await world.sync('invoice', { mode: 'live', psaIds: [48_310] });
  const rowsOf = (id: string) =>
    asOwner(world.database.url, async (client) => {
      const { rows: tables } = await client.query<{ name: string }>(
        `select c.relname as name from pg_class c join pg_attribute a on a.attrelid = c.oid
          where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' and a.attname = 'tenant_id' and not a.attisdropped order by 1`,
      );
      const counts: Record<string, number> = {};
      for (const { name } of tables) {
        const { rows } = await client.query<{ count: number }>(
          `select count(*)::int as count from ${name} where tenant_id = $1`,
          [id],
        );
        counts[name] = rows[0]?.count ?? 0;
      }
      return counts;
    });
  const before = await rowsOf(ours());
  const theirs = await rowsOf(api.otherTenantId);
  expect(Object.values(before).filter((count) => count > 0).length).toBeGreaterThan(10);
  const remove = (name: string) =>
    api.call('POST', `/api/clients/${ours()}/delete`, { token: sysadmin, body: { name } });
  const wrong = await remove('Northwind');
  expect([wrong.status, wrong.body?.['error']]).toEqual([422, 'name_wrong']);
  expect(await rowsOf(ours())).toEqual(before);
  const lease = await world.store.acquireLease('a worker', 60);
  const busy = await remove('Northwind IT Services');
  expect([busy.status, busy.body?.['error']]).toEqual([409, 'busy']);
  if (lease !== null) await world.store.releaseLease(lease);

  const id = ours();
  const done = await remove(' Northwind IT Services ');
  expect(done.status).toBe(200);
  expect(done.data['rows']).toBeGreaterThan(20);
  const after = await rowsOf(id);
  expect(Object.keys(after)).toEqual(Object.keys(before));
  expect(Object.values(after).every((count) => count === 0)).toBe(true);
  expect(await rowsOf(api.otherTenantId)).toEqual(theirs);
  expect(await world.app.store.findTenant(id)).toBeNull();
  expect((await api.call('GET', '/api/my', { token })).status).toBe(401);
  const revoked = (await world.quickbooks.journal()).filter(({ path }) => path.endsWith('/tokens/revoke'));
  expect(revoked.length, 'QuickBooks access was revoked').toBeGreaterThan(0);
  expect(await world.app.store.listDeploymentEvents(1)).toMatchObject([
    { actor: people.sysadmin, action: 'tenant.deleted', subject: id },
  ]);
  expect((await remove('Northwind IT Services')).status).toBe(404);
});

/** Returns the files of a ZIP by name; supports only the parts of the format that Tallybridge writes. */
function unzip(zip: Buffer): ReadonlyMap<string, string> {
  const files = new Map<string, string>();
  const end = zip.lastIndexOf(Buffer.from('PK\x05\x06'));
  let at = zip.readUInt32LE(end + 16);
  for (let left = zip.readUInt16LE(end + 10); left > 0; left -= 1) {
    const [size, nameLength, extra, comment] = [20, 28, 30, 32].map((offset) =>
      offset === 20 ? zip.readUInt32LE(at + offset) : zip.readUInt16LE(at + offset),
    );
    const local = zip.readUInt32LE(at + 42);
    const name = zip.toString('utf8', at + 46, at + 46 + (nameLength ?? 0));
    const start = local + 30 + zip.readUInt16LE(local + 26) + zip.readUInt16LE(local + 28);
    files.set(name, inflateRawSync(zip.subarray(start, start + (size ?? 0))).toString('utf8'));
    at += 46 + (nameLength ?? 0) + (extra ?? 0) + (comment ?? 0);
  }
  return files;
}
