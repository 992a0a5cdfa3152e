import { LeaseLost } from '#core/records/leases.ts';
import { Refusal } from '#core/refusal.ts';
import { ServiceError } from '#core/service-error.ts';
import { calendarDate } from '#core/values/dates.ts';
import type { JsonObject } from '#core/values/json.ts';
import { DatabaseUnavailable } from '#store/errors.ts';
import { takeBackup, type Backup } from '../support/backup.ts';
import { Business, isDifference, sourceOf } from '../support/business.ts';
import { mapping } from '../support/mappings.ts';
import type { World } from '../support/world.ts';
import { openApiUser, type ApiUser } from './api-user.ts';
import { checkBusiness, type Change, type Purchase } from './business-rules.ts';
import type { Violation } from './checker.ts';
import { Disaster } from './disaster.ts';
import { setCustomNumbers } from './flow.ts';
import type { Scenario } from './scenario.ts';
import type { Step } from './step.ts';

const companies = [175, 176, 178, 180, 501, 502] as const;
/** Cycles of 17 minutes after the last fault, until everything is idle. */
const rounds = Array.from({ length: 9 }, () => 17 * 60);
/** Lets the lease of a crashed or frozen worker end. */
const leaseIsOverSeconds = 15;

/** The result of a scenario. */
export interface Verdict {
  readonly violations: readonly Violation[];
  /** Crashed and frozen workers, failed requests and user actions, for the report. */
  readonly deaths: number;
  readonly userActions: number;
  readonly faultedRequests: number;
  /** All events in order of time. */
  readonly history: readonly string[];
}

/** Normal errors of a session: another worker took over, the database is unavailable, or the connection was ended. */
const normalErrors = [LeaseLost, DatabaseUnavailable, Refusal] as const;

/** Settings at the start and at the end. */
const defaultSettings = {
  inv_sync_active: true,
  void_sync_active: true,
  pay_sync_active: true,
  po_sync_active: true,
  exp_sync_active: true,
  require_approval: false,
} as const;

/** Autotask tables included in its backup. */
const psaTables = ['Invoices', 'BillingItems'] as const;

/** A backup of Autotask's database. */
interface PsaBackup {
  readonly tables: ReadonlyMap<(typeof psaTables)[number], readonly JsonObject[]>;
  readonly lastInvoiceId: number;
}

type InvoiceAction = Extract<Step, { readonly invoice: number }>;
/** A user action in a service or in the product. */
type UserAction =
  | InvoiceAction
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
          | PurchaseAction;
      }
    >;
type PurchaseAction = 'sync_purchase' | 'sync_purchase_again' | 'clear_purchase';

/** An invoice and the changes that bypassed the product. */
interface Invoice {
  readonly id: number;
  readonly companyId: number;
  readonly changes: Set<Change>;
  /** Number of additional documents that a user requested. */
  forced: number;
  readonly earlier: number;
  paymentId: string | null;
}

class ScenarioRun {
  readonly #disaster: Disaster;
  readonly #world: World;
  readonly #user: ApiUser;
  readonly #scenario: Scenario;
  readonly #business: Business;
  readonly #invoices: Invoice[] = [];
  /** Invoices whose ids Autotask lost. Their documents remain in QuickBooks. */
  readonly #lost: Invoice[] = [];
  readonly #purchases: Purchase[] = [];
  /** The job of the newest test of each invoice. */
  readonly #tests = new Map<number, string>();
  #backup: Backup | null = null;
  #psaBackup: PsaBackup | null = null;
  #isRevoked = false;
  #userActions = 0;

