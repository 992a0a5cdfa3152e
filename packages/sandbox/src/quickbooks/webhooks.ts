import { createHash, createHmac } from 'node:crypto';
import type { Clock } from '../kit/clock.ts';
import type { QuickBooksBehaviour } from './behaviour.ts';
import type { Change, ChangeOperation } from './company.ts';
import type { Doc } from './doc.ts';
import { pacificTime } from './times.ts';

/** Seconds before each retry of a failed delivery; the last value repeats forever (quickbooks reference 2.10). */
const retrySeconds: readonly number[] = [10, 20, 30, 300, 1200, 7200, 14_400, 21_600];

/** Time limit in milliseconds; a slower endpoint has failed. */
const answerWithinMs = 3000;

/** Entities without webhooks, such as tax records; name lists, documents and preferences have them. */
const silent = new Set([
  'TaxCode',
  'TaxRate',
  'TaxAgency',
  'CompanyInfo',
  'Attachable',
  'ExchangeRate',
  'CompanyCurrency',
]);

const verbs: Readonly<Record<ChangeOperation, string>> = {
  Create: 'created',
  Update: 'updated',
  Delete: 'deleted',
  Void: 'voided',
  Emailed: 'emailed',
  Merge: 'merged',
};

/** One delivery, as in the control API. */
export interface Delivery {
  readonly at: string;
  readonly attempt: number;
  /** The endpoint's status; null when it did not respond in time. */
  readonly status: number | null;
  readonly body: string;
}

/** Delivers signed changes to an endpoint, in order, with retries. */
export class Webhooks {
  readonly #clock: Clock;
  readonly #behaviour: QuickBooksBehaviour;
  readonly #verifier: string;
  #url: string | undefined;
  #waiting: Change[] = [];
  #isBusy = false;
  #generation = 0;
  #eventsMade = 0;
  readonly deliveries: Delivery[] = [];

  constructor(clock: Clock, behaviour: QuickBooksBehaviour, verifier: string) {
    this.#clock = clock;
    this.#behaviour = behaviour;
    this.#verifier = verifier;
  }

  get url(): string | undefined {
    return this.#url;
  }

  /** Sets the endpoint; undefined turns webhooks off. Drops deliveries that waited for the previous one. */
  setUrl(url: string | undefined): void {
    this.#generation += 1;
    this.#url = url;
    this.#waiting = [];
    this.#isBusy = false;
  }

  /** Queues a change; it is delivered as soon as the endpoint has accepted the changes before. */
  note(change: Change): void {
    if (this.#url === undefined || silent.has(change.entity)) return;
    this.#waiting.push(change);
    if (!this.#isBusy) {
      this.#isBusy = true;
      // Changes of one request are delivered together.
      setImmediate(() => this.#deliverNext(this.#generation));
    }
  }

  #deliverNext(generation: number): void {
    if (generation !== this.#generation) return;
    const happened = this.#waiting.splice(0);
    const changes = this.#behaviour.get('webhook_order') === 'reversed' ? happened.toReversed() : happened;
    if (changes.length === 0) {
      this.#isBusy = false;
      return;
    }
    const body =
      this.#behaviour.get('webhook_format') === 'legacy' ? this.#legacy(changes) : this.#cloudEvents(changes);
    void this.#attempt(body, 1, generation);
  }

  async #attempt(body: string, attempt: number, generation: number): Promise<void> {
    const status = await this.#send(body);
    if (generation !== this.#generation) return;
    const note = (answer: number | null) =>
      this.deliveries.push({ at: this.#clock.iso(), attempt, status: answer, body });
    note(status);
    const isTaken = status !== null && status >= 200 && status < 300;
    if (isTaken && this.#behaviour.get('webhook_duplicates') && attempt === 1) note(await this.#send(body));
    if (isTaken) {
      this.#deliverNext(generation);
      return;
    }
    const wait = retrySeconds[Math.min(attempt, retrySeconds.length) - 1] ?? 21_600;
    this.#clock.after(wait, () => void this.#attempt(body, attempt + 1, generation));
  }

  async #send(body: string): Promise<number | null> {
    if (this.#url === undefined) return null;
    try {
      const response = await fetch(this.#url, {
        method: 'POST',
        headers: {
          'Content-Type':
            this.#behaviour.get('webhook_format') === 'legacy'
              ? 'application/json'
              : this.#behaviour.get('webhook_content_type'),
          'intuit-signature': createHmac('sha256', this.#verifier).update(body).digest('base64'),
        },
        body,
        redirect: 'manual',
        signal: AbortSignal.timeout(answerWithinMs),
      });
      await response.arrayBuffer();
      return response.status;
    } catch {
      return null;
    }
  }

  #legacy(changes: readonly Change[]): string {
    const realms = [...new Set(changes.map(({ realmId }) => realmId))];
    const eventNotifications = realms.map((realmId): Doc => ({
      realmId,
      dataChangeEvent: {
        entities: changes
          .filter((change) => change.realmId === realmId)
          .map(({ entity, id, operation, at, deletedId }) => ({
            name: entity,
            id,
            operation: this.#reported(operation),
            ...(deletedId !== undefined && { deletedId }),
            lastUpdated: pacificTime(at).replace(/:(\d\d)$/, '$1'),
          })),
      },
    }));
    return JSON.stringify({ eventNotifications });
  }

  /** Returns the operation as the switch `changed_as_deleted` reports it. */
  #reported(operation: ChangeOperation): ChangeOperation {
    const isCalledDeleted = operation === 'Update' && this.#behaviour.get('changed_as_deleted') === 'cdc-and-webhooks';
    return isCalledDeleted ? 'Delete' : operation;
  }

  #verbOf(operation: ChangeOperation): string {
    return operation === 'Void' ? this.#behaviour.get('webhook_void_verb') : verbs[operation];
  }

  #cloudEvents(changes: readonly Change[]): string {
    const events = changes.map(({ realmId, entity, id, operation, at, deletedId }): Doc => {
      this.#eventsMade += 1;
      const hex = createHash('sha256')
        .update(`event ${this.#eventsMade} ${realmId} ${entity} ${id} ${at}`)
        .digest('hex');
      return {
        specversion: '1.0',
        id: `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`,
        source: `intuit.${createHash('sha256').update('sandbox').digest('base64')}`,
        type: `qbo.${entity.toLowerCase()}.${this.#verbOf(this.#reported(operation))}.v1`,
        datacontenttype: 'application/json',
        time: new Date(at).toISOString(),
        intuitentityid: id,
        intuitaccountid: realmId,
        data: deletedId === undefined ? {} : { deletedid: deletedId },
      };
    });
    return JSON.stringify(events);
  }
}
