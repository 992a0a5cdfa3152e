import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newApi, people, type TestApi } from '#test/support/api.ts';
import { createPace, type FloodRules } from './floods.ts';

const rules: FloodRules = { burst: 4, perSecond: 20, maxWaitMs: 5_000, holdMs: 300 };

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

  const body = { xrefs: 'x'.repeat(20_000) };
  test.each<[string, () => Promise<unknown>]>([
    ['a public page', () => fetch(`${api.url}/api/docs`).then((answer) => answer.arrayBuffer())],
    ['readiness', () => api.call('GET', '/readyz')],
    ['an address that does not exist', () => api.call('GET', '/api/nothing')],
    ['a call of another client', () => api.call('GET', '/api/my/jobs/unknown', { token })],
    ['a rejected large body', () => api.call('POST', '/api/my/xrefs/Customer/multiple', { token, body })],
  ])('slows down a flood of %s', async (_what, call) => {
    // The first call may prepare its answer.
    await call();
    const began = performance.now();
    await Promise.all(Array.from({ length: rules.burst + 6 }, call));
    expect(performance.now() - began).toBeGreaterThan(280);
  });

  test('does not slow down calls with a session', async () => {
    const slow = await newApi({ server: { floodRules: { ...rules, burst: 2, perSecond: 1, maxWaitMs: 60_000 } } });
    try {
      const session = await slow.signIn(people.admin);
      const calls = 10;
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
