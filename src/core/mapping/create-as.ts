import type { AccountingLists } from '../documents/reference-data.ts';
import { cleanName, normalized } from '../values/text.ts';
import { type Mapping, type MappingNamespace, nameToCreate } from './mapping.ts';
import { oncePer } from '../values/once-per.ts';

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

/** Returns the normalized names of customers and vendors. */
const namesIn = oncePer(
  ({ customers, vendors }: NameFacts['accounting']): ReadonlySet<string> =>
    new Set([...customers, ...vendors].map(({ displayName }) => normalized(displayName))),
);

/** Returns the PSA ids of mappings that request a new record, by its normalized name. */
const requestsIn = oncePer(
  (now: readonly Mapping[]): ReadonlyMap<string, readonly string[]> => new Map(requestEntries(now)),
);

const requestEntries = (now: readonly Mapping[]): [string, readonly string[]][] =>
  [...Map.groupBy(now, ({ targetValue }) => normalized(nameToCreate(targetValue) ?? ''))]
    .filter(([name]) => name !== '')
    .map(([name, own]) => [name, own.map(({ sourceValue }) => sourceValue)]);
