import type { Company } from './company.ts';
import type { Doc } from './doc.ts';
import type { EntityKind } from './entities.ts';
import { fault } from './faults.ts';

/** The answer to a write, and whether it changed anything. */
export interface Outcome {
  readonly status: number;
  readonly body: Doc;
  readonly applied: boolean;
}

const longest = 50;
const longestInBatch = 36;
const longestBatchItem = 10;

/** The answers to writes that carried a requestid, by company (quickbooks reference 2.3). */
export class RequestIds {
  readonly #answers = new Map<string, { readonly at: number; readonly outcome: Outcome }>();

  #isHonoured(company: Company, kind: EntityKind | undefined): boolean {
    const rule = company.behaviour.get('requestid');
    return rule === 'all' || (rule === 'not-name-lists' && kind?.kind !== 'list');
  }

  /**
   * Runs a write once per id: a repeat gets the first answer again, even if its record is gone since.
   *
   * @param id the requestid; empty counts as none
   */
  once(company: Company, kind: EntityKind | undefined, id: string | null, write: () => Outcome): Outcome {
    if (id === null || id === '') return write();
    if (id.length > longest) throw fault.badRequestId(id, longest);
    if (!this.#isHonoured(company, kind)) return write();
    const key = `${company.realmId} ${id}`;
    const now = company.clock.now();
    const known = this.#answers.get(key);
    if (known !== undefined && now - known.at < company.behaviour.get('requestid_memory_seconds') * 1000)
      return { ...known.outcome, applied: false };
    const outcome = write();
    const isKept =
      outcome.status < 400 || (outcome.status === 400 && company.behaviour.get('requestid_replays_refusals'));
    if (isKept) this.#answers.set(key, { at: now, outcome });
    return outcome;
  }

  clear(): void {
    this.#answers.clear();
  }
}

/** Refuses a requestid or a bId that is too long for a batch (2130). */
export function checkBatchIds(requestId: string | null, bIds: readonly string[]): void {
  if (requestId === null || requestId === '') return;
  if (requestId.length > longestInBatch) throw fault.badRequestId(requestId, longestInBatch);
  const long = bIds.find((bId) => bId.length > longestBatchItem);
  if (long !== undefined) throw fault.badRequestId(long, longestBatchItem);
}
