import type { AccountingDocument } from '#core/documents/accounting-document.ts';
import { inParallel } from '#core/in-parallel.ts';
import type { Accounting } from '#core/ports/accounting.ts';
import type { PostedBody } from '#core/records/closes.ts';
import { keyOf, type CompletenessFacts } from '#core/reconciliation/completeness.ts';
import type { ExtraDocument } from '#core/reconciliation/completeness-facts.ts';
import { namedSource } from '#core/reconciliation/named-source.ts';
import { firstDay, lastDay } from '#core/reconciliation/month.ts';
import type { Shared } from './shared.ts';
import { toPosted } from './sources.ts';

/**
 * Returns the documents that we posted in addition to those of the invoices: reversing credit memos and documents that
 * bill differences. Those of these invoices, those dated in the month, and those that were posted in it.
 */
export async function extrasOf(
  { context, accounting, psa, month }: Shared,
  psaIds: readonly number[],
  documents: readonly AccountingDocument[],
): Promise<CompletenessFacts['extras']> {
  const { store } = context;
  const ids = documents.map(({ id }) => id);
  const found = await inParallel(
    extraKinds.map(async ({ kind, role }) => {
      const own = await store.findPostings(kind, ids);
      const owners = [...new Set([...psaIds, ...own.map(({ psaId }) => psaId)])];
      const rows = [
        ...(await store.listPostedBodies(kind, owners)),
        ...(await store.listPostedDated(kind, { from: firstDay(month), through: lastDay(month) })),
      ];
      return rows.flatMap((row) =>
        role === 'reversal' && row.targetType !== 'CreditMemo' ? [] : toExtra(role, row, accounting),
      );
    }),
  );
  const noted = documents.flatMap((document): ExtraDocument[] => {
    const named = namedSource(document, psa.describe.label);
    const role = extraKinds.find(({ kind }) => kind === named?.kind)?.role;
    return named === null || role === undefined
      ? []
      : [{ role, psaId: named.psaId, type: document.type, id: document.id }];
  });
  return [
    ...new Map([...noted, ...found.flat()].map((document) => [keyOf(document.type, document.id), document])).values(),
  ];
}

/** Kinds of the ledger whose documents are posted in addition to an invoice. */
const extraKinds = [
  { kind: 'void', role: 'reversal' },
  { kind: 'difference', role: 'difference' },
] as const;

function toExtra(
  role: ExtraDocument['role'],
  row: PostedBody,
  accounting: Pick<Accounting, 'fingerprintOfBody'>,
): ExtraDocument[] {
  if (row.status !== 'synced' && row.status !== 'unconfirmed') return [];
  return toPosted(row, (type) => accounting.fingerprintOfBody(type, row.body)).map((posted) => ({
    role,
    psaId: posted.psaId,
    type: posted.type,
    id: posted.id,
    posted,
  }));
}
