import { createHmac } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { decimal } from '#core/values/decimal.ts';
import { removeOld } from '#flows/alerts/remove-old.ts';
import { hashPassword } from '#flows/access/passwords.ts';
import { dispatchWebhooks, tenantsWithWebhookWork } from '#flows/webhooks/dispatch.ts';
import { newApi, password, people, type Answered, type TestApi } from '#test/support/api.ts';
import { asOwner } from '#test/support/database.ts';
import { eventually } from '#test/support/eventually.ts';
import { payInvoice } from '#test/support/pay-invoice.ts';
import { startMessages } from '#worker/messages.ts';
import { newUser } from '#test/cases/sample-records.ts';

let api: TestApi;
beforeEach(async () => {
  api = await newApi();
});
afterEach(() => api.close());

type Row = Readonly<Record<string, unknown>>;
const path = '/api/my/webhook-endpoints';
const all = [
  'document.posted',
  'document.failed',
  'document.on_hold',
  'document.waiting_for_approval',
  'document.voided',
  'document.paid',
  'document.payment_reversed',
  'month.signed',
];
const call = async (method: string, where = '', body?: unknown): Promise<Answered> =>
  api.call(method, `${path}${where}`, { token: await api.signIn(people.admin), ...(body !== undefined && { body }) });
const addressOf = (name: string) => `${api.world.quickbooks.url}/webhooks/events/${name}?token=in-the-query`;
async function add(name = 'erp', events: readonly string[] = all): Promise<{ id: string; secret: string }> {
  const { status, data } = await call('POST', '', { address: addressOf(name), events });
  expect(status).toBe(200);
  return { id: String((data['endpoint'] as Row)['id']), secret: String(data['secret']) };
}
const list = async () => (await call('GET')).data['endpoints'] as unknown as readonly Row[];
const log = async (id: string, query = '') =>
  (await call('GET', `/${id}/deliveries${query}`)).data['deliveries'] as unknown as readonly Row[];
const resend = async (delivery: Row | undefined) =>
  api.call('POST', `/api/my/webhook-deliveries/${String(delivery?.['id'])}/resend`, {
    token: await api.signIn(people.admin),
    body: {},
  });
const sandbox = async (where: string, body?: unknown): Promise<Row> => {
  const answer = await fetch(`${api.world.quickbooks.url}/__sandbox/${where}`, {
    ...(body !== undefined && {
      method: 'POST',
      body: JSON.stringify(body),
      headers: { 'content-type': 'application/json' },
    }),
  });
  return (await answer.json()) as Row;
};
interface Event {
  readonly path: string;
  readonly id: string;
  readonly timestamp: string;
  readonly signature: string;
  readonly is_verified: boolean | null;
  readonly body: string;
}
const events = async () => (await sandbox('events'))['events'] as readonly Event[];
const typesOf = async () => (await events()).map(({ body }) => (JSON.parse(body) as { type: string }).type);
const trust = (...secrets: readonly string[]) => sandbox('event-secrets', { secrets });
const answer = (event_webhooks: string) => api.world.quickbooks.behave({ event_webhooks });
/** Works like one worker. */
async function work(): Promise<number> {
  let delivered = 0;
  for (const tenantId of await tenantsWithWebhookWork(api.world.app, 10))
    delivered += await dispatchWebhooks(api.world.app, tenantId);
  return delivered;
}
const later = (seconds = 10) => api.world.advance(seconds);
const post = (...psaIds: readonly number[]) => api.world.sync('invoice', { mode: 'live', psaIds });
const rows = async (statement: string): Promise<readonly Row[]> =>
  asOwner(api.world.database.url, async (client) => (await client.query<Row>(statement)).rows);
/** Adds an endpoint and posts the first invoice of the sample data. */
async function withPosted(): Promise<{ id: string; secret: string }> {
  const added = await add();
  await later();
  await post(48_213);
  await later();
  return added;
}

