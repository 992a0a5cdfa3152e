import type { Posted } from '#core/attempt.ts';
import { originOf } from '#core/documents/origin.ts';
import type { Command, DocumentCommand, Reference } from '#core/planning/plan.ts';
import { never } from '#core/values/assert.ts';
import { referredId } from './translate.ts';
import type { QboRecord } from './wire.ts';

/**
 * Returns true if an answer belongs to this command, and not to another one that carries its name. Documents are
 * identified by the origin in their private note, otherwise by customer or vendor; members that QuickBooks left out are
 * ignored.
 *
 * @param answers answers to the earlier commands of the same plan
 */
export function isAnswerTo(command: Command, answers: readonly Posted[], wire: QboRecord): boolean {
  switch (command.do) {
    case 'create_customer':
      return isNamed(command.customer.displayName, wire.DisplayName);
    case 'create_vendor':
      return isNamed(command.vendor.displayName, wire.DisplayName);
    case 'create_item':
      return isNamed(command.item.name, wire.Name);
    case 'void':
      return wire.Id === command.id;
    case 'update':
      return wire.Id === command.id && isDocument(command.to, answers, wire);
    case 'create_payment':
      return isOf({ ...command.payment, party: { id: command.payment.customerId } }, answers, wire);
    case 'create_invoice':
    case 'create_credit_memo':
    case 'create_purchase_order':
    case 'create_bill':
      return isDocument(command, answers, wire);
    default:
      return never(command);
  }
}

/** QuickBooks may change spaces and punctuation in a name. */
const isNamed = (sent: string, answered: string | null): boolean => answered === null || bare(answered) === bare(sent);
const bare = (name: string): string =>
  name
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, '');

interface Parts {
  readonly privateNote: string;
  readonly party: Reference;
}

function isDocument(command: DocumentCommand, answers: readonly Posted[], wire: QboRecord): boolean {
  const document = 'document' in command ? command.document : 'order' in command ? command.order : command.bill;
  const party = 'customer' in document ? document.customer : document.vendor;
  return isOf({ privateNote: document.privateNote, party }, answers, wire);
}

function isOf({ privateNote, party }: Parts, answers: readonly Posted[], wire: QboRecord): boolean {
  const [sent, answered] = [originOf(privateNote), originOf(wire.PrivateNote)];
  if (sent !== null && answered !== null) return sent === answered;
  const partyId = (wire.CustomerRef ?? wire.VendorRef)?.value;
  const sentTo = referredId(party, answers);
  return partyId === undefined || sentTo === undefined || partyId === sentTo;
}
