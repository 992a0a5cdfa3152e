import type { PsaCredentials } from '#core/tenant.ts';
import type { RateLimits } from '../rate-limiter.ts';
import { zoneFinder, zoneLookup } from '../autotask/calls.ts';
import type { JsonRecord } from '../quickbooks/errors.ts';
import { type Answer, answerOf, type Outgoing, recordIn, recordsIn, textIn } from './calls.ts';
import { NotTried, type Shape, shapeOf } from './suite.ts';

/** How the suite reaches one Autotask database. */
export interface AutotaskOptions extends Outgoing {
  /** Address of the zone service. */
  readonly zoneUrl: string;
  readonly credentials: PsaCredentials;
  readonly integrationCode: string;
  readonly rateLimits: RateLimits;
}

const operation = 'verify Autotask';

/** The invoice number that the suite writes and removes. */
export const markedNumber = 'TALLYBRIDGE-VERIFY';

/** Fields of an invoice that can be written, and their values before the checks. */
type Original = Readonly<Record<'invoiceNumber' | 'webServiceDate', unknown>> & { readonly id: number };

/** One Autotask database, for the checks. */
export class AutotaskService {
  readonly #options: AutotaskOptions;
  readonly #zones: ReturnType<typeof zoneFinder>;
  #original: Original | undefined;

  constructor(options: AutotaskOptions) {
    this.#options = options;
    this.#zones = zoneFinder({ ...options, userName: options.credentials.userName });
  }

  get userName(): string {
    return this.#options.credentials.userName;
  }

  /** Returns the customer number of the database. */
  databaseId = async (): Promise<string> => (await this.#zones.find()).databaseId;

  /** Returns the host of the database's zone. */
  host = async (): Promise<string> => new URL((await this.#zones.find()).url).host;

  /**
   * Makes one call below `V1.0/`.
   *
   * @param options.without header that is left out
   */
  async call(
    method: 'GET' | 'POST' | 'PATCH',
    path: string,
    options: { readonly body?: JsonRecord; readonly without?: 'ApiIntegrationCode' } = {},
  ): Promise<Answer> {
    const { credentials, integrationCode } = this.#options;
    const { body, without } = options;
    const zone = await this.#zones.find();
    return answerOf(
      {
        service: 'psa',
        operation,
        method,
        url: new URL(`V1.0/${path}`, zone.url),
        headers: {
          Accept: 'application/json',
          UserName: credentials.userName,
          Secret: credentials.secret,
          ...(without === undefined && { ApiIntegrationCode: integrationCode }),
          ...(body !== undefined && { 'Content-Type': 'application/json' }),
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      },
      this.#options,
    );
  }

  /** Looks up the zone of a user, without credentials. */
  zoneOf(userName: string): Promise<Answer> {
    return this.#public(zoneLookup(this.#options.zoneUrl, userName));
  }

  /** Reads a path of the zone service below `/ATServicesRest/`, without credentials. */
  unsigned(path: string): Promise<Answer> {
    const lookup = zoneLookup(this.#options.zoneUrl, this.userName);
    const url = new URL(lookup.href.split('V1.0/', 1)[0] ?? lookup.href);
    return this.#public(new URL(path, url));
  }

  #public(url: URL): Promise<Answer> {
    const headers = { Accept: 'application/json' };
    return answerOf({ service: 'psa', operation, method: 'GET', url, headers }, this.#options);
  }

  query(entity: string, filter: readonly JsonRecord[], more: JsonRecord = {}): Promise<Answer> {
    return this.call('POST', `${entity}/query`, { body: { filter, ...more } });
  }

  /** Returns the rows of a query. @throws NotTried if it is refused. */
  async rows(entity: string, filter: readonly JsonRecord[], more: JsonRecord = {}): Promise<readonly JsonRecord[]> {
    const answer = await this.query(entity, filter, more);
    if (answer.status !== 200) throw new NotTried(`A query of ${entity} was refused (${answer.status}).`);
    return recordsIn(answer.body, 'items');
  }

  /** Returns the fields of an entity by name. */
  async fields(entity: string): Promise<ReadonlyMap<string, JsonRecord>> {
    const answer = await this.call('GET', `${entity}/entityInformation/fields`);
    return new Map(recordsIn(answer.body, 'fields').map((field) => [textIn(field, 'name') ?? '', field]));
  }

  /** Returns one record. */
  record = async (entity: string, id: number): Promise<JsonRecord> =>
    recordIn((await this.call('GET', `${entity}/${id}`)).body, 'item');

  /** Returns an invoice without number and sync date, which the checks write and the run restores. */
  async unsyncedInvoice(): Promise<number> {
    if (this.#original !== undefined) return this.#original.id;
    const rows = await this.rows('Invoices', [{ op: 'gte', field: 'id', value: 0 }]);
    const isOpen = (row: JsonRecord) => !row['invoiceNumber'] && !row['webServiceDate'] && row['isVoided'] !== true;
    const row = rows.find((one) => isOpen(one));
    if (row === undefined) throw new NotTried('The database has no invoice without a number and sync date.');
    const { invoiceNumber, webServiceDate } = row;
    this.#original = { id: Number(row['id']), invoiceNumber, webServiceDate };
    return this.#original.id;
  }

  /**
   * Removes the marked number, also that of an interrupted run, and the sync date that the checks wrote.
   *
   * @returns what could not be restored, as sentences
   */
  async restore(): Promise<readonly string[]> {
    const marked = await this.rows('Invoices', [{ op: 'eq', field: 'invoiceNumber', value: markedNumber }]);
    const ids = new Set([...marked.map((row) => Number(row['id'])), ...(this.#original ? [this.#original.id] : [])]);
    const leftovers: string[] = [];
    for (const id of ids) {
      await this.call('PATCH', 'Invoices', { body: { id, invoiceNumber: '' } });
      await this.call('PATCH', 'Invoices', { body: { id, webServiceDate: null } });
      const row = await this.record('Invoices', id);
      if (row['invoiceNumber'] || row['webServiceDate'])
        leftovers.push(`Number or sync date of one invoice in Autotask could not be cleared.`);
    }
    return leftovers;
  }
}

/** Returns the shape of an answer: status, and the members of its body. */
export const outcomeOf = ({ status, body, isEmpty }: Answer): Shape => ({
  status,
  body: isEmpty ? 'absent' : body === undefined ? 'no JSON' : shapeOf(body),
});

/** Shape of a refusal with a text. */
export const refusal: Shape = { status: 500, body: { errors: ['text'] } };