describe('endpoints of a client', () => {
  test('have a secret that is shown once; secret and address are stored encrypted', async () => {
    const { id, secret } = await add('erp', ['month.signed', 'document.posted']);
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(await list()).toEqual([
      {
        id,
        address: `${new URL(api.world.quickbooks.url).host}/…/erp`,
        events: ['document.posted', 'month.signed'],
        state: 'active',
        created_by: people.admin,
        owner: { username: people.admin, is_active: true },
        created_at: api.world.clock.now(),
        delivered_at: null,
        failed_at: null,
        failing_since: null,
        old_secret_ends_at: null,
      },
    ]);
    const stored = JSON.stringify(
      await rows(
        'select to_jsonb(e)::text as row from webhook_endpoints e union all select to_jsonb(a)::text from audit_events a',
      ),
    );
    expect(stored).toContain('webhook_endpoint.added');
    expect(stored).not.toContain(secret.slice(6));
    expect(stored).not.toMatch(/in-the-query|webhooks\/events/);
  });

  test('are limited to ten, also with concurrent requests', async () => {
    const token = await api.signIn(people.admin);
    const body = { address: addressOf('erp'), events: ['month.signed'] };
    const answers = await Promise.all(Array.from({ length: 12 }, () => api.call('POST', path, { token, body })));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([
      ...Array.from({ length: 10 }, () => 200),
      409,
      409,
    ]);
    expect(answers.find(({ status }) => status === 409)?.body).toMatchObject({ error: 'too_many_webhooks' });
  });

  test('refuse an address that is not public', async () => {
    for (const address of ['http://example.com/x', 'https://10.0.0.1/x', 'https://example.com:8443/x', 'x']) {
      const refused = await call('POST', '', { address, events: ['month.signed'] });
      expect([address, refused.status, refused.body?.['error']]).toEqual([address, 422, 'validation_failed']);
    }
    expect(await list()).toEqual([]);
  });

  test('are changed and deleted with audit events, without their secrets', async () => {
    const { id, secret } = await add();
    expect((await call('PUT', `/${id}`, { events: ['document.paid'] })).data).toMatchObject({
      events: ['document.paid'],
    });
    expect((await call('PUT', `/${id}/paused`, { paused: true })).data).toMatchObject({ state: 'paused' });
    expect((await call('POST', `/${id}/test`, {})).body).toMatchObject({ error: 'endpoint_paused' });
    expect((await call('PUT', `/${id}/paused`, { paused: false })).data).toMatchObject({ state: 'active' });
    const next = String((await call('POST', `/${id}/secret`, {})).data['secret']);
    expect(next).not.toBe(secret);
    expect((await call('DELETE', `/${id}`)).status).toBe(200);
    for (const [method, where, body] of [
      ['DELETE', '', undefined],
      ['PUT', '', { events: all }],
      ['PUT', '/paused', { paused: true }],
      ['POST', '/secret', {}],
      ['POST', '/test', {}],
      ['GET', '/deliveries', undefined],
    ] as const)
      expect((await call(method, `/${id}${where}`, body)).status, where).toBe(404);
    const { events: audit } = await api.world.store.listAudit({ page: 1, pageSize: 50 });
    const own = audit.filter(({ action }) => action.startsWith('webhook_endpoint.'));
    expect(own.map(({ action }) => action.replace('webhook_endpoint.', '')).toReversed()).toEqual([
      'added',
      'changed',
      'paused',
      'resumed',
      'secret_rotated',
      'deleted',
    ]);
    expect(JSON.stringify(own)).not.toContain('whsec_');
  });

  test('belong to administrators only', async () => {
    const passwordHash = await hashPassword(password);
    const username = 'accounting@northwind-msp.example';
    const { tenantId } = api.world.tenant;
    await api.world.app.store.addUser(newUser(username, { passwordHash, roles: ['accountant'], tenantId }));
    expect((await api.call('GET', path, { token: await api.signIn(username) })).status).toBe(403);
  });
});

