/** `tallybridge client move`, `import` and `move-undo`. */
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from 'pg';
import type { NewAuditEvent } from '#core/records/audit.ts';
import type { TenantDetail } from '#core/records/tenants.ts';
import { Refusal } from '#core/refusal.ts';
import { checkClientFile, importClient, lockMove, writeClient } from '#store/client-moves.ts';
import { BackupUnusable, codeOf } from '#store/errors.ts';
import { assertProtected } from '#store/protection.ts';
import { createVault, VaultError, type Vault } from '#store/vault.ts';
import { onOneConnection } from './backup-commands.ts';
import { operator, forOperator, type OperatorContext, type Outcome } from './operator-context.ts';
import { progressBar } from './progress.ts';
import { readVersion } from './version.ts';

/** How long `move` waits for a running sync, and the pause between two tries. */
const waitMs = { sync: 60_000, pause: 250 } as const;

/** Marks a client as moved, so that it never syncs here again, and writes its data into a file. */
export const moveOut = (id: string, file: string): Promise<Outcome> =>
  forOperator(async (context) => {
    const { name } = await readClient(context, id);
    const path = resolve(file);
    if (existsSync(path)) throw new BackupUnusable(`${path} exists already: choose another name.`);
    const rows = await onOneConnection(context.connectionString, async (client) => {
      await lockMove(client, id);
      const isNew = !(await context.store.listMovedTenants()).includes(id);
      await mark(context, id, name);
      try {
        return await write(client, path, id);
      } catch (error) {
        // Without a file the client cannot be active elsewhere.
        if (isNew && !existsSync(path))
          await context.store.forTenant(id).undoMove(eventOf(context, 'tenant.move_undone'));
        throw error;
      }
    });
    await note(context, 'tenant.moved_out', id, { rows });
    const text = `${name} stopped here, and ${rows} rows are in ${path} now. Next: run “tallybridge client import” in the other deployment, once, then delete the file, and delete the client here.`;
    return { text, data: { id, file: path, rows } };
  });

/** @throws Refusal `not_found`. */
async function readClient({ store }: OperatorContext, id: string): Promise<TenantDetail> {
  const found = await store.readTenantDetail(id);
  if (found === null) throw new Refusal('not_found', 'not_found', 'Client not found.');
  return found;
}

async function mark(context: OperatorContext, id: string, name: string): Promise<void> {
  const store = context.store.forTenant(id);
  for (const giveUpAt = performance.now() + waitMs.sync; ;) {
    if (await store.beginMove(eventOf(context, 'tenant.moved_out'))) return;
    if (performance.now() > giveUpAt)
      throw new Refusal(
        'conflict',
        'busy',
        `A sync of ${name} is under way, so nothing was changed: run this again when it has ended.`,
      );
    await sleep(waitMs.pause);
  }
}

async function write(client: Client, path: string, id: string): Promise<number> {
  try {
    return await writeClient(client, path, { id, version: readVersion(), onTable: progressBar('Tables') });
  } catch (error) {
    if (!/^E[A-Z]+$/.test(codeOf(error))) throw error;
    throw new BackupUnusable(`${path} cannot be written (${codeOf(error)}): choose another place.`, { cause: error });
  }
}

/** Adds the client of a file. It continues where it stopped in the other deployment. */
export async function moveIn(file: string): Promise<Outcome> {
  const path = resolve(file);
  const content = await checkClientFile(path);
  return forOperator(async (context) => {
    const rows = await onOneConnection(context.connectionString, (client) =>
      importClient(client, path, content, {
        vault: vaultWith(context.secretKey, process.env['SOURCE_SECRET_KEY'] ?? ''),
        now: context.clock.now(),
        onTable: progressBar('Tables'),
      }),
    );
    await assertProtected(context.database.pool);
    const { id, name } = content.client;
    await note(context, 'tenant.moved_in', id, { rows });
    const { status } = await readClient(context, id);
    const text = `${rows} rows were imported: ${name} is ${status} here now. Its users log in again. Next: delete the file, and delete the client in the other deployment.`;
    return { text, data: { id, rows, status } };
  });
}

/** Opens the secrets of both deployments. */
function vaultWith(own: string, source: string): Vault {
  try {
    return createVault(`${own},${source}`);
  } catch (error) {
    if (!(error instanceof VaultError)) throw error;
    throw new BackupUnusable(`SOURCE_SECRET_KEY cannot be used. ${error.message}`, { cause: error });
  }
}

/** Lets a client that was moved continue here, because its file was imported nowhere. */
export const undoMove = (id: string, isImportedNowhere: boolean): Promise<Outcome> =>
  forOperator(async (context) => {
    const { name } = await readClient(context, id);
    if (!isImportedNowhere)
      throw new BackupUnusable(
        `If ${name} is active in two deployments, every document is posted twice. If its file was imported nowhere, delete the file, and run this again with --imported-nowhere.`,
      );
    await onOneConnection(context.connectionString, async (client) => {
      await lockMove(client, id);
      if (!(await context.store.forTenant(id).undoMove(eventOf(context, 'tenant.move_undone'))))
        throw new BackupUnusable(`${name} was not moved.`);
    });
    await note(context, 'tenant.move_undone', id, {});
    const { status } = await readClient(context, id);
    return { text: `${name} is ${status} here again.`, data: { id, status } };
  });

const eventOf = ({ clock }: OperatorContext, action: string): NewAuditEvent => ({
  at: clock.now(),
  actor: operator,
  action,
  subject: null,
  before: null,
  after: null,
});

const note = ({ store, clock }: OperatorContext, action: string, id: string, detail: { readonly rows?: number }) =>
  store.addDeploymentEvent({ at: clock.now(), actor: operator.username, action, subject: id, detail: { ...detail } });
