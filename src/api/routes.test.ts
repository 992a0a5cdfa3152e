import { afterAll, describe, expect, test } from 'vitest';
import type { JsonObject } from '#core/values/json.ts';
import { newApi, people, type Answered } from '#test/support/api.ts';

const api = await newApi();
const [admin, other, sysadmin] = await Promise.all([
  api.signIn(people.admin),
  api.signIn(people.other),
  api.signIn(people.sysadmin),
]);
afterAll(() => api.close());

const get = (path: string, token = admin) => api.call('GET', path, { token });
const post = (path: string, body?: unknown, token = admin) =>
  api.call('POST', path, { token, ...(body === undefined ? {} : { body }) });

/** Returns the list at a path of a response. */
function listAt(answer: Answered, ...path: readonly string[]): readonly JsonObject[] {
  let value: unknown = answer.data;
  for (const key of path) value = (value as JsonObject)[key];
  if (!Array.isArray(value)) throw new Error(`no list at ${path.join('.')} of ${answer.text}`);
  return value as readonly JsonObject[];
}

const objectAt = (answer: Answered, key: string): JsonObject => answer.data[key] as JsonObject;

function textAt(record: JsonObject | undefined, key: string): string {
  const value = record?.[key];
  if (typeof value !== 'string') throw new Error(`no text under ${key}`);
  return value;
}

describe('the subscription', () => {
  test('returns connections, settings, validity, and status of the client', async () => {
    const { data, status } = await get('/api/my');
    expect(status).toBe(200);
    expect(data).toMatchObject({
      status: 'active',
      settings_valid: true,
      client: { id: api.world.tenant.tenantId, name: 'Northwind IT Services' },
      connections: [
        { service: 'autotask', label: 'Autotask', status: 'active' },
        { service: 'qbo', label: 'QuickBooks Online', status: 'active' },
      ],
      settings: { inv_max_age_days: 14 },
      item_settings: { labor: 'billing_code' },
      state: { last_inv_poll: null, last_inv_sync: null, last_inv_info: null },
    });
    expect(JSON.stringify(data)).not.toMatch(/secret|refreshToken|accessToken|externalId/);
  });

  test('shows when a client never connected', async () => {
    expect((await get('/api/my', other)).data).toMatchObject({
      status: 'pending',
      settings_valid: false,
      connections: [
        { service: 'autotask', status: 'inactive', name: '', user: null },
        { service: 'qbo', status: 'inactive', name: '', user: null },
      ],
    });
  });

  test('restricts the list of clients to system administrators', async () => {
    expect(listAt(await get('/api/clients', sysadmin), 'clients')).toEqual(
      expect.arrayContaining([
        { id: api.world.tenant.tenantId, name: 'Northwind IT Services' },
        { id: api.otherTenantId, name: 'Contoso MSP' },
      ]),
    );
  });

  test('returns the environment before login', async () => {
    expect((await api.call('GET', '/api/environment')).data).toMatchObject({
      environment_label: 'DEMO',
      is_demo: true,
      voids_enabled: true,
      psa: { key: 'autotask', label: 'Autotask' },
      accounting: { key: 'qbo', label: 'QuickBooks Online' },
    });
  });
});

