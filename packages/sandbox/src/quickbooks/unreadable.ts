import type { Company } from './company.ts';
import type { EntityKind } from './entities.ts';
import { fault } from './faults.ts';
import type { Entry } from './table.ts';

const isMailed = ({ kind, name }: EntityKind): boolean =>
  kind === 'transaction' || name === 'Customer' || name === 'Vendor';

/**
 * Rejects a response with the transaction, customer or vendor of the switch `unreadable_id`.
 *
 * @throws ServiceFault 4002
 */
export function checkReadable(company: Company, kind: EntityKind, { id }: Entry): void {
  const unreadable = company.behaviour.get('unreadable_id');
  if (unreadable !== 0 && isMailed(kind) && id === String(unreadable)) throw fault.unreadable();
}

/** Returns whether a list of members includes the unreadable one. */
export const selectsEmail = (members: readonly string[] | 'count'): boolean =>
  members !== 'count' && members.some((member) => /^(BillEmail|PrimaryEmailAddr)(\.|$)/i.test(member));
