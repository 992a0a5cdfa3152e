import type { Posted } from '#core/attempt.ts';
import { originOf } from '#core/documents/origin.ts';
import type { Command, DocumentCommand, Reference } from '#core/planning/plan.ts';
import type { BatchItem } from '#core/ports/accounting.ts';
import { ServiceError } from '#core/service-error.ts';
import { never } from '#core/values/assert.ts';
import type { JsonObject } from '#core/values/json.ts';
import { sentNumber } from '../exact-json.ts';
import type { QuickbooksApi } from './api.ts';
import { faultOfItem, isRecord, type JsonRecord, wrongShape } from './errors.ts';
import { entityOf, referredId, toBody, toPosted, verbOf } from './translate.ts';
import { qboRecord, type QboRecord, readShape } from './wire.ts';

/**
 * Returns true if an answer belongs to this command, and not to another one that carries its name. Documents are
 * identified by the origin in their private note, otherwise by customer or vendor; members that QuickBooks left out are
 * ignored.
 *
 * @param answers answers to the earlier commands of the same plan
 */
function isAnswerTo(command: Command, answers: readonly Posted[], wire: QboRecord): boolean {
  switch (command.do) {
    case 'create_customer':
      return isNamed(command.customer.displayName, wire.DisplayName);
    case 'create_vendor':
      return isNamed(command.vendor.displayName, wire.DisplayName);
    case 'create_item':
      return isNamed(command.item.name, wire.Name);
    case 'void':
      return wire.Id === command.id;
    case 'apply_payment':
      return wire.Id === command.applied.id;
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

/** Published limit (quickbooks reference 2.7). */
export const maxItems = 30;

/**
 * Sends several commands in one call. Answers are matched by their name in the batch, never by position. Items may
 * arrive in any order, be missing, duplicated or unknown, and each is evaluated separately [Q69].
 *
 * @returns the outcome of each command, in the order given; unknown if a command has no unambiguous answer.
 * @throws ServiceError if the call failed as a whole.
 */
export async function postBatch(
  api: QuickbooksApi,
  items: readonly BatchItem[],
  requestId: string,
): Promise<readonly (Posted | ServiceError)[]> {
  const operation = 'post batch';
  const body = JSON.stringify({
    BatchItemRequest: items.map(({ id, command, answers }) => ({
      bId: id,
      ...operationOf(command),
      [entityOf(command)]: toBody(command, answers, sentNumber),
    })),
  });
  const answer = await api.write({ operation, path: 'batch', body, requestId, items: items.length });
  const listed = answer.BatchItemResponse;
  if (!Array.isArray(listed)) throw wrongShape(operation, 'QuickBooks returned no items of the batch.');
  const byId = Map.groupBy(
    listed.filter((item: unknown) => isRecord(item)),
    ({ bId }) => String(bId),
  );
  const read = items.map(({ id, command, answers }) => readItem(command, answers, byId.get(id) ?? []));
  // If one answer has the wrong name, a refusal may belong to another command too.
  return read.some(({ isMixedUp }) => isMixedUp)
    ? read.map(({ outcome }, index) => (outcome instanceof ServiceError ? inDoubt(items[index]?.command) : outcome))
    : read.map(({ outcome }) => outcome);
}

const inDoubt = (command: Command | undefined): ServiceError =>
  wrongShape(
    command === undefined ? 'post batch' : operationName(command),
    'QuickBooks mixed up the responses of a batch.',
  );

const operationName = (command: Command): string => `${verbOf(command)} ${entityOf(command)}`;

/** For a changed record, the operation is separate from its body. */
const operationOf = (command: Command): JsonObject =>
  command.do === 'void' ? { operation: 'update', optionsData: 'void' } : { operation: verbOf(command) };

interface ReadItem {
  readonly outcome: Posted | ServiceError;
  /** The answer belongs to another command, or is a duplicate. */
  readonly isMixedUp: boolean;
}

function readItem(command: Command, answers: readonly Posted[], items: readonly JsonRecord[]): ReadItem {
  const entity = entityOf(command);
  const operation = operationName(command);
  const failed = (what: string, isMixedUp = false): ReadItem => ({ outcome: wrongShape(operation, what), isMixedUp });
  const [item, another] = items;
  if (item === undefined) return failed(`QuickBooks omitted the ${entity} from its response to the batch.`);
  if (another !== undefined) return failed(`QuickBooks returned the ${entity} twice.`, true);
  const fault = faultOfItem(operation, item);
  if (fault !== null) return { outcome: fault, isMixedUp: false };
  const row = item[entity];
  if (!isRecord(row)) return failed(`QuickBooks returned no ${entity}.`);
  try {
    const wire = readShape(operation, qboRecord, row);
    if (!isAnswerTo(command, answers, wire)) return failed(`QuickBooks returned a different ${entity}.`, true);
    // A row parsed from JSON is JSON.
    return { outcome: toPosted(entity, wire, row as JsonObject), isMixedUp: false };
  } catch (error) {
    if (error instanceof ServiceError) return { outcome: error, isMixedUp: false };
    throw error;
  }
}