describe('events', () => {
  test('of posted, failed and held documents are signed and sent once to each endpoint that wants them', async () => {
    const { id, secret } = await add();
    const other = await add('failures', ['document.failed']);
    await trust(secret, other.secret);
    await later();
    await post(48_213, 48_305, 48_309);
    await later();
    await Promise.all([work(), work()]);
    await later();
    expect(await work()).toBe(0);
    const got = await events();
    expect(got.every((one) => one.is_verified === true)).toBe(true);
    const sent = got.filter(({ path: at }) => at.endsWith('/erp')).map(({ body }) => JSON.parse(body) as Row);
    expect(sent.map(({ type }) => type).toSorted()).toEqual(['document.failed', 'document.on_hold', 'document.posted']);
    const logged = (await api.world.logs()).find(({ psaId }) => psaId === 48_213);
    expect(sent.find(({ type }) => type === 'document.posted')).toEqual({
      type: 'document.posted',
      timestamp: logged?.at,
      data: {
        kind: 'invoice',
        document_type: 'Invoice',
        psa_id: 48_213,
        number: '1042',
        customer: 'Acme Dental',
        vendor: null,
        date: '2025-03-03',
        amount: '1966.25',
        currency: 'USD',
        quickbooks_type: 'Invoice',
        quickbooks_id: (await api.world.store.readPosting('invoice', 48_213))?.targetId,
        message: 'Invoice 48213 was created in QuickBooks as 1042.',
        url: `http://localhost:3000/logs?key=${encodeURIComponent(logged?.key ?? '')}`,
      },
    });
    const failures = got.filter(({ path: at }) => at.endsWith('/failures'));
    expect(failures.map(({ body }) => JSON.parse(body) as Row)).toMatchObject([
      { type: 'document.failed', data: { psa_id: 48_309, quickbooks_id: null } },
    ]);
    // Both endpoints get the same id for the same event.
    expect(got.filter((one) => one.id === failures[0]?.id)).toHaveLength(2);
    expect(new Set(got.map((one) => one.id)).size).toBe(3);
    expect(await log(id)).toHaveLength(3);
    expect(await list()).toMatchObject([{ delivered_at: expect.any(String) as string }, { state: 'active' }]);
  });

  test('are not sent for tests, skipped documents, and what was posted before the endpoint existed', async () => {
    await post(48_213);
    await later();
    await add();
    await later();
    await api.world.sync('invoice', { mode: 'test', psaIds: [48_214, 48_309] });
    await api.world.sync('expense_report', { mode: 'live', psaIds: [1210] });
    await later();
    expect(await work()).toBe(0);
    // It exists already, so this posts nothing.
    await post(48_213);
    await later();
    expect(await work()).toBe(0);
  });

  test('of purchases name the vendor', async () => {
    await add();
    await later();
    await api.world.sync('purchase_order', { mode: 'live', psaIds: [3310] });
    await later();
    await work();
    expect((await events()).map(({ body }) => JSON.parse(body) as Row)).toMatchObject([
      {
        type: 'document.posted',
        data: { kind: 'purchase_order', number: '1009', vendor: 'Ingram Supplies', customer: null, amount: '1618.40' },
      },
    ]);
  });

  test('of paid invoices name the invoice, whichever side recorded the payment', async () => {
    await api.world.saveSettings({ pay_sync_active: true, pay_grace_hours: 0 });
    await post(48_213, 48_214);
    await later();
    await add();
    const id = (await api.world.store.readPosting('invoice', 48_213))?.targetId ?? '';
    const other = (await api.world.store.readPosting('invoice', 48_214))?.targetId ?? '';
    await payInvoice(api.world, id, 1966.25);
    await api.world.autotask.put('Invoices', 48_214, { paidDate: '2025-03-03T00:00:00Z' });
    await api.world.advance(3_600);
    await api.world.cycle();
    await later();
    await work();
    const paid = (await events()).map(({ body }) => JSON.parse(body) as { type: string; data: Row });
    expect(paid.map(({ type }) => type)).toEqual(['document.paid', 'document.paid']);
    expect(paid.map(({ data }) => data).toSorted((a, b) => Number(a['psa_id']) - Number(b['psa_id']))).toMatchObject([
      { psa_id: 48_213, number: '1042', amount: '1966.25', quickbooks_type: 'Invoice', quickbooks_id: id },
      { psa_id: 48_214, number: '1043', amount: '687.50', quickbooks_type: 'Invoice', quickbooks_id: other },
    ]);
  });

  test('of a reversed payment follow the paid event', async () => {
    await api.world.saveSettings({ pay_sync_active: true });
    await post(48_213);
    await later();
    await add();
    const id = (await api.world.store.readPosting('invoice', 48_213))?.targetId ?? '';
    await payInvoice(api.world, id, 1966.25);
    const payment = (await api.world.quickbooks.list('Payment')).find(({ TotalAmt: total }) => total === 1966.25);
    await later(3_600);
    await api.world.cycle();
    await api.world.quickbooks.remove('Payment', String(payment?.['Id']));
    await later(3_600);
    await api.world.cycle();
    await later();
    await work();
    expect((await events()).map(({ body }) => JSON.parse(body) as Row)).toMatchObject([
      { type: 'document.paid', data: { psa_id: 48_213 } },
      {
        type: 'document.payment_reversed',
        data: { kind: 'payment', psa_id: 48_213, number: '1042', quickbooks_id: id },
      },
    ]);
  });

  test('of drafts, voids and failed voids name the document', async () => {
    await api.world.saveSettings({
      require_approval: true,
      approval_limit: decimal(1_000),
      void_across_months: 'void',
    });
    await add();
    await later();
    await post(48_213);
    await later();
    await work();
    const drafted = (await events()).map(({ body }) => JSON.parse(body) as Row);
    expect(drafted).toMatchObject([
      {
        type: 'document.waiting_for_approval',
        data: { kind: 'invoice', psa_id: 48_213, amount: '1966.25', quickbooks_id: null },
      },
    ]);
    expect(drafted).toMatchObject([{ data: { url: 'http://localhost:3000/approval' } }]);
    // 48312 has an open document in QuickBooks, 48313 a partly paid one.
    await api.world.sync('void', { mode: 'live', psaIds: [48_312, 48_313] });
    await later();
    await work();
    const voids = (await events()).map(({ body }) => JSON.parse(body) as { type: string; data: Row });
    expect(voids.filter(({ data }) => data['kind'] === 'void')).toMatchObject([
      { type: 'document.voided', data: { psa_id: 48_312, number: '1038', quickbooks_id: '9141' } },
      { type: 'document.failed', data: { psa_id: 48_313, number: '1039' } },
    ]);
  });

  test('of signed months name month and person', async () => {
    await add();
    await later();
    await rows(
      `with close as (
         insert into closes (tenant_id, month, prepared_at, prepared_by, sha256, is_proved, totals, proof, reports, setup)
         values ('${api.world.tenant.tenantId}', '2025-02', now(), 'ada', 'x', true, '[]', '{}', '[]', '{}') returning *)
       insert into close_signatures (tenant_id, close_id, signed_as, signed_by, signed_at, checked)
       select tenant_id, id, 'preparer', 'ada', '${api.world.clock.now()}', '{}' from close`,
    );
    await later();
    await Promise.all([work(), work()]);
    expect((await events()).map(({ body }) => JSON.parse(body) as Row)).toMatchObject([
      { type: 'month.signed', data: { month: '2025-02', signed_as: 'preparer', signed_by: 'ada' } },
    ]);
  });

  test('are saved once for each record, even if two workers read it', async () => {
    const { id } = await withPosted();
    const { store, clock } = api.world;
    const [endpoint] = await store.listWebhookEndpoints();
    if (endpoint === undefined) throw new Error('no endpoint');
    const found = await store.listNewEvents(endpoint, null, 10);
    const deliveries = found.map(({ source }) => ({
      source,
      event: 'document.posted' as const,
      subject: 'x',
      body: '{}',
    }));
    for (let worker = 0; worker < 2; worker += 1)
      await store.addWebhookDeliveries(id, deliveries, clock.now(), clock.now());
    expect(await log(id)).toHaveLength(1);
    expect(await store.listNewEvents(endpoint, null, 10)).toEqual([]);
  });

  test('are saved in parts while many wait, and each arrives once', async () => {
    const { id } = await add('erp', ['document.failed']);
    await later();
    const count = 1_001;
    const at = api.world.clock.now();
    await rows(
      `with made as (
         insert into logs (tenant_id, key, at, type, psa_id, is_test, is_manual, success, message)
         select '${api.world.tenant.tenantId}', 'invoice/' || n || '/x', '${at}', 'invoice', n, false, true, false, 'x'
           from generate_series(1, ${count}) n returning tenant_id, key)
       insert into log_details (tenant_id, key, transcript, problems) select tenant_id, key, 'x', '[]' from made`,
    );
    await later();
    const waiting = async () => (await call('GET', `/${id}/deliveries?page_size=1`)).data['total'];
    // Reads without sending.
    for (let worker = 0; worker < 2; worker += 1)
      await dispatchWebhooks(api.world.app, api.world.tenant.tenantId, AbortSignal.abort());
    expect(await waiting()).toBe(1_000);
    // Sends a few, which makes room for the last event.
    const { webhookSender } = api.world.app;
    const sent = new AbortController();
    const postWith: typeof webhookSender.postWith = (...call) => {
      sent.abort();
      return webhookSender.postWith(...call);
    };
    const few = { ...api.world.app, webhookSender: { ...webhookSender, postWith } };
    const delivered = await dispatchWebhooks(few, api.world.tenant.tenantId, sent.signal);
    expect(delivered).toBeGreaterThan(0);
    await later();
    await dispatchWebhooks(api.world.app, api.world.tenant.tenantId, AbortSignal.abort());
    expect(await waiting()).toBe(count);
    expect(new Set((await events()).map((one) => one.id)).size).toBe(delivered);
    const [saved] = await rows(
      'select count(*)::int as deliveries, count(distinct source)::int as sources from webhook_deliveries',
    );
    expect(saved).toEqual({ deliveries: count, sources: count });
  });

  test('that a late transaction commits are not lost', async () => {
    await add();
    await later();
    await post(48_213);
    // The endpoint was read while the transaction was in progress.
    await rows(`update webhook_endpoints set read_to = timestamptz '${api.world.clock.now()}' + interval '60 seconds'`);
    await later(120);
    await work();
    expect(await typesOf()).toEqual(['document.posted']);
  });
});

