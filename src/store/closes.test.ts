import { afterAll, describe, expect, test } from 'vitest';
import type { TenantStore } from './tenant-store.ts';
import { month } from '#core/reconciliation/month.ts';
import { documentOf, postingOf, sourceOf } from '#core/reconciliation/testing.ts';
import { addSeconds, instant, type Instant } from '#core/values/dates.ts';
import { decimal } from '#core/values/decimal.ts';
import { closeOf, proofOf } from '#test/support/closes.ts';
import { asOwner, newDatabase } from '#test/support/database.ts';

let store: TenantStore;
const now = instant('2026-03-01T15:00:00Z');
const february = month('2026-02');

const db = await newDatabase();
afterAll(() => db.close());
const newTenant = async (): Promise<TenantStore> => {
  const { id } = await db.store.addTenant({ name: 'Northwind', status: 'active', timeZone: 'UTC' });
  return db.store.forTenant(id);
};

const other = proofOf({ sources: [sourceOf(1, '120')], documents: [documentOf(11, '120')], postings: [] });

describe('proofs of a month', () => {
  test('are stored unchanged, and an equal proof adds nothing', async () => {
    store = await newTenant();
    const first = await store.addClose(closeOf(proofOf()));
    const again = await store.addClose(closeOf(proofOf(), { preparedAt: addSeconds(now, 60) }));
    expect(again.id).toBe(first.id);
    const second = await store.addClose(closeOf(other));
    expect(second.id).not.toBe(first.id);
    expect((await store.listCloses({ month: february })).map(({ id }) => id)).toEqual([first.id, second.id]);
    expect((await store.readClose(first.id))?.proof).toEqual(proofOf());
  });

  test('and their signatures cannot be changed', async () => {
    store = await newTenant();
    const { id } = await store.addClose(closeOf(proofOf()));
    await store.addSignature({
      closeId: id,
      as: 'preparer',
      by: 'a',
      at: now,
      checked: [],
      reason: null,
      byOneAllowed: false,
    });
    for (const statement of ["update closes set sha256 = ''", 'delete from closes', 'delete from close_signatures'])
      await asOwner(db.url, async (client) => {
        await client.query('set role tallybridge_app');
        await expect(client.query(statement)).rejects.toThrow('permission denied');
      });
  });

  test('are listed by the hundred without their content', async () => {
    store = await newTenant();
    for (let index = 0; index < 100; index += 1) {
      const of = month(`${2018 + Math.floor(index / 12)}-${String((index % 12) + 1).padStart(2, '0')}`);
      await store.addClose(closeOf({ ...proofOf(), month: of }, { month: of }));
    }
    const all = await store.listCloses({ months: 100 });
    expect(all).toHaveLength(100);
    expect(all[0]).not.toHaveProperty('proof');
    expect((await store.listCloses({ months: 3 })).map((one) => one.month)).toEqual(['2026-02', '2026-03', '2026-04']);
  });
});

describe('a signature', () => {
  test('is given once per role and never twice by one user', async () => {
    store = await newTenant();
    const { id } = await store.addClose(closeOf(proofOf()));
    const sign = (as: 'preparer' | 'reviewer', by: string) =>
      store.addSignature({
        closeId: id,
        as,
        by,
        at: now,
        checked: ['completeness'],
        reason: null,
        byOneAllowed: false,
      });
    expect(await sign('preparer', 'ada')).toBe(true);
    expect(await sign('preparer', 'grace')).toBe(false);
    expect(await sign('reviewer', 'ada')).toBe(false);
    expect(await sign('reviewer', 'grace')).toBe(true);
    expect((await store.listSignatures([february])).map(({ as, by }) => [as, by])).toEqual([
      ['preparer', 'ada'],
      ['reviewer', 'grace'],
    ]);
  });
});

test('is allowed in both roles by one user if the setting permits, and the setting is stored with it', async () => {
  store = await newTenant();
  const { id } = await store.addClose(closeOf(proofOf()));
  const sign = (as: 'preparer' | 'reviewer') =>
    store.addSignature({ closeId: id, as, by: 'ada', at: now, checked: [], reason: null, byOneAllowed: true });
  expect([await sign('preparer'), await sign('reviewer'), await sign('reviewer')]).toEqual([true, true, false]);
  await asOwner(db.url, async (client) => {
    const { rows } = await client.query('select by_one_allowed from close_signatures where close_id = $1', [id]);
    expect(rows).toEqual([{ by_one_allowed: true }, { by_one_allowed: true }]);
  });
});

test('the latest decision about a difference wins', async () => {
  store = await newTenant();
  const decision = { month: february, key: 'invoice 1 USD rounding', by: 'ada', at: now };
  await store.addDecision({ ...decision, amount: decimal('0.01'), decision: 'carry', reason: 'first' });
  await store.addDecision({ ...decision, amount: decimal('0.02'), decision: 'accept', reason: 'second' });
  expect(await store.listDecisions(february)).toMatchObject([{ decision: 'accept', reason: 'second', amount: '0.02' }]);
});

test('of two decisions at once, one sees the other, and both are in the audit trail', async () => {
  store = await newTenant();
  const decision = {
    month: february,
    key: 'invoice 1 USD rounding',
    amount: decimal('0.01'),
    reason: 'known',
    at: now,
  };
  const seen: (string | null)[] = [];
  const decide = (by: string) =>
    store.addDecision({ ...decision, decision: 'carry', by }, (present) => {
      seen.push(present?.by ?? null);
      return {
        at: now,
        actor: { username: by },
        action: 'close.difference_carried',
        subject: february,
        before: null,
        after: null,
      };
    });
  await Promise.all([decide('ada'), decide('bob')]);
  expect([seen[0], ['ada', 'bob'].includes(seen[1] ?? '')]).toEqual([null, true]);
  const { events } = await store.listAudit({ page: 1, pageSize: 10 });
  expect(events.map(({ actor }) => actor.username).toSorted()).toEqual(['ada', 'bob']);
  await expect(
    store.addDecision({ ...decision, decision: 'accept', by: 'cy' }, () => {
      throw new Error('refused');
    }),
  ).rejects.toThrow('refused');
  expect(await store.listDecisions(february)).toMatchObject([{ decision: 'carry' }]);
});

