import type { BooksReferenceData } from '../documents/reference-data.ts';
import { sharedRecordOf, type Command, type Plan, type Reference } from './plan.ts';
import { indexBooks } from './reference-index.ts';

/** A plan as text that is the same for plans that post the same. */
export interface CanonicalPlan {
  /** The document itself, with the names of records in place of ids; the documents, where it becomes several. */
  readonly document: string;
  /** Each record that is made first, by list and name. */
  readonly records: ReadonlyMap<string, string>;
}

/**
 * A plan with what says when it was made left out (the private note), and every customer, vendor and item by its name: a
 * record that another document has created meanwhile is the one that this plan would have created.
 */
export function canonicalPlan(plan: Plan, books: BooksReferenceData): CanonicalPlan {
  const index = indexBooks(books);
  const nameOf = (reference: Reference): string => {
    if ('fromCommand' in reference) {
      const command = plan.commands[reference.fromCommand];
      return (command === undefined ? null : sharedRecordOf(command)?.name) ?? `command ${reference.fromCommand}`;
    }
    return reference.name ?? reference.id;
  };
  const named =
    (list: 'customersById' | 'vendorsById' | 'itemsById') =>
    (reference: Reference): string => {
      const known = 'id' in reference ? index[list].get(reference.id) : undefined;
      const name =
        known === undefined
          ? nameOf(reference)
          : 'fullyQualifiedName' in known
            ? known.fullyQualifiedName
            : known.displayName;
      return name.toLowerCase();
    };
  const write = (command: Command): string =>
    JSON.stringify(command, (key, value: unknown) => {
      // QuickBooks may correct its rate of a day; amounts in the document's currency stay the same.
      if (key === 'privateNote' || key === 'exchangeRate') return undefined;
      if (value === null || typeof value !== 'object' || !('id' in value || 'fromCommand' in value)) return value;
      // Every value of these keys is a reference, by the types of commands.
      if (key === 'customer' || key === 'parent') return named('customersById')(value as Reference);
      if (key === 'vendor') return named('vendorsById')(value as Reference);
      return key === 'item' ? named('itemsById')(value as Reference) : value;
    });
  return {
    document: plan.commands
      .filter((command) => sharedRecordOf(command) === null)
      .map(write)
      .join('\n'),
    records: new Map(
      plan.commands.flatMap((command) => {
        const record = sharedRecordOf(command);
        return record === null ? [] : [[`${record.list} ${record.name.toLowerCase()}`, write(command)] as const];
      }),
    ),
  };
}

/**
 * Whether the fresh plan posts what the approved one would have posted. A record that is there by now need not be made;
 * one that nobody has seen in the approved plan may not be.
 */
export function isSamePlan(approved: Plan, fresh: Plan, books: BooksReferenceData): boolean {
  const [was, is] = [canonicalPlan(approved, books), canonicalPlan(fresh, books)];
  return was.document === is.document && [...is.records].every(([key, record]) => was.records.get(key) === record);
}
