import type { Company } from './company.ts';
import type { EntityKind } from './entities.ts';
import { fault } from './faults.ts';
import type { Entry } from './table.ts';

const isConcerned = ({ kind, name }: EntityKind): boolean =>
  kind === 'transaction' || ['Customer', 'Vendor', 'Item', 'Account'].includes(name);

/**
 * Rejects a response with the transaction, customer, vendor, item or account of the switch `unreadable_id`: of a query,
 * the change feed, or a read by id.
 *
 * @throws ServiceFault 4002
 */
export function checkReadable(company: Company, kind: EntityKind, { id }: Entry): void {
  const unreadable = company.behaviour.get('unreadable_id');
  if (unreadable !== 0 && isConcerned(kind) && id === String(unreadable)) throw fault.unreadable();
}

/** Returns whether a list of members includes the unreadable one. */
export const selectsEmail = (members: readonly string[] | 'count'): boolean =>
  members !== 'count' && members.some((member) => /^(BillEmail|PrimaryEmailAddr)(\.|$)/i.test(member));
