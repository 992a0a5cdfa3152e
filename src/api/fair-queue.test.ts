import { get } from 'node:http';
import { describe, expect, test } from 'vitest';
import type { RootStore } from '#store/root-store.ts';
import type { App } from '#flows/context.ts';
import { newApi, people } from '#test/support/api.ts';
import { TooManyCalls } from './rates.ts';
import { createFairQueue, type FairQueueRules } from './fair-queue.ts';

const here = (): AbortSignal => new AbortController().signal;
const rules: FairQueueRules = { atOnce: 2, waiting: 5, crowd: 3, cooldown: 4, maxCooldownMs: 100 };

/** A queue whose calls end when the test ends them. */
function newQueue(own: FairQueueRules = rules) {
  let now = 0;
  const cooldowns: { ms: number; over: () => void }[] = [];
  const queue = createFairQueue(
    own,
    () => now,
    (ms) => new Promise<void>((over) => cooldowns.push({ ms, over })),
  );
  const served: string[] = [];
  const ends = new Map<string, () => void>();
  const settle = async () => {
    for (let round = 0; round < 10; round += 1) await Promise.resolve();
  };
  return {
    served,
    cooldowns,
    wait: (ms: number) => void (now += ms),
    settle,
    ask: (client: string, call: string, gone = here()) =>
      queue.enter(client, gone).then((end) => {
        served.push(call);
        ends.set(call, end);
      }),
    end: async (call: string) => {
      ends.get(call)?.();
      await settle();
    },
  };
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
    const { ask, end, served, settle } = newQueue({ ...rules, crowd: 100 });
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

  test('delays slots in a crowd by a multiple of the last call, up to a maximum', async () => {
    const { ask, end, served, cooldowns, settle, wait } = newQueue();
    void ask('b', 'first');
    for (const call of ['1', '2', '3', '4', '5', '6']) void ask('a', call);
    await settle();
    wait(10);
    await end('1');
    expect([served.length, cooldowns.map(({ ms }) => ms)]).toEqual([3, [40]]);
    wait(90);
    await end('2');
    expect(cooldowns.map(({ ms }) => ms)).toEqual([40, 100]);
    void ask('b', 'b');
    await settle();
    expect(served).toEqual(['first', '1', '2', 'b']);
    for (const { over } of cooldowns) over();
    await settle();
    expect(served).toEqual(['first', '1', '2', 'b', '3', '4']);
    // Two calls are left in the queue, so it is no longer crowded.
    await end('3');
    expect([served.at(-1), cooldowns.length]).toEqual(['5', 2]);
  });

  test('delays nothing while no other client is active', async () => {
    const { ask, end, served, cooldowns, settle, wait } = newQueue();
    void ask('b', 'b');
    await settle();
    wait(1_000);
    for (const call of ['1', '2', '3', '4', '5', '6', '7']) void ask('a', call);
    await settle();
    for (const call of ['1', '2', '3', '4', '5', '6', '7']) await end(call);
    expect(served).toEqual(['b', '1', '2', '3', '4', '5', '6', '7']);
    expect(cooldowns).toEqual([]);
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
