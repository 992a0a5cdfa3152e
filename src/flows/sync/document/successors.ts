import type { AccountingLists } from '#core/documents/reference-data.ts';
import type { Problem, Repair } from '#core/problems.ts';
import { ServiceError } from '#core/service-error.ts';
import type { JsonObject } from '#core/values/json.ts';
import type { Run } from '../run.ts';
import type { DocumentContext } from './context.ts';
import { oncePer } from '#core/values/once-per.ts';

/** A customer, vendor or item of QuickBooks. */
interface Found {
  readonly value: string;
  readonly label: string;
}

type List = 'customer' | 'vendor' | 'item';
const listOf: Readonly<Record<string, List>> = {
  Customer: 'customer',
  Vendor: 'vendor',
  Employee: 'vendor',
  ItemBilling: 'item',
  ItemPurchasing: 'item',
};

/** Maximum documents that are read to find the record that has them now. */
const maxRead = 3;

/** Successors found in a run, so that a thousand rejected documents need only one search. */
const knownOf = oncePer<Run, Map<string, Promise<Found | null>>>(() => new Map());

/**
 * Adds to problems the record that replaced an unusable one. After a merge, QuickBooks shows the documents of the
 * merged record under the remaining one.
 */
export async function withSuccessors(doc: DocumentContext, problems: readonly Problem[]): Promise<readonly Problem[]> {
  const done: Problem[] = [];
  for (const problem of problems) done.push(await withSuccessor(doc, problem));
  return done;
}

async function withSuccessor(doc: DocumentContext, problem: Problem): Promise<Problem> {
  const { repairs = [] } = problem;
  const stale = repairs.find((one) => one.do === 'map' && one.replaces !== undefined);
  const list = stale?.do === 'map' ? listOf[stale.namespace] : undefined;
  if (stale?.do !== 'map' || stale.replaces === undefined || list === undefined) return problem;
  const { replaces } = stale;
  const found = knownOf(doc.run);
  const key = `${list} ${replaces}`;
  const search = found.get(key) ?? findSuccessor(doc, list, replaces);
  found.set(key, search);
  const successor = await search;
  if (successor === null) return problem;
  const offered: Repair = { ...stale, candidates: [successor] };
  return {
    ...problem,
    message: `${problem.message} Its documents belong to "${successor.label}" now.`,
    repairs: repairs.map((one) => (one === stale ? offered : one)),
  };
}

/**
 * Returns the active record that has another record's documents now; null if there is none or QuickBooks does not
 * respond.
 */
async function findSuccessor({ run, shared }: DocumentContext, list: List, id: string): Promise<Found | null> {
  const { store } = run.context;
  const { accounting } = await shared();
  try {
    for (const { kind, psaId, document: posted } of await store.listPostedWith(list, id, maxRead)) {
      const posting = await store.readPosting(kind, psaId);
      if (posting === null || posting.targetType === null || posting.targetId === null) continue;
      const reference = { type: posting.targetType, id: posting.targetId };
      const [document] = await run.accounting.readDocuments([reference]);
      if (document === undefined) continue;
      const now = list === 'item' ? document.lines[lineWith(posted, id)]?.itemId : document.party.id;
      const successor = now === id ? null : recordOf(list, now ?? '', accounting);
      if (successor !== null) return successor;
    }
  } catch (error) {
    // Without a suggestion, the problem stays the same.
    if (!(error instanceof ServiceError)) throw error;
  }
  return null;
}

/** Returns the position of the first line with the item among the lines with amounts. */
function lineWith(posted: JsonObject, itemId: string): number {
  const lines = (Array.isArray(posted['Line']) ? posted['Line'] : []) as readonly JsonObject[];
  return lines
    .flatMap((line) => [line['SalesItemLineDetail'] ?? line['ItemBasedExpenseLineDetail'] ?? null])
    .filter((detail) => detail !== null)
    .findIndex((detail) => ((detail as JsonObject)['ItemRef'] as JsonObject | undefined)?.['value'] === itemId);
}

function recordOf(list: List, id: string, accounting: AccountingLists): Found | null {
  if (list === 'item') {
    const item = accounting.items.find((one) => one.id === id && one.isActive);
    return item === undefined ? null : { value: item.id, label: item.fullyQualifiedName };
  }
  const parties = list === 'customer' ? accounting.customers : accounting.vendors;
  const party = parties.find((one) => one.id === id && one.isActive);
  return party === undefined ? null : { value: party.id, label: party.displayName };
}
