import type { AccountingDocument } from '#core/documents/accounting-document.ts';
import { inParallel } from '#core/in-parallel.ts';
import type { Mapping, PartyNamespace } from '#core/mapping/mapping.ts';
import { keyOf, notedSource, type CompletenessFacts } from '#core/reconciliation/completeness.ts';
import type { Shared } from './shared.ts';
import { loadPostings, type Sources } from './sources.ts';

/**
 * Gathers the postings of sources and documents, and documents of other months that were posted for sources of this
 * one.
 */
export async function gatherKind(
  shared: Shared,
  { kind, sources, documents, postings }: Sources,
  extras: CompletenessFacts['extras'] = [],
): Promise<CompletenessFacts> {
  const posted = postings ?? (await loadPostings(shared, kind, sources));
  const known = new Set(documents.map(({ type, id }) => keyOf(type, id)));
  // A document whose date was moved is in another month.
  const moved = [...posted.filter(({ isGone }) => isGone !== true), ...extras].filter(
    (one) => !known.has(keyOf(one.type, one.id)),
  );
  const others = moved.length === 0 ? [] : await shared.accounting.readDocuments(moved);
  const noted = documents.flatMap(
    (document) => notedSource(document, { kind, psaLabel: shared.psa.describe.label }) ?? [],
  );
  return {
    kind,
    month: shared.month,
    sources,
    recorded: await recordedOf(shared, kind, documents, [...new Set(noted)]),
    postings: posted,
    extras,
    documents: [...documents, ...others],
    mappedPartyIds: mappedParties(shared.mappings, partiesOf[kind]),
    homeCurrency: shared.accountingLists.preferences.homeCurrency,
    psaLabel: shared.psa.describe.label,
  };
}

/** Namespaces of the customers or vendors of each kind. Records of other lists may have the same ids. */
const partiesOf: Readonly<Record<CompletenessFacts['kind'], readonly PartyNamespace[]>> = {
  invoice: ['Customer'],
  payment: ['Customer'],
  purchase_order: ['Vendor'],
  expense_report: ['Employee', 'Vendor'],
};

const mappedParties = (mappings: readonly Mapping[], of: readonly PartyNamespace[]): ReadonlySet<string> =>
  new Set(mappings.flatMap(({ namespace, targetValue }) => (of.some((one) => one === namespace) ? [targetValue] : [])));

/** Returns the source of each document that our ledger has, among these documents and for these sources. */
async function recordedOf(
  { context: { store } }: Shared,
  kind: CompletenessFacts['kind'],
  documents: readonly AccountingDocument[],
  psaIds: readonly number[],
): Promise<ReadonlyMap<string, number>> {
  const found = await inParallel([
    psaIds.length === 0 ? [] : store.listPostings(kind, psaIds),
    store.findPostings(
      kind,
      documents.map(({ id }) => id),
    ),
  ]);
  return new Map(
    found
      .flat()
      .flatMap(({ psaId, targetType, targetId, status }) =>
        targetId !== null && targetType !== null && (status === 'synced' || status === 'unconfirmed')
          ? [[keyOf(targetType, targetId), psaId] as const]
          : [],
      ),
  );
}
