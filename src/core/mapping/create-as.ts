import type { AccountingLists } from '../documents/reference-data.ts';
import { cleanName, normalized } from '../values/text.ts';
import { type Mapping, type MappingNamespace, nameToCreate } from './mapping.ts';

/** Facts that decide whether a customer or vendor with this name can be created. */
export interface NameFacts {
  readonly namespace: MappingNamespace;
  /** PSA id of the company or employee that the new record is for. */
  readonly source: string;
  readonly books: Pick<AccountingLists, 'customers' | 'vendors'>;
  /** Mappings of the namespace. */
  readonly now: readonly Mapping[];
}

/** Returns why QuickBooks would not create a customer or vendor with this name, as a sentence; null when it would. */
export function whyNotCreatable(name: string, { namespace, source, books, now }: NameFacts): string | null {
  if (namespace !== 'Customer' && namespace !== 'Vendor' && namespace !== 'Employee')
    return 'Only customers and vendors can be created by a mapping. Choose a record of QuickBooks.';
  if (name === '' || cleanName(name) !== name)
    return `QuickBooks does not accept the name “${name}”. Use at most 100 characters, without colons, tabs or line breaks.`;
  const key = normalized(name);
  const isTaken =
    [...books.customers, ...books.vendors].some(({ displayName }) => normalized(displayName) === key) ||
    now.some((one) => one.sourceValue !== source && normalized(nameToCreate(one.targetValue) ?? '') === key);
  return isTaken ? `The name “${name}” is already used in QuickBooks. Choose another name, or link the record.` : null;
}
