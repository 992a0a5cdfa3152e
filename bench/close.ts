import { setTimeout as delay } from 'node:timers/promises';
import { loadavg } from 'node:os';
import { signIn } from '#test/support/api-client.ts';
import { newProcessFixture } from '#test/support/process-fixture.ts';
import type { Control } from '#test/support/world.ts';
import { textOf } from '#test/support/rows.ts';
import { quantile } from './compare.ts';
import { costOf } from './cost.ts';

/** Maximum processor time of the product for one month: reading, checking, saving. */
const maxMs = 2_000;
const maxCalls = 26;

/**
 * Measures the cost of reconciling a month: calls to both services, and processor time of the product's process without
 * database and services (Linux).
 *
 * @param invoices number of invoices in the month.
 * @returns false when a month exceeds the limit of calls or of time.
 */
export async function close(invoices: number, rounds: number): Promise<boolean> {
  const fixture = await newProcessFixture();
  try {
    const { autotask, quickbooks } = fixture;
    const counts = { invoices, lines_per_invoice: 2 };
    await autotask.reset(counts);
    await quickbooks.reset(counts);
    const month = textOf((await quickbooks.list('Invoice')).at(-1), 'TxnDate').slice(0, 7);
    await fill(autotask, 'Invoices', 'invoiceDateTime', month, invoices);
    await fill(quickbooks, 'Invoice', 'TxnDate', month, invoices);
    const { url, pid } = await fixture.start();
    const api = await signIn(url);
    await api.connectQuickBooks();
    await api.data('POST', '/api/my/settings/', { inv_default_income_account: '2' });
    const [spent, calls]: [number[], number[]] = [[], []];
    // The first round also reads the lists, which are cached afterward, so it does not count.
    for (let round = 0; round <= rounds; round += 1) {
      const before = await countOf(autotask, quickbooks);
      const { cpuMs } = await costOf([pid]);
      await api.data('POST', `/api/my/closes/${month}/prepare`, {});
      await prepared(api, month);
      if (round === 0) continue;
      spent.push((await costOf([pid])).cpuMs - cpuMs);
      calls.push((await countOf(autotask, quickbooks)) - before);
    }
    const median = quantile(spent, 0.5);
    console.log(`${invoices} invoices on either side in ${month}, ${rounds} rounds`);
    console.log(`calls: ${Math.max(...calls)} at most (goal ${maxCalls})`);
    console.log(
      `CPU time of the product: median ${median.toFixed(0)} ms, maximum ${Math.max(...spent).toFixed(0)} ms (goal ${maxMs})`,
    );
    console.log(
      `load ${loadavg()
        .map((value) => value.toFixed(1))
        .join(' ')}`,
    );
    return Math.max(...calls) <= maxCalls && median <= maxMs;
  } finally {
    await fixture.close();
  }
}

const countOf = async (...services: readonly Control[]): Promise<number> =>
  (await Promise.all(services.map((one) => one.journal()))).flat().filter(({ path }) => !path.includes('__sandbox'))
    .length;

async function prepared(api: Awaited<ReturnType<typeof signIn>>, month: string): Promise<void> {
  for (;;) {
    await delay(100);
    const { close: view } = (await api.data('GET', `/api/my/closes/${month}`)) as {
      close: { is_preparing: boolean; problem: string | null };
    };
    if (view.problem !== null) throw new Error(view.problem);
    if (!view.is_preparing) return;
  }
}

/** Moves invoices of other months into this one until it has the wanted number. */
async function fill(service: Control, entity: string, field: string, month: string, wanted: number): Promise<void> {
  const all = await service.list(entity);
  const isIn = (row: (typeof all)[number]) => textOf(row, field).startsWith(month);
  const lacking = wanted - all.filter(isIn).length;
  const day = field === 'TxnDate' ? `${month}-10` : `${month}-10T00:00:00Z`;
  for (const row of all.filter((one) => !isIn(one)).slice(0, Math.max(lacking, 0)))
    await service.put(entity, row['Id'] === undefined ? Number(row['id']) : textOf(row, 'Id'), { [field]: day });
}
