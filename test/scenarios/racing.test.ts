import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { JsonObject } from '#core/values/json.ts';
import { submit } from '#flows/sync/submit.ts';
import { newWorld, type World } from '../support/world.ts';

const actor = { username: 'admin@northwind-msp.example' };

describe('of a worker that is gone', () => {
  let world: World;
  beforeEach(async () => {
    world = await newWorld();
  });
  afterEach(() => world.close());

  const madeFor = async (psaId: number): Promise<JsonObject[]> =>
    (await world.quickbooks.list('Invoice')).filter((row) =>
      JSON.stringify(row['PrivateNote'] ?? '').startsWith(`"Autotask invoice ${psaId} `),
    );
  const post = { method: 'POST', path: '/invoice$' };

  test('what it went on trying until its end is waited for in full, counted from the takeover', async () => {
    await world.quickbooks.behave({ requestid: 'none' });
    const busy = { status: 429, headers: { 'Retry-After': '40' }, body: '' };
    await world.quickbooks.fault({ match: post, times: 1, action: busy });
    await world.quickbooks.fault({ match: post, times: 1, action: { reset: 'late', apply_after_seconds: 119 } });
    await submit(world.tenant, { kind: 'invoice', mode: 'live', force: false, psaIds: [48_304], actor });
    const dies = world.work((name, when) => {
      if (name === 'commit:unsure' && when === 'before') throw new Error('the worker dies');
    });
    await expect(dies).rejects.toThrow('the worker dies');
    // Its first send was refused, its second one left 40 seconds later and is carried out 119 seconds after that.
    for (const seconds of [20, 75, 60]) {
      await world.advance(seconds);
      await world.work(undefined, 'its successor');
    }
    expect(await madeFor(48_304)).toHaveLength(1);
    expect((await world.logs()).filter(({ psaId }) => psaId === 48_304)).toMatchObject([{ success: true }]);
  }, 120_000);
});
