import { afterAll, afterEach, describe, expect, test } from 'vitest';
import type { RouteDefinition } from '#contract/define.ts';
import { routeNames, routes } from '#contract/routes.ts';
import { eventually } from '#test/support/eventually.ts';
import { newApi, people } from '#test/support/api.ts';
import { requestOf } from '#test/isolation/request.ts';

/** How long requests wait in this test, and how long the services take; a job would wait for them. */
const patienceMs = 700;
const hangMs = 12_000;
/** Far below the services' time, and far above the server's on a busy machine. */
const withinMs = 8_000;

const api = await newApi({ server: { patienceMs } });
const token = await api.signIn(people.admin);
// The lists are cached, as usual.
for (const path of ['/api/my?refresh=true', '/api/my/qbo'])
  await eventually(async () => {
    const { status, headers } = await api.call('GET', path, { token });
    expect([path, status, headers.get('still-reading')]).toEqual([path, 200, null]);
  });
afterEach(async () => {
  await Promise.all([api.world.autotask.clearFaults(), api.world.quickbooks.clearFaults()]);
});
afterAll(() => api.close());

const hang = () =>
  Promise.all(
    [api.world.autotask, api.world.quickbooks].map((service) =>
      service.fault({ match: {}, action: { hang_ms: hangMs } }),
    ),
  );

const timed = async (path: string) => {
  const startedAt = performance.now();
  const answer = await api.call('GET', path, { token });
  return { ...answer, ms: performance.now() - startedAt };
};

describe('while both services hang and use every permit', () => {
  test('every GET is answered soon, from stored data if available', async () => {
    await hang();
    const paths = routeNames.flatMap((name) => {
      const definition: RouteDefinition = routes[name];
      const isRead = definition.method === 'GET' && definition.roles !== 'public' && definition.speaks !== 'events';
      return isRead ? [requestOf(name, definition).address] : [];
    });
    paths.push('/api/my?refresh=true', '/api/my/qbo?refresh=true', '/api/my/qbo/accounts?refresh=true');
    const answers: Record<string, { status: number; ms: number }> = {};
    // As many at once as the server answers for one client.
    for (let from = 0; from < paths.length; from += 6)
      await Promise.all(paths.slice(from, from + 6).map(async (path) => (answers[path] = await timed(path))));
    expect(Object.keys(answers).length).toBeGreaterThan(40);
    for (const [name, { status, ms }] of Object.entries(answers)) {
      expect(ms, `${name} ${status}`).toBeLessThan(withinMs);
      expect(status, name).not.toBe(500);
    }
    for (const path of [
      '/api/my',
      '/api/my/settings',
      '/api/my/settings/config',
      '/api/my/jobs',
      '/api/my/attention',
      '/api/my?refresh=true',
      '/api/my/qbo?refresh=true',
    ])
      // A busy machine may need longer than the rest of the wait to read stored data. Then the user tries again.
      if (answers[path]?.status !== 200)
        await eventually(async () => expect([path, (await timed(path)).status]).toEqual([path, 200]));
  });

  test('a sync is submitted at once', async () => {
    await hang();
    await api.call('POST', '/api/my/settings/', { token, body: { inv_default_income_account: '2' } });
    const startedAt = performance.now();
    const answer = await api.call('POST', '/api/my/invoices/sync/submit', { token, body: { invoice_ids: [48_213] } });
    expect(performance.now() - startedAt).toBeLessThan(withinMs);
    expect([200, 409]).toContain(answer.status);
  });
});
