import { createStore } from '#store/root-store.ts';
import { openDatabase } from '#store/database.ts';
import { createVault } from '#store/vault.ts';
import type { AccountingCredentials } from '#core/tenant.ts';
import type { JsonObject } from '#core/values/json.ts';
import { Client } from 'pg';
import { clockAt } from '../support/fake-ports.ts';
import { silentLogger } from '../support/logger.ts';
import type { ReceivedMail } from '../support/mailbox.ts';
import type { ExpectedDocument, SandboxDriver } from './flow.ts';
import { sweepSecretKey } from './sweep-product.ts';

/** A row of a database table; amounts and 64-bit numbers are texts. */
export type Row = Readonly<Record<string, unknown>>;

/** A request in the journal of a sandbox service. */
export interface JournalEntry {
  readonly sequence: number;
  readonly time: string;
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly owner: string | null;
  readonly status: number | null;
  readonly duration_ms: number;
  readonly applied: boolean;
  readonly request_body: string;
  readonly response_body: string;
}

/** A client with its company and Autotask user. A client that changes its company is one party per company. */
export interface Party {
  readonly tenantId: string;
  readonly realmId: string;
  /** Autotask's API user. */
  readonly user: string;
}

/**
 * The facts that the checker uses: the services' records and journals, and the database tables. It never uses the
 * product's API.
 */
export interface Evidence {
  readonly parties: readonly Party[];
  readonly expected: readonly ExpectedDocument[];
  /** Administrators who get an email for each refused document. */
  readonly alerted: readonly string[];
  /** Emails received by the mail server. */
  readonly alertMails: readonly ReceivedMail[];
  /** Number of killed or frozen processes. */
  readonly deaths: number;
  readonly books: Readonly<Record<string, readonly JsonObject[]>>;
  readonly mails: readonly JsonObject[];
  readonly psa: Readonly<Record<string, readonly JsonObject[]>>;
  readonly journal: { readonly books: readonly JournalEntry[]; readonly psa: readonly JournalEntry[] };
  readonly tables: Readonly<Record<string, readonly Row[]>>;
  /** Each party's stored refresh token, decrypted; null when none is stored. */
  readonly stored: Readonly<Record<string, string | null>>;
  /** Values that must not be readable in any table, URL, response or log. */
  readonly secrets: readonly string[];
  /** Output of the worker processes. */
  readonly output: string;
}

const quickbooksEntities = ['Invoice', 'CreditMemo', 'PurchaseOrder', 'Bill', 'Payment', 'Customer', 'Vendor', 'Item'];
const psaEntities = [
  'Invoices',
  'BillingItems',
  'PurchaseOrders',
  'PurchaseOrderItems',
  'ExpenseReports',
  'ExpenseItems',
];
const tables = [
  'tenants',
  'connections',
  'leases',
  'jobs',
  'job_results',
  'attempts',
  'postings',
  'mappings',
  'payment_states',
  'suppressions',
  'logs',
  'log_details',
  'audit_events',
  'outgoing_mails',
];

/** A trigger records every state of an attempt and of a posting in this table. */
export const historySql = `
  create table if not exists sweep_history (seq bigint generated always as identity, what text, id uuid, was text, became text);
  create or replace function sweep_note() returns trigger language plpgsql security definer as $$
  begin
    if TG_TABLE_NAME = 'attempts' then
      insert into sweep_history (what, id, was, became) values ('attempt', new.id, case when TG_OP = 'UPDATE' then old.state end, new.state);
    else
      insert into sweep_history (what, id, was, became) values ('posting', new.id, case when TG_OP = 'UPDATE' then old.status end, new.status);
    end if;
    return new;
  end $$;
  create or replace trigger sweep_note after insert or update on attempts for each row execute function sweep_note();
  create or replace trigger sweep_note after insert or update on postings for each row execute function sweep_note();
`;

type Records = Record<string, readonly JsonObject[]>;

