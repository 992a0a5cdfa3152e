import { ProcessEnded, type Failpoint } from '#flows/context.ts';
import { mappingNamespaces, type MappingNamespace } from '#core/mapping/mapping.ts';
import { LeaseLost } from '#core/ports/leases.ts';
import { Refusal } from '#core/refusal.ts';
import { ServiceError } from '#core/service-error.ts';
import { calendarDate } from '#core/values/dates.ts';
import type { JsonObject } from '#core/values/json.ts';
import { clearSyncStatus } from '#flows/sync/job/clear-status.ts';
import { submit } from '#flows/sync/job/submit.ts';
import { DatabaseUnavailable } from '#store/errors.ts';
import { Client } from 'pg';
import { takeBackup, type Backup } from '../support/backup.ts';
import { Business } from '../support/business.ts';
import { newWorld, type World } from '../support/world.ts';
import { check, type Touched, type Violation } from './checker.ts';
import type { Scenario, Step } from './scenario.ts';

const today = '2027-07-05';
const actor = { username: 'admin@northwind-msp.example' };
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
}

/** How a turn may end that somebody else took over, without a database, or once a service has ended our access. */
const passing = [LeaseLost, DatabaseUnavailable, Refusal] as const;

/** An invoice of the scenario and what people have done with it outside the product. */
interface Invoice {
  readonly id: number;
  readonly companyId: number;
  readonly touched: Set<Touched>;
  /** How often a person asked for another document. */
  forced: number;
  paymentId: string | null;
}

class Play {
  readonly #world: World;
  readonly #business: Business;
  readonly #invoices: Invoice[] = [];
  readonly #violations: Violation[] = [];
  #backup: Backup | null = null;
  #isRevoked = false;
  #deaths = 0;
  #deeds = 0;

