import type { Clock } from '../kit/clock.ts';
import { amountAt, cents, Exact, sum, toNumber, zero } from './amounts.ts';
import type { QuickBooksBehaviour } from './behaviour.ts';
import { type Doc, listAt, refAt, textAt } from './doc.ts';
import { type EntityKind, entityKinds } from './entities.ts';
import { type Preferences, readPreferences } from './preferences.ts';
import { type Entry, Table } from './table.ts';
import { pacificDate } from './times.ts';

/** The kind of a change to a record, as named in webhooks. */
export type ChangeOperation = 'Create' | 'Update' | 'Delete' | 'Void' | 'Emailed' | 'Merge';

/** One change, as reported in webhooks. */
export interface Change {
  readonly realmId: string;
  readonly entity: string;
  readonly id: string;
  readonly operation: ChangeOperation;
  /** Record that was merged into this one. */
  readonly deletedId?: string;
  readonly at: number;
}

/** An email that the service would have sent. */
export interface Mail {
  readonly sentAt: string;
  readonly realmId: string;
  readonly entity: string;
  readonly id: string;
  readonly docNumber: string | null;
  readonly to: string;
  readonly cc: string | null;
  readonly bcc: string | null;
  readonly subject: string;
  readonly message: string;
  readonly attachments: readonly string[];
  /** `send` for the send call, `NeedToSend` when the status triggered the email. */
  readonly cause: 'send' | 'NeedToSend';
}

/** The QuickBooks user in stale-object texts and LastModifiedByRef. */
export const booksUser = { id: '9341452000000034', name: 'Robin Ledger' } as const;

/** One QuickBooks company: its records, counters and amounts. All data that the rules read and write. */
export class Company {
  readonly realmId: string;
  readonly clock: Clock;
  readonly behaviour: QuickBooksBehaviour;
  readonly #tables: ReadonlyMap<string, Table>;
  readonly #counters = new Map<string, bigint>();
  /** The last used number by sequence: sales forms, purchase orders, estimates. */
  readonly numbers = new Map<string, number>();
  readonly mails: Mail[] = [];
  /** File contents of attachables, by id. */
  readonly files = new Map<string, Buffer>();
  readonly #balances = new Map<string, Exact>();
  readonly #contributions = new Map<string, readonly [party: string, amount: Exact]>();
  #preferences: { readonly revision: number; readonly value: Preferences } | undefined;
  /** Called after each change with the webhook event. */
  onChange: (change: Change) => void = () => undefined;

  constructor(realmId: string, clock: Clock, behaviour: QuickBooksBehaviour) {
    this.realmId = realmId;
    this.clock = clock;
    this.behaviour = behaviour;
    this.#tables = new Map(entityKinds.map((kind) => [kind.name, new Table(kind)]));
  }

  table(name: string): Table {
    const table = this.#tables.get(name);
    if (table === undefined) throw new Error(`there is no entity ${name}`);
    return table;
  }

  find(name: string, id: string | undefined): Entry | undefined {
    return id === undefined ? undefined : this.table(name).get(id);
  }

