/** `tallybridge maintenance`: rests the whole deployment. */
import { setTimeout as delay } from 'node:timers/promises';
import { maxMaintenanceMessage, type Maintenance } from '#core/records/maintenance.ts';
import { Refusal } from '#core/refusal.ts';
import { instant, momentText } from '#core/values/dates.ts';
import { readMaintenance, saveMaintenance } from '#store/deployment-events.ts';
import type { Database } from '#store/database.ts';
import { countHeldClients } from '#store/processes.ts';
import { withDatabase } from './migrate-command.ts';
import { operator, type Outcome } from './operator-context.ts';

/** Workers notice maintenance within two seconds, and finish calls in progress within twenty. */
const workEndsWithinMs = 30_000;
/** Until then a worker may still begin work. */
const noticedWithinMs = 2_500;
const lookEveryMs = 500;

/** Turns maintenance on, and waits until no worker works for a client any more. The exit code is 1 if one still does. */
export const turnOn = (message: string): Promise<Outcome> =>
  withRunning(async (database) => {
    const text = message.trim();
    if (text.length > maxMaintenanceMessage)
      throw new Refusal(
        'invalid',
        'validation_failed',
        `The message has more than ${maxMaintenanceMessage} characters.`,
      );
    await save(database, text);
    const giveUpAt = performance.now() + workEndsWithinMs;
    for (await delay(noticedWithinMs); performance.now() < giveUpAt; await delay(lookEveryMs))
      if ((await database.acrossTenants(countHeldClients)) === 0) break;
    const status = await statusOf(database);
    return { ...status, exitCode: status.data['clients'] === 0 ? 0 : 1 };
  });

/** Turns maintenance off. */
export const turnOff = (): Promise<Outcome> =>
  withRunning(async (database) => {
    await save(database, null);
    return statusOf(database);
  });

/** Shows whether maintenance is on. */
export const showStatus = (): Promise<Outcome> => withRunning(statusOf);

/** The product runs meanwhile, also one with an embedded database. */
const withRunning = (use: (database: Database) => Promise<Outcome>): Promise<Outcome> =>
  withDatabase(use, { joins: true });

const save = (database: Database, message: string | null): Promise<Maintenance | null> =>
  database.acrossTenants((tx) => saveMaintenance(tx, { message, actor: operator.username, now: instant(Date.now()) }));

async function statusOf(database: Database): Promise<Outcome> {
  const maintenance = await database.acrossTenants(readMaintenance);
  const clients = await database.acrossTenants(countHeldClients);
  if (maintenance === null) return { text: 'Maintenance is off.', data: { maintenance: null, clients } };
  const { since, message } = maintenance;
  const shown = message === '' ? '' : ` Users see: “${message}”`;
  const work =
    clients === 0
      ? 'No work is in progress.'
      : `Work for ${clients} ${clients === 1 ? 'client' : 'clients'} still ends.`;
  return {
    text: `Maintenance has been on since ${momentText(since, 'UTC')}. ${work}${shown}`,
    data: { maintenance: { since, message }, clients },
  };
}