describe('settings', () => {
  test('are returned with their configuration', async () => {
    const config = objectAt(await get('/api/my/settings/config'), 'config');
    expect(config['inv_max_age_days']).toMatchObject({
      type: 'integer',
      min: 1,
      max: 90,
      default: 14,
      available: true,
    });
    expect((config['inv_default_income_account'] as { options: unknown[] }).options.length).toBeGreaterThan(0);
    expect(Object.keys(objectAt(await get('/api/my/settings'), 'settings')).sort()).toEqual(Object.keys(config).sort());
  });

  test('are saved in part with an audit event', async () => {
    const answer = await post('/api/my/settings/', { inv_max_age_days: 30, exp_max_age_days: 45 });
    expect(answer.status).toBe(200);
    expect(objectAt(answer, 'settings')).toMatchObject({ inv_max_age_days: 30, exp_max_age_days: 45 });
    expect(listAt(await get('/api/my/audit?page_size=1'), 'events')).toMatchObject([
      {
        action: 'settings.saved',
        username: people.admin,
        masquerader: null,
        before: { inv_max_age_days: 14, exp_max_age_days: 30 },
        after: { inv_max_age_days: 30, exp_max_age_days: 45 },
      },
    ]);
  });

  test("use the account's QuickBooks name in the audit trail", async () => {
    await post('/api/my/settings/', { po_payable_account: '20' });
    const [{ after } = {}] = listAt(await get('/api/my/audit?page_size=1'), 'events') as { after?: unknown }[];
    expect(after).toEqual({ po_payable_account: { id: '20', name: 'Accounts Payable' } });
  });

  test('are found in the audit trail by action, value, and user', async () => {
    await post('/api/my/settings/', { inv_max_age_days: 61 });
    const found = async (query: string) => (await get(`/api/my/audit?page_size=5&${query}`)).data['total'];
    expect(await found('q=SETTINGS.saved')).toBeGreaterThan(0);
    expect(await found('q=61')).toBeGreaterThan(0);
    expect(await found(`person=${people.admin.slice(0, 8)}&q=inv%20max`), 'underscores are not spaces in values').toBe(
      0,
    );
    expect(await found(`person=${people.admin}&q=inv_max_age_days`)).toBeGreaterThan(0);
    expect(await found('person=stranger')).toBe(0);
    expect(await found(`q=${encodeURIComponent('%')}`)).toBe(0);
  });

  test('that are invalid are rejected with an error per field, and nothing is saved', async () => {
    const before = (await get('/api/my/settings')).text;
    const answer = await post('/api/my/settings/', {
      inv_max_age_days: 91,
      po_max_age_days: 1.5,
      exp_max_age_days: null,
      inv_default_income_account: null,
      inv_group_invoice_lines: true,
    });
    expect([answer.status, answer.body?.['error']]).toEqual([422, 'settings_invalid']);
    expect(answer.body?.['errors']).toEqual([
      { key: 'inv_max_age_days', error: 'Must be between 1 and 90 days.' },
      { key: 'inv_default_income_account', error: 'Choose an active income account.' },
      { key: 'po_max_age_days', error: 'Enter a whole number of days.' },
      { key: 'exp_max_age_days', error: 'Enter a whole number of days.' },
    ]);
    expect((await get('/api/my/settings')).text).toBe(before);
  });

  test('with an unknown key or choice are rejected completely', async () => {
    for (const body of [{ inv_unheard: 1 }, { inv_numbering_option: 'xero' }, { inv_sync_active: 'yes' }, []])
      expect((await post('/api/my/settings/', body)).body).toMatchObject({ error: 'validation_failed' });
  });

  test('cannot be changed while a service is disconnected', async () => {
    for (const path of [
      '/api/my/settings/',
      '/api/my/settings/reset',
      '/api/my/item-settings/',
      '/api/my/item-settings/reset',
    ]) {
      const answer = await post(path, path.endsWith('reset') ? undefined : {}, other);
      expect([path, answer.status]).toEqual([path, 422]);
      expect(answer.body?.['message']).toBe(
        'You must be connected to both Autotask and QuickBooks Online to modify settings.',
      );
    }
  });

  test('set the sync start date when a kind is first turned on', async () => {
    const answer = await post('/api/my/settings/', { inv_sync_active: true });
    expect(objectAt(answer, 'settings')).toMatchObject({ sync_start_date: '2025-03-03' });
  });

  test('are reset to their defaults and must be completed again', async () => {
    const answer = await post('/api/my/settings/reset');
    expect(objectAt(answer, 'settings')).toMatchObject({ inv_max_age_days: 14, inv_default_income_account: null });
    expect((await get('/api/my')).data).toMatchObject({ settings_valid: false });
    await post('/api/my/settings/', { inv_default_income_account: '2' });
    expect((await get('/api/my')).data).toMatchObject({ settings_valid: true, status: 'active' });
  });

  test('for item names are read, saved, and reset the same way', async () => {
    expect(objectAt(await get('/api/my/item-settings/config'), 'config')['labor']).toMatchObject({ type: 'choice' });
    expect(objectAt(await post('/api/my/item-settings/', { labor: 'role' }), 'item_settings')).toMatchObject({
      labor: 'role',
    });
    expect(objectAt(await get('/api/my/item-settings'), 'item_settings')).toMatchObject({ labor: 'role' });
    expect((await post('/api/my/item-settings/', { labor: 'product' })).status).toBe(400);
    expect(objectAt(await post('/api/my/item-settings/reset'), 'item_settings')).toMatchObject({
      labor: 'billing_code',
    });
  });
});