  get preferences(): Preferences {
    const entry = this.table('Preferences').get('1');
    const revision = entry?.revision ?? -1;
    if (this.#preferences?.revision !== revision)
      this.#preferences = { revision, value: readPreferences(entry?.body ?? {}) };
    return this.#preferences?.value ?? readPreferences({});
  }

  get info(): Doc {
    return this.table('CompanyInfo').get('1')?.body ?? {};
  }

  get name(): string {
    return textAt(this.info, 'CompanyName') ?? this.realmId;
  }

  /** Two-letter country of the company. */
  get country(): string {
    return textAt(this.info, 'Country') ?? 'US';
  }

  /** While the world is built: the creation time of its documents. */
  builtAt: number | undefined;

  /** Returns the current time in whole seconds, as stored in records. */
  nowMs(): number {
    return this.builtAt ?? Math.floor(this.clock.now() / 1000) * 1000;
  }

  /** Returns the current day in Pacific time, the default of TxnDate. */
  today(): string {
    return pacificDate(this.clock.now());
  }

  /** Returns the next id of a counter. */
  nextId(counter: EntityKind['counter'] | 'address'): string {
    const next = (this.#counters.get(counter) ?? 0n) + 1n;
    this.#counters.set(counter, next);
    return String(next);
  }

  /** Sets a counter to continue after this id, even backwards; ids in use are skipped. */
  setCounter(counter: EntityKind['counter'] | 'address', lastId: string): void {
    this.#counters.set(counter, BigInt(lastId));
  }

  /** Returns the next free id for a record of this entity. */
  newId(kind: EntityKind): string {
    let id = this.nextId(kind.counter);
    while (this.table(kind.name).get(id) !== undefined) id = this.nextId(kind.counter);
    return id;
  }

  /** Adds a record; by default its creation time is now. */
  add(
    kind: EntityKind,
    id: string,
    body: Doc,
    options: { readonly at?: number; readonly syncToken?: number } = {},
  ): Entry {
    const at = options.at ?? this.nowMs();
    const entry: Entry = {
      id,
      syncToken: options.syncToken ?? 0,
      createdAt: at,
      updatedAt: at,
      body,
      lastLine: Math.max(0, ...lineIds(body)),
      revision: 0,
    };
    this.table(kind.name).add(entry);
    this.#account(kind, entry);
    this.onChange({ realmId: this.realmId, entity: kind.name, id, operation: 'Create', at });
    return entry;
  }

  /** Replaces a record's body; updates SyncToken and time. */
  change(kind: EntityKind, entry: Entry, body: Doc, operation: ChangeOperation = 'Update'): void {
    this.table(kind.name).replace(entry, body);
    entry.lastLine = Math.max(entry.lastLine, ...lineIds(body));
    entry.syncToken += 1;
    this.#account(kind, entry);
    this.touch(kind, entry);
    this.onChange({ realmId: this.realmId, entity: kind.name, id: entry.id, operation, at: entry.updatedAt });
  }

  /** Replaces a record's body without a new SyncToken, as emailing does; updates its time. */
  annotate(kind: EntityKind, entry: Entry, body: Doc, operation: ChangeOperation): void {
    this.table(kind.name).replace(entry, body);
    this.touch(kind, entry);
    this.onChange({ realmId: this.realmId, entity: kind.name, id: entry.id, operation, at: entry.updatedAt });
  }

  /** Reports that another record was merged into this one. */
  reportMerge(kind: EntityKind, entry: Entry, deletedId: string): void {
    this.touch(kind, entry);
    const { realmId } = this;
    this.onChange({ realmId, entity: kind.name, id: entry.id, operation: 'Merge', at: entry.updatedAt, deletedId });
  }

  /** Updates a record's time of change. */
  touch(kind: EntityKind, entry: Entry): void {
    this.table(kind.name).touch(entry, this.nowMs());
  }

  remove(kind: EntityKind, entry: Entry): void {
    const at = this.nowMs();
    this.table(kind.name).remove(entry, at);
    this.#forget(kind, entry);
    this.onChange({ realmId: this.realmId, entity: kind.name, id: entry.id, operation: 'Delete', at });
  }

  /** Returns the balance of a customer or vendor: open documents less credits and unapplied payments. */
  balanceOf(party: 'Customer' | 'Vendor', id: string): Exact {
    return this.#balances.get(`${party} ${id}`) ?? zero;
  }

  /** Returns a customer's balance with those of its sub-customers. */
  balanceWithJobs(id: string): Exact {
    let total = this.balanceOf('Customer', id);
    for (const child of this.#childrenOf(id)) total = total.plus(this.balanceWithJobs(child));
    return total;
  }

  /** Returns the exchange rate of a currency on a day: home units per unit; 1 when unknown. */
  rateOf(currency: string, date: string): Exact {
    if (currency === this.preferences.homeCurrency) return new Exact(1);
    let best: Entry | undefined;
    for (const entry of this.table('ExchangeRate').find('SourceCurrencyCode', currency)) {
      const day = textAt(entry.body, 'AsOfDate') ?? '';
      if (day <= date && day > (textAt(best?.body, 'AsOfDate') ?? '')) best = entry;
    }
    return amountAt(best?.body, 'Rate') ?? new Exact(1);
  }

  #children: { readonly size: number; readonly map: Map<string, string[]> } | undefined;

  #childrenOf(id: string): readonly string[] {
    const table = this.table('Customer');
    if (this.#children?.size !== table.size) {
      const map = new Map<string, string[]>();
      for (const entry of table.all()) {
        const parent = refAt(entry.body, 'ParentRef');
        if (parent !== undefined) map.set(parent, [...(map.get(parent) ?? []), entry.id]);
      }
      this.#children = { size: table.size, map };
    }
    return this.#children.map.get(id) ?? [];
  }

  #revision = 0;

  /** Counts the changes of the company's data, so that computed values can be cached. */
  get revision(): number {
    return this.#revision;
  }

  /** Replaces a transaction's previous share of its party's balance with the new one. */
  #account(kind: EntityKind, entry: Entry): void {
    this.#forget(kind, entry);
    if (kind.kind !== 'transaction') return;
    const found = contribution(kind.name, entry.body);
    if (found === undefined || found.amount.isZero()) return;
    const party = `${found.party} ${found.id}`;
    this.#contributions.set(`${kind.name} ${entry.id}`, [party, found.amount]);
    this.#balances.set(party, (this.#balances.get(party) ?? zero).plus(found.amount));
  }

  #forget(kind: EntityKind, entry: Entry): void {
    this.#revision += 1;
    const key = `${kind.name} ${entry.id}`;
    const old = this.#contributions.get(key);
    if (old === undefined) return;
    this.#contributions.delete(key);
    this.#balances.set(old[0], (this.#balances.get(old[0]) ?? zero).minus(old[1]));
  }
}

