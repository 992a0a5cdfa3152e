import { inParallel } from '#core/in-parallel.ts';
import {
  type MappingNamespace,
  mappingNamespaces,
  nameToCreate,
  type PartyNamespace,
  partySideOf,
} from '#core/mapping/mapping.ts';
import { hasSharedTargets, withSharedWarnings } from '#core/mapping/shared-targets.ts';
import { rowsOf, type MappingRow } from '#core/mapping/table.ts';
import { isFoundBy, targetsOf, type Target } from '#core/mapping/targets.ts';
import { normalized } from '#core/values/text.ts';
import type { TenantContext } from '../context.ts';
import { readCachedLists } from '../connections/cached-lists.ts';
import { listDecided } from './history.ts';
import { loadMappingLists, loadTargets } from './lists.ts';
import { oncePer } from '#core/values/once-per.ts';

/** Contents of a mapping screen. */
export interface MappingTable {
  readonly rows: readonly MappingRow[];
  /** Groups to filter rows by, if there are any: categories of products. */
  readonly groups: readonly { readonly value: string; readonly text: string }[];
  /** Number of QuickBooks records that can be chosen. */
  readonly targetCount: number;
}

/** Use types of billing codes (specification 1, section 3). */
const useTypes = [
  { value: '1', text: 'Work Types' },
  { value: '2', text: 'Expense' },
  { value: '4', text: 'Material' },
  { value: '5', text: 'Service' },
  { value: '6', text: 'Milestone' },
];

/**
 * Returns every PSA record of a namespace, with its mapping and the mapping's problem.
 *
 * @throws ServiceError when a list must be read and its service does not respond; Refusal `not_connected`.
 */
export async function readMappingTable(
  context: TenantContext,
  namespace: MappingNamespace,
  how: { readonly refresh: boolean },
): Promise<MappingTable> {
  const [{ sources, targets }, mappings] = await inParallel([
    loadMappingLists(context, namespace, how),
    context.store.listMappings([namespace]),
  ]);
  const rows = rowsOf(namespace, sources, targets, mappings);
  const groups = { ItemBilling: useTypes, ItemPurchasing: sources.productCategories };
  return {
    rows: isParty(namespace) ? await withWarnings(context, namespace, rows) : rows,
    groups: namespace === 'ItemBilling' || namespace === 'ItemPurchasing' ? groups[namespace] : [],
    targetCount: [...targets.values()].filter(({ whyNot }) => whyNot === null).length,
  };
}

const isParty = (namespace: MappingNamespace): namespace is PartyNamespace => partySideOf(namespace) !== undefined;

async function withWarnings(
  context: TenantContext,
  namespace: PartyNamespace,
  rows: readonly MappingRow[],
): Promise<readonly MappingRow[]> {
  if (!hasSharedTargets(rows)) return rows;
  const decided = await listDecided(context, namespace);
  const saved = new Set(decided.map(({ sourceValue, targetValue }) => `${sourceValue} ${targetValue}`));
  const isConfirmed = ({ value, mapping }: MappingRow) => saved.has(`${value} ${mapping?.targetValue ?? ''}`);
  return withSharedWarnings(namespace, rows, new Set(rows.filter(isConfirmed).map(({ value }) => value)));
}

/**
 * Searches the QuickBooks records that the namespace can map to, by any part of their name or number. Names that begin
 * with the text come first.
 *
 * @param limit maximum number of returned records.
 * @returns `total`: number of matching records, including those beyond the limit.
 * @throws as {@link readMappingTable}.
 */
export async function searchTargets(
  context: TenantContext,
  namespace: MappingNamespace,
  text: string,
  limit: number,
): Promise<{ readonly targets: readonly Target[]; readonly total: number }> {
  const wanted = normalized(text);
  const found = byLabel(await loadTargets(context, namespace)).filter(
    (target) => target.whyNot === null && isFoundBy(target, wanted),
  );
  const isFirst = ({ label }: Target) => normalized(label).startsWith(wanted);
  const sorted = [...found.filter(isFirst), ...found.filter((target) => !isFirst(target))];
  return { targets: sorted.slice(0, limit), total: sorted.length };
}

const collator = new Intl.Collator('en', { numeric: true, sensitivity: 'base' });

/** Returns targets by name; sorted once for each version of the list. */
const byLabel = oncePer((targets: ReadonlyMap<string, Target>): readonly Target[] =>
  [...targets.values()].sort((a, b) => collator.compare(a.label, b.label)),
);

/** Progress of the mappings of one namespace. */
export interface MappingSummary {
  readonly namespace: MappingNamespace;
  readonly mapped: number;
  /** Number of mappings that make a sync fail: their target is deleted, inactive, or cannot be used. */
  readonly stale: number;
}

/** Returns the summary of all namespaces from stored data, without a call to a service. */
export async function summarizeMappings(context: TenantContext): Promise<readonly MappingSummary[]> {
  const [mappings, accounting] = await inParallel([context.store.listMappings(), readCachedLists(context)]);
  return (Object.keys(mappingNamespaces) as MappingNamespace[]).map((namespace) => {
    const own = mappings.filter((mapping) => mapping.namespace === namespace);
    const targets =
      accounting === null ? null : new Map(targetsOf(namespace, accounting).map((target) => [target.value, target]));
    const isStale = (value: string) =>
      targets !== null && nameToCreate(value) === null && targets.get(value)?.whyNot !== null;
    return { namespace, mapped: own.length, stale: own.filter(({ targetValue }) => isStale(targetValue)).length };
  });
}