describe('QuickBooks lists', () => {
  test("use QuickBooks' field names", async () => {
    const all = (await get('/api/my/qbo')).data;
    expect(Object.keys(all).sort()).toEqual(['accounts', 'classes', 'companyinfo', 'preferences']);
    const [account] = listAt(await get('/api/my/qbo/accounts'), 'accounts');
    expect(Object.keys(account ?? {})).toEqual(
      expect.arrayContaining(['Id', 'FullyQualifiedName', 'Classification', 'AccountSubType']),
    );
    expect(objectAt(await get('/api/my/qbo/preferences'), 'preferences')).toHaveProperty('SalesFormsPrefs');
    expect(objectAt(await get('/api/my/qbo/companyinfo'), 'companyinfo')).toHaveProperty('CompanyName');
    expect(listAt(await get('/api/my/qbo/classes'), 'classes').length).toBeGreaterThan(0);
  });

  test('are cached until a user refreshes them', async () => {
    const nameOf = async (query: string) =>
      listAt(await get(`/api/my/qbo/accounts${query}`), 'accounts').find((one) => one['Id'] === '2')?.['Name'];
    const before = await nameOf('');
    await api.world.quickbooks.put('Account', '2', { Name: 'Renamed income' });
    expect(await nameOf('')).toBe(before);
    expect(await nameOf('?refresh=true')).toBe('Renamed income');
    expect(await nameOf('')).toBe('Renamed income');
  });

  test('find customers, vendors, and items for any search text', async () => {
    const [customer] = listAt(await get('/api/my/qbo/customers?as_options=true&DisplayName=Acme'), 'options');
    expect(customer).toEqual({ value: expect.stringMatching(/^\d+$/), text: expect.stringContaining('Acme') });
    expect(listAt(await get('/api/my/qbo/vendors?as_options=true&DisplayName='), 'options').length).toBeGreaterThan(0);
    const [item] = listAt(await get('/api/my/qbo/items?attributes=Id|Name&Name=e'), 'items');
    expect(Object.keys(item ?? {}).sort()).toEqual(['Id', 'Name']);
    for (const text of ["O'Neil", "' OR '1'='1", '\\', '%', '"', '💶'])
      expect([text, (await get(`/api/my/qbo/customers?DisplayName=${encodeURIComponent(text)}`)).status]).toEqual([
        text,
        200,
      ]);
    expect((await get('/api/my/qbo/items?attributes=Id|Secret')).status).toBe(400);
  });

  test('explain what to do when QuickBooks is disconnected', async () => {
    for (const path of ['/api/my/qbo', '/api/my/qbo/accounts', '/api/my/qbo/customers', '/api/my/autotask/modules']) {
      const answer = await get(path, other);
      expect([path, answer.status, answer.body?.['error']]).toEqual([path, 409, 'not_connected']);
      expect(answer.body?.['message']).toContain('Open Connections');
    }
  });
});

