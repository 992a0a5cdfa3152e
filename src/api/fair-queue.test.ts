import { get } from 'node:http';
import { describe, expect, test } from 'vitest';
import type { RootStore } from '#store/root-store.ts';
import type { App } from '#flows/context.ts';
import { newApi, people } from '#test/support/api.ts';
import { TooManyCalls } from './rates.ts';
import { createFairQueue, type FairQueueRules } from './fair-queue.ts';

const here = (): AbortSignal => new AbortController().signal;
const rules: FairQueueRules = { atOnce: 2, waiting: 5, memoryMs: 1_000, maxRestMs: 5_000, presentMs: 60_000 };

const settle = async () => {
  for (let round = 0; round < 10; round += 1) await Promise.resolve();
};

/** A queue whose calls and rests end when the test ends them. */
function newQueue(own: FairQueueRules = rules) {
  let now = 0;
  const rests: { readonly until: number; readonly over: () => void }[] = [];
  const queue = createFairQueue(
    own,
    () => now,
    (ms) => new Promise<void>((over) => rests.push({ until: now + ms, over })),
  );
  const served: string[] = [];
  const ends = new Map<string, (maxWorkMs?: number) => void>();
  const release = async (call: string, maxWorkMs?: number) => {
    ends.get(call)?.(maxWorkMs);
    await settle();
  };
  return {
    served,
    rests,
    wait: (ms: number) => void (now += ms),
    settle,
    ask: (client: string, call: string, gone = here()) =>
      queue.enter(client, gone).then((end) => {
        served.push(call);
        ends.set(call, end);
      }),
    release,
    end: (call: string) => release(call),
  };
}

/**
 * Simulates loops of one client, each of which makes one call of 10 ms after another, beside another active client.
 *
 * @returns the average number of calls in progress.
 */
async function workOf(loops: number): Promise<number> {
  const [stepMs, callMs, seconds] = [5, 10, 12];
  const { ask, rests, wait, release } = newQueue({ ...rules, atOnce: 6, waiting: 200 });
  const working = new Map<string, number>();
  let [now, worked, count] = [0, 0, 0];
  const next = () => {
    const call = `${(count += 1)}`;
    void ask('a', call).then(() => working.set(call, now));
  };
  for (let loop = 0; loop < loops; loop += 1) next();
  for (; now < seconds * 1_000; now += stepMs) {
    if (now % 30_000 === 0) await ask('b', `other ${now}`);
    await settle();
    if (now >= 2_000) worked += working.size * stepMs;
    wait(stepMs);
    for (const [call, beganAt] of working)
      if (now + stepMs - beganAt >= callMs) {
        working.delete(call);
        await release(call);
        next();
      }
    for (const [index, rest] of [...rests.entries()].toReversed())
      if (rest.until <= now + stepMs) {
        rests.splice(index, 1);
        rest.over();
      }
  }
  return worked / (seconds * 1_000 - 2_000);
}

