import type { JsonObject } from '#core/values/json.ts';
import type { World } from './world.ts';

/** Debits less credits by account, in cents. */
type Balances = ReadonlyMap<string, number>;

/** Reads debits less credits of the sandbox's general ledger, by account. */
export async function postedNow({ quickbooks }: Pick<World, 'quickbooks'>): Promise<Balances> {
  const answer = await fetch(`${quickbooks.url}/__sandbox/ledger`);
  const { entries } = (await answer.json()) as { entries: JsonObject[] };
  const cents = new Map<string, number>();
  for (const one of entries) {
    const name = String((one['account'] as JsonObject)['name']);
    const moved = Math.round((Number(one['debit']) - Number(one['credit'])) * 100);
    cents.set(name, (cents.get(name) ?? 0) + moved);
  }
  return cents;
}

/** Returns the amounts that were posted since then, by account: debits are positive. */
export async function movedSince(
  world: Pick<World, 'quickbooks'>,
  before: Balances,
): Promise<Readonly<Record<string, number>>> {
  const now = await postedNow(world);
  return Object.fromEntries(
    [...now].flatMap(([name, cents]) => {
      const moved = cents - (before.get(name) ?? 0);
      return moved === 0 ? [] : [[name, moved / 100]];
    }),
  );
}
