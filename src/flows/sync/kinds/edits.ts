import type { AccountingLists } from '#core/documents/reference-data.ts';
import type { Kind } from '#core/kinds.ts';
import { editsOf, type Edit } from '#core/reconciliation/drift.ts';
import { compareFingerprints, type Fingerprint } from '#core/reconciliation/fingerprint.ts';
import { readCachedLists } from '../../connections/cached-lists.ts';
import type { Searcher } from './kind.ts';

/** A posted document as it is in QuickBooks now. */
export interface PostedNow {
  readonly psaId: number;
  readonly type: string;
  readonly id: string;
  /** The customer or vendor. */
  readonly party: { readonly id: string; readonly name: string | null };
  readonly fingerprint: Fingerprint | null;
}

/**
 * Returns the changes of documents in QuickBooks since they were posted, by PSA id, from stored data without a call.
 * Documents without a change have no entry.
 */
export async function readEdits(
  run: Searcher,
  kind: Kind,
  documents: readonly PostedNow[],
): Promise<ReadonlyMap<number, readonly Edit[]>> {
  const found = new Map<number, readonly Edit[]>();
  if (documents.length === 0) return found;
  const bodies = await run.context.store.listPostedBodies(
    kind,
    documents.map(({ psaId }) => psaId),
  );
  const posted = new Map(bodies.map((one) => [`${one.targetType} ${one.targetId}`, one]));
  const compare = comparer(run);
  for (const { psaId, type, id, party, fingerprint: now } of documents) {
    const body = posted.get(`${type} ${id}`);
    if (body === undefined) continue;
    const before = body.answered ?? run.accounting.fingerprintOfBody(type, body.body);
    const edits = await compare(before, now, party);
    if (edits.length > 0) found.set(psaId, edits);
  }
  return withoutRemapped(run, kind, documents, found);
}

/**
 * Returns the changes without customers and vendors that the mapping names by now: a user who merged two customers, or
 * corrected one in QuickBooks, then maps the company to the one that has the documents. Reads the PSA only if a customer
 * or vendor changed.
 */
async function withoutRemapped(
  run: Searcher,
  kind: Kind,
  documents: readonly PostedNow[],
  found: ReadonlyMap<number, readonly Edit[]>,
): Promise<ReadonlyMap<number, readonly Edit[]>> {
  const ids = [...found].flatMap(([psaId, edits]) => (edits.some(isOfParty) ? [psaId] : []));
  if (ids.length === 0) return found;
  const mapped = await mappedParties(run, kind, ids);
  const isMapped = ({ psaId, party }: PostedNow) => mapped.get(psaId) === party.id;
  const remapped = new Set(documents.filter(isMapped).map(({ psaId }) => psaId));
  return new Map(
    [...found].flatMap(([psaId, edits]) => {
      const left = remapped.has(psaId) ? edits.filter((one) => !isOfParty(one)) : edits;
      return left.length === 0 ? [] : [[psaId, left] as const];
    }),
  );
}

const isOfParty = ({ field }: Edit): boolean => field === 'customer';

/** Returns the QuickBooks ids to which the companies or employees of documents are mapped, by PSA id of the document. */
async function mappedParties(
  { psa, context }: Searcher,
  kind: Kind,
  ids: readonly number[],
): Promise<ReadonlyMap<number, string>> {
  const namespace = kind === 'purchase_order' ? 'Vendor' : kind === 'expense_report' ? 'Employee' : 'Customer';
  const targets = new Map(
    (await context.store.listMappings([namespace])).map(({ sourceValue, targetValue }) => [sourceValue, targetValue]),
  );
  const parties: readonly (readonly [id: number, party: number])[] =
    kind === 'purchase_order'
      ? (await psa.readPurchaseOrders(ids)).map(({ id, vendorId }) => [id, vendorId])
      : kind === 'expense_report'
        ? (await psa.readExpenseReports(ids)).map(({ id, submitterId }) => [id, submitterId])
        : (await psa.findInvoices({ ids })).map(({ id, companyId }) => [id, companyId]);
  return new Map(
    parties.flatMap(([id, party]) => {
      const target = targets.get(String(party));
      return target === undefined ? [] : [[id, target] as const];
    }),
  );
}

/** Returns a function that returns the changes between two states of a document; it reads the lists at most once. */
export function comparer({ context }: Pick<Searcher, 'context'>) {
  let lists: AccountingLists | null | undefined;
  return async (
    before: Fingerprint | null,
    now: Fingerprint | null,
    party: PostedNow['party'],
  ): Promise<readonly Edit[]> => {
    if (before === null || now === null || compareFingerprints(before, now).length === 0) return [];
    lists ??= await readCachedLists(context);
    return editsOf(before, now, namesIn(lists, party), familyIn(lists));
  };
}

/** Returns whether two customers have the same top customer, e.g. because one is a project of the other. */
function familyIn(lists: AccountingLists | null): (customerId: string, otherId: string) => boolean {
  const parents = new Map((lists?.customers ?? []).map(({ id, parentId = null }) => [id, parentId] as const));
  const topOf = (id: string, left = maxCustomerLevels): string => {
    const parent = parents.get(id) ?? null;
    return parent === null || left === 0 ? id : topOf(parent, left - 1);
  };
  return (one, other) => topOf(one) === topOf(other);
}

/** QuickBooks allows five levels of customers, and projects below them. */
const maxCustomerLevels = 6;

/** Returns names of customers, vendors, items and accounts by id, from the cached lists; the id if unknown. */
const namesIn =
  (lists: AccountingLists | null, party: PostedNow['party']): Parameters<typeof editsOf>[2] =>
  (of, id) => {
    const name =
      of === 'customer'
        ? ([...(lists?.customers ?? []), ...(lists?.vendors ?? [])].find((one) => one.id === id)?.displayName ??
          (party.id === id ? party.name : null))
        : of === 'item'
          ? lists?.items.find((one) => one.id === id)?.name
          : lists?.accounts.find((one) => one.id === id)?.fullyQualifiedName;
    return name ?? id;
  };
