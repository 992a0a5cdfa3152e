import { listAttention } from '#flows/attention/list.ts';
import { submit } from '#flows/sync/job/submit.ts';
import { exceptionsOf, obstaclesOf, type Proof } from '#core/reconciliation/close.ts';
import { settlements } from '#core/reconciliation/exception-actions.ts';
import type { JsonObject } from '#core/values/json.ts';
import {
  Accounts,
  adviceOn,
  comparedAdvice,
  differencesOf,
  happen,
  isPossible,
  shown,
  type Sequence,
} from '@tallybridge/double-entry';
import { Business, idOfMade } from '../support/business.ts';
import { mapExpenses, mapping } from '../support/mappings.ts';
import { proveMonth } from '../support/month-end.ts';
import { newWorld, type World } from '../support/world.ts';
import { addVendors, Buyers } from './buyers.ts';
import { People } from './people.ts';

const actor = { username: 'admin@northwind-msp.example' };
const { parse } = JSON;

/** A world that plays sequences one after another, each with customers of its own. */
export class Company {
  readonly #world: World;
  readonly #business: Business;
  /** Amounts that the newest proof does not explain. */
  #unexplained: ReadonlyMap<string, number> = new Map();
  /** Differences of earlier sequences and of the sample data, which every proof of the month names. */
  #known: ReadonlySet<string> = new Set();
  #nextCompany = 600;
  #nextVendor = 5_000;

  private constructor(world: World) {
    this.#world = world;
    this.#business = new Business(world);
  }

  static async start(): Promise<Company> {
    const world = await newWorld({
      hasNoDocuments: true,
      settings: {
        inv_sync_active: true,
        inv_create_item_automatically: true,
        void_sync_active: true,
        void_across_months: 'credit_memo',
        pay_sync_active: true,
        pay_grace_hours: 0,
        po_sync_active: true,
        po_payable_account: '20',
        po_create_item_automatically: true,
        exp_sync_active: true,
        exp_split_month_end: false,
        exp_cash_advance_expense_account: '25',
      },
    });
    await mapExpenses(world.store, [41, 42, 43]);
    const account = (await world.quickbooks.list('Account')).find((one) => one['Name'] === 'Customer Prepayments');
    await world.saveSettings({ prepaid_account: String(account?.['Id']), prepaid_drawdown: true });
    const company = new Company(world);
    company.#learn((await proveMonth(world)).proof);
    return company;
  }

  close(): Promise<void> {
    return this.#world.close();
  }

