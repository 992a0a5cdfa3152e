import type { Company } from './company.ts';
import { type Doc, isDoc, listAt, textAt } from './doc.ts';
import { findKind } from './entities.ts';
import { fault, ServiceFault } from './faults.ts';
import { sendByMail } from './mail.ts';
import { runQuery } from './query-run.ts';
import { render, renderCreated } from './render.ts';
import { checkBatchIds, type Outcome, type RequestIds } from './request-ids.ts';
import { remove, save, voidEntry } from './save.ts';

const maxItems = 30;

/** Runs one operation of a batch. Returns its response without the bId. */
function runItem(company: Company, item: Doc): Doc {
  const query = textAt(item, 'Query');
  if (query !== undefined) return { QueryResponse: runQuery(company, query) };
  const operation = textAt(item, 'operation');
  const known = new Set(['bId', 'operation', 'optionsData']);
  const [name, ...others] = Object.keys(item).filter((member) => !known.has(member));
  if (operation === undefined) throw fault.missing('operation');
  if (name === undefined || others.length > 0) throw fault.missing('Entity');
  const kind = findKind(name);
  const body = item[name];
  if (kind === undefined || kind.name !== name || !kind.operations.has('batch')) throw fault.unknownEntity(name);
  if (!isDoc(body)) throw fault.badType(name, 'an object');
  const include = new Set((textAt(item, 'optionsData') ?? '').toLowerCase().split(/[,\s]+/));
  switch (operation) {
    case 'create':
    case 'update': {
      if ((operation === 'update') !== (textAt(body, 'Id') !== undefined)) throw fault.missing('Id');
      const isVoid = operation === 'update' && include.has('void');
      const entry = isVoid ? voidEntry(company, kind, body) : save(company, kind, body, { include });
      mailIfRequested(company, kind.name, entry.id);
      return { [kind.name]: (operation === 'create' ? renderCreated : render)(company, kind, entry) };
    }
    case 'void':
      return { [kind.name]: render(company, kind, voidEntry(company, kind, body)) };
    case 'delete':
      return { [kind.name]: { domain: 'QBO', status: 'Deleted', Id: remove(company, kind, body).id } };
    default:
      throw fault.badEnum(operation, 'operation');
  }
}

/** Mails a saved document whose status asks for it, when the service does so automatically. */
export function mailIfRequested(company: Company, entity: string, id: string): void {
  const { kind } = company.table(entity);
  const entry = company.find(entity, id);
  const isRequested = entry?.body['EmailStatus'] === 'NeedToSend' && company.behaviour.get('need_to_send') === 'mails';
  if (entry !== undefined && isRequested) sendByMail(company, kind, entry, null, 'NeedToSend');
}

/** Adds a fault to a batch item's response as the service does. */
function faulty(error: unknown): Doc {
  if (error instanceof ServiceFault) return { Fault: error.toJson() };
  throw error;
}

/**
 * Runs a batch: items one after another, each with its own success or fault (quickbooks reference 2.7). With a
 * requestid every item is remembered under the id and its bId, so that an interrupted batch can be sent again.
 */
export function runBatch(company: Company, body: Doc, requestId: string | null, memory: RequestIds): Outcome {
  const items = listAt(body, 'BatchItemRequest');
  const unknown = Object.keys(body).find((member) => member !== 'BatchItemRequest');
  if (unknown !== undefined) throw fault.unknownMember(unknown, 'IntuitBatchRequest', ['BatchItemRequest']);
  if (items.length === 0) throw fault.emptyBatch();
  if (items.length > maxItems) throw fault.batchTooBig(items.length, maxItems);
  const bIds = items.map((item) => {
    const bId = textAt(item, 'bId');
    if (bId === undefined) throw fault.missing('bId');
    return bId;
  });
  const repeated = bIds.find((bId, at) => bIds.indexOf(bId) !== at);
  if (repeated !== undefined) throw fault.repeatedBatchId(repeated);
  checkBatchIds(requestId, bIds);
  let applied = false;
  const answers = new Map<number, Doc>();
  for (const at of orderOf(company, items)) {
    const item = items[at] ?? {};
    const bId = bIds[at] ?? '';
    const name = Object.keys(item).find((member) => findKind(member)?.name === member);
    const isQuery = textAt(item, 'Query') !== undefined;
    const key = requestId === null || requestId === '' || isQuery ? null : `${requestId}:${bId}`;
    const outcome = memory.once(company, name === undefined ? undefined : findKind(name), key, () => {
      try {
        return { status: 200, body: runItem(company, item), applied: !isQuery };
      } catch (error) {
        return { status: 400, body: faulty(error), applied: false };
      }
    });
    applied ||= outcome.applied;
    answers.set(at, { ...outcome.body, bId });
  }
  const failed = troubled(
    company,
    items.map((_, at) => answers.get(at) ?? {}),
  );
  return { status: 200, body: { BatchItemResponse: failed }, applied };
}

/** Returns the responses of a batch, changed according to the switch `batch_answers`. */
function troubled({ behaviour }: Company, answers: readonly Doc[]): Doc[] {
  const [first, second, ...others] = answers;
  if (first === undefined || second === undefined) return [...answers];
  switch (behaviour.get('batch_answers')) {
    case 'swapped':
      return [
        { ...first, bId: textAt(second, 'bId') ?? '' },
        { ...second, bId: textAt(first, 'bId') ?? '' },
        ...others,
      ];
    case 'missing':
      return [second, ...others];
    case 'doubled':
      return [first, first, second, ...others];
    default:
      return [...answers];
  }
}

/** Returns the order in which items run, as positions in the batch. */
function orderOf(company: Company, items: readonly Doc[]): number[] {
  const all = items.map((_, at) => at);
  if (company.behaviour.get('batch_items') === 'in-turn') return all;
  const isQuery = (at: number) => textAt(items[at], 'Query') !== undefined;
  return [...all.filter((at) => isQuery(at)), ...all.filter((at) => !isQuery(at)).reverse()];
}
