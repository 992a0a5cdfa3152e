import { expect, test } from 'vitest';
import type { AccountingChange } from '#core/documents/accounting-change.ts';
import { ProcessEnded } from '#flows/context.ts';
import type { JsonObject } from '#core/values/json.ts';
import { eachWorld } from '../support/each-world.ts';
import { today } from '../support/world.ts';

/** A record that Tallybridge created is the same record when QuickBooks reports it. */
const world = eachWorld();

const records = { Item: 'item', Customer: 'customer', Vendor: 'vendor' } as const;

/** Returns the webhooks about the records of a list that did not exist before. */
async function webhooksSince(before: ReadonlySet<string>): Promise<AccountingChange[]> {
  const changes: AccountingChange[] = [];
  for (const [entity, record] of Object.entries(records))
    for (const row of await world.quickbooks.list(entity))
      if (!before.has(`${entity} ${String(row['Id'])}`)) changes.push({ record, id: String(row['Id']) });
  return changes;
}

async function knownRecords(): Promise<ReadonlySet<string>> {
  const known = new Set<string>();
  for (const entity of Object.keys(records))
    for (const row of await world.quickbooks.list(entity)) known.add(`${entity} ${String(row['Id'])}`);
  return known;
}

const namesOf = (rows: readonly JsonObject[]) =>
  rows.map((row) => String(row['DisplayName'] ?? row['FullyQualifiedName']));

test.each(['after', 'before'] as const)(
  'a worker that dies %s its shared records are stored meets their webhooks, and posts every document',
  async (moment) => {
    await world.autotask.reset({ today, invoices: 30, lines_per_invoice: 4 });
    const ids = Array.from({ length: 30 }, (_, n) => 100_001 + n);
    // The lists are cached before the records exist.
    await world.sync('invoice', { mode: 'test', psaIds: ids });
    const known = await knownRecords();
    let isDead = false;
    const [effect, when] = moment === 'after' ? [/^post:create_invoice|^post:batch/, 'before'] : [/^post:/, 'after'];
    await world
      .sync('invoice', { mode: 'live', psaIds: ids }, (name, at) => {
        if (isDead || (effect.test(name) && at === when)) {
          isDead = true;
          throw new ProcessEnded();
        }
      })
      .catch((error: unknown) => {
        if (!(error instanceof ProcessEnded)) throw error;
      });
    expect(isDead).toBe(true);
    const reported = await webhooksSince(known);
    await world.store.addToInbox(reported, { isNotification: true });
    for (let turn = 0; turn < 4; turn += 1) {
      await world.advance(140);
      await world.work();
    }
    const problems = (await world.logs()).flatMap((log) => (log.isTest ? [] : log.problems));
    expect(problems).toEqual([]);
    for (const id of ids) expect(await world.madeFor(id)).toHaveLength(1);
    for (const entity of Object.keys(records)) {
      const names = namesOf(await world.quickbooks.list(entity));
      expect(names).toEqual([...new Set(names)]);
    }
  },
);