describe('deliveries', () => {
  test('are tried again with the same id and body after each failure, for about three days', async () => {
    const { id } = await withPosted();
    await answer('fail');
    const began = Date.parse(api.world.clock.now());
    const nextTry = async () => Date.parse(String((await log(id))[0]?.['next_try_at']));
    for (await work(); Number.isFinite(await nextTry()); await work())
      await later(((await nextTry()) - Date.parse(api.world.clock.now())) / 1_000);
    const last = Date.parse(api.world.clock.now());
    await later(2 * 86_400);
    await work();
    const got = await events();
    expect(got).toHaveLength(10);
    expect(new Set(got.map((one) => `${one.id} ${one.body}`)).size).toBe(1);
    expect((last - began) / 3_600_000).toBeGreaterThan(60);
    expect((last - began) / 3_600_000).toBeLessThan(84);
    expect(await log(id, '?failed=true')).toMatchObject([
      {
        event: 'document.posted',
        subject: 'Invoice 1042',
        status: 500,
        answer: 'The receiver has a problem.',
        attempts: 10,
        next_try_at: null,
        is_delivered: false,
      },
    ]);
    expect((await list())[0]).toMatchObject({ state: 'failing', delivered_at: null });
  });

  test('to an endpoint that fails for three days stop, and a notice says what to do', async () => {
    const { id } = await withPosted();
    await answer('fail');
    await work();
    expect((await list())[0]).toMatchObject({ state: 'active', failing_since: api.world.clock.now() });
    await api.world.advance(3 * 86_400 - 1);
    await work();
    expect((await list())[0]).toMatchObject({ state: 'active' });
    await api.world.advance(86_400);
    await work();
    expect((await list())[0]).toMatchObject({ state: 'failing' });
    const notices = await api.call('GET', '/api/my/notices', { token: await api.signIn(people.admin) });
    expect(notices.data['notices']).toMatchObject([
      { title: expect.stringContaining('/…/erp is paused') as string, path: '/webhooks' },
    ]);
    // Events continue after the endpoint is resumed.
    await post(48_214);
    await answer('accept');
    await api.world.advance(86_400);
    expect(await work()).toBe(0);
    await call('PUT', `/${id}/paused`, { paused: false });
    await work();
    expect(new Set(await typesOf())).toEqual(new Set(['document.posted']));
    expect(new Set((await events()).map((one) => one.id)).size).toBe(2);
    expect((await list())[0]).toMatchObject({ state: 'active', failing_since: null });
  });

  test('wait together while an endpoint fails, so that one attempt finds out whether it works again', async () => {
    await add();
    await later();
    await post(48_213, 48_214, 48_301, 48_303, 48_304, 48_307, 48_308, 48_310);
    await answer('fail');
    await later();
    await work();
    const first = (await events()).length;
    expect(first).toBeLessThanOrEqual(4);
    await later(30);
    expect(await work()).toBe(0);
    expect(await events()).toHaveLength(first);
    await answer('accept');
    await later(3_600);
    expect(await work()).toBe(8);
  });

  test('follow no redirect', async () => {
    const { id } = await withPosted();
    await answer('redirect');
    await work();
    expect(await events()).toHaveLength(1);
    expect(await log(id)).toMatchObject([{ status: 302, is_delivered: false }]);
  });

  test('of a worker that died before it recorded the result are sent again with the same id', async () => {
    const { id, secret } = await withPosted();
    await trust(secret);
    const store = api.world.app.store.forTenant(api.world.tenant.tenantId);
    // The first worker sends and dies: nothing is recorded.
    const dying = {
      ...api.world.app,
      store: {
        ...api.world.app.store,
        forTenant: () => ({ ...store, endWebhookAttempt: () => Promise.reject(new Error('killed')) }),
      },
    };
    await expect(dispatchWebhooks(dying, api.world.tenant.tenantId)).rejects.toThrow('killed');
    expect(await events()).toHaveLength(1);
    expect(await work()).toBe(0);
    await later(121);
    expect(await work()).toBe(1);
    const got = await events();
    expect(got.map((one) => [one.id, one.is_verified])).toEqual([
      [got[0]?.id, true],
      [got[0]?.id, true],
    ]);
    expect(got[0]?.timestamp).not.toBe(got[1]?.timestamp);
    expect(await log(id)).toMatchObject([{ is_delivered: true, status: 200, attempts: 2 }]);
    await later(200);
    expect(await work()).toBe(0);
  });

  test('are taken by one of several workers', async () => {
    await withPosted();
    const { store, clock } = api.world;
    // Saves the events without sending.
    await dispatchWebhooks(api.world.app, api.world.tenant.tenantId, AbortSignal.abort());
    const taken = await Promise.all(Array.from({ length: 8 }, () => store.takeWebhookDelivery(clock.now())));
    expect(taken.filter((one) => one !== null)).toHaveLength(1);
  });

  test('whose result comes late do not change the result of another worker', async () => {
    const { id } = await withPosted();
    const { store, clock } = api.world;
    await dispatchWebhooks(api.world.app, api.world.tenant.tenantId, AbortSignal.abort());
    const slow = await store.takeWebhookDelivery(clock.now());
    await later(121);
    const next = await store.takeWebhookDelivery(clock.now());
    if (slow === null || next === null) throw new Error('nothing is due');
    const at = clock.now();
    const result = { at, isDelivered: true, status: 200, answer: '', nextTryAt: null, waitUntil: null, pause: null };
    await store.endWebhookAttempt(slow, { ...result, isDelivered: false, status: 500 });
    expect(await log(id)).toMatchObject([{ tried_at: null, attempts: 2 }]);
    await store.endWebhookAttempt(next, result);
    await store.endWebhookAttempt(slow, { ...result, isDelivered: false, status: 500 });
    expect(await log(id)).toMatchObject([{ is_delivered: true, status: 200 }]);
  });

  test('can be sent again, with the same id', async () => {
    const { id } = await withPosted();
    await work();
    const [delivery] = await log(id);
    const resent = await resend(delivery);
    expect(resent.data).toMatchObject({ is_delivered: false, next_try_at: api.world.clock.now() });
    expect(await work()).toBe(1);
    const got = await events();
    expect(got.map((one) => one.id)).toEqual([delivery?.['webhook_id'], delivery?.['webhook_id']]);
    expect(await log(id)).toMatchObject([{ is_delivered: true, attempts: 2 }]);
    await call('PUT', `/${id}/paused`, { paused: true });
    const refused = await resend(delivery);
    expect([refused.status, refused.body?.['error']]).toEqual([409, 'endpoint_paused']);
    expect((await resend({ id })).status).toBe(404);
  });

  test('are listed in pages and removed with the logs', async () => {
    const { id } = await withPosted();
    await post(48_214);
    await later();
    await work();
    const page = await call('GET', `/${id}/deliveries?page=2&page_size=1`);
    expect(page.data).toMatchObject({
      total: 2,
      deliveries: [{ subject: expect.stringMatching(/^Invoice 104/) as string }],
    });
    await api.world.advance(14 * 31 * 86_400);
    await removeOld(api.world.app);
    expect(await log(id)).toEqual([]);
  });

  test('of a suspended client wait', async () => {
    await withPosted();
    await rows(`update tenants set status = 'suspended'`);
    expect(await tenantsWithWebhookWork(api.world.app, 10)).toEqual([]);
  });
});