test('one process at a time prepares a month, unless the other one died', async () => {
  store = await newTenant();
  const stale = addSeconds(now, -600);
  expect(await store.beginCloseRun(february, now, stale, 2)).toBe('begun');
  expect(await store.beginCloseRun(february, addSeconds(now, 10), stale, 2)).toBe('busy');
  expect(await store.beginCloseRun(february, addSeconds(now, 700), addSeconds(now, 100), 2)).toBe('begun');
  await store.endCloseRun(february, addSeconds(now, 701), 'QuickBooks does not answer.');
  expect(await store.readCloseRun(february)).toMatchObject({ problem: 'QuickBooks does not answer.' });
  expect(await store.beginCloseRun(february, addSeconds(now, 702), stale, 2)).toBe('begun');
});

test('another client sees none of it', async () => {
  store = await newTenant();
  const neighbor = await newTenant();
  const source = sourceOf(1, '5');
  const document = documentOf(2, '5');
  const { id } = await store.addClose(
    closeOf(proofOf({ sources: [source], documents: [document], postings: [postingOf(source, document)] })),
  );
  expect(await neighbor.readClose(id)).toBeNull();
  expect(await neighbor.listCloses({ months: 12 })).toEqual([]);
});

test('lists changes after posting from the latest proof of each month until the same change is decided', async () => {
  store = await newTenant();
  const march = month('2026-03');
  const change = (key: string, amount: string) => ({ key, currency: 'USD', amount: decimal(amount) });
  await store.addClose(closeOf(proofOf(), { changedSince: [change('old', '9')] }));
  await store.addClose(closeOf(other, { changedSince: [change('a', '-10.00'), change('b', '0')] }));
  await store.addClose(closeOf({ ...other, month: march }, { month: march, changedSince: [change('c', '1')] }));
  const accept = (key: string, amount: string) =>
    store.addDecision({
      month: february,
      key,
      amount: decimal(amount),
      decision: 'accept',
      reason: 'Agreed.',
      by: 'ada',
      at: now,
    });
  const keys = async (months = 12) =>
    (await store.listChangedSince(months)).map(({ month: of, changes }) => [of, ...changes.map(({ key }) => key)]);
  expect(await keys()).toEqual([
    ['2026-03', 'c'],
    ['2026-02', 'a', 'b'],
  ]);
  expect(await keys(1)).toEqual([['2026-03', 'c']]);
  await accept('a', '-10');
  // The amount was different when it was accepted.
  await accept('b', '5');
  expect(await keys()).toEqual([
    ['2026-03', 'c'],
    ['2026-02', 'b'],
  ]);
  expect(await (await newTenant()).listChangedSince(12)).toEqual([]);
});

describe('clients due for nightly proofs', () => {
  const hour = 3_600;
  /** January 8, 2031, 08:00 UTC: 2:00 at night in Chicago, 10:00 in Helsinki. */
  const night = instant('2031-01-08T08:00:00Z');

  test('are returned to one worker per local night, and by day after a missed night', async () => {
    const fresh = await newDatabase({ clock: { now: () => addSeconds(night, -30 * hour) } });
    const add = async (timeZone: string, status: 'active' | 'suspended' = 'active') =>
      (await fresh.store.addTenant({ name: timeZone, status, timeZone })).id;
    const [chicago, helsinki] = [await add('America/Chicago'), await add('Europe/Helsinki')];
    await add('America/Denver', 'suspended');
    await asOwner(fresh.url, (client) =>
      client.query('update tenants set created_at = $1', [addSeconds(night, -30 * hour)]),
    );
    const taken = (at: Instant, fromHour = 1) => fresh.store.takeTenantsToProve(at, { limit: 10, fromHour });
    // Several workers ask at once.
    const answers = await Promise.all(Array.from({ length: 6 }, () => taken(night)));
    expect(answers.flat()).toEqual([chicago]);
    expect(await taken(addSeconds(night, hour))).toEqual([]);
    expect(await taken(addSeconds(night, 16 * hour))).toEqual([helsinki]);
    expect(await taken(addSeconds(night, 24 * hour))).toEqual([chicago]);
    // At 2:00 in Chicago, the four hours from 14:00 have not begun; those from 23:00 have.
    expect(await taken(addSeconds(night, 48 * hour), 14)).toEqual([]);
    expect(await taken(addSeconds(night, 48 * hour), 23)).toEqual([chicago]);
    // Daytime two days later: Helsinki's night was missed.
    expect(await taken(addSeconds(night, 53 * hour))).toEqual([helsinki]);
    await fresh.close();
  });

  test('exclude those created today', async () => {
    const fresh = await newDatabase();
    await fresh.store.addTenant({ name: 'New', status: 'active', timeZone: 'America/Chicago' });
    await asOwner(fresh.url, (client) =>
      client.query('update tenants set created_at = $1', [addSeconds(night, -hour)]),
    );
    expect(await fresh.store.takeTenantsToProve(night, { limit: 10, fromHour: 1 })).toEqual([]);
    await fresh.close();
  });
});
