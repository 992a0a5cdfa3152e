import { never } from '../values/assert.ts';
import { customFieldSources } from '../planning/document-fields.ts';
import { normalized } from '../values/text.ts';
import { type Mapping, type MappingNamespace, untaxedSource } from './mapping.ts';
import type { MappingSources, SourceRecord } from './sources.ts';
import { stateOf, type MappingState, type Target } from './targets.ts';
import { oncePer } from '../values/once-per.ts';

/** One row of a mapping screen: a PSA record and its target. */
export interface MappingRow extends SourceRecord {
  /** City and id, e.g. `Houston, 9002`, when another record has the same name; null when the name is unique. */
  readonly distinction: string | null;
  readonly mapping: Mapping | null;
  readonly state: MappingState | null;
  /** The target's current name. */
  readonly targetLabel: string | null;
  /** Sentence about an error in the mapping; null without one. */
  readonly stateText: string | null;
}

const fieldNames: Readonly<Record<(typeof customFieldSources)[number], string>> = {
  InvoiceNumber: 'Invoice Number',
  OrderNumber: 'Order Number',
};

const none: readonly SourceRecord[] = [];

/** Returns the PSA records that a namespace maps. */
export function sourcesOf(namespace: MappingNamespace, sources: MappingSources): readonly SourceRecord[] {
  switch (namespace) {
    case 'Customer':
      return sources.customers;
    case 'Vendor':
      return sources.vendors;
    case 'Employee':
      return sources.employees ?? none;
    // Users do not map names: syncs record them.
    case 'ItemName':
      return none;
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

/** The last rows built from the same records for a namespace, with the other inputs that were used. */
interface Made {
  readonly targets: ReadonlyMap<string, Target>;
  readonly mappings: readonly Mapping[];
  readonly rows: readonly MappingRow[];
}

/**
 * Cached rows by the list of records. Lists are never changed in place, so the same object means the same content. The
 * entries are garbage-collected with their lists.
 */
const madeOf = oncePer<readonly SourceRecord[], Map<MappingNamespace, Made>>(() => new Map());

/**
 * Returns every record that can be mapped with its mapping, by name. A mapping whose record the PSA no longer lists
 * gets a separate row, so that users can delete it. The same inputs return the same rows.
 *
 * @param mappings those of other namespaces are ignored.
 */
export function rowsOf(
  namespace: MappingNamespace,
  sources: MappingSources,
  targets: ReadonlyMap<string, Target>,
  mappings: readonly Mapping[],
): readonly MappingRow[] {
  const listed = sourcesOf(namespace, sources);
  // In the United States, lines without tax always have the code NON.
  const records = namespace === 'TaxRegion' && targets.size > 0 && !targets.has('NON') ? withUntaxed(listed) : listed;
  const before = madeOf(records);
  const last = before.get(namespace);
  if (last !== undefined && last.targets === targets && last.mappings === mappings) return last.rows;
  const own = mappings.filter((mapping) => mapping.namespace === namespace);
  const rows = joined(records, targets, own);
  before.set(namespace, { targets, mappings, rows });
  return rows;
}

/** Returns a list with the row for lines without tax. */
const withUntaxed = oncePer((regions: readonly SourceRecord[]): readonly SourceRecord[] => [
  { value: untaxedSource, name: untaxedSource, isActive: true },
  ...regions,
]);

function joined(
  records: readonly SourceRecord[],
  targets: ReadonlyMap<string, Target>,
  own: readonly Mapping[],
): readonly MappingRow[] {
  const bySource = new Map(own.map((mapping) => [mapping.sourceValue, mapping]));
  const known = new Set(records.map(({ value }) => value));
  const orphans = own
    .filter(({ sourceValue }) => !known.has(sourceValue))
    .map((mapping): SourceRecord => ({
      value: mapping.sourceValue,
      name: mapping.sourceLabel ?? mapping.sourceValue,
      isActive: false,
    }));
  const rows = orphans.length === 0 ? inOrder(records) : [...inOrder(records), ...orphans].sort(byName);
  const named = Map.groupBy(rows, ({ name }) => normalized(name));
  return rows.map((record): MappingRow => {
    const mapping = bySource.get(record.value) ?? null;
    const alike = named.get(normalized(record.name)) ?? [];
    const distinction = alike.length > 1 ? distinctionOf(record) : null;
    if (mapping === null) return { ...record, distinction, mapping, state: null, targetLabel: null, stateText: null };
    const { state, label, text } = stateOf(mapping, targets);
    return { ...record, distinction, mapping, state, targetLabel: label, stateText: text };
  });
}

/** Returns the city and id of a record. */
export const distinctionOf = ({ value, city = null }: Pick<SourceRecord, 'value' | 'city'>): string =>
  city === null || city.trim() === '' ? value : `${city.trim()}, ${value}`;

const collator = new Intl.Collator('en', { numeric: true, sensitivity: 'base' });
const byName = (a: SourceRecord, b: SourceRecord): number => collator.compare(a.name, b.name);

/** Sorts a list once: PSA lists are never changed in place, and sorting thousands of companies takes a while. */
const inOrder = oncePer((records: readonly SourceRecord[]): readonly SourceRecord[] => records.toSorted(byName));