  constructor(disaster: Disaster, user: ApiUser, scenario: Scenario) {
    this.#disaster = disaster;
    this.#world = disaster.world;
    this.#user = user;
    this.#scenario = scenario;
    this.#business = new Business(disaster.world);
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

  /** Runs the steps, waits until everything is idle, then checks both services. */
  async run(): Promise<Verdict> {
    const { steps, numbering } = this.#scenario;
    for (const step of steps) await this.#step(step);
    this.#note('faults end here');
    await this.#world.quickbooks.clearFaults();
    await this.#world.autotask.clearFaults();
    if (this.#isRevoked) await reconnect(this.#world);
    await this.#user.ask('POST', '/api/my/settings/', defaultSettings);
    await this.#disaster.calmDown(rounds, 'worker a', () => this.#reconnectIfRequired());
    await this.#disaster.check('quiet');
    const { violations, deaths, history } = this.#disaster;
    const finished = { invoices: this.#invoices, purchases: this.#purchases, numbering };
    violations.push(...(await checkBusiness(this.#world, this.#user, finished)));
    const journals = await Promise.all([this.#world.autotask.journal(), this.#world.quickbooks.journal()]);
    const faultedRequests = journals.flat().filter(({ fault }) => fault !== null);
    return {
      violations,
      deaths,
      userActions: this.#userActions,
      faultedRequests: faultedRequests.length,
      history: [
        ...history,
        ...faultedRequests.map(
          (one) => `${one.time} fault: ${one.method} ${one.path} (${one.fault}, ${one.applied ? '' : 'not '}applied)`,
        ),
      ].sort(),
    };
  }

  #note(what: string): void {
    this.#disaster.note(what);
  }

  /** Reconnects QuickBooks if the product requires it, because a refresh response with new tokens was lost. */
  async #reconnectIfRequired(): Promise<void> {
    const subscription = await this.#user.ask('GET', '/api/my');
    const connections = (subscription?.['connections'] ?? []) as readonly JsonObject[];
    if (!connections.some((one) => one['service'] === 'qbo' && one['status'] === 'inactive')) return;
    this.#note('a user reconnects QuickBooks');
    await reconnect(this.#world);
  }

  async #step(step: Step): Promise<void> {
    switch (step.do) {
      case 'wait':
        return this.#world.advance(step.minutes * 60);
      case 'work':
        return this.#disaster.work(`worker ${step.worker}`);
      case 'crash':
        await this.#disaster.crash(`worker ${step.worker}`, step);
        return this.#world.advance(leaseIsOverSeconds);
      case 'freeze':
        await this.#disaster.freeze(`worker ${step.worker}`, step, async () => {
          await this.#world.advance(leaseIsOverSeconds);
          await this.#disaster.work(`worker ${step.worker === 'a' ? 'b' : 'a'}`);
        });
        return;
      case 'fault': {
        const control = step.at.service === 'psa' ? this.#world.autotask : this.#world.quickbooks;
        const rule = { match: { path: step.at.path }, skip: step.skip, times: step.times, action: { ...step.by } };
        this.#note(`faults are set: ${JSON.stringify(step)}`);
        return control.fault(rule);
      }
      case 'revoke':
        this.#isRevoked = true;
        this.#note('QuickBooks revokes the access');
        return this.#world.quickbooks.revoke();
      case 'disconnect':
        this.#note('a user disconnects QuickBooks');
        if ((await this.#user.ask('PUT', '/api/my/qbo/disconnect/')) !== null) this.#isRevoked = true;
        return;
      case 'reconnect':
        this.#isRevoked = false;
        this.#note('a user connects QuickBooks');
        return reconnect(this.#world);
      case 'cut_database':
        this.#note('all database connections are cut');
        return this.#disaster.cutDatabase();
      case 'skew':
        this.#note(`the clock of ${step.service} moves forward by ${step.seconds} s`);
        return (step.service === 'psa' ? this.#world.autotask : this.#world.quickbooks).advance(step.seconds);
      case 'backup':
        this.#note('our database is backed up');
        this.#backup ??= await takeBackup(this.#world.database.url);
        return;
      case 'restore':
        if (this.#backup === null) return;
        this.#note('our database is restored');
        await this.#disaster.restore(this.#backup);
        // Tokens may have been refreshed after the backup, so the operator reconnects.
        if (!this.#isRevoked) await reconnect(this.#world);
        return;
      case 'backup_psa':
        this.#note("Autotask's database is backed up");
        this.#psaBackup ??= await this.#savePsa();
        return;
      case 'restore_psa':
        if (this.#psaBackup === null) return;
        this.#note("Autotask's database is restored");
        return this.#restorePsa(this.#psaBackup);
      default:
        this.#userActions += 1;
        return this.#act(step);
    }
  }

  async #savePsa(): Promise<PsaBackup> {
    const tables = await Promise.all(
      psaTables.map(async (name) => [name, await this.#world.autotask.list(name)] as const),
    );
    return { tables: new Map(tables), lastInvoiceId: this.#business.lastInvoiceId };
  }

  /** Restores Autotask: later changes are lost and their ids are reused. */
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
      invoice.changes.add('Autotask restored');
      (isGone ? this.#lost : this.#invoices).push(invoice);
    }
  }

  /** Performs a user action, unless it is impossible now. */
  async #act(step: UserAction): Promise<void> {
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
        const before = this.#lost.filter((one) => one.id === id);
        const changes = new Set<Change>(before.length > 0 ? ['id reused'] : []);
        this.#invoices.push({
          id,
          companyId,
          changes,
          forced: sumOf(before.map(({ forced }) => forced)),
          earlier: before.length,
          paymentId: null,
        });
        this.#note(`invoice ${id} is created: ${this.#business.totalOf(id) / 100}`);
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
        return this.#changePurchase(step.do, step.which);
      case 'sync_all':
        this.#note(`a user syncs all ${step.kind}`);
        await this.#user.ask('POST', `/api/my/${step.kind}/sync/submit/all`, { mode: 'live' });
        return;
      case 'set':
        this.#note(`a user sets ${JSON.stringify(step.change)}`);
        await this.#user.ask('POST', '/api/my/settings/', step.change);
        return;
      case 'approve': {
        const run = await this.#user.ask('GET', '/api/my/drafts/run');
        const key = run?.['run'];
        if (typeof key !== 'string') return;
        const answer = await this.#user.ask('POST', '/api/my/drafts/approve', { run: key });
        this.#note(
          `a user approves the waiting documents: ${answer === null ? 'rejected' : Number(answer['posting'])}`,
        );
        return;
      }
      default:
        return this.#changeInvoice(step);
    }
  }

  /** Deletes a posted document in QuickBooks. The product does not create it again automatically. */
  async #deleteOne(entity: 'PurchaseOrder' | 'Bill', which: number): Promise<void> {
    const own = (await this.#world.quickbooks.list(entity)).filter((row) => sourceOf(row) !== null);
    const row = own[which % Math.max(1, own.length)];
    const source = row === undefined ? null : sourceOf(row);
    if (row === undefined || source === null) return;
    const purchase = this.#purchases.find(({ kind, id }) => `${kind} ${id}` === source);
    if (purchase !== undefined) purchase.isDeleted = true;
    this.#note(`a user deletes ${entity} ${String(row['Id'])} of ${source} in QuickBooks`);
    await this.#world.quickbooks.remove(entity, String(row['Id']));
  }

  async #changePurchase(action: PurchaseAction, which: number): Promise<void> {
    const purchase = this.#purchases.at(which % Math.max(1, this.#purchases.length));
    if (purchase === undefined) return;
    const { kind, id } = purchase;
    const { path, entity, ids } = purchaseCalls[kind];
    this.#note(`${action}: ${kind} ${id}`);
    if (action === 'clear_purchase') {
      await this.#user.ask('POST', `/api/my/autotask/${entity}/clearSyncErrors`, { ids: [id] });
      return;
    }
    const force = action === 'sync_purchase_again';
    if (force) purchase.forced += 1;
    await this.#user.ask('POST', `/api/my/${path}/sync/submit`, { mode: 'live', force, [ids]: [id] });
  }

  async #changeInvoice(step: InvoiceAction): Promise<void> {
    const invoice = this.#invoices.at(step.invoice % Math.max(1, this.#invoices.length));
    if (invoice === undefined) return;
    const { id, companyId, changes } = invoice;
    const { autotask, quickbooks } = this.#world;
    const day = this.#business.today;
    const made = (await this.#business.documents()).get(`invoice ${id}`) ?? [];
    const [document, ...more] = made.filter((row) => !isDifference(row));
    const isUnique = more.length === 0 && typeof document?.['Id'] === 'string' && invoice.earlier === 0;
    const inQuickBooks: (JsonObject & { readonly Id: string }) | null = isUnique
      ? { ...document, Id: String(document['Id']) }
      : null;
    const isCredit = this.#business.totalOf(id) < 0;
    this.#note(`${step.do}: invoice ${id}${inQuickBooks === null ? '' : `, in QuickBooks ${inQuickBooks.Id}`}`);
    switch (step.do) {
      case 'void_in_autotask':
        changes.add('voided in Autotask');
        return this.#business.cancel(id);
      case 'change_in_autotask': {
        const [line] = (await autotask.list('BillingItems')).filter((row) => row['invoiceID'] === id);
        if (line === undefined) return;
        changes.add('changed in Autotask');
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
      case 'set_paid_date':
        changes.add('paid date set');
        return autotask.put('Invoices', id, { paidDate: `${day}T00:00:00Z` });
      case 'remove_paid_date':
        changes.add('paid date removed');
        return autotask.put('Invoices', id, { paidDate: null });
      case 'pay':
      case 'pay_part': {
        if (inQuickBooks === null || isCredit || this.#isRevoked) return;
        const balance = Math.round(Number(inQuickBooks['Balance'] ?? 0) * 100);
        if (balance < 2) return;
        changes.add('paid in QuickBooks');
        const cents = step.do === 'pay' ? balance : Math.floor(balance / 2);
        invoice.paymentId = await this.#business.enterPayment(companyId, day, [[id, cents]]);
        return;
      }
      case 'bounce':
        if (invoice.paymentId === null) return;
        await quickbooks.remove('Payment', invoice.paymentId);
        invoice.paymentId = null;
        return;
      case 'void_in_quickbooks':
        if (inQuickBooks === null || isCredit || invoice.paymentId !== null) return;
        changes.add('voided in QuickBooks');
        return voidInQuickBooks(this.#world, inQuickBooks);
      case 'delete_in_quickbooks':
        // QuickBooks does not delete an invoice with a linked payment.
        if (inQuickBooks === null || isCredit || invoice.paymentId !== null || isLinkedTo(document, 'Payment')) return;
        changes.add('deleted in QuickBooks');
        await quickbooks.remove('Invoice', inQuickBooks.Id);
        return;
      case 'change_in_quickbooks':
        if (inQuickBooks === null) return;
        changes.add('changed in QuickBooks');
        return quickbooks.put(isCredit ? 'CreditMemo' : 'Invoice', inQuickBooks.Id, {
          PrivateNote: `${String(document?.['PrivateNote'])} · edited by a user`,
        });
      case 'clear':
        await this.#user.ask('POST', '/api/my/autotask/Invoices/clearSyncErrors', { ids: [id] });
        return;
      case 'sync':
      case 'sync_again': {
        const force = step.do === 'sync_again';
        if (force) invoice.forced += 1;
        await this.#user.ask('POST', '/api/my/invoices/sync/submit', { mode: 'live', force, invoice_ids: [id] });
        return;
      }
      case 'test': {
        const reply = await this.#user.ask('POST', '/api/my/invoices/sync/submit', {
          mode: 'test',
          invoice_ids: [id],
        });
        const job = reply?.['job'] as JsonObject | undefined;
        if (typeof job?.['id'] === 'string') this.#tests.set(id, job['id']);
        return;
      }
      case 'post_reviewed': {
        const reviewedTest = this.#tests.get(id);
        if (reviewedTest === undefined) return;
        await this.#user.ask('POST', '/api/my/invoices/sync/submit', {
          mode: 'live',
          reviewed: reviewedTest,
          invoice_ids: [id],
        });
        return;
      }
      case 'update_in_quickbooks':
        await this.#user.ask('POST', '/api/my/invoices/sync/submit', {
          mode: 'live',
          update: true,
          invoice_ids: [id],
        });
        return;
      case 'delete_difference': {
        const billed = made.filter(isDifference);
        const one = billed[step.which % Math.max(1, billed.length)];
        // Totals only rise here, so a difference is always an invoice.
        if (one === undefined || isCredit || isLinkedTo(one, 'Payment')) return;
        await quickbooks.remove('Invoice', String(one['Id']));
        return;
      }
      case 'bill_difference':
        await this.#user.ask('POST', '/api/my/differences/sync/submit', { mode: 'live', invoice_ids: [id] });
        return;
    }
  }
}

/** Names used in the API. */
const purchaseCalls = {
  'purchase order': { path: 'purchase-orders', entity: 'PurchaseOrders', ids: 'po_ids' },
  'expense report': { path: 'expense-reports', entity: 'ExpenseReports', ids: 'expense_report_ids' },
} as const;

const sumOf = (numbers: readonly number[]): number => numbers.reduce((sum, one) => sum + one, 0);

/** Retries of a failed request. Every database connection in the product's pools may have been cut. */
const maxTries = 60;
const retryableErrors = [DatabaseUnavailable, ServiceError] as const;

/** Sends a user's request. Ignores a rejection, and retries when a connection to the database or a service was cut. */
async function retry(ask: () => Promise<unknown>): Promise<void> {
  for (let tries = 1; ; tries += 1)
    try {
      await ask();
      return;
    } catch (error) {
      if (error instanceof Refusal) return;
      if (error instanceof ServiceError && error.about.next !== 'try_again') return;
      if (!retryableErrors.some((one) => error instanceof one) || tries === maxTries) throw error;
    }
}

/** Gives consent again. Retries when the consent page fails. */
async function reconnect(world: World): Promise<void> {
  for (let tries = 1; ; tries += 1)
    try {
      return await retry(() => world.reconnectAccounting());
    } catch (error) {
      if (!(error instanceof TypeError) || tries === maxTries) throw error;
    }
}

const isLinkedTo = (document: JsonObject | undefined, type: string): boolean =>
  Array.isArray(document?.['LinkedTxn']) &&
  (document['LinkedTxn'] as readonly JsonObject[]).some((link) => link['TxnType'] === type);

/** Voids an invoice in QuickBooks: amounts become 0 and the note starts with "Voided". */
async function voidInQuickBooks({ quickbooks }: World, document: JsonObject & { readonly Id: string }): Promise<void> {
  const lines = Array.isArray(document['Line']) ? (document['Line'] as readonly JsonObject[]) : [];
  await quickbooks.put('Invoice', document.Id, {
    TotalAmt: 0,
    Balance: 0,
    PrivateNote: `Voided - ${String(document['PrivateNote'])}`,
    Line: lines.map((line) => ({ ...line, Amount: 0 })),
    TxnTaxDetail: { TotalTax: 0 },
  });
}

/** Runs a scenario with its own services and database. */
export async function runScenario(scenario: Scenario): Promise<Verdict> {
  const { today, voids, requestid } = scenario;
  const isNumberedByPsa = scenario.numbering === 'psa';
  const disaster = await Disaster.start({
    world: {
      today,
      hasNoDocuments: true,
      settings: {
        sync_start_date: calendarDate(today),
        inv_numbering_option: isNumberedByPsa ? 'autotask' : 'qbo',
        ...defaultSettings,
        void_across_months: voids,
        pay_grace_hours: 0,
        po_payable_account: '20',
        exp_cash_advance_expense_account: '25',
      },
    },
    switches: { requestid },
    expected: null,
    normalErrors,
  });
  const { world } = disaster;
  const user = await openApiUser(world);
  try {
    if (isNumberedByPsa) await setCustomNumbers(world, true);
    const one = new ScenarioRun(disaster, user, scenario);
    await one.prepare();
    return await one.run();
  } finally {
    await user.close();
    await disaster.close();
  }
}
