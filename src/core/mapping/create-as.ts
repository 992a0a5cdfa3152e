import type { AccountingLists } from '../documents/reference-data.ts';
import { cleanName, normalized } from '../values/text.ts';
import { type Mapping, type MappingNamespace, nameToCreate } from './mapping.ts';

/** Facts that decide whether a customer or vendor with this name can be created. */
export interface NameFacts {
  readonly namespace: MappingNamespace;
  /** PSA id of the company or employee that the new record is for. */
  readonly source: string;
  readonly accounting: Pick<AccountingLists, 'customers' | 'vendors'>;
  /** Mappings of the namespace. */
  readonly now: readonly Mapping[];
}

/** Returns why QuickBooks would not create a customer or vendor with this name, as a sentence; null when it would. */
export function whyNotCreatable(name: string, { namespace, source, accounting, now }: NameFacts): string | null {
  if (namespace !== 'Customer' && namespace !== 'Vendor' && namespace !== 'Employee')
    return 'Only customers and vendors can be created by a mapping. Choose a record of QuickBooks.';
  if (name === '' || cleanName(name) !== name)
    return `QuickBooks does not accept the name “${name}”. Use at most 100 characters, without colons, tabs or line breaks.`;
  const key = normalized(name);
  const isTaken = namesIn(accounting).has(key) || (requestsIn(now).get(key) ?? []).some((other) => other !== source);
  return isTaken ? `The name “${name}” is already used in QuickBooks. Choose another name, or link the record.` : null;
}

// A bulk change checks thousands of names against the same lists.
const known = new WeakMap<object, ReadonlySet<string>>();
const requested = new WeakMap<readonly Mapping[], ReadonlyMap<string, readonly string[]>>();

/** Returns the normalized names of customers and vendors. */
function namesIn(accounting: NameFacts['accounting']): ReadonlySet<string> {
  const found =
    known.get(accounting) ??
    new Set([...accounting.customers, ...accounting.vendors].map(({ displayName }) => normalized(displayName)));
  known.set(accounting, found);
  return found;
}

/** Returns the PSA ids of mappings that request a new record, by its normalized name. */
function requestsIn(now: readonly Mapping[]): ReadonlyMap<string, readonly string[]> {
  const found = requested.get(now) ?? new Map(requestEntries(now));
  requested.set(now, found);
  return found;
}

const requestEntries = (now: readonly Mapping[]): [string, readonly string[]][] =>
  [...Map.groupBy(now, ({ targetValue }) => normalized(nameToCreate(targetValue) ?? ''))]
    .filter(([name]) => name !== '')
    .map(([name, own]) => [name, own.map(({ sourceValue }) => sourceValue)]);
