import { never } from '../values/assert.ts';
import { customFieldSources } from '../planning/custom-fields.ts';
import type { MappingNamespace, Mapping } from './mapping.ts';
import type { MappingSources, SourceRecord } from './sources.ts';
import { stateOf, type MappingState, type Target } from './targets.ts';

/** One line of a mapping screen: a record of the PSA and where it leads. */
export interface MappingRow extends SourceRecord {
  readonly mapping: Mapping | null;
  readonly state: MappingState | null;
  /** What the target is called now. */
  readonly targetLabel: string | null;
  /** What is the matter with the mapping; null when nothing is. */
  readonly stateText: string | null;
}

const fieldNames: Readonly<Record<(typeof customFieldSources)[number], string>> = {
  InvoiceNumber: 'Invoice Number',
  OrderNumber: 'Order Number',
};

/** The records of the PSA that a namespace maps. */
export function sourcesOf(namespace: MappingNamespace, sources: MappingSources): readonly SourceRecord[] {
  switch (namespace) {
    case 'Customer':
      return sources.customers;
    case 'Vendor':
      return sources.vendors;
    case 'SalesCustomField':
      return customFieldSources.map((value) => ({ value, name: fieldNames[value], isActive: true }));
    case 'ExpenseCategoryBillable':
    case 'ExpenseCategoryNonBillable':
      return sources.expenseCategories;
    case 'ItemBilling':
      return sources.billingCodes;
    case 'ItemPurchasing':
      return sources.products;
    case 'LineOfBusiness':
    case 'Location':
      return sources.linesOfBusiness;
    case 'TaxRegion':
      return sources.taxRegions;
    default:
      return never(namespace);
  }
}

/**
 * Every record that can be mapped with its mapping, by name. A mapping whose record the PSA no longer lists has a row of
 * its own, so that it can be deleted.
 */
export function rowsOf(
  namespace: MappingNamespace,
  sources: MappingSources,
  targets: ReadonlyMap<string, Target>,
  mappings: readonly Mapping[],
): readonly MappingRow[] {
  const own = mappings.filter((one) => one.namespace === namespace);
  const bySource = new Map(own.map((one) => [one.sourceValue, one]));
  const records = sourcesOf(namespace, sources);
  const known = new Set(records.map(({ value }) => value));
  const orphans = own
    .filter(({ sourceValue }) => !known.has(sourceValue))
    .map((one): SourceRecord => ({
      value: one.sourceValue,
      name: one.sourceLabel ?? one.sourceValue,
      isActive: false,
    }));
  const rows = orphans.length === 0 ? inOrder(records) : [...inOrder(records), ...orphans].sort(byName);
  return rows.map((record): MappingRow => {
    const mapping = bySource.get(record.value) ?? null;
    if (mapping === null) return { ...record, mapping, state: null, targetLabel: null, stateText: null };
    const { state, label, text } = stateOf(mapping, targets);
    return { ...record, mapping, state, targetLabel: label, stateText: text };
  });
}

const collator = new Intl.Collator('en', { numeric: true, sensitivity: 'base' });
const byName = (a: SourceRecord, b: SourceRecord): number => collator.compare(a.name, b.name);

/** Lists of the PSA are never changed in place; those of thousands of companies take a while to be put in order. */
const ordered = new WeakMap<readonly SourceRecord[], readonly SourceRecord[]>();

function inOrder(records: readonly SourceRecord[]): readonly SourceRecord[] {
  const found = ordered.get(records) ?? records.toSorted(byName);
  ordered.set(records, found);
  return found;
}
