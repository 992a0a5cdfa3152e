import type { Company } from './company.ts';
import type { EntityKind } from './entities.ts';
import { fault } from './faults.ts';
import type { Entry } from './table.ts';

/**
 * Rejects a response with the transaction of the switch `unreadable_id`.
 *
 * @throws ServiceFault 4002
 */
export function checkReadable(company: Company, kind: EntityKind, { id }: Entry): void {
  const unreadable = company.behaviour.get('unreadable_id');
  if (unreadable !== 0 && kind.kind === 'transaction' && id === String(unreadable)) throw fault.unreadable();
}

/** Returns whether a list of members includes the unreadable one. */
export const selectsEmail = (members: readonly string[] | 'count'): boolean =>
  members !== 'count' && members.some((member) => /^BillEmail(\.|$)/i.test(member));