  /** Plays a sequence, and returns what differs from the double entry after the first sync that differs. */
  async play(sequence: Sequence): Promise<readonly string[]> {
    const world = this.#world;
    await world.saveSettings({ pay_direction: sequence.direction });
    const accounts = new Accounts(sequence);
    const people = new People(this.#business, accounts, await this.#addCustomers(sequence));
    const vendors = await addVendors(world, accounts, (this.#nextVendor += 10));
    const buyers = new Buyers(this.#business, accounts, vendors);
    const users = { people, buyers };
    await people.begin();
    for (const [index, step] of sequence.steps.entries()) {
      if (!isPossible(accounts, step)) continue;
      if (step.do === 'sync') {
        // An hour without a webhook, so the product reads the changes of QuickBooks; the next cycle writes the rest.
        await world.advance(3_700);
        await world.work();
        await world.cycle();
        await world.cycle();
      } else if (step.do === 'choose') {
        const psaIds = [people.psaIdOf(step.sale)];
        const { choice } = step;
        await submit(world.tenant, { kind: 'payment', mode: 'live', force: false, choice, psaIds, actor });
        await world.work();
      } else if ('purchase' in step) await buyers.do(step);
      else await people.do(step);
      happen(accounts, step);
      if (step.do !== 'sync' && step.do !== 'choose') continue;
      const isLast = index === sequence.steps.length - 1;
      const found = [
        ...(await this.#ledgerDiffers(accounts, users)),
        ...(await this.#balancesDiffer(accounts, people)),
        ...(step.do === 'sync' ? await this.#adviceDiffers(accounts, users) : []),
        ...(isLast ? await this.#proofDiffers(accounts, users) : []),
      ];
      if (found.length === 0) continue;
      this.#learn((await proveMonth(world)).proof);
      return found.map((one) => `after step ${index + 1}: ${one}`);
    }
    return [];
  }

  async #addCustomers({ customers }: Sequence): Promise<(readonly [number, string])[]> {
    const { autotask, quickbooks, store } = this.#world;
    const companies = await autotask.list('Companies');
    const ids: (readonly [number, string])[] = [];
    for (const { name, currency } of customers) {
      const id = (this.#nextCompany += 1);
      if (currency === 'CAD') this.#business.canadians.add(id);
      // Their display name must be free in a world that played the same sequence before.
      const unique = `${name} ${id}`;
      const like = companies.find((row) => row['id'] === (currency === 'CAD' ? 177 : 176)) ?? {};
      const same = Object.entries(like).filter(([member, value]) => value !== null && member !== 'id');
      await autotask.put('Companies', id, { ...Object.fromEntries(same), companyName: unique, companyNumber: '' });
      const CurrencyRef = { value: currency };
      const made = idOfMade(
        await quickbooks.add('Customer', { DisplayName: unique, CompanyName: unique, CurrencyRef }),
      );
      ids.push([id, made]);
    }
    await store.saveMappings(ids.map(([id, made]) => mapping('Customer', String(id), made)));
    return ids;
  }

  async #ledgerDiffers(accounts: Accounts, users: Users): Promise<string[]> {
    const { quickbooks } = this.#world;
    const parties = await this.#partiesOf(accounts, users);
    const answer = await fetch(`${quickbooks.url}/__sandbox/ledger?from=2025-02-01`);
    const { entries } = parse(await answer.text()) as { readonly entries: readonly JsonObject[] };
    const seen = new Map<string, number>();
    for (const entry of entries) {
      const name = parties(String(entry['transaction_type']), String(entry['transaction_id']));
      if (name === undefined) continue;
      const key = `${name}: ${accountName(entry['account'] as JsonObject)}`;
      const cents = Math.round((Number(entry['debit']) - Number(entry['credit'])) * 100);
      seen.set(key, (seen.get(key) ?? 0) + cents);
    }
    const right = accounts.ledger();
    const keys = [...new Set([...Object.keys(right), ...seen.keys()])].sort();
    return keys.flatMap((key) => {
      const [expected, found] = [right[key] ?? 0, seen.get(key) ?? 0];
      return expected === found ? [] : [`ledger of ${key}: must be ${shown(expected)}, is ${shown(found)}`];
    });
  }

  /** Returns a function that finds the customer or vendor of a transaction; undefined if it is not of the sequence. */
  async #partiesOf(accounts: Accounts, { people, buyers }: Users) {
    const { quickbooks } = this.#world;
    const names = new Map(people.customerIds.map((id, index) => [id, accounts.customers[index]?.name]));
    const found = new Map<string, string | undefined>();
    for (const type of ['Invoice', 'CreditMemo', 'Payment', 'SalesReceipt', 'RefundReceipt'])
      for (const row of await quickbooks.list(type))
        found.set(`${type} ${String(row['Id'])}`, names.get(String((row['CustomerRef'] as JsonObject)['value'])));
    const vendors = new Map(buyers.vendorIds.map((id, index) => [id, accounts.purchases.vendors[index]?.name]));
    for (const type of ['Bill', 'VendorCredit', 'BillPayment'])
      for (const row of await quickbooks.list(type))
        found.set(`${type} ${String(row['Id'])}`, vendors.get(String((row['VendorRef'] as JsonObject)['value'])));
    return (type: string, id: string): string | undefined => {
      const customer = people.customerOf(type, id);
      return found.get(`${type} ${id}`) ?? (customer === undefined ? undefined : accounts.customers[customer]?.name);
    };
  }

  /** Compares open amounts and paid dates document by document: the ledger shows only their sum. */
  async #balancesDiffer(accounts: Accounts, people: People): Promise<string[]> {
    const { autotask, quickbooks } = this.#world;
    const rows = new Map<string, JsonObject>();
    for (const type of ['Invoice', 'CreditMemo', 'Payment'])
      for (const row of await quickbooks.list(type)) rows.set(`${type} ${String(row['Id'])}`, row);
    const inPsa = new Map((await autotask.list('Invoices')).map((row) => [row['id'], row]));
    const found: string[] = [];
    const compare = (what: string, right: string, is: string) => {
      if (right !== is) found.push(`${what}: must be ${right}, is ${is}`);
    };
    for (const sale of accounts.sales.values()) {
      if (accounts.live(sale) !== null) {
        const booked = await people.find(sale.name);
        if (booked === null) {
          found.push(`${sale.name} is not in QuickBooks`);
          continue;
        }
        const { Balance, RemainingCredit } = rows.get(`${booked.type} ${booked.id}`) ?? {};
        const open = booked.type === 'CreditMemo' ? 0 - Number(RemainingCredit ?? Balance) : Number(Balance);
        compare(`open amount of ${sale.name}`, shown(accounts.balance(sale)), shown(Math.round(open * 100)));
      }
      if (sale.psa === null || sale.psa.isVoided) continue;
      const isPaid = (inPsa.get(people.psaIdOf(sale.name))?.['paidDate'] ?? null) !== null;
      const inWords = (is: boolean) => (is ? 'set' : 'empty');
      compare(`paid date of ${sale.name}`, inWords(sale.psa.paidBy !== null), inWords(isPaid));
    }
    for (const money of accounts.money.values()) {
      if (money.type !== 'payment' || money.isDeleted) continue;
      const booked = await people.find(money.name);
      if (booked === null) {
        found.push(`${money.name} is not in QuickBooks`);
        continue;
      }
      const unapplied = Math.round(Number(rows.get(`${booked.type} ${booked.id}`)?.['UnappliedAmt'] ?? 0) * 100);
      compare(`unapplied amount of ${money.name}`, shown(accounts.unapplied(money)), shown(unapplied));
    }
    return found;
  }

  async #adviceDiffers(accounts: Accounts, { people, buyers }: Users): Promise<string[]> {
    const groups = await listAttention(this.#world.tenant);
    const documents = groups.flatMap((group) => group.documents);
    const ofPurchases = [...buyers.psaIds].flatMap(([name, psaId]) => {
      const purchase = accounts.purchases.all.get(name);
      if (purchase === undefined) return [];
      const expected = accounts.purchases.adviceOn(purchase).toSorted().join(' and ') || 'none';
      const codes = documents
        .filter((one) => one.psaId === psaId && (one.type === 'purchase_order' || one.type === 'expense_report'))
        .flatMap(({ problems }) => problems.map(({ code }) => code));
      const found = [...new Set(codes)].sort().join(' and ') || 'none';
      return found === expected ? [] : [`advice on ${name}: must be ${expected}, is ${found}`];
    });
    const ofSales = [...people.psaIds].flatMap(([name, psaId]) => {
      const sale = accounts.sale(name);
      if (sale === undefined) return [];
      const expected = adviceOn(accounts, sale) ?? 'none';
      const codes = documents
        .filter((one) => one.psaId === psaId && one.type !== 'difference')
        .flatMap(({ problems }) => problems.map(({ code }) => code))
        .filter((code) => comparedAdvice.has(code));
      const found = [...new Set(codes)].sort().join(' and ') || 'none';
      return found === expected ? [] : [`advice on ${name}: must be ${expected}, is ${found}`];
    });
    return [...ofSales, ...ofPurchases];
  }

  async #proofDiffers(accounts: Accounts, { people, buyers }: Users): Promise<string[]> {
    const { proof } = await proveMonth(this.#world);
    const names = new Map([...people.psaIds, ...buyers.psaIds].map(([name, id]) => [id, name]));
    const typed = new Map([...people.typed, ...buyers.typed].map(([name, { type, id }]) => [`${type} ${id}`, name]));
    const expected = differencesOf(accounts);
    const compared = new Set(expected.flatMap((one) => (one.settlements === null ? [keyOf(one)] : [])));
    const right = expected.map(
      (one) => `${keyOf(one)}${offered(compared.has(keyOf(one)) ? [] : (one.settlements ?? []))}`,
    );
    const exceptions = exceptionsOf(proof);
    const seen = exceptions.flatMap(
      ({ key: known, kind, class: of, psaId, number, accounting: books, amount, actions }) => {
        if (this.#known.has(known)) return [];
        const sale =
          names.get(psaId ?? 0) ?? typed.get(`${books?.type} ${books?.id}`) ?? `another document (${number})`;
        const key = keyOf({ kind, sale, class: of, cents: Math.round(Number(amount) * 100) });
        return [`${key}${offered(compared.has(key) ? [] : actions.filter((one) => isSettlement(one)))}`];
      },
    );
    const unexplained = this.#newlyUnexplained(proof);
    this.#learn(proof);
    return [
      ...without(right, seen).map((one) => `proof lacks ${one}`),
      ...without(seen, right).map((one) => `proof has a false difference: ${one}`),
      ...unexplained,
    ];
  }

  /** Saves what a proof names, which later sequences do not cause. */
  #learn(proof: Proof): void {
    this.#unexplained = unexplainedBy(proof);
    this.#known = new Set(exceptionsOf(proof).map(({ key }) => key));
  }

  /** Returns the amounts that an earlier proof of the same month explained, and this one does not. */
  #newlyUnexplained(proof: Proof): string[] {
    const [before, now] = [this.#unexplained, unexplainedBy(proof)];
    return [...new Set([...before.keys(), ...now.keys()])].flatMap((label) => {
      const cents = (now.get(label) ?? 0) - (before.get(label) ?? 0);
      return cents === 0 ? [] : [`proof does not explain ${shown(cents)} of “${label}”`];
    });
  }
}

/** Users of both services, for sales and for purchases. */
interface Users {
  readonly people: People;
  readonly buyers: Buyers;
}

/** Returns the amounts that a proof does not explain, in cents by name. The rows of a tie-out may net each other. */
function unexplainedBy(proof: Proof): ReadonlyMap<string, number> {
  const found = new Map<string, number>();
  const add = (label: string, amount: number) =>
    void found.set(label, (found.get(label) ?? 0) + Math.round(amount * 100));
  for (const { label, currency, amount } of obstaclesOf(proof)) add(`${label} in ${currency}`, Number(amount));
  for (const { label, mustBeZero, rows } of proof.tieOuts)
    for (const { label: row, left, right } of mustBeZero ? rows : [])
      if (left !== null && right !== null) add(`${label}, ${row}`, Number(left) - Number(right));
  return found;
}

/** Returns a list without the members of another, each as often as it occurs there. */
function without(list: readonly string[], taken: readonly string[]): string[] {
  const left = [...taken];
  return list.filter((one) => {
    const at = left.indexOf(one);
    if (at >= 0) left.splice(at, 1);
    return at < 0;
  });
}

const isSettlement = (action: string): boolean => settlements.some((one) => one === action);
const offered = (actions: readonly string[]): string => (actions.length === 0 ? '' : ` (${actions.join(', ')})`);
const keyOf = (one: { kind: string; sale: string; class: string; cents: number }): string =>
  `${one.kind === 'payment' ? 'payment of ' : ''}${one.sale}: ${one.class} ${shown(one.cents)}`;

/** Returns the name of an account in the double entry. */
function accountName({ name, type }: JsonObject): string {
  if (type === 'Accounts Receivable' || type === 'Accounts Payable') return type;
  if (type === 'Bank') return 'Bank';
  return /Tax/.test(String(name)) ? 'Sales Tax' : String(name);
}
