import { ProcessEnded, type Failpoint } from '#flows/context.ts';
import { mappingNamespaces, type MappingNamespace } from '#core/mapping/mapping.ts';
import { LeaseLost } from '#core/ports/leases.ts';
import { Refusal } from '#core/refusal.ts';
import { ServiceError } from '#core/service-error.ts';
import { calendarDate } from '#core/values/dates.ts';
import type { JsonObject } from '#core/values/json.ts';
import { DatabaseUnavailable } from '#store/errors.ts';
import { Client } from 'pg';
import { restoreAndStart, takeBackup, type Backup } from '../support/backup.ts';
import { Business, isDifference, sourceOf } from '../support/business.ts';
import { newWorld, type World } from '../support/world.ts';
import { check, type Purchase, type Touched, type Violation } from './checker.ts';
import { openOffice, type Office } from './office.ts';
import type { Scenario } from './scenario.ts';
import type { Step } from './step.ts';

const companies = [175, 176, 178, 180, 501, 502] as const;
/** Once nothing is struck any more, this many cycles of 17 minutes bring everything to rest. */
const quietCycles = 9;
const cycleSeconds = 17 * 60;

/** The result of playing a scenario. */
export interface Verdict {
  readonly violations: readonly Violation[];
  /** Workers' deaths that came, requests that were struck, and what people did, for the report. */
  readonly deaths: number;
  readonly deeds: number;
  readonly struck: number;
  /** Everything that was done, struck and killed, in order of time. */
  readonly history: readonly string[];
}

/** How a turn may end that somebody else took over, without a database, or once a service has ended our access. */
const passing = [LeaseLost, DatabaseUnavailable, Refusal] as const;

/** Settings that everything comes to rest with. */
const usual = {
  inv_sync_active: true,
  void_sync_active: true,
  pay_sync_active: true,
  po_sync_active: true,
  exp_sync_active: true,
  require_approval: false,
} as const;

/** Tables of the PSA that its backup holds. */
const psaTables = ['Invoices', 'BillingItems'] as const;

/** The PSA's database as it was saved. */
interface PsaBackup {
  readonly tables: ReadonlyMap<(typeof psaTables)[number], readonly JsonObject[]>;
  readonly lastInvoiceId: number;
}

type InvoiceDeed = Extract<Step, { readonly invoice: number }>;
/** A step that a person does in one of the services, or in the product. */
type Deed =
  | InvoiceDeed
  | Extract<
      Step,
      {
        do:
          | 'bill'
          | 'order'
          | 'report'
          | 'sync_all'
          | 'delete_order'
          | 'delete_report'
          | 'set'
          | 'approve'
          | PurchaseDeed;
      }
    >;
type PurchaseDeed = 'sync_purchase' | 'sync_purchase_again' | 'clear_purchase';

/** An invoice of the scenario and what people have done with it outside the product. */
interface Invoice {
  readonly id: number;
  readonly companyId: number;
  readonly touched: Set<Touched>;
  /** How often a person asked for another document. */
  forced: number;
  readonly earlier: number;
  paymentId: string | null;
}

class Play {
  readonly #world: World;
  readonly #office: Office;
  readonly #scenario: Scenario;
  readonly #business: Business;
  readonly #invoices: Invoice[] = [];
  /** Invoices whose id the PSA has forgotten: what was made for them stands in the books. */
  readonly #forgotten: Invoice[] = [];
  readonly #purchases: Purchase[] = [];
  /** The newest test of each invoice, as a job. */
  readonly #tests = new Map<number, string>();
  readonly #violations: Violation[] = [];
  readonly #history: string[] = [];
  #backup: Backup | null = null;
  #psaBackup: PsaBackup | null = null;
  #isRevoked = false;
  #deaths = 0;
  #deeds = 0;

  constructor(world: World, office: Office, scenario: Scenario) {
    this.#world = world;
    this.#office = office;
    this.#scenario = scenario;
    this.#business = new Business(world);
  }

  async prepare(): Promise<void> {
    for (const [id, name] of [
      [175, 'Acme Dental'],
      [176, 'Birch Legal LLP'],
      [180, 'Ember Cafe'],
    ] as const)
      this.#business.customers.set(id, name);
    this.#business.customers.set(178, 'Cedar: Logistics');
    await this.#business.addCustomer(501, 'Alder Advisors');
    await this.#business.addCustomer(502, 'Basalt Builders', { isNew: true });
    await this.#world.store.saveMappings([mapping('ExpenseCategoryNonBillable', '42', '12')]);
  }

