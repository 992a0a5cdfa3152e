import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newApi, people, type TestApi } from '#test/support/api.ts';
import { createPace, type FloodRules } from './floods.ts';

const rules: FloodRules = { burst: 40, perSecond: 50, maxWaitMs: 5_000, holdMs: 400 };

describe('the rate of one address', () => {
  test('allows a burst and delays later calls', () => {
    let now = 0;
    const pace = createPace({ ...rules, burst: 3, perSecond: 10 }, () => now);
    expect([1, 2, 3, 4, 5].map(() => pace('a'))).toEqual([0, 0, 0, 100, 200]);
    expect(pace('b')).toBe(0);
    now = 10_000;
    expect(pace('a')).toBe(0);
  });

  test('stores a limited number of addresses', () => {
    let now = 0;
    const pace = createPace({ ...rules, burst: 1, perSecond: 1 }, () => now);
    for (let address = 0; address < 10_000; address += 1) pace(`address ${address}`);
    now = 60_000;
    for (let address = 0; address < 5_000; address += 1) pace(`address ${address}`);
    expect(pace('address 1')).toBeGreaterThan(0);
  });
});

describe('over HTTP', () => {
  let api: TestApi;
  let token: string;
  beforeAll(async () => {
    api = await newApi({ server: { floodRules: rules } });
    token = await api.signIn(people.admin);
  });
  afterAll(() => api.close());

  /** Makes calls one after another for a while as several callers; returns the number of calls. */
  async function flood(callers: number, forMs: number, call: () => Promise<unknown>): Promise<number> {
    let made = 0;
    const until = performance.now() + forMs;
    await Promise.all(
      Array.from({ length: callers }, async () => {
        while (performance.now() < until) {
          await call();
          made += 1;
        }
      }),
    );
    return made;
  }

  const refusedBody = JSON.stringify({ xrefs: 'x'.repeat(20_000) });
  test.each([
    ['a public page', () => fetch(`${api.url}/api/docs`).then((answer) => answer.arrayBuffer()), 8],
    ['readiness', () => api.call('GET', '/readyz'), 8],
    ['an address that does not exist', () => api.call('GET', '/api/nothing'), 8],
    ['a call of another client', () => api.call('GET', '/api/my/jobs/unknown', { token }), 8],
    [
      'a rejected large body',
      () => api.call('POST', '/api/my/xrefs/Customer/multiple', { token, body: JSON.parse(refusedBody) as object }),
      8,
    ],
  ])('slows down a flood of %s', async (_what, call, callers) => {
    const forMs = 1_000;
    const max = rules.burst + (rules.perSecond * forMs) / 1_000 + callers;
    expect(await flood(callers, forMs, call)).toBeLessThanOrEqual(max);
  });

  test('does not slow down calls with a session', async () => {
    const slow = await newApi({ server: { floodRules: { ...rules, burst: 2, perSecond: 1, maxWaitMs: 60_000 } } });
    try {
      const session = await slow.signIn(people.admin);
      const calls = 40;
      const began = performance.now();
      for (let count = 0; count < calls; count += 1)
        expect((await slow.call('GET', '/api/my', { token: session })).status).toBe(200);
      // At the rate of calls without a session, each would take a second.
      expect(performance.now() - began).toBeLessThan((calls / 2) * 1_000);
    } finally {
      await slow.close();
    }
  });
});
