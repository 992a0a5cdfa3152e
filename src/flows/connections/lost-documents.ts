import { originOf } from '#core/documents/origin.ts';
import type { NotedDocument } from '#core/ports/accounting.ts';
import { Refusal } from '#core/refusal.ts';
import { namedSource } from '#core/reconciliation/named-source.ts';
import type { TenantContext } from '../context.ts';

/**
 * Returns true if one of these QuickBooks documents names its source and was posted from here, but neither the ledger
 * nor an open attempt knows it: the database was restored, and no operator reported it.
 */
export async function lacksDocuments(context: TenantContext, noted: readonly NotedDocument[]): Promise<boolean> {
  const marked = noted.filter(({ privateNote }) => originOf(privateNote.replace(/^Voided - /, '')) !== null);
  if (marked.length === 0) return false;
  const label = await psaLabelOf(context);
  if (label === null) return false;
  const named = marked.flatMap((document) => {
    const source = namedSource(document, label);
    return source === null ? [] : [{ ...source, targetId: document.id, createdAt: document.createdAt }];
  });
  const unknown = await context.store.listUnknownDocuments(named);
  if (unknown.length === 0) return false;
  context.logger.warn(
    { event: 'ledger.incomplete', documents: unknown.map(({ kind, psaId, targetId }) => ({ kind, psaId, targetId })) },
    'QuickBooks has documents that were posted from here and the ledger lacks: they are searched for, as after a restore',
  );
  return true;
}

/** Null while the PSA is not connected. */
async function psaLabelOf(context: TenantContext): Promise<string | null> {
  try {
    return (await context.psa()).describe.label;
  } catch (error) {
    if (error instanceof Refusal) return null;
    throw error;
  }
}
