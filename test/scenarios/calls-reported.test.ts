import { Registry } from 'prom-client';
import { expect, test } from 'vitest';
import { measureOutsideCalls } from '#main/metrics.ts';
import { testConnection } from '#flows/connections/test-connection.ts';
import { keepingLogger } from '#test/support/fake-ports.ts';
import { newWorld } from '#test/support/world.ts';

const control = async (url: string): Promise<Record<string, unknown>> =>
  (await (await fetch(`${url}/__sandbox/credentials`)).json()) as Record<string, unknown>;

test('every outside call is logged with its result and document, and without secrets', async () => {
  const logger = keepingLogger();
  const registry = new Registry();
  const world = await newWorld({ logger, onCall: measureOutsideCalls(registry) });
  try {
    const psa = await world.store.readPsaCredentials();
    const accounting = await world.store.readAccountingCredentials();
    const own = await control(world.quickbooks.url);
    const users = (await control(world.autotask.url))['users'] as { apiIntegrationCode: string }[];
    if (psa === null || accounting === null) throw new Error('not connected');
    const psaSecrets = [psa.secret, users[0]?.apiIntegrationCode ?? ''];
    const accountingSecrets = [accounting.accessToken, accounting.refreshToken];
    const secrets = [...psaSecrets, ...accountingSecrets, String(own['clientSecret'])];
    expect(secrets.every((one) => one.length >= 8)).toBe(true);
    // The services repeat received secrets in every part of a response.
    const echo = accountingSecrets.join(' ');
    await world.quickbooks.fault({ match: { path: '/query$' }, times: 2, action: { status: 503, body: echo } });
    await world.quickbooks.fault({
      match: { path: '/batch$', query: 'requestid' },
      times: 1,
      action: {
        status: 400,
        body: { Fault: { type: 'ValidationFault', Error: [{ code: '2010', Message: echo, Detail: echo }] } },
      },
    });
    await world.autotask.fault({
      match: { method: 'PATCH' },
      times: 1,
      action: { status: 500, body: { errors: [psaSecrets.join(' ')] } },
    });
    logger.lines.length = 0;
    const job = await world.sync('invoice', { mode: 'live', psaIds: [48_213, 48_214] });
    await world.quickbooks.behave({ refresh_token_rotation: 'every-refresh' });
    await world.advance(3_700);
    await world.work();
    await testConnection(world.app, world.tenant, 'psa');
    const renewed = await world.store.readAccountingCredentials();
    secrets.push(renewed?.accessToken ?? '', renewed?.refreshToken ?? '');
    expect(new Set(secrets).size).toBeGreaterThan(5);

    const lines = logger.lines.filter(({ message }) => message.startsWith('outside call'));
    const journal = [...(await world.quickbooks.journal()), ...(await world.autotask.journal())];
    expect(lines.length).toBeGreaterThan(20);
    for (const { fields } of lines) {
      expect(fields).toMatchObject({
        service: expect.stringMatching(/^(psa|accounting)$/),
        operation: expect.stringMatching(/\S/),
        durationMs: expect.any(Number),
        tenantId: expect.stringMatching(/\S/),
      });
      expect(fields).toHaveProperty('status');
    }
    const post = lines.find(({ fields }) => fields['operation'] === 'create Invoice' && fields['status'] === 200);
    expect(post?.fields).toMatchObject({
      kind: 'invoice',
      psaId: expect.any(Number),
      traceId: expect.stringMatching(/\S/),
    });
    expect(lines.find(({ fields }) => fields['operation'] === 'write to the invoice')?.fields).toMatchObject({
      kind: 'invoice',
      psaId: expect.any(Number),
    });
    expect(lines.find(({ fields }) => fields['operation'] === 'read invoices')?.fields).toMatchObject({
      kind: 'invoice',
      psaIds: [48_213, 48_214],
    });

    const reported = {
      lines: logger.lines,
      metrics: await registry.metrics(),
      logs: await world.logs(),
      jobs: [job, ...(await world.store.listJobs(10))],
      connections: (await world.store.listConnections()).map(({ problem }) => problem),
    };
    expect(reported.metrics).toMatch(
      /tallybridge_outside_calls_total\{service="accounting",operation="create Invoice"/,
    );
    expect(journal.length).toBeGreaterThan(20);
    const text = JSON.stringify(reported, (_key, value: unknown) =>
      value instanceof Error ? `${value.stack}` : value,
    );
    expect(secrets.filter((secret) => text.includes(secret))).toEqual([]);
    expect(`${JSON.stringify(reported.lines)}${reported.metrics}`.includes(accounting.realmId)).toBe(false);
  } finally {
    await world.close();
  }
});