test('a slow receiver of one client delays no other client', async () => {
  const { app } = api.world;
  const slow = Promise.withResolvers<undefined>();
  const postWith: typeof app.webhookSender.postWith = async (...call) => {
    if (call[0].includes('/slow')) await slow.promise;
    return app.webhookSender.postWith(...call);
  };
  const addTo = async (username: string, name: string) => {
    const token = await api.signIn(username);
    const body = { address: addressOf(name), events: ['month.signed'] };
    const { data } = await api.call('POST', path, { token, body });
    const { id } = data['endpoint'] as unknown as { readonly id: string };
    await api.call('POST', `${path}/${id}/test`, { token, body: {} });
  };
  await addTo(people.admin, 'slow');
  const worker = startMessages({ ...app, webhookSender: { ...app.webhookSender, postWith } }, 'webhooks');
  try {
    await eventually(async () =>
      expect(await rows('select 1 from webhook_deliveries where taken_at is not null')).toHaveLength(1),
    );
    await addTo(people.other, 'fast');
    await eventually(async () => expect(await events()).toHaveLength(1));
    expect((await events()).map((one) => one.path)).toEqual(['/webhooks/events/fast']);
  } finally {
    slow.resolve(undefined);
    await worker.stop();
  }
  expect((await events()).map((one) => one.path)).toEqual(['/webhooks/events/fast', '/webhooks/events/slow']);
});

