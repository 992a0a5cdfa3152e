import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { ReadMeter } from '#core/ports/metered-reads.ts';
import { epochMs } from '#core/values/dates.ts';
import { accessTo, encode, type Tokens } from '../quickbooks/calls.ts';
import type { JsonRecord } from '../quickbooks/errors.ts';
import { type Answer, answerOf, type Outgoing, recordIn, recordsIn, textIn } from './calls.ts';
import { NotTried, type Shape } from './suite.ts';

/** Options of a call beyond its method and path. */
interface CallOptions {
  readonly query?: Readonly<Record<string, string>>;
  /** An object is sent as JSON, a text as a query. */
  readonly body?: JsonRecord | string;
  /** Sent in place of the connection's token. */
  readonly accessToken?: string;
}

/** How the suite reaches one QuickBooks company. */
export interface QuickbooksOptions extends Outgoing {
  readonly apiUrl: URL;
  readonly realmId: string;
  readonly tokens: Tokens;
  readonly meter?: ReadMeter | undefined;
}

/** Settings of the company that decide what can be checked. */
interface CompanyFacts {
  readonly isAmerican: boolean;
  readonly isMultiCurrency: boolean;
  readonly homeCurrency: string;
  readonly hasOwnNumbers: boolean;
  readonly hasAutomatedTax: boolean;
  readonly preferences: JsonRecord;
}

/** A record that was written, as QuickBooks returned it. */
export interface Written {
  readonly id: string;
  readonly syncToken: string;
  readonly row: JsonRecord;
}

/**
 * In the note of every document that the suite creates, and the name of its customer, which remains as an inactive
 * record: QuickBooks cannot delete customers.
 */
export const mark = 'Tallybridge verification';

/** One QuickBooks company, for the checks. */
export class QuickbooksService {
  readonly #options: QuickbooksOptions;
  readonly #access: ReturnType<typeof accessTo>;
  #company: Promise<CompanyFacts> | undefined;
  #customer: Promise<string> | undefined;
  #numbers = 0;
  readonly #run = randomUUID().slice(0, 8);

  constructor(options: QuickbooksOptions) {
    this.#options = options;
    this.#access = accessTo(options.realmId, options.tokens, options.egress.now);
  }

