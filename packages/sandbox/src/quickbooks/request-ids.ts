import type { Company } from './company.ts';
import type { Doc } from './doc.ts';
import type { EntityKind } from './entities.ts';
import { fault } from './faults.ts';

/** The response to a write, and whether it changed anything. */
export interface Outcome {
  readonly status: number;
  readonly body: Doc;
  readonly applied: boolean;
}

const maxLength = 50;
const maxBatchRequestIdLength = 36;
const maxBatchIdLength = 10;

/** The responses to writes with a requestid, by company (quickbooks reference 2.3). */
export class RequestIds {
  readonly #answers = new Map<string, { readonly at: number; readonly outcome: Outcome }>();

  #isHonoured(company: Company, kind: EntityKind | undefined): boolean {
    const rule = company.behaviour.get('requestid');
    return rule === 'all' || (rule === 'not-name-lists' && kind?.kind !== 'list');
  }

  /**
   * Runs a write once per id: a repeat gets the first response again, even if its record was deleted since.
   *
   * @param id the requestid; an empty one counts as missing
   */
  once(company: Company, kind: EntityKind | undefined, id: string | null, write: () => Outcome): Outcome {
    if (id === null || id === '') return write();
    if (id.length > maxLength) throw fault.badRequestId(id, maxLength);
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

/** Rejects a requestid or a bId that is too long for a batch (2130). */
export function checkBatchIds(requestId: string | null, bIds: readonly string[]): void {
  if (requestId === null || requestId === '') return;
  if (requestId.length > maxBatchRequestIdLength) throw fault.badRequestId(requestId, maxBatchRequestIdLength);
  const long = bIds.find((bId) => bId.length > maxBatchIdLength);
  if (long !== undefined) throw fault.badRequestId(long, maxBatchIdLength);
}