test('a receiver that is gone gets no further event, and administrators are notified', async () => {
  const { id } = await withPosted();
  await answer('gone');
  await work();
  expect(await events()).toHaveLength(1);
  expect((await list())[0]).toMatchObject({ state: 'failing', delivered_at: null });
  const { notices } = (await api.call('GET', '/api/my/notices', { token: await api.signIn(people.admin) }))
    .data as unknown as { readonly notices: readonly Row[] };
  expect(notices).toMatchObject([
    {
      kind: 'webhook_paused',
      detail:
        'The receiver answered that it is gone (410). Fix the receiver, then resume the endpoint. It gets the missed events.',
    },
  ]);
  await later(86_400);
  expect(await work()).toBe(0);
  expect(await events()).toHaveLength(1);
  await answer('accept');
  await call('PUT', `/${id}/paused`, { paused: false });
  expect(await work()).toBe(1);
  expect((await list())[0]).toMatchObject({ state: 'active', failing_since: null });
});

test('a client sends a limited number of tests and deliveries again; another client is not affected', async () => {
  const { id } = await add('erp', ['month.signed']);
  const { tenantId } = api.world.tenant;
  const { app } = api.world;
  await call('POST', `/${id}/test`, {});
  await work();
  const [delivery] = await log(id);
  const use = async (counter: string, limit: number) => {
    for (let count = 0; count < limit; count += 1)
      await app.store.addFailure([`${counter} of ${tenantId}`], app.clock.now());
  };
  await use('webhook tests', 60);
  await use('webhooks sent again', 300);
  await later(11);
  const refused = [await call('POST', `/${id}/test`, {}), await resend(delivery)];
  expect(refused.map(({ status, body }) => [status, body?.['error']])).toEqual([
    [429, 'too_many_tries'],
    [429, 'too_many_tries'],
  ]);
  const token = await api.signIn(people.other);
  const body = { address: addressOf('other'), events: ['month.signed'] };
  const { endpoint } = (await api.call('POST', path, { token, body })).data as unknown as { readonly endpoint: Row };
  const other = await api.call('POST', `${path}/${String(endpoint['id'])}/test`, { token, body: {} });
  expect(other.status).toBe(200);
  await later(900);
  expect((await call('POST', `/${id}/test`, {})).status).toBe(200);
  expect((await resend(delivery)).status).toBe(200);
});