  /** Plays the steps, then lets everything come to rest and looks at both services. */
  async run(): Promise<Verdict> {
    const { steps, numbering } = this.#scenario;
    for (const step of steps) await this.#step(step);
    this.#note('from here on nothing is struck');
    await this.#world.quickbooks.clearFaults();
    await this.#world.autotask.clearFaults();
    if (this.#isRevoked) await reconnect(this.#world);
    await this.#office.ask('POST', '/api/my/settings/', usual);
    for (let cycle = 0; cycle < quietCycles; cycle += 1) {
      await this.#world.advance(cycleSeconds);
      await this.#work('worker a');
      await this.#reconnectIfTold();
    }
    const found = await check(this.#world, this.#office, {
      invoices: this.#invoices,
      purchases: this.#purchases,
      numbering,
    });
    const journals = await Promise.all([this.#world.autotask.journal(), this.#world.quickbooks.journal()]);
    const struck = journals.flat().filter(({ fault }) => fault !== null);
    return {
      violations: [...this.#violations, ...found],
      deaths: this.#deaths,
      deeds: this.#deeds,
      struck: struck.length,
      history: [
        ...this.#history,
        ...struck.map(
          (one) =>
            `${one.time} struck: ${one.method} ${one.path} (${one.fault}, ${one.applied ? '' : 'not '}carried out)`,
        ),
      ].sort(),
    };
  }

  #note(what: string): void {
    this.#history.push(`${this.#world.clock.now()} ${what}`);
  }

  /**
   * Somebody connects QuickBooks anew when the product says that this is needed: a refresh token that was given out anew in
   * an answer that was lost is known to nobody.
   */
  async #reconnectIfTold(): Promise<void> {
    const subscription = await this.#office.ask('GET', '/api/my');
    const connections = (subscription?.['connections'] ?? []) as readonly JsonObject[];
    if (!connections.some((one) => one['service'] === 'qbo' && one['status'] === 'inactive')) return;
    this.#note('somebody is told to connect QuickBooks, and does');
    await reconnect(this.#world);
  }

  /** A worker's session; whatever it throws but its own death is a violation: the client would stand still. */
  async #work(worker: string, hook?: Failpoint): Promise<void> {
    try {
      await this.#world.work(hook, worker);
      this.#note(`${worker} has worked`);
    } catch (error) {
      const words = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
      this.#note(`${worker} ended: ${words}`);
      if (error instanceof ProcessEnded) this.#deaths += 1;
      // The next session comes by itself: nobody stands still.
      else if (!passing.some((one) => error instanceof one))
        this.#violations.push({ rule: 'a session never fails as a whole', detail: words });
    }
  }

  async #step(step: Step): Promise<void> {
    switch (step.do) {
      case 'wait':
        return this.#world.advance(step.minutes * 60);
      case 'work':
        return this.#work(`worker ${step.worker}`);
      case 'die': {
        let left = step.effect;
        await this.#work(`worker ${step.worker}`, (name, when) => {
          if (when === step.moment && isMeant(step, name)) left -= 1;
          if (left <= 0) throw new ProcessEnded(`killed ${when} ${name}`);
        });
        // Its lease ends by itself.
        return this.#world.advance(15);
      }
      case 'stand_still': {
        let left = step.effect;
        await this.#work(`worker ${step.worker}`, async (name, when) => {
          // Calls of ports can be held; what has no dot is around one of them.
          if (when !== step.moment || !/^\w+\./.test(name) || !isMeant(step, name)) return;
          left -= 1;
          if (left !== 0) return;
          // Its lease ends meanwhile: another one works until it is done, and then both go on.
          this.#note(`worker ${step.worker} stands still ${when} ${name}`);
          await this.#world.advance(15);
          await this.#work(`worker ${step.worker === 'a' ? 'b' : 'a'}`);
          this.#note(`worker ${step.worker} goes on`);
        });
        return;
      }
      case 'strike': {
        const control = step.at.service === 'psa' ? this.#world.autotask : this.#world.quickbooks;
        const rule = { match: { path: step.at.path }, skip: step.skip, times: step.times, action: { ...step.by } };
        this.#note(`strikes are set: ${JSON.stringify(step)}`);
        return control.fault(rule);
      }
      case 'revoke':
        this.#isRevoked = true;
        this.#note('QuickBooks ends our access');
        return controlPost(this.#world.quickbooks.url, '/revoke');
      case 'disconnect':
        this.#note('somebody disconnects QuickBooks');
        if ((await this.#office.ask('PUT', '/api/my/qbo/disconnect/')) !== null) this.#isRevoked = true;
        return;
      case 'reconnect':
        this.#isRevoked = false;
        this.#note('somebody connects QuickBooks');
        return reconnect(this.#world);
      case 'cut_database':
        this.#note('every connection to the database is cut');
        return cutConnections(this.#world.database.url);
      case 'skew':
        this.#note(`the clock of ${step.service} goes ahead by ${step.seconds} s`);
        return (step.service === 'psa' ? this.#world.autotask : this.#world.quickbooks).advance(step.seconds);
      case 'backup':
        this.#note('our database is saved');
        this.#backup ??= await takeBackup(this.#world.database.url);
        return;
      case 'restore':
        if (this.#backup === null) return;
        this.#note('our database is put back');
        await restoreAndStart(this.#world, this.#backup);
        // QuickBooks has renewed our access since, perhaps: the operator connects again.
        if (!this.#isRevoked) await reconnect(this.#world);
        return;
      case 'backup_psa':
        this.#note('the database of the PSA is saved');
        this.#psaBackup ??= await this.#savePsa();
        return;
      case 'restore_psa':
        if (this.#psaBackup === null) return;
        this.#note('the database of the PSA is put back');
        return this.#restorePsa(this.#psaBackup);
      default:
        this.#deeds += 1;
        return this.#deed(step);
    }
  }

  async #savePsa(): Promise<PsaBackup> {
    const tables = await Promise.all(
      psaTables.map(async (name) => [name, await this.#world.autotask.list(name)] as const),
    );
    return { tables: new Map(tables), lastInvoiceId: this.#business.lastInvoiceId };
  }

  /** Everything entered or told since is gone, and ids are given out again. */
  async #restorePsa({ tables, lastInvoiceId }: PsaBackup): Promise<void> {
    const { autotask } = this.#world;
    for (const [name, saved] of tables) {
      const before = new Map(saved.map((row) => [Number(row['id']), row]));
      for (const row of await autotask.list(name)) {
        const id = Number(row['id']);
        const then = before.get(id);
        if (then === undefined) await autotask.remove(name, id);
        else if (JSON.stringify(then) !== JSON.stringify(row)) await autotask.put(name, id, then);
      }
    }
    this.#business.giveOutAgain(lastInvoiceId);
    for (const invoice of this.#invoices.splice(0)) {
      const isGone = invoice.id > lastInvoiceId;
      invoice.touched.add('forgotten by the PSA');
      (isGone ? this.#forgotten : this.#invoices).push(invoice);
    }
  }

  /** Something that a person does; what cannot be done now is not done. */
  async #deed(step: Deed): Promise<void> {
    switch (step.do) {
      case 'bill': {
        const companyId = companies[step.company % companies.length] ?? 175;
        const lines = step.cents.map((cents, index) => ({
          article:
            index === 0 && step.isTaxed && step.isCredit === undefined ? ('hardware' as const) : ('support' as const),
          quantity: 1,
          rate: (step.isCredit === undefined ? cents : -cents) / 100,
        }));
        const number = `N-${this.#business.lastInvoiceId + 1}`;
        const id = await this.#business.bill(companyId, lines, this.#scenario.numbering === 'psa' ? { number } : {});
        const before = this.#forgotten.filter((one) => one.id === id);
        const touched = new Set<Touched>(before.length > 0 ? ['given out again'] : []);
        this.#invoices.push({
          id,
          companyId,
          touched,
          forced: sumOf(before.map(({ forced }) => forced)),
          earlier: before.length,
          paymentId: null,
        });
        this.#note(`invoice ${id} is billed: ${this.#business.totalOf(id) / 100}`);
        return;
      }
      case 'order': {
        const id = await this.#business.order(301, [{ product: 801, quantity: 1, cost: step.cents / 100 }]);
        this.#purchases.push({ kind: 'purchase order', id, cents: step.cents, forced: 0, isDeleted: false });
        this.#note(`purchase order ${id} is submitted`);
        return;
      }
      case 'report': {
        const id = await this.#business.report(21, [{ category: 42, amount: step.cents / 100 }]);
        this.#purchases.push({ kind: 'expense report', id, cents: step.cents, forced: 0, isDeleted: false });
        this.#note(`expense report ${id} is approved`);
        return;
      }
      case 'delete_order':
        return this.#deleteOne('PurchaseOrder', step.which);
      case 'delete_report':
        return this.#deleteOne('Bill', step.which);
      case 'sync_purchase':
      case 'sync_purchase_again':
      case 'clear_purchase':
        return this.#toPurchase(step.do, step.which);
      case 'sync_all':
        this.#note(`somebody syncs all ${step.kind}`);
        await this.#office.ask('POST', `/api/my/${step.kind}/sync/submit/all`, { mode: 'live' });
        return;
      case 'set':
        this.#note(`somebody sets ${JSON.stringify(step.change)}`);
        await this.#office.ask('POST', '/api/my/settings/', step.change);
        return;
      case 'approve': {
        const run = await this.#office.ask('GET', '/api/my/drafts/run');
        const key = run?.['run'];
        if (typeof key !== 'string') return;
        const answer = await this.#office.ask('POST', '/api/my/drafts/approve', { run: key });
        this.#note(`somebody approves what waits: ${answer === null ? 'refused' : Number(answer['posting'])}`);
        return;
      }
      default:
        return this.#toInvoice(step);
    }
  }

  /** A person deletes a document of ours in the books; what was deleted is not made anew by itself. */
  async #deleteOne(entity: 'PurchaseOrder' | 'Bill', which: number): Promise<void> {
    const own = (await this.#world.quickbooks.list(entity)).filter((row) => sourceOf(row) !== null);
    const row = own[which % Math.max(1, own.length)];
    const source = row === undefined ? null : sourceOf(row);
    if (row === undefined || source === null) return;
    const purchase = this.#purchases.find(({ kind, id }) => `${kind} ${id}` === source);
    if (purchase !== undefined) purchase.isDeleted = true;
    this.#note(`somebody deletes ${entity} ${String(row['Id'])} of ${source} in the books`);
    await this.#world.quickbooks.remove(entity, String(row['Id']));
  }

  async #toPurchase(deed: PurchaseDeed, which: number): Promise<void> {
    const purchase = this.#purchases.at(which % Math.max(1, this.#purchases.length));
    if (purchase === undefined) return;
    const { kind, id } = purchase;
    const { path, entity, ids } = purchaseCalls[kind];
    this.#note(`${deed}: ${kind} ${id}`);
    if (deed === 'clear_purchase') {
      await this.#office.ask('POST', `/api/my/autotask/${entity}/clearSyncErrors`, { ids: [id] });
      return;
    }
    const force = deed === 'sync_purchase_again';
    if (force) purchase.forced += 1;
    await this.#office.ask('POST', `/api/my/${path}/sync/submit`, { mode: 'live', force, [ids]: [id] });
  }

  async #toInvoice(step: InvoiceDeed): Promise<void> {
    const invoice = this.#invoices.at(step.invoice % Math.max(1, this.#invoices.length));
    if (invoice === undefined) return;
    const { id, companyId, touched } = invoice;
    const { autotask, quickbooks } = this.#world;
    const day = this.#business.today;
    const made = (await this.#business.documents()).get(`invoice ${id}`) ?? [];
    const [document, ...more] = made.filter((row) => !isDifference(row));
    const isWhole = more.length === 0 && typeof document?.['Id'] === 'string' && invoice.earlier === 0;
    const inBooks: (JsonObject & { readonly Id: string }) | null = isWhole
      ? { ...document, Id: String(document['Id']) }
      : null;
    const isCredit = this.#business.totalOf(id) < 0;
    this.#note(`${step.do}: invoice ${id}${inBooks === null ? '' : `, in the books ${inBooks.Id}`}`);
    switch (step.do) {
      case 'void_in_psa':
        touched.add('voided in the PSA');
        return this.#business.cancel(id);
      case 'change_in_psa': {
        const [line] = (await autotask.list('BillingItems')).filter((row) => row['invoiceID'] === id);
        if (line === undefined) return;
        touched.add('changed in the PSA');
        const more = {
          totalAmount: Number(line['totalAmount']) + 10,
          internalCurrencyTotalAmount: Number(line['totalAmount']) + 10,
        };
        await autotask.put('BillingItems', Number(line['id']), more);
        const head = await this.#world.psaInvoice(id);
        return autotask.put('Invoices', id, {
          invoiceTotal: Math.round(Number(head['invoiceTotal']) * 100 + 1_000) / 100,
        });
      }
      case 'note_paid':
        touched.add('paid date noted');
        return autotask.put('Invoices', id, { paidDate: `${day}T00:00:00Z` });
      case 'take_paid_back':
        touched.add('payment taken back');
        return autotask.put('Invoices', id, { paidDate: null });
      case 'pay':
      case 'pay_part': {
        if (inBooks === null || isCredit || this.#isRevoked) return;
        const balance = Math.round(Number(inBooks['Balance'] ?? 0) * 100);
        if (balance < 2) return;
        touched.add('paid in the books');
        const cents = step.do === 'pay' ? balance : Math.floor(balance / 2);
        invoice.paymentId = await this.#business.enterPayment(companyId, day, [[id, cents]]);
        return;
      }
      case 'bounce':
        if (invoice.paymentId === null) return;
        await quickbooks.remove('Payment', invoice.paymentId);
        invoice.paymentId = null;
        return;
      case 'void_in_books':
        if (inBooks === null || isCredit || invoice.paymentId !== null) return;
        touched.add('voided in the books');
        return voidInBooks(this.#world, inBooks);
      case 'delete_in_books':
        // QuickBooks refuses to delete what a payment is linked to.
        if (inBooks === null || isCredit || invoice.paymentId !== null || isLinkedTo(document, 'Payment')) return;
        touched.add('deleted in the books');
        await quickbooks.remove('Invoice', inBooks.Id);
        return;
      case 'change_in_books':
        if (inBooks === null) return;
        touched.add('changed in the books');
        return quickbooks.put(isCredit ? 'CreditMemo' : 'Invoice', inBooks.Id, {
          PrivateNote: `${String(document?.['PrivateNote'])} · seen by a person`,
        });
      case 'clear':
        await this.#office.ask('POST', '/api/my/autotask/Invoices/clearSyncErrors', { ids: [id] });
        return;
      case 'sync':
      case 'sync_again': {
        const force = step.do === 'sync_again';
        if (force) invoice.forced += 1;
        await this.#office.ask('POST', '/api/my/invoices/sync/submit', { mode: 'live', force, invoice_ids: [id] });
        return;
      }
      case 'test': {
        const reply = await this.#office.ask('POST', '/api/my/invoices/sync/submit', {
          mode: 'test',
          invoice_ids: [id],
        });
        const job = reply?.['job'] as JsonObject | undefined;
        if (typeof job?.['id'] === 'string') this.#tests.set(id, job['id']);
        return;
      }
      case 'post_reviewed': {
        const reviewed = this.#tests.get(id);
        if (reviewed === undefined) return;
        await this.#office.ask('POST', '/api/my/invoices/sync/submit', { mode: 'live', reviewed, invoice_ids: [id] });
        return;
      }
      case 'update_books':
        await this.#office.ask('POST', '/api/my/invoices/sync/submit', {
          mode: 'live',
          update: true,
          invoice_ids: [id],
        });
        return;
      case 'delete_difference': {
        const billed = made.filter(isDifference);
        const one = billed[step.which % Math.max(1, billed.length)];
        // Totals of invoices only rise here, so that an invoice bills the difference.
        if (one === undefined || isCredit || isLinkedTo(one, 'Payment')) return;
        await quickbooks.remove('Invoice', String(one['Id']));
        return;
      }
      case 'bill_difference':
        await this.#office.ask('POST', '/api/my/differences/sync/submit', { mode: 'live', invoice_ids: [id] });
        return;
    }
  }
}

/** Names of purchases in the calls of our API. */
const purchaseCalls = {
  'purchase order': { path: 'purchase-orders', entity: 'PurchaseOrders', ids: 'po_ids' },
  'expense report': { path: 'expense-reports', entity: 'ExpenseReports', ids: 'expense_report_ids' },
} as const;

/** Whether a step that names effects means this one. */
const isMeant = ({ at }: { readonly at?: string }, name: string): boolean =>
  at === undefined || new RegExp(at).test(name);

const sumOf = (numbers: readonly number[]): number => numbers.reduce((sum, one) => sum + one, 0);

const mapping = (namespace: MappingNamespace, from: string, to: string) => ({
  namespace,
  sourceEntity: mappingNamespaces[namespace].source,
  sourceValue: from,
  sourceLabel: null,
  targetEntity: mappingNamespaces[namespace].target,
  targetValue: to,
  targetLabel: to,
});

/** Connections of the product that may have been cut, in all its pools: so often a person who is told to try again does so. */
const mostTries = 60;
const mayPass = [DatabaseUnavailable, ServiceError] as const;

/**
 * A request of a person. If the product or a service refuses it, e.g. while it is not connected, it has not happened; if
 * it could not be done because connections had just been cut, to the database or to a service, it is asked again.
 */
async function patiently(ask: () => Promise<unknown>): Promise<void> {
  for (let tries = 1; ; tries += 1)
    try {
      await ask();
      return;
    } catch (error) {
      if (error instanceof Refusal) return;
      if (error instanceof ServiceError && error.about.next !== 'try_again') return;
      if (!mayPass.some((one) => error instanceof one) || tries === mostTries) throw error;
    }
}

/** Gives consent anew; a consent page that does not come, or leads nowhere, is asked for again. */
async function reconnect(world: World): Promise<void> {
  for (let tries = 1; ; tries += 1)
    try {
      return await patiently(() => world.reconnectBooks());
    } catch (error) {
      if (!(error instanceof TypeError) || tries === mostTries) throw error;
    }
}

async function controlPost(url: string, path: string): Promise<void> {
  const answer = await fetch(`${url}/__sandbox${path}`, { method: 'POST' });
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
}

const isLinkedTo = (document: JsonObject | undefined, type: string): boolean =>
  Array.isArray(document?.['LinkedTxn']) &&
  (document['LinkedTxn'] as readonly JsonObject[]).some((link) => link['TxnType'] === type);

/** A bookkeeper voids an invoice: its amounts become 0 and its note begins with "Voided". */
async function voidInBooks({ quickbooks }: World, document: JsonObject & { readonly Id: string }): Promise<void> {
  const lines = Array.isArray(document['Line']) ? (document['Line'] as readonly JsonObject[]) : [];
  await quickbooks.put('Invoice', document.Id, {
    TotalAmt: 0,
    Balance: 0,
    PrivateNote: `Voided - ${String(document['PrivateNote'])}`,
    Line: lines.map((line) => ({ ...line, Amount: 0 })),
    TxnTaxDetail: { TotalTax: 0 },
  });
}

/** Turns on that documents of the books may carry numbers of others. */
async function letOthersNumber({ quickbooks }: World): Promise<void> {
  const [preferences] = await quickbooks.list('Preferences');
  const forms = preferences?.['SalesFormsPrefs'] as JsonObject;
  await quickbooks.put('Preferences', '1', { SalesFormsPrefs: { ...forms, CustomTxnNumbers: true } });
}

async function cutConnections(url: string): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(
      'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
    );
  } finally {
    await client.end();
  }
}

/** Plays a scenario from its beginning, in services and a database of its own. */
export async function play(scenario: Scenario): Promise<Verdict> {
  const { today, voids } = scenario;
  const isNumberedByPsa = scenario.numbering === 'psa';
  const world = await newWorld({
    today,
    hasNoDocuments: true,
    // Access is renewed by one worker at a time; the other waits, in real time, until the database notices that it stands still.
    refreshLimits: { heldMs: 500, waitMs: 5_000 },
    settings: {
      sync_start_date: calendarDate(today),
      inv_numbering_option: isNumberedByPsa ? 'autotask' : 'qbo',
      ...usual,
      void_across_months: voids,
      pay_grace_hours: 0,
      po_payable_account: '20',
      exp_cash_advance_expense_account: '25',
    },
  });
  const office = await openOffice(world);
  try {
    await world.quickbooks.behave({ requestid: scenario.requestid });
    if (isNumberedByPsa) await letOthersNumber(world);
    const one = new Play(world, office, scenario);
    await one.prepare();
    return await one.run();
  } finally {
    await office.close();
    await world.close();
  }
}