describe('the fair queue', () => {
  test('serves a limited number of calls per client in order; another client does not wait', async () => {
    const { ask, end, served, settle } = newQueue();
    for (const call of ['a1', 'a2', 'a3', 'a4']) void ask('a', call);
    void ask('b', 'b1');
    await settle();
    expect(served).toEqual(['a1', 'a2', 'b1']);
    await end('a2');
    await end('a2');
    expect(served).toEqual(['a1', 'a2', 'b1', 'a3']);
    await end('a1');
    expect(served).toEqual(['a1', 'a2', 'b1', 'a3', 'a4']);
  });

  test('rejects calls over the queue limit; a disconnected caller uses no slot', async () => {
    const { ask, end, served, settle } = newQueue();
    const leaving = new AbortController();
    for (const call of ['1', '2']) void ask('a', call);
    const left = ask('a', 'left', leaving.signal);
    for (const call of ['3', '4', '5', '6']) void ask('a', call);
    await expect(ask('a', '7')).rejects.toThrow(TooManyCalls);
    leaving.abort();
    await expect(left).rejects.toThrow(TooManyCalls);
    void ask('a', '8');
    await settle();
    for (const call of ['1', '2', '3', '4', '5']) await end(call);
    expect(served).toEqual(['1', '2', '3', '4', '5', '6', '8']);
  });

  test('rests after each call, the longer the more calls the client has, up to a maximum', async () => {
    const rested: number[] = [];
    for (let loops = 1; loops <= 40; loops += 1) rested.push(await workOf(loops));
    // One sequential program is not slowed down: its calls use one slot while the others rest.
    expect(rested[0]).toBeGreaterThan(0.9);
    for (const [index, share] of rested.entries()) {
      const loops = index + 1;
      expect([loops, share <= Math.max(1.15 / loops, 0.06)]).toEqual([loops, true]);
      // More loops get less, without a step.
      if (index > 0) expect([loops, share <= (rested[index - 1] ?? 0) + 0.02]).toEqual([loops, true]);
    }
  });

  test('does not count the time that a call waits for a connected service', async () => {
    const { ask, wait, release, rests } = newQueue({ ...rules, atOnce: 6 });
    void ask('b', 'b');
    for (let call = 0; call < 20; call += 1) {
      await ask('a', `${call}`);
      wait(2_000);
      await release(`${call}`, 5);
    }
    expect(rests).toEqual([]);
  });

  test('never rests while no other client is active', async () => {
    const { ask, end, served, rests, settle, wait } = newQueue();
    void ask('b', 'b');
    await settle();
    wait(60_000);
    for (const call of ['1', '2', '3', '4', '5', '6', '7']) void ask('a', call);
    await settle();
    wait(1_000);
    for (const call of ['1', '2', '3', '4', '5', '6', '7']) await end(call);
    expect(served).toEqual(['b', '1', '2', '3', '4', '5', '6', '7']);
    expect(rests).toEqual([]);
  });

  test('runs six parallel calls of a busy client, and other clients get responses meanwhile', async () => {
    const api = await newApi();
    try {
      const [loud, calm] = [await api.signIn(people.admin), await api.signIn(people.other)];
      const app: { forTenant: App['forTenant'] } = api.world.app;
      const forTenant = app.forTenant.bind(app);
      let letGo: () => void = () => undefined;
      const held = new Promise<void>((go) => (letGo = go));
      let [underWay, max] = [0, 0];
      app.forTenant = (tenantId) => {
        const context = forTenant(tenantId);
        if (tenantId !== api.world.tenant.tenantId) return context;
        const readInOneTransaction: typeof context.store.readInOneTransaction = async (read) => {
          underWay += 1;
          max = Math.max(max, underWay);
          await held;
          underWay -= 1;
          return context.store.readInOneTransaction(read);
        };
        const store = new Proxy(context.store, {
          get: (target, key) =>
            key === 'readInOneTransaction' ? readInOneTransaction : (Reflect.get(target, key) as unknown),
        });
        return { ...context, store };
      };
      const calls = Array.from({ length: 11 }, () => api.call('GET', '/api/my/settings/', { token: loud }));
      for (let look = 0; look < 5; look += 1)
        expect((await api.call('GET', '/api/my/settings/', { token: calm })).status).toBe(200);
      await expect.poll(() => underWay).toBe(6);
      letGo();
      const statuses = (await Promise.all(calls)).map(({ status }) => status);
      expect([new Set(statuses), max]).toEqual([new Set([200]), 6]);
    } finally {
      await api.close();
    }
  });

  test('releases the slot of a caller that disconnects during authentication', async () => {
    const api = await newApi();
    try {
      const token = await api.signIn(people.admin);
      const root: { readSession: RootStore['readSession'] } = api.world.app.store;
      const readSession = root.readSession;
      let letGo: () => void = () => undefined;
      const held = new Promise<void>((go) => (letGo = go));
      let [asking, answered] = [0, 0];
      root.readSession = async (jti, now) => {
        asking += 1;
        await held;
        const session = await readSession(jti, now);
        answered += 1;
        return session;
      };
      let closed = 0;
      api.server.server.on('connection', (socket) => socket.once('close', () => (closed += 1)));
      const calls = Array.from({ length: 8 }, () => {
        const headers = { authorization: `Bearer ${token}` };
        return get(`${api.url}/api/my/jobs`, { headers, agent: false }).on('error', () => undefined);
      });
      await expect.poll(() => asking).toBe(8);
      for (const call of calls) call.destroy();
      await expect.poll(() => closed).toBe(8);
      letGo();
      await expect.poll(() => answered).toBe(8);
      expect((await api.call('GET', '/api/my/jobs', { token })).status).toBe(200);
    } finally {
      await api.close();
    }
  }, 30_000);
});