async function listPsa(driver: SandboxDriver): Promise<Records> {
  const lists = await Promise.all(psaEntities.map((entity) => driver.list(entity)));
  // The control API returns lists as JSON.
  return Object.fromEntries(psaEntities.map((entity, at) => [entity, (lists[at] ?? []) as readonly JsonObject[]]));
}

/** Lists the records of several companies; `realmId` names the company. */
async function listBooks(driver: SandboxDriver, realmIds: readonly string[]): Promise<Records> {
  const found: Record<string, JsonObject[]> = {};
  for (const realmId of realmIds)
    for (const entity of quickbooksEntities) {
      const answer = await driver.call('GET', `/entities/${entity}?realmId=${realmId}`);
      const { items } = answer as { items: readonly JsonObject[] };
      (found[entity] ??= []).push(...items.map((item) => ({ ...item, realmId })));
    }
  return found;
}

const journalOf = async (driver: SandboxDriver): Promise<readonly JournalEntry[]> =>
  ((await driver.call('GET', '/journal?since=0')) as { entries: JournalEntry[] }).entries;

/** Collects the current evidence for the checker. */
export async function collect(about: {
  readonly databaseUrl: string;
  readonly autotask: SandboxDriver;
  readonly quickbooks: SandboxDriver;
  readonly parties: readonly Party[];
  readonly expected: readonly ExpectedDocument[];
  readonly alerted?: readonly string[];
  readonly alertMails?: () => readonly ReceivedMail[];
  readonly deaths: number;
  readonly secrets: readonly string[];
  readonly output: string;
}): Promise<Evidence> {
  const { databaseUrl, autotask, quickbooks, parties, expected, alerted = [], deaths, output } = about;
  const [books, psa, booksJournal, psaJournal, mails, rows, stored] = await Promise.all([
    listBooks(quickbooks, [...new Set(parties.map(({ realmId }) => realmId))]),
    listPsa(autotask),
    journalOf(quickbooks),
    journalOf(autotask),
    quickbooks.call('GET', '/mails') as Promise<{ items: JsonObject[] }>,
    readTables(databaseUrl),
    readStored(databaseUrl, parties),
  ]);
  const given = booksJournal.filter(({ path }) => path.endsWith('/tokens/bearer')).flatMap(tokensOf);
  return {
    parties,
    expected,
    alerted,
    alertMails: [...(about.alertMails?.() ?? [])],
    deaths,
    output,
    books,
    psa,
    journal: { books: booksJournal, psa: psaJournal },
    mails: mails.items,
    tables: rows,
    stored,
    secrets: [...new Set([...about.secrets, ...given])],
  };
}

function tokensOf({ response_body: text }: JournalEntry): string[] {
  try {
    const { access_token: access, refresh_token: refresh } = JSON.parse(text) as Record<string, unknown>;
    return [access, refresh].filter((token) => typeof token === 'string');
  } catch {
    return [];
  }
}

async function readTables(url: string): Promise<Record<string, readonly Row[]>> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    const found: Record<string, readonly Row[]> = {};
    const history = await client.query<Row>('select * from sweep_history order by seq');
    for (const table of tables)
      found[table] = (await client.query<{ row: Row }>(`select to_jsonb(t) as row from ${table} t`)).rows.map(
        ({ row }) => row,
      );
    return { ...found, history: history.rows };
  } finally {
    await client.end();
  }
}

async function readStored(url: string, parties: readonly Party[]): Promise<Record<string, string | null>> {
  const database = await openDatabase(url, { logger: silentLogger, maxConnections: 1 });
  const clock = clockAt('2025-03-03T15:00:00Z');
  const store = createStore({ database, vault: createVault(sweepSecretKey), clock });
  const read = async ({ tenantId }: Party): Promise<[string, string | null]> => {
    const tenant = store.forTenant(tenantId);
    const credentials: AccountingCredentials | null = await tenant.readAccountingCredentials({ evenIfLost: true });
    return [tenantId, credentials?.refreshToken ?? null];
  };
  const found: [string, string | null][] = [];
  for (const party of parties) found.push(await read(party));
  await database.close();
  return Object.fromEntries(found);
}
