import { blockOf, sectionOf } from './documents.ts';
import type { DatabaseServer } from './postgres.ts';
import { assertPostedOnce, syncNew } from './syncing.ts';
import { createDatabase, runLine, writeEnvironment, type Trial } from './trial.ts';

const document = 'docs/operate/backup.md';

/** Backs up, posts more, restores into another server, and syncs: nothing may be posted again. */
export async function followBackup(trial: Trial, clientId: string, other: DatabaseServer): Promise<void> {
  const backup = sectionOf(document, 'Back up');
  const before = await syncNew(trial, clientId, 5);
  for (const line of blockOf(backup)) await runLine(trial, backup, line);
  const after = await syncNew(trial, clientId, 5);

  const restore = sectionOf(document, 'Restore');
  const lines = blockOf(restore);
  await createDatabase(trial, other);
  writeEnvironment(trial);
  for (const line of lines) await runLine(trial, restore, line);
  await syncNew(trial, clientId, 5);
  await trial.transcript.step(restore, 'The first sync of each client searches QuickBooks', async () => {
    await assertPostedOnce(trial.outside, [...before, ...after]);
    return `${before.length} invoices in the backup and ${after.length} posted after it: 0 missing, 0 doubled`;
  });
}