describe('the PSA', () => {
  const query = (entity: string, body: unknown) => post(`/api/my/autotask/${entity}/query`, { query: body });

  test('returns query results with its own field names', async () => {
    const answer = await query('Companies', {
      filter: [
        { field: 'companyType', op: 'eq', value: 1 },
        { field: 'isActive', op: 'eq', value: 1 },
      ],
      includeFields: ['id', 'companyName'],
      MaxRecords: 2,
    });
    const items = listAt(answer, 'response', 'items');
    expect(items.length).toBeGreaterThan(0);
    expect(items.length).toBeLessThanOrEqual(2);
    expect(items[0]).toHaveProperty('companyName');
    const count = await post('/api/my/autotask/Companies/count', {
      query: { filter: [{ field: 'companyType', op: 'eq', value: 1 }] },
    });
    expect((objectAt(count, 'response') as { queryCount: number }).queryCount).toBeGreaterThanOrEqual(items.length);
  });

  test('rejects entities and fields that are not allowed', async () => {
    const filter = [{ field: 'id', op: 'eq', value: 1 }];
    for (const entity of ['Resources', 'Contacts', 'companies', '..%2fCompanies'])
      expect([entity, (await query(entity, { filter })).status]).toEqual([entity, 404]);
    const bad = {
      'an unknown operator': { filter: [{ field: 'id', op: 'regex', value: 1 }] },
      'an unknown field': { filter: [{ field: 'unheard', op: 'eq', value: 1 }] },
      'no filter': { filter: [] },
      'too many records': { filter, MaxRecords: 501 },
      'an unknown key': { filter, OrFilter: [] },
    };
    for (const [what, body] of Object.entries(bad))
      expect([what, (await query('Companies', body)).status]).toEqual([what, 400]);
  });

  test('returns fields, lines of business, and modules', async () => {
    const fields = listAt(await post('/api/my/autotask/ExpenseItems/fieldInfo'), 'response', 'fields');
    expect(fields.find((field) => field['name'] === 'expenseCategory')).toHaveProperty('picklistValues');
    expect((await post('/api/my/autotask/Companies/fieldInfo')).status).toBe(404);
    const [line] = listAt(await get('/api/my/autotask/lines-of-business'), 'lines_of_business');
    expect(line).toEqual({ id: expect.any(Number), fullyQualifiedName: expect.any(String) });
    expect(objectAt(await get('/api/my/autotask/modules'), 'modules')).toEqual({
      procurement: expect.any(Boolean),
      multi_currency: expect.any(Boolean),
    });
  });
});

