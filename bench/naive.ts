import { createRequire } from 'node:module';
import { AutotaskRestApi } from '@apigrate/autotask-restapi';

/** Addresses and credentials of both services for a script that uses the common client libraries. */
export interface NaiveAccess {
  readonly autotaskUrl: string;
  readonly user: { readonly userName: string; readonly secret: string; readonly apiIntegrationCode: string };
  readonly quickbooksUrl: string;
  readonly realmId: string;
  readonly accessToken: string;
}

/** Result: documents in QuickBooks, and refused calls. */
export interface NaiveResult {
  readonly done: number;
  readonly refused: number;
}

type Row = Readonly<Record<string, unknown>>;
type Callback = (error: unknown, answer: unknown) => void;
type Client = Readonly<Record<string, ((...args: unknown[]) => void) | undefined>>;
const require = createRequire(import.meta.url);
const QuickBooks = require('node-quickbooks') as {
  new (...args: unknown[]): Client;
  V3_ENDPOINT_BASE_URL: string;
};

/** Returns whether a service refused a call because of a rate limit: by its status, or by the message of its client. */
const isTooMany = (error: unknown): boolean => {
  if (!(error instanceof Error)) return false;
  const { response, status } = error as { readonly response?: { readonly status?: number }; readonly status?: number };
  return (response?.status ?? status) === 429 || /\b429\b|thread threshold/i.test(error.message);
};

/**
 * Posts invoices as a quickly written script would, with the most common client library of each service. It looks up,
 * creates and reports each document with separate calls, and retries a rate-limited call after a second.
 *
 * @param atOnce number of documents in parallel.
 * @throws the client's error when a service refuses a call for another reason.
 */
export async function naive(access: NaiveAccess, invoiceIds: readonly number[], atOnce: number): Promise<NaiveResult> {
  const { user } = access;
  const autotask = new AutotaskRestApi(user.userName, user.secret, user.apiIntegrationCode, {
    base_url: `${access.autotaskUrl}/ATServicesRest/`,
  });
  QuickBooks.V3_ENDPOINT_BASE_URL = `${access.quickbooksUrl}/v3/company/`;
  const { realmId, accessToken } = access;
  const books = new QuickBooks('id', 'secret', accessToken, false, realmId, true, false, 75, '2.0', 'refresh');
  let [done, refused] = [0, 0];

  async function patiently<T>(call: () => Promise<T>): Promise<T> {
    for (;;)
      try {
        return await call();
      } catch (error) {
        if (!isTooMany(error)) throw error;
        refused += 1;
        await new Promise((go) => setTimeout(go, 1_000));
      }
  }
  const psa = <T>(entity: string, use: (calls: NonNullable<(typeof autotask)[string]>) => Promise<T>): Promise<T> =>
    patiently(() => {
      const calls = autotask[entity];
      if (calls === undefined) throw new Error(`the client lacks ${entity}`);
      return use(calls);
    });
  const ask = (method: string, ...args: unknown[]): Promise<Row> =>
    patiently(
      () =>
        new Promise<Row>((resolve, reject) => {
          const answered: Callback = (error, answer) =>
            error === null || error === undefined ? resolve(answer as Row) : reject(error);
          books[method]?.(...args, answered);
        }),
    );

  const items = (await ask('findItems', [{ field: 'Type', value: 'Service', operator: '=' }]))['QueryResponse'];
  const [item] = (items as { Item?: Row[] }).Item ?? [];

  async function post(id: number): Promise<void> {
    const where = (field: string, value: unknown) => ({ filter: [{ op: 'eq', field, value }] });
    const [invoice] = (await psa('Invoices', (calls) => calls.query(where('id', id)))).items;
    const { items: lines } = await psa('BillingItems', (calls) => calls.query(where('invoiceID', id)));
    const [company] = (await psa('Companies', (calls) => calls.query(where('id', invoice?.['companyID'])))).items;
    const name = company?.['companyName'];
    const found = await ask('findCustomers', [{ field: 'DisplayName', value: name, operator: '=' }]);
    const [customer] = (found['QueryResponse'] as { Customer?: Row[] }).Customer ?? [];
    const made = await ask('createInvoice', {
      CustomerRef: { value: customer?.['Id'] ?? (await ask('createCustomer', { DisplayName: name }))['Id'] },
      DocNumber: invoice?.['invoiceNumber'],
      Line: lines.map((line) => ({
        DetailType: 'SalesItemLineDetail',
        Amount: line['extendedPrice'],
        Description: line['itemName'],
        SalesItemLineDetail: { ItemRef: { value: item?.['Id'] } },
      })),
    });
    await psa('Invoices', (calls) => calls.update({ id, invoiceNumber: made['DocNumber'] }));
    done += 1;
  }

  const waiting = [...invoiceIds];
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      for (let id = waiting.shift(); id !== undefined; id = waiting.shift()) await post(id);
    }),
  );
  return { done, refused };
}