  constructor(world: World) {
    this.#world = world;
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
  async run(scenario: Scenario): Promise<Verdict> {
    for (const step of scenario.steps) await this.#step(step);
    await this.#world.quickbooks.clearFaults();
    await this.#world.autotask.clearFaults();
    if (this.#isRevoked) await reconnect(this.#world);
    for (let cycle = 0; cycle < quietCycles; cycle += 1) {
      await this.#world.advance(cycleSeconds);
      await this.#work();
    }
    const violations = [...this.#violations, ...(await check(this.#world, this.#invoices))];
    const journals = await Promise.all([this.#world.autotask.journal(), this.#world.quickbooks.journal()]);
    const struck = journals.flat().filter(({ fault }) => fault !== null).length;
    return { violations, deaths: this.#deaths, deeds: this.#deeds, struck };
  }

  /** A worker's turn; whatever it throws but its own death is a violation: the client would stand still. */
  async #work(hook?: Failpoint, worker?: string): Promise<void> {
    try {
      await this.#world.work(hook, worker);
    } catch (error) {
      if (error instanceof ProcessEnded) this.#deaths += 1;
      // The next turn comes by itself: nobody stands still.
      else if (!passing.some((one) => error instanceof one))
        this.#violations.push({
          rule: 'a turn never fails as a whole',
          detail: error instanceof Error ? `${error.name}: ${error.message}` : String(error),
        });
    }
  }

  async #step(step: Step): Promise<void> {
    switch (step.do) {
      case 'wait':
        return this.#world.advance(step.minutes * 60);
      case 'work':
        return this.#work(undefined, `worker ${step.worker}`);
      case 'die': {
        let left = step.effect;
        await this.#work((_, when) => {
          if (when === step.moment) left -= 1;
          if (left <= 0) throw new ProcessEnded('the process was killed');
        }, `worker ${step.worker}`);
        // Its lease ends by itself.
        return this.#world.advance(15);
      }
      case 'stand_still': {
        let left = step.effect;
        let other: Promise<void> | null = null;
        await this.#work((_, when) => {
          if (when === step.moment) left -= 1;
          // Its lease ends meanwhile, and both go on beside each other.
          if (left === 0) other = this.#world.advance(15).then(() => this.#work(undefined, otherThan(step.worker)));
        }, `worker ${step.worker}`);
        return other ?? undefined;
      }
      case 'strike': {
        const control = step.at.service === 'psa' ? this.#world.autotask : this.#world.quickbooks;
        const rule = { match: { path: step.at.path }, skip: step.skip, times: step.times, action: { ...step.by } };
        return control.fault(rule);
      }
      case 'revoke':
        this.#isRevoked = true;
        return controlPost(this.#world.quickbooks.url, '/revoke');
      case 'reconnect':
        this.#isRevoked = false;
        return reconnect(this.#world);
      case 'cut_database':
        return cutConnections(this.#world.database.url);
      case 'backup':
        this.#backup ??= await takeBackup(this.#world.database.url);
        return;
      case 'restore':
        if (this.#backup === null) return;
        await this.#backup.restore();
        // QuickBooks has renewed our access since, perhaps: the operator connects again.
        if (!this.#isRevoked) await reconnect(this.#world);
        return;
      default:
        this.#deeds += 1;
        return this.#deed(step);
    }
  }

  /** Something that a person does; what cannot be done now is not done. */
  async #deed(
    step: Exclude<
      Step,
      {
        do:
          | 'wait'
          | 'work'
          | 'die'
          | 'stand_still'
          | 'strike'
          | 'revoke'
          | 'reconnect'
          | 'cut_database'
          | 'backup'
          | 'restore';
      }
    >,
  ) {
    switch (step.do) {
      case 'bill': {
        const companyId = companies[step.company % companies.length] ?? 175;
        const lines = step.cents.map((cents, index) => ({
          article: index === 0 && step.isTaxed ? ('hardware' as const) : ('support' as const),
          quantity: 1,
          rate: cents / 100,
        }));
        const id = await this.#business.bill(companyId, lines);
        this.#invoices.push({ id, companyId, touched: new Set(), forced: 0, paymentId: null });
        return;
      }
      case 'order':
        await this.#business.order(301, [{ product: 801, quantity: 1, cost: step.cents / 100 }]);
        return;
      case 'report':
        await this.#business.report(21, [{ category: 42, amount: step.cents / 100 }]);
        return;
      case 'sync_all':
        return this.#ask(null, false);
      default:
        break;
    }
    const invoice = this.#invoices[step.invoice % Math.max(1, this.#invoices.length)];
    if (invoice === undefined) return;
    const { id, companyId, touched } = invoice;
    const { autotask, quickbooks } = this.#world;
    const day = this.#business.today;
    const [document, ...more] = (await this.#business.documents()).get(`invoice ${id}`) ?? [];
    const inBooks: (JsonObject & { readonly Id: string }) | null =
      more.length === 0 && typeof document?.['Id'] === 'string' ? { ...document, Id: document['Id'] } : null;
    switch (step.do) {
      case 'void_in_psa':
        touched.add('voided in the PSA');
        return this.#business.cancel(id);
      case 'change_in_psa': {
        touched.add('changed in the PSA');
        const [line] = (await autotask.list('BillingItems')).filter((row) => row['invoiceID'] === id);
        if (line === undefined) return;
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
        touched.add('paid');
        return autotask.put('Invoices', id, { paidDate: `${day}T00:00:00Z` });
      case 'take_paid_back':
        touched.add('paid');
        return autotask.put('Invoices', id, { paidDate: null });
      case 'pay':
      case 'pay_part': {
        const balance = Math.round(Number(inBooks?.['Balance'] ?? 0) * 100);
        if (inBooks === null || balance < 2 || this.#isRevoked) return;
        touched.add('paid');
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
        if (inBooks === null || invoice.paymentId !== null) return;
        touched.add('voided in the books');
        return voidInBooks(this.#world, inBooks);
      case 'delete_in_books':
        // QuickBooks refuses to delete what a payment is linked to.
        if (inBooks === null || invoice.paymentId !== null || isLinkedTo(document, 'Payment')) return;
        touched.add('deleted in the books');
        await quickbooks.remove('Invoice', inBooks.Id);
        return;
      case 'change_in_books':
        if (inBooks === null) return;
        touched.add('changed in the books');
        return quickbooks.put('Invoice', inBooks.Id, {
          PrivateNote: `${String(document?.['PrivateNote'])} · seen by a person`,
        });
      case 'clear':
        return patiently(() => clearSyncStatus(this.#world.tenant, 'invoice', [id], actor));
      case 'sync':
        return this.#ask([id], false);
      case 'sync_again':
        invoice.forced += 1;
        return this.#ask([id], true);
    }
  }

  #ask(psaIds: readonly number[] | null, force: boolean): Promise<void> {
    return patiently(() => submit(this.#world.tenant, { kind: 'invoice', psaIds, mode: 'live', force, actor }));
  }
}

const otherThan = (worker: 'a' | 'b'): string => `worker ${worker === 'a' ? 'b' : 'a'}`;

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
  const world = await newWorld({
    today,
    hasNoDocuments: true,
    settings: {
      sync_start_date: calendarDate(today),
      inv_sync_active: true,
      void_sync_active: true,
      void_across_months: 'void',
      pay_sync_active: true,
      po_sync_active: true,
      exp_sync_active: true,
      pay_grace_hours: 0,
      po_payable_account: '20',
      exp_cash_advance_expense_account: '25',
    },
  });
  try {
    await world.quickbooks.behave({ requestid: scenario.requestid });
    const one = new Play(world);
    await one.prepare();
    return await one.run(scenario);
  } finally {
    await world.close();
  }
}
