import { kinds, type SubmittableKind } from '#core/kinds.ts';
import type { Psa } from '#core/ports/psa.ts';
import type { Actor } from '#core/records/audit.ts';
import { Refusal } from '#core/refusal.ts';
import { usesPsaNumber } from '#core/settings/definitions.ts';
import { clearedReference } from '#core/sync-status.ts';
import { assert } from '#core/values/assert.ts';
import type { Instant } from '#core/values/dates.ts';
import type { TenantContext } from '../../context.ts';
import { flowOf } from '../kinds/registry.ts';

/** A document with the PSA fields that show its status. */
interface Shown {
  readonly id: number;
  readonly reference: string;
  /** Invoices: the sync date. */
  readonly exportedAt?: Instant | null;
}

/** Read the fields that show the status of documents, as they are. Omit documents that do not exist. */
const reads: Readonly<Record<SubmittableKind, (psa: Psa, ids: readonly number[]) => Promise<readonly Shown[]>>> = {
  invoice: async (psa, ids) =>
    (await psa.findInvoices({ ids })).map(({ id, number, exportedAt }) => ({ id, reference: number, exportedAt })),
  purchase_order: async (psa, ids) =>
    (await psa.readPurchaseOrders(ids)).map(({ id, externalNumber }) => ({ id, reference: externalNumber })),
  expense_report: async (psa, ids) =>
    (await psa.readExpenseReports(ids)).map(({ id, reference }) => ({ id, reference })),
};

/**
 * Resets the status of documents in the PSA to not synced; called for “Clear Sync Status” on the sync screens (domain
 * reference 13). Changes neither QuickBooks nor the ledger: the next sync, even an automatic one, links an existing
 * document instead of posting a second one.
 *
 * @returns ids of the cleared documents, ascending; without those that the PSA does not have.
 * @throws Refusal `being_synced` (409) when one of them is being synced; then none is cleared.
 */
export async function clearSyncStatus(
  context: TenantContext,
  kind: SubmittableKind,
  ids: readonly number[],
  actor: Actor,
): Promise<readonly number[]> {
  const { store, clock } = context;
  const wanted = [...new Set(ids)].sort((a, b) => a - b);
  const busy = new Set(await store.listBusy(kind));
  const held = wanted.filter((id) => busy.has(id));
  if (held.length > 0)
    throw new Refusal(
      'conflict',
      'being_synced',
      held.map((id) => `${kinds[kind].label} ${id} is being synced.`).join(' '),
    );
  const psa = await context.psa();
  const { statusField } = flowOf(kind);
  assert(statusField !== undefined, 'the PSA shows the status of submitted documents');
  const usesNumber = kind === 'invoice' && usesPsaNumber((await store.readSettings()).inv_numbering_option);
  const found = [...(await reads[kind](psa, wanted))].sort((a, b) => a.id - b.id);
  const before: Record<string, string> = {};
  const after: Record<string, string> = {};
  const cleared: number[] = [];
  try {
    for (const { id, reference, exportedAt = null } of found) {
      const empty = clearedReference(kind, reference, usesNumber);
      // With the PSA's own numbers, only the sync date shows that an invoice was synced.
      const emptiesDate = usesNumber && exportedAt !== null;
      if (empty !== reference || emptiesDate) {
        await statusField.write(psa, id, empty, emptiesDate ? null : undefined);
        before[id] = reference;
        after[id] = empty;
        if (emptiesDate) {
          before[`${id}, sync date`] = exportedAt;
          after[`${id}, sync date`] = '';
        }
      }
      cleared.push(id);
    }
  } finally {
    // Suppressed problems may be logged again, and voids and payments are evaluated again.
    await store.clearSuppressions(kind === 'invoice' ? ['invoice', 'void', 'payment'] : [kind], cleared);
    // Logs the cleared documents even if the PSA stops responding halfway.
    if (Object.keys(before).length > 0)
      await store.addAudit({ at: clock.now(), actor, action: 'sync_status.cleared', subject: kind, before, after });
  }
  return cleared;
}