describe('a test event', () => {
  test('is queued, at most one in ten seconds, and shows its result in the log', async () => {
    const { id, secret } = await add('erp', ['month.signed']);
    await trust(secret);
    expect((await call('POST', `/${id}/test`, {})).data).toMatchObject({ event: 'test', attempts: 0, tried_at: null });
    const soon = await call('POST', `/${id}/test`, {});
    expect([soon.status, soon.body?.['error']]).toEqual([429, 'rate_limited']);
    expect(await events()).toEqual([]);
    expect(await work()).toBe(1);
    expect(await typesOf()).toEqual(['test']);
    expect(await log(id)).toMatchObject([{ event: 'test', subject: 'Test event', status: 200, is_delivered: true }]);
    await later(11);
    expect((await call('POST', `/${id}/test`, {})).status).toBe(200);
  });
});

describe('after a rotation', () => {
  test('both secrets sign for a day, then only the new one', async () => {
    const { id, secret } = await add();
    const next = String((await call('POST', `/${id}/secret`, {})).data['secret']);
    const send = async () => {
      await call('POST', `/${id}/test`, {});
      await work();
      return (await events()).at(-1);
    };
    const signatureOf = (one: Event | undefined, by: string) =>
      `v1,${createHmac('sha256', Buffer.from(by.slice(6), 'base64'))
        .update(`${one?.id}.${one?.timestamp}.${one?.body}`)
        .digest('base64')}`;
    const both = await send();
    expect(both?.signature.split(' ')).toEqual([signatureOf(both, next), signatureOf(both, secret)]);
    await later(86_401);
    const one = await send();
    expect(one?.signature).toBe(signatureOf(one, next));
  });
});