  /** Makes one call below the company. */
  async call(
    method: 'GET' | 'POST',
    path: string,
    { query = {}, body, accessToken }: CallOptions = {},
  ): Promise<Answer> {
    const operation = 'verify QuickBooks';
    const tokens = await this.#access.current(operation);
    const isRead = method === 'GET' || path === 'query' || path === 'batch';
    if (isRead) this.#options.meter?.count(1);
    const text = Object.entries({ minorversion: '75', ...query })
      .map(([name, value]) => `${name}=${encode(value)}`)
      .join('&');
    return answerOf(
      {
        service: 'accounting',
        operation,
        method,
        url: new URL(`/v3/company/${encode(this.#options.realmId)}/${path}?${text}`, this.#options.apiUrl),
        headers: {
          Accept: 'application/json',
          Authorization: `Bearer ${accessToken ?? tokens.accessToken}`,
          ...(body !== undefined && {
            'Content-Type': typeof body === 'string' ? 'application/text' : 'application/json',
          }),
        },
        ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
        isOnce: !isRead,
      },
      this.#options,
    );
  }

  get realmId(): string {
    return this.#options.realmId;
  }

  nowMs(): number {
    return epochMs(this.#options.egress.now());
  }

  query(statement: string): Promise<Answer> {
    return this.call('GET', 'query', { query: { query: statement } });
  }

  /** Returns the rows of a query. @throws NotTried if it is refused. */
  async rows(entity: string, rest: string, members = '*'): Promise<readonly JsonRecord[]> {
    const answer = await this.query(`SELECT ${members} FROM ${entity} ${rest}`);
    if (answer.status !== 200) throw new NotTried(`A query of ${entity} was refused: ${shownRefusal(answer)}.`);
    return recordsIn(recordIn(answer.body, 'QueryResponse'), entity);
  }

  /** Returns the settings of the company, read once. */
  company(): Promise<CompanyFacts> {
    this.#company ??= this.#readCompany();
    return this.#company;
  }

  async #readCompany(): Promise<CompanyFacts> {
    const info = recordIn((await this.call('GET', `companyinfo/${this.#options.realmId}`)).body, 'CompanyInfo');
    const preferences = recordIn((await this.call('GET', 'preferences')).body, 'Preferences');
    const currency = recordIn(preferences, 'CurrencyPrefs');
    return {
      isAmerican: /^USA?$/.test(textIn(info, 'Country') ?? ''),
      isMultiCurrency: currency['MultiCurrencyEnabled'] === true,
      homeCurrency: textIn(recordIn(currency, 'HomeCurrency'), 'value') ?? 'USD',
      hasOwnNumbers: recordIn(preferences, 'SalesFormsPrefs')['CustomTxnNumbers'] === true,
      hasAutomatedTax: recordIn(preferences, 'TaxPrefs')['PartnerTaxEnabled'] === true,
      preferences,
    };
  }

  /** Writes a record. @throws NotTried if it is refused. */
  async write(entity: string, body: JsonRecord, query: Readonly<Record<string, string>> = {}): Promise<Written> {
    const answer = await this.call('POST', entity.toLowerCase(), { body, query });
    const row = recordIn(answer.body, entity);
    const [id, syncToken] = [textIn(row, 'Id'), textIn(row, 'SyncToken')];
    if (answer.status !== 200 || id === undefined)
      throw new NotTried(`A marked ${entity} could not be written: ${shownRefusal(answer)}.`);
    return { id, syncToken: syncToken ?? '0', row };
  }

  /** Returns a document number that no other document has. */
  nextNumber(): string {
    this.#numbers += 1;
    return `TBV-${this.#run}-${this.#numbers}`;
  }

  /** Returns the id of the marked customer, which is created or made active again. */
  customer(): Promise<string> {
    this.#customer ??= this.#markedCustomers().then(async (found) => {
      const old = found.find((row) => textIn(row, 'DisplayName') === mark);
      const body = old === undefined ? { DisplayName: mark } : { ...keyOf(old), sparse: true, Active: true };
      return (await this.write('Customer', body)).id;
    });
    return this.#customer;
  }

  #markedCustomers(): Promise<readonly JsonRecord[]> {
    return this.rows('Customer', `WHERE DisplayName LIKE '${mark}%' AND Active IN (true, false)`);
  }

  /** Returns the body of a marked invoice of 10.00 without tax. */
  async invoice(more: JsonRecord = {}): Promise<JsonRecord> {
    const { isAmerican } = await this.company();
    const items = await this.rows('Item', 'WHERE Active = true MAXRESULTS 100');
    const item = items.find(
      (one) => one['IncomeAccountRef'] !== undefined && /^(Service|NonInventory)$/.test(textIn(one, 'Type') ?? ''),
    );
    if (item === undefined) throw new NotTried('The company has no active service or non-inventory item to sell.');
    return {
      CustomerRef: { value: await this.customer() },
      PrivateNote: mark,
      DocNumber: this.nextNumber(),
      ...(!isAmerican && { GlobalTaxCalculation: 'NotApplicable' }),
      Line: [
        {
          Amount: 10,
          DetailType: 'SalesItemLineDetail',
          SalesItemLineDetail: {
            ItemRef: { value: textIn(item, 'Id') },
            Qty: 1,
            UnitPrice: 10,
            ...(isAmerican && { TaxCodeRef: { value: 'NON' } }),
          },
        },
      ],
      ...more,
    };
  }

  /** Waits for the change feed, which lags. */
  pause(ms: number): Promise<unknown> {
    return (this.#options.sleep ?? delay)(ms);
  }

  /**
   * Deletes all marked documents, also those of an interrupted run, and makes the marked customers inactive.
   *
   * @returns what could not be removed, as sentences
   */
  async removeMarked(): Promise<readonly string[]> {
    this.#customer = undefined;
    const leftovers: string[] = [];
    const remove = async (entity: string, body: JsonRecord, query = {}) => {
      const answer = await this.call('POST', entity.toLowerCase(), { body, query });
      if (answer.status !== 200)
        leftovers.push(`A marked ${entity} remains (${shownRefusal(answer)}): remove it in QuickBooks.`);
    };
    for (const customer of await this.#markedCustomers()) {
      // Payments first, because an invoice with a payment cannot be deleted everywhere.
      for (const entity of ['Payment', 'Invoice']) {
        const rows = await this.rows(entity, `WHERE CustomerRef = '${textIn(customer, 'Id') ?? ''}' MAXRESULTS 1000`);
        for (const row of rows.filter((one) => (textIn(one, 'PrivateNote') ?? '').includes(mark)))
          await remove(entity, keyOf(row), { operation: 'delete' });
      }
    }
    for (const customer of await this.#markedCustomers())
      if (customer['Active'] !== false) await remove('Customer', { ...keyOf(customer), sparse: true, Active: false });
    return leftovers;
  }
}

/** Returns id and version of a record, as updates and deletions send them. */
export const keyOf = (row: JsonRecord): JsonRecord => ({ Id: row['Id'], SyncToken: row['SyncToken'] });

/** Returns the codes of an answer's faults. */
export const codesOf = (body: unknown): readonly string[] => [
  ...recordsIn(recordIn(body, 'Fault'), 'Error').flatMap((error) => textIn(error, 'code') ?? []),
  ...recordsIn(recordIn(body, 'fault'), 'error').flatMap((error) => textIn(error, 'code') ?? []),
];

/** Returns the shape of an answer: status and code, and nothing that it says. */
export const outcomeOf = ({ status, body }: Answer): Shape => {
  const [code] = codesOf(body);
  return code === undefined ? { status } : { status, code };
};

function shownRefusal(answer: Answer): string {
  const [code] = codesOf(answer.body);
  return code !== undefined && /^\d{1,5}$/.test(code) ? `${answer.status}, code ${code}` : String(answer.status);
}
