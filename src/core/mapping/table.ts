import { never } from '../values/assert.ts';
import { customFieldSources } from '../planning/custom-fields.ts';
import { normalized } from '../values/text.ts';
import type { MappingNamespace, Mapping } from './mapping.ts';
import type { MappingSources, SourceRecord } from './sources.ts';
import { stateOf, type MappingState, type Target } from './targets.ts';

/** One line of a mapping screen: a record of the PSA and where it leads. */
export interface MappingRow extends SourceRecord {
  /** City and id of a record that has the name of another one: `Houston, 9002`; null when the name is unique. */
  readonly distinction: string | null;
  readonly mapping: Mapping | null;
  readonly state: MappingState | null;
  /** The target's name as it is now. */
  readonly targetLabel: string | null;
  /** Sentence about what is wrong with the mapping; null when nothing is. */
  readonly stateText: string | null;
}

const fieldNames: Readonly<Record<(typeof customFieldSources)[number], string>> = {
  InvoiceNumber: 'Invoice Number',
  OrderNumber: 'Order Number',
};

const none: readonly SourceRecord[] = [];

/** The records of the PSA that a namespace maps. */
export function sourcesOf(namespace: MappingNamespace, sources: MappingSources): readonly SourceRecord[] {
  switch (namespace) {
    case 'Customer':
      return sources.customers;
    case 'Vendor':
      return sources.vendors;
    case 'Employee':
      return sources.employees ?? none;
    // Nobody maps names: documents record them.
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

/** Rows that were made last of the same records for a namespace, and what else they were made of. */
interface Made {
  readonly targets: ReadonlyMap<string, Target>;
  readonly mappings: readonly Mapping[];
  readonly rows: readonly MappingRow[];
}

/**
 * Nothing of what rows are made of is ever changed in place, and all of it is the same object while it is kept. They go
 * with the records: what keeps those bounds what is kept here.
 */
const made = new WeakMap<readonly SourceRecord[], Map<MappingNamespace, Made>>();

/**
 * Every record that can be mapped with its mapping, by name. A mapping whose record the PSA no longer lists has a row of
 * its own, so that it can be deleted. The same three lists give the same rows.
 *
 * @param mappings of this namespace; others are passed over.
 */
export function rowsOf(
  namespace: MappingNamespace,
  sources: MappingSources,
  targets: ReadonlyMap<string, Target>,
  mappings: readonly Mapping[],
): readonly MappingRow[] {
  const records = sourcesOf(namespace, sources);
  const before = made.get(records) ?? new Map<MappingNamespace, Made>();
  const last = before.get(namespace);
  if (last !== undefined && last.targets === targets && last.mappings === mappings) return last.rows;
  const own = mappings.filter((one) => one.namespace === namespace);
  const rows = joined(records, targets, own);
  made.set(records, before.set(namespace, { targets, mappings, rows }));
  return rows;
}

function joined(
  records: readonly SourceRecord[],
  targets: ReadonlyMap<string, Target>,
  own: readonly Mapping[],
): readonly MappingRow[] {
  const bySource = new Map(own.map((one) => [one.sourceValue, one]));
  const known = new Set(records.map(({ value }) => value));
  const orphans = own
    .filter(({ sourceValue }) => !known.has(sourceValue))
    .map((one): SourceRecord => ({
      value: one.sourceValue,
      name: one.sourceLabel ?? one.sourceValue,
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

/** City and id of a record. */
export const distinctionOf = ({ value, city = null }: Pick<SourceRecord, 'value' | 'city'>): string =>
  city === null || city.trim() === '' ? value : `${city.trim()}, ${value}`;

const collator = new Intl.Collator('en', { numeric: true, sensitivity: 'base' });
const byName = (a: SourceRecord, b: SourceRecord): number => collator.compare(a.name, b.name);

/** Lists of the PSA are never changed in place; those of thousands of companies take a while to be put in order. */
const ordered = new WeakMap<readonly SourceRecord[], readonly SourceRecord[]>();

function inOrder(records: readonly SourceRecord[]): readonly SourceRecord[] {
  const found = ordered.get(records) ?? records.toSorted(byName);
  ordered.set(records, found);
  return found;
}
