import type { AccountingLists } from '../documents/reference-data.ts';
import { type Command, type Plan, type Reference, sharedRecordOf } from './plan.ts';
import { indexAccounting } from './reference-index.ts';

/** Text of a plan. Two plans that post the same have equal texts. */
export interface CanonicalPlan {
  /** The document with names in place of record ids, or several documents if the plan splits it. */
  readonly document: string;
  /** Each shared record that the plan creates first, by list and name. */
  readonly records: ReadonlyMap<string, string>;
}

/**
 * Returns a plan as text that can be compared.
 *
 * Omits the private note, which says when the plan was created. Customers, vendors and items appear by name, because
 * another document may have created one of them in the meantime.
 */
export function canonicalPlan(plan: Plan, accounting: AccountingLists): CanonicalPlan {
  const index = indexAccounting(accounting);
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
    JSON.stringify(comparable(command), (key, value: unknown) => {
      // QuickBooks may correct the exchange rate of a day. Amounts in the document's currency stay the same.
      if (key === 'privateNote' || key === 'exchangeRate') return undefined;
      // The listed replacements show what an update does to the document, whatever else changed there.
      if (command.do === 'update' && (key === 'merge' || key === 'syncToken')) return undefined;
      if (value === null || typeof value !== 'object' || !('id' in value || 'fromCommand' in value)) return value;
      // The command types guarantee that every value of these keys is a reference.
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

/** An existing payment may be applied to other documents meanwhile, which changes its token. */
function comparable(command: Command): unknown {
  if (command.do !== 'apply_payment') return command;
  const { id, covers } = command.applied;
  return { do: command.do, payment: id, covers };
}

/**
 * Returns whether the fresh plan posts the same as the approved plan.
 *
 * The fresh plan may create fewer records, because some may exist by now. It may not create a record that the approved
 * plan did not show.
 */
export function isSamePlan(approved: Plan, fresh: Plan, accounting: AccountingLists): boolean {
  const [was, is] = [canonicalPlan(approved, accounting), canonicalPlan(fresh, accounting)];
  return was.document === is.document && [...is.records].every(([key, record]) => was.records.get(key) === record);
}