function lineIds(body: Doc): number[] {
  const lines = body['Line'];
  if (!Array.isArray(lines)) return [];
  return lines.map((line) =>
    Number(typeof line === 'object' && line !== null && !Array.isArray(line) ? (line['Id'] ?? 0) : 0),
  );
}

function contribution(
  entity: string,
  body: Doc,
): { readonly party: 'Customer' | 'Vendor'; readonly id: string; readonly amount: Exact } | undefined {
  const customer = refAt(body, 'CustomerRef');
  const vendor = refAt(body, 'VendorRef');
  const at = (member: string) => amountAt(body, member) ?? zero;
  if (customer !== undefined) {
    const of = { party: 'Customer', id: customer } as const;
    if (entity === 'Invoice') return { ...of, amount: at('Balance') };
    if (entity === 'CreditMemo') return { ...of, amount: at('Balance').negated() };
    if (entity === 'Payment') return { ...of, amount: at('UnappliedAmt').negated() };
  }
  if (vendor !== undefined) {
    const of = { party: 'Vendor', id: vendor } as const;
    if (entity === 'Bill') return { ...of, amount: at('Balance') };
    if (entity === 'VendorCredit') return { ...of, amount: at('Balance').negated() };
    if (entity === 'BillPayment') return { ...of, amount: appliedBy(body).minus(at('TotalAmt')) };
  }
  return undefined;
}

/** Returns the amount that a bill payment's lines apply to bills, less the vendor credits among them. */
function appliedBy(body: Doc): Exact {
  return sum(
    listAt(body, 'Line').map((line) => {
      const amount = amountAt(line, 'Amount') ?? zero;
      return textAt(listAt(line, 'LinkedTxn')[0], 'TxnType') === 'VendorCredit' ? amount.negated() : amount;
    }),
  );
}

/** Every currency the sandbox knows, by code. */
const currencyNames: Readonly<Record<string, string>> = {
  USD: 'United States Dollar',
  CAD: 'Canadian Dollar',
  GBP: 'British Pound Sterling',
  EUR: 'Euro',
  AUD: 'Australian Dollar',
  NZD: 'New Zealand Dollar',
  CHF: 'Swiss Franc',
  JPY: 'Japanese Yen',
  MXN: 'Mexican Peso',
  INR: 'Indian Rupee',
  SGD: 'Singapore Dollar',
  HKD: 'Hong Kong Dollar',
};

/** Returns the name of a currency code; undefined for an unknown one. */
export function currencyName(code: string): string | undefined {
  return currencyNames[code];
}

/** Returns a reference to a currency with its name. */
export function currencyRef(code: string): Doc {
  return { value: code, name: currencyName(code) ?? code };
}

/** Returns the amount in home currency, in cents. */
export function inHome(amount: Exact, rate: Exact): number {
  return toNumber(cents(amount.times(rate)));
}
