import type { RootStore } from '#store/root-store.ts';
import type { JsonObject } from '#core/values/json.ts';
import { asOwner } from '../support/database.ts';
import type { ReceivedMail } from '../support/mailbox.ts';
import type { Control, JournalEntry } from '../support/world.ts';
import type { ExpectedDocument } from './flow.ts';

/** A row of a database table; amounts and 64-bit numbers are texts. */
export type Row = Readonly<Record<string, unknown>>;

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
  /** Whether all documents are expected ones. */
  readonly areExpected: boolean;
  /** Administrators who get an email for each refused document. */
  readonly alerted: readonly string[];
  /** Emails received by the mail server. */
  readonly alertMails: readonly ReceivedMail[];
  /** Number of times that a process crashed, froze or lost its database. */
  readonly deaths: number;
  readonly accounting: Readonly<Record<string, readonly JsonObject[]>>;
  readonly mails: readonly JsonObject[];
  readonly psa: Readonly<Record<string, readonly JsonObject[]>>;
  readonly journal: { readonly accounting: readonly JournalEntry[]; readonly psa: readonly JournalEntry[] };
  readonly tables: Readonly<Record<string, readonly Row[]>>;
  /** Each party's stored refresh token, decrypted; null when none is stored. */
  readonly stored: Readonly<Record<string, string | null>>;
  /** Values that must not be readable in any table, URL, response or log. */
  readonly secrets: readonly string[];
  /** Log lines of the product. */
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
  'outbox',
];

/** A trigger records every state of an attempt and of a posting in this table. */
export const historySql = `
  create table if not exists state_history (seq bigint generated always as identity, what text, id uuid, was text, became text);
  create or replace function note_state() returns trigger language plpgsql security definer as $$
  begin
    if TG_TABLE_NAME = 'attempts' then
      insert into state_history (what, id, was, became) values ('attempt', new.id, case when TG_OP = 'UPDATE' then old.state end, new.state);
    else
      insert into state_history (what, id, was, became) values ('posting', new.id, case when TG_OP = 'UPDATE' then old.status end, new.status);
    end if;
    return new;
  end $$;
  create or replace trigger note_state after insert or update on attempts for each row execute function note_state();
  create or replace trigger note_state after insert or update on postings for each row execute function note_state();
`;

type Records = Readonly<Record<string, readonly JsonObject[]>>;

async function listPsa(autotask: Control): Promise<Records> {
  const lists = await Promise.all(psaEntities.map((entity) => autotask.list(entity)));
  return Object.fromEntries(psaEntities.map((entity, at) => [entity, lists[at] ?? []]));
}

/** Lists the records of several companies; `realmId` names the company. */
async function listAccounting(quickbooks: Control, realmIds: readonly string[]): Promise<Records> {
  const found: Record<string, JsonObject[]> = {};
  for (const realmId of realmIds)
    for (const entity of quickbooksEntities) {
      const items = await quickbooks.list(`${entity}?realmId=${realmId}`);
      (found[entity] ??= []).push(...items.map((item) => ({ ...item, realmId })));
    }
  return found;
}

/** Collects the current evidence for the checker. */
export async function collect(about: {
  readonly databaseUrl: string;
  readonly store: RootStore;
  readonly autotask: Control;
  readonly quickbooks: Control;
  readonly parties: readonly Party[];
  /** null: unknown. */
  readonly expected: readonly ExpectedDocument[] | null;
  readonly alerted?: readonly string[];
  readonly alertMails?: readonly ReceivedMail[];
  readonly deaths: number;
  readonly secrets?: readonly string[];
  readonly output?: string;
}): Promise<Evidence> {
  const { databaseUrl, store, autotask, quickbooks, parties, expected, alerted = [], deaths, output = '' } = about;
  const [accounting, psa, accountingJournal, psaJournal, mails, rows, stored] = await Promise.all([
    listAccounting(quickbooks, [...new Set(parties.map(({ realmId }) => realmId))]),
    listPsa(autotask),
    quickbooks.journal(),
    autotask.journal(),
    quickbooks.mails(),
    readTables(databaseUrl),
    Promise.all(parties.map(({ tenantId }) => readRefreshToken(store, tenantId))),
  ]);
  const given = accountingJournal.filter(({ path }) => path.endsWith('/tokens/bearer')).flatMap(tokensOf);
  return {
    parties,
    expected: expected ?? [],
    areExpected: expected !== null,
    alerted,
    alertMails: [...(about.alertMails ?? [])],
    deaths,
    output,
    accounting,
    psa,
    journal: { accounting: accountingJournal, psa: psaJournal },
    mails,
    tables: rows,
    stored: Object.fromEntries(parties.map(({ tenantId }, at) => [tenantId, stored[at] ?? null])),
    secrets: [...new Set([...(about.secrets ?? []), ...given])],
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

const readTables = (url: string): Promise<Record<string, readonly Row[]>> =>
  asOwner(url, async (client) => {
    const history = await client.query<Row>('select * from state_history order by seq');
    const found: Record<string, readonly Row[]> = { history: history.rows };
    for (const table of tables)
      found[table] = (await client.query<{ row: Row }>(`select to_jsonb(t) as row from ${table} t`)).rows.map(
        ({ row }) => row,
      );
    return found;
  });

async function readRefreshToken(store: RootStore, tenantId: string): Promise<string | null> {
  const credentials = await store.forTenant(tenantId).readAccountingCredentials({ evenIfLost: true });
  return credentials?.refreshToken ?? null;
}
