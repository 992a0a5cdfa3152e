/** `tallybridge client`: commands about clients. */
import { createWriteStream } from 'node:fs';
import { resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { changeStatus, readClient, type RequestedStatus } from '#flows/tenants/change-status.ts';
import { deleteTenant } from '#flows/tenants/delete-tenant.ts';
import { exportTenant } from '#flows/tenants/export-tenant.ts';
import { operator, forOperator, type Outcome } from './operator-context.ts';

/** Lists all clients. */
export const listClients = (): Promise<Outcome> =>
  forOperator(async ({ store }) => {
    const moved = new Set(await store.listMovedTenants());
    const clients = (await store.listTenants()).map(({ id, name, status }) => ({
      id,
      name,
      status: moved.has(id) ? 'moved' : status,
    }));
    const lines = clients.map(({ id, name, status }) => `${id}  ${status.padEnd(9)}  ${name}`);
    return { text: lines.length === 0 ? 'There are no clients.' : lines.join('\n'), data: { clients } };
  });

/** Writes all data of a client, without secrets, into a ZIP file in the current folder. */
export const exportClient = (id: string): Promise<Outcome> =>
  forOperator(async (context) => {
    const app = await context.app();
    await readClient(app, id);
    const { fileName, content } = await exportTenant(app, app.forTenant(id), operator);
    // Readable by the operator only; never overwrites an earlier file.
    await pipeline(content, createWriteStream(fileName, { flags: 'wx', mode: 0o600 }));
    return { text: `All data of the client is in ${fileName} now.`, data: { file: resolve(fileName) } };
  });

/** Deletes a client permanently. */
export const deleteClient = (id: string, name: string): Promise<Outcome> =>
  forOperator(async (context) => {
    const rows = await deleteTenant(await context.app(), operator, id, name);
    return { text: `${name} was deleted, ${rows} rows in total.`, data: { id, rows } };
  });

/** Suspends or reactivates the subscription of a client. */
export const changeClient = (id: string, requested: RequestedStatus, reason: string): Promise<Outcome> =>
  forOperator(async (context) => {
    const { name, status } = await changeStatus(await context.app(), operator, id, { status: requested, reason });
    return { text: `The subscription of ${name} is ${status} now.`, data: { id, status } };
  });
