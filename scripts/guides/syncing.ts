import type { JsonObject } from '#core/values/json.ts';
import { GuideError } from './documents.ts';
import { shown } from './shown.ts';
import type { Outside } from './outside.ts';
import { runQuoted, type Trial } from './trial.ts';

const commands = ['docs/operate/commands.md', 'Commands'] as const;
/** A sample invoice, the template of new ones, and the first id of new records. */
const sample = 48_213;
let nextId = 900_001;

/** Bills copies of a sample invoice in Autotask. @returns their ids. */
export async function bill({ autotask }: Outside, count: number): Promise<readonly number[]> {
  const invoice = (await autotask.list('Invoices')).find(({ id }) => id === sample);
  const items = (await autotask.list('BillingItems')).filter(({ invoiceID }) => invoiceID === sample);
  const ids: number[] = [];
  for (let made = 0; made < count; made += 1) {
    const id = nextId++;
    for (const item of items) await autotask.put('BillingItems', nextId++, { ...withoutId(item), invoiceID: id });
    const fresh = { batchID: id, invoiceNumber: '', webServiceDate: null, createDateTime: new Date().toISOString() };
    await autotask.put('Invoices', id, { ...withoutId(invoice ?? {}), ...fresh });
    ids.push(id);
  }
  return ids;
}

const withoutId = (record: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(record).filter(([name]) => name !== 'id'));

/** Returns how often each invoice is in QuickBooks. */
async function timesPosted({ quickbooks }: Outside, ids: readonly number[]): Promise<readonly number[]> {
  const origins = (await quickbooks.list('Invoice')).map(({ PrivateNote }) =>
    Number(/^Autotask invoice (\d+) /.exec(shown(PrivateNote))?.[1]),
  );
  return ids.map((id) => origins.filter((origin) => origin === id).length);
}

/** @throws GuideError if QuickBooks does not have each invoice once. */
export async function assertPostedOnce(outside: Outside, ids: readonly number[]): Promise<void> {
  const times = await timesPosted(outside, ids);
  const [missing, doubled] = [times.filter((one) => one === 0).length, times.filter((one) => one > 1).length];
  if (missing + doubled > 0)
    throw new GuideError(`${missing} invoices are missing in QuickBooks, ${doubled} are doubled.`);
}

/** Returns the id of the only client, from `client list`. */
export async function listClients(trial: Trial): Promise<string> {
  const output = await runQuoted(trial, commands, 'client list');
  const [id] = /[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/.exec(output) ?? [];
  if (id === undefined) throw new GuideError(`no client: ${output}`);
  return id;
}

/**
 * Bills new invoices, syncs them with the command, and checks QuickBooks.
 *
 * @param codes exit codes that are right. The first sync of the sample data has documents that fail on purpose: 1.
 * @returns the ids of the invoices
 */
export async function syncNew(
  trial: Trial,
  clientId: string,
  count: number,
  codes: readonly number[] = [0],
): Promise<readonly number[]> {
  const ids = await bill(trial.outside, count);
  const command = 'sync ID --kind invoices --live';
  await runQuoted(trial, commands, 'sync ID --kind KIND', { command, replace: { ID: clientId }, codes });
  await assertPostedOnce(trial.outside, ids);
  return ids;
}
