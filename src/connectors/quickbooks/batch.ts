import type { Posted } from '#core/attempt.ts';
import type { Command } from '#core/planning/plan.ts';
import type { BatchItem } from '#core/ports/accounting.ts';
import { ServiceError } from '#core/service-error.ts';
import type { JsonObject } from '#core/values/json.ts';
import { sentNumber } from '../exact-json.ts';
import type { QuickbooksApi } from './api.ts';
import { isAnswerTo } from './answered.ts';
import { faultOfItem, isRecord, wrongShape, type JsonRecord } from './errors.ts';
import { entityOf, toBody, toPosted, verbOf } from './translate.ts';
import { qboRecord, readShape } from './wire.ts';

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