describe('a sync', () => {
  test('is submitted, followed, canceled, and shown in the log', async () => {
    const answer = await post('/api/my/invoices/sync/submit/all', { mode: 'test' });
    const job = objectAt(answer, 'job');
    expect(job).toMatchObject({
      type: 'invoice',
      trigger: 'manual',
      mode: 'test',
      force: false,
      status: 'queued',
      total: null,
      done: 0,
      submitted_by: people.admin,
      results: [],
    });
    expect(answer.data['message']).toBe('All eligible invoices queued for a test sync.');

    const events = await fetch(`${api.url}/api/my/jobs/${textAt(job, 'id')}/events`, {
      headers: { authorization: `Bearer ${admin}` },
    });
    expect(events.headers.get('content-type')).toContain('text/event-stream');
    expect(events.headers.get('x-request-id')).not.toBeNull();
    expect(events.headers.get('content-security-policy')).not.toBeNull();
    const [stream] = await Promise.all([events.text(), api.world.work()]);
    const received = stream
      .split('\n\n')
      .filter((event) => event.startsWith('event:'))
      .map(
        (event) =>
          [/^event: (\w+)/.exec(event)?.[1], JSON.parse(/^data: (.*)$/m.exec(event)?.[1] ?? '') as JsonObject] as const,
      );
    expect(received.at(-1)?.[0]).toBe('finished');
    expect(received.slice(0, -1).every(([name]) => name === 'progress')).toBe(true);

    const after = objectAt(await get(`/api/my/jobs/${textAt(job, 'id')}`), 'job');
    expect(received.at(-1)?.[1]).toEqual(after);
    expect(after).toMatchObject({ status: 'finished' });
    expect(after['done']).toBe(after['total']);
    // Skipped documents are done before planned ones.
    const results = after['results'] as unknown as readonly JsonObject[];
    expect(results.find(({ entityid }) => entityid === 48_213)).toEqual({
      entityid: 48_213,
      awaits_approval: false,
      outcome: expect.stringMatching(/succeeded|failed|skipped/),
      message: expect.any(String),
      log_key: expect.stringMatching(/^invoice\/\d+\//),
      what: 'Invoice',
      number: null,
      party: 'Acme Dental',
      amount: '1966.25',
      currency: 'USD',
      date: '2025-03-03',
    });
    expect(listAt(await get('/api/my/jobs'), 'jobs')[0], 'the list omits the results').toEqual({
      ...after,
      results: [],
    });

    const logs = await get(`/api/my/logs?type=invoice&mode=test&manual=true&page_size=2&sort=-entityid`);
    expect(listAt(logs, 'logs')).toHaveLength(2);
    expect(Number(logs.data['total'])).toBe(after['total']);
    const [head] = listAt(logs, 'logs');
    expect(head).toEqual({
      Key: expect.any(String),
      LastModified: expect.stringMatching(/Z$/),
      type: 'invoice',
      entityid: expect.any(Number),
      test: true,
      manual: true,
      success: expect.any(Boolean),
      what: expect.stringMatching(/Invoice|Credit memo/),
      number: null,
      party: expect.any(String),
      amount: expect.stringMatching(/^-?\d/),
      currency: expect.stringMatching(/^[A-Z]{3}$/),
      date: expect.stringMatching(/^\d{4}-\d\d-\d\d$/),
      awaits_approval: false,
      on_hold: false,
      message: expect.stringMatching(/^Invoice /),
    });
    const log = objectAt(await get(`/api/my/logs?key=${encodeURIComponent(textAt(head, 'Key'))}`), 'log');
    expect(log).toMatchObject({ ...head, transcript: expect.stringContaining('RESULT') });
    expect(log['raw']).toMatchObject({ entityid: head?.['entityid'] });
    // A planned document has no QuickBooks page yet.
    expect(log['pages']).toEqual({
      psa: `${api.world.autotask.url}/__sandbox?entity=Invoices&id=${String(head?.['entityid'])}`,
      accounting: null,
    });

    const [event] = listAt(await get('/api/my/audit?page_size=1'), 'events');
    expect(event).toMatchObject({ action: 'job.submitted', subject: job['id'], username: people.admin });
  });

  test("filters the log by dates in the PSA's time zone, inclusive", async () => {
    const total = async (query: string) => Number((await get(`/api/my/logs?${query}`)).data['total']);
    const all = await total('');
    expect(all).toBeGreaterThan(0);
    expect(await total('after=2025-03-03&before=2025-03-03')).toBe(all);
    expect(await total('after=2025-03-04')).toBe(0);
    expect(await total('before=2025-03-02')).toBe(0);
    expect(await total('before=2025-03-03T14:00:00Z')).toBe(0);
    expect(await total('mode=live')).toBe(0);
    expect(await total('q=no-such-text')).toBe(0);
  });

  test('shows selected documents, and a canceled job syncs none of them', async () => {
    const answer = await post('/api/my/invoices/sync/submit', {
      subscription_id: api.world.tenant.tenantId,
      invoice_ids: [48_213, 48_214, 48_213],
      log_level: 'info',
      mode: 'live',
    });
    expect(answer.body?.['message']).toBe('2 invoices queued for a live sync.');
    const id = textAt(objectAt(answer, 'job'), 'id');
    const cancelled = objectAt(await post(`/api/my/jobs/${id}/cancel`), 'job');
    expect(cancelled['cancel_requested'] === true || cancelled['status'] === 'cancelled').toBe(true);
    await api.world.work();
    expect(objectAt(await get(`/api/my/jobs/${id}`), 'job')).toMatchObject({ status: 'cancelled', done: 0 });
    expect(
      (await api.world.quickbooks.journal()).some(
        (entry) => entry.method === 'POST' && entry.path.endsWith('/invoice'),
      ),
    ).toBe(false);
  });

  test.each([
    ['invoices', 'invoice_ids'],
    ['purchase-orders', 'po_ids'],
    ['expense-reports', 'expense_report_ids'],
    ['payments', 'invoice_ids'],
    ['differences', 'invoice_ids'],
  ])('of %s accepts up to 10,000 selected IDs', async (segment, key) => {
    const path = `/api/my/${segment}/sync/submit`;
    const ids = (count: number) => Array.from({ length: count }, (_, n) => Number.MAX_SAFE_INTEGER - n);
    const answer = await post(path, { mode: 'test', [key]: ids(10_000) });
    expect(answer.body?.['message']).toMatch(/^10,?000 .+ queued for a test sync\.$/);
    await post(`/api/my/jobs/${textAt(objectAt(answer, 'job'), 'id')}/cancel`);
    expect((await post(path, { mode: 'test', [key]: ids(10_001) })).status).toBe(400);
  });

  test('explains why it cannot start', async () => {
    const answer = await post('/api/my/invoices/sync/submit/all', {}, other);
    expect([answer.status, answer.body?.['error']]).toEqual([409, 'not_connected']);
    await api.world.saveSettings({ inv_default_income_account: null });
    const invalid = await post('/api/my/invoices/sync/submit/all', {});
    expect([invalid.status, invalid.body?.['error']]).toEqual([409, 'settings_invalid']);
    await api.world.saveSettings({ inv_default_income_account: '2' });
  });

  test.each([
    ['purchase-orders', 'purchase order', 'purchase_order', { po_ids: [3_310] }],
    ['expense-reports', 'expense report', 'expense_report', { expense_report_ids: [1_209] }],
  ])('of %s is queued like one of invoices', async (segment, noun, type, ids) => {
    const body = { mode: 'test', ...ids };
    const chosen = await post(`/api/my/${segment}/sync/submit`, body);
    expect(chosen.body?.['message']).toBe(`1 ${noun} queued for a test sync.`);
    expect(objectAt(chosen, 'job')).toMatchObject({ type, mode: 'test' });
    const all = await post(`/api/my/${segment}/sync/submit/all`, { mode: 'test' });
    expect(all.body?.['message']).toBe(`All eligible ${noun}s queued for a test sync.`);
    expect((await post(`/api/my/${segment}/sync/submit`, { ...body, invoice_ids: [1] })).status).toBe(400);
    await api.world.work();
    const id = textAt(objectAt(chosen, 'job'), 'id');
    expect(objectAt(await get(`/api/my/jobs/${id}`), 'job')).toMatchObject({ status: 'finished', done: 1 });
  });

  test('of an unsupported kind does not exist', async () => {
    for (const kind of ['deposits', 'qbo'])
      expect((await post(`/api/my/${kind}/sync/submit/all`, {})).status).toBe(404);
  });
});

describe('records of another client', () => {
  test('appear not to exist', async () => {
    const submitted = await post('/api/my/invoices/sync/submit/all', { mode: 'test' });
    const jobId = textAt(objectAt(submitted, 'job'), 'id');
    await api.world.work();
    const key = textAt(listAt(await get('/api/my/logs'), 'logs')[0], 'Key');
    const unknown = '00000000-0000-4000-8000-000000000000';
    const pairs: readonly (readonly [string, string, string, unknown?])[] = [
      ['GET', `/api/my/jobs/${jobId}`, `/api/my/jobs/${unknown}`],
      ['GET', `/api/my/jobs/${jobId}/events`, `/api/my/jobs/${unknown}/events`],
      ['POST', `/api/my/jobs/${jobId}/cancel`, `/api/my/jobs/${unknown}/cancel`],
      ['GET', `/api/my/logs?key=${encodeURIComponent(key)}`, '/api/my/logs?key=invoice%2F1%2F2025-03-03T15:00:00.000Z'],
    ];
    for (const [method, foreign, missing] of pairs) {
      const theirs = await api.call(method, foreign, { token: other });
      const none = await api.call(method, missing, { token: other });
      expect([foreign, theirs.status, theirs.text]).toEqual([foreign, 404, none.text]);
    }
    const body = { invoice_ids: [1] };
    const foreign = await post(
      '/api/my/invoices/sync/submit',
      { ...body, subscription_id: api.world.tenant.tenantId },
      other,
    );
    const missing = await post('/api/my/invoices/sync/submit', { ...body, subscription_id: unknown }, other);
    expect([foreign.status, foreign.text]).toEqual([404, missing.text]);
    for (const path of ['/api/my/jobs', '/api/my/logs', '/api/my/audit']) {
      const { text } = await get(path, other);
      expect(text).not.toContain(people.admin);
      expect(text).not.toContain('invoice/');
    }
  });
});
