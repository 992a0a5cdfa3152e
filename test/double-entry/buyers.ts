import type { JsonObject } from '#core/values/json.ts';
import { picklistNumber } from '@tallybridge/sandbox';
import type { Accounts, Purchase, PurchaseLine, PurchaseStep } from '@tallybridge/double-entry';
import { idOfMade, type Business } from '../support/business.ts';
import { mapping } from '../support/mappings.ts';
import type { World } from '../support/world.ts';

/** The month of the proof has these days; the product dates no purchase on them. */
const [anotherDay, nextMonth] = ['2025-03-27', '2025-04-02'];
/** Products in Autotask and categories of expenses, by the kind of a line. */
const [products, categories] = [
  [801, 802, 803],
  [41, 42, 43],
] as const;
/** Accounts in QuickBooks: Meals, and the cost of goods. */
const [meals, otherAccount] = ['12', '14'];

/** A document in QuickBooks. */
interface Booked {
  readonly type: string;
  readonly id: string;
}

/** Users who do the steps of a sequence about purchases in Autotask and QuickBooks. */
export class Buyers {
  readonly #world: World;
  readonly #business: Business;
  readonly #accounts: Accounts;
  readonly #sources: readonly number[];
  /** Ids of the vendors in QuickBooks. */
  readonly vendorIds: readonly string[];
  /** Ids in Autotask by name. */
  readonly psaIds = new Map<string, number>();
  /** Documents that users typed into QuickBooks, by name. */
  readonly typed = new Map<string, Booked>();

  constructor(business: Business, accounts: Accounts, ids: readonly (readonly [source: number, booksId: string])[]) {
    this.#business = business;
    this.#world = business.world;
    this.#accounts = accounts;
    this.#sources = ids.map(([id]) => id);
    this.vendorIds = ids.map(([, id]) => id);
  }

  /** Returns the document of a purchase in QuickBooks; null if the product did not post it. */
  async find({ name, kind }: Pick<Purchase, 'name' | 'kind'>): Promise<Booked | null> {
    const typed = this.typed.get(name);
    if (typed !== undefined) return typed;
    const posting = await this.#world.store.readPosting(
      kind === 'order' ? 'purchase_order' : 'expense_report',
      this.psaIds.get(name) ?? 0,
    );
    const { targetId = null, targetType = null } = posting ?? {};
    return targetId === null || targetType === null ? null : { type: targetType, id: targetId };
  }

  async do(step: PurchaseStep): Promise<void> {
    switch (step.do) {
      case 'order':
      case 'report':
        this.psaIds.set(step.purchase, await this.#buy(step.do, this.#sources[step.vendor] ?? 0, step.lines));
        return;
      case 'edit_purchase_in_psa':
      case 'withdraw':
      case 'withdraw_no_more':
        return this.#changeInPsa(step);
      case 'type_bill':
      case 'type_vendor_credit': {
        const detail = { AccountRef: { value: meals } };
        const line = { DetailType: 'AccountBasedExpenseLineDetail', AccountBasedExpenseLineDetail: detail };
        return this.#type(step.purchase, step.do === 'type_bill' ? 'Bill' : 'VendorCredit', {
          VendorRef: { value: this.vendorIds[step.vendor] ?? '' },
          Line: [{ ...line, Amount: step.cents / 100 }],
        });
      }
      case 'type_purchase_again': {
        const { type, id } = await this.#booked(step.copyOf);
        const { VendorRef = null, APAccountRef = null, Line = null } = await this.#world.quickbooks.item(type, id);
        return this.#type(step.purchase, type, { VendorRef, APAccountRef, Line });
      }
      default:
        return this.#changeInBooks(step);
    }
  }

  #buy(kind: 'order' | 'report', source: number, lines: readonly PurchaseLine[]): Promise<number> {
    return kind === 'order'
      ? this.#business.order(
          source,
          lines.map(({ what, cents }) => ({ product: products[what], quantity: 1, cost: cents / 100 })),
        )
      : this.#business.report(
          source,
          lines.map(({ what, cents }) => ({ category: categories[what], amount: cents / 100 })),
        );
  }

  async #changeInPsa(
    step: Extract<PurchaseStep, { do: 'edit_purchase_in_psa' | 'withdraw' | 'withdraw_no_more' }>,
  ): Promise<void> {
    const { autotask } = this.#world;
    const id = this.psaIds.get(step.purchase) ?? 0;
    const isOrder = this.#accounts.purchases.all.get(step.purchase)?.kind === 'order';
    const [entity, items, parent] = isOrder
      ? (['PurchaseOrders', 'PurchaseOrderItems', 'orderID'] as const)
      : (['ExpenseReports', 'ExpenseItems', 'expenseReportID'] as const);
    if (step.do !== 'edit_purchase_in_psa') {
      const [withdrawn, valid] = isOrder ? ['Canceled', 'Submitted'] : ['Rejected', 'Approved for Payment'];
      const status = picklistNumber(entity, 'status', step.do === 'withdraw' ? withdrawn : valid);
      return autotask.put(entity, id, { status });
    }
    const [item] = (await autotask.list(items))
      .filter((row) => row[parent] === id)
      .toSorted((a, b) => Number(a['id']) - Number(b['id']));
    const raised = (value: unknown): number => Math.round(Number(value) * 100 + step.cents) / 100;
    const members = isOrder
      ? ['unitCost', 'internalCurrencyUnitCost']
      : ['internalCurrencyExpenseAmount', 'internalCurrencyReimbursementAmount'];
    await autotask.put(
      items,
      Number(item?.['id']),
      Object.fromEntries(members.map((member) => [member, raised(item?.[member])])),
    );
    if (isOrder) return;
    const report = await autotask.item(entity, id);
    await autotask.put(entity, id, { amountDue: raised(report['amountDue']) });
  }

  async #changeInBooks(step: PurchaseStep): Promise<void> {
    const { quickbooks } = this.#world;
    const { type, id } = await this.#booked(step.purchase);
    switch (step.do) {
      case 'delete_purchase':
        return quickbooks.remove(type, id);
      case 'redate_purchase':
        return quickbooks.put(type, id, { TxnDate: step.on === 'another day' ? anotherDay : nextMonth });
      case 'give_to_other_vendor':
        return quickbooks.put(type, id, { VendorRef: { value: this.vendorIds[step.vendor] ?? '' } });
      case 'close_order':
      case 'reopen_order':
        return quickbooks.put(type, id, { POStatus: step.do === 'close_order' ? 'Closed' : 'Open' });
      case 'pay_bill':
        await quickbooks.add('BillPayment', {
          VendorRef: (await quickbooks.item(type, id))['VendorRef'] ?? null,
          TxnDate: this.#business.today,
          PayType: 'Check',
          CheckPayment: { BankAccountRef: { value: '35' } },
          TotalAmt: step.cents / 100,
          Line: [{ Amount: step.cents / 100, LinkedTxn: [{ TxnId: id, TxnType: type }] }],
        });
        return;
      case 'edit_purchase_in_accounting':
      case 'recode':
      case 'reclass':
        return this.#changeLine(step, { type, id });
      default:
        throw new Error(`${step.do} is not a change in QuickBooks`);
    }
  }

  async #changeLine(
    step: Extract<PurchaseStep, { do: 'edit_purchase_in_accounting' | 'recode' | 'reclass' }>,
    { type, id }: Booked,
  ): Promise<void> {
    const { quickbooks } = this.#world;
    const row = await quickbooks.item(type, id);
    const [first = {}, ...others] = (row['Line'] ?? []) as JsonObject[];
    const member = type === 'Bill' ? 'AccountBasedExpenseLineDetail' : 'ItemBasedExpenseLineDetail';
    const detail = first[member] as JsonObject;
    const changed = (amount: number, change: JsonObject) => ({
      Line: [{ ...first, Amount: amount, [member]: { ...detail, ...change } }, ...others],
    });
    if (step.do === 'reclass')
      return quickbooks.put(type, id, changed(Number(first['Amount']), { ClassRef: { value: '202' } }));
    if (step.do === 'recode') {
      const item = (detail['ItemRef'] as JsonObject | undefined)?.['value'] === '31' ? '32' : '31';
      const other = type === 'Bill' ? { AccountRef: { value: otherAccount } } : { ItemRef: { value: item } };
      return quickbooks.put(type, id, changed(Number(first['Amount']), other));
    }
    const plus = (value: unknown) => Math.round(Number(value) * 100 + step.cents) / 100;
    const amount = plus(first['Amount']);
    return quickbooks.put(type, id, {
      ...changed(amount, type === 'Bill' ? {} : { Qty: 1, UnitPrice: amount }),
      TotalAmt: plus(row['TotalAmt']),
      ...(type === 'Bill' && { Balance: plus(row['Balance']) }),
    });
  }

  async #booked(name: string): Promise<Booked> {
    const purchase = this.#accounts.purchases.all.get(name);
    const found = purchase === undefined ? null : await this.find(purchase);
    if (found === null) throw new Error(`${name} is not in QuickBooks`);
    return found;
  }

  async #type(name: string, type: string, record: JsonObject): Promise<void> {
    const made = await this.#world.quickbooks.add(type, { TxnDate: this.#business.today, ...record });
    this.typed.set(name, { type, id: idOfMade(made) });
  }
}

/**
 * Adds the vendors of a sequence to both services, each mapped to the other side.
 *
 * @param firstId unused id of companies and resources in Autotask
 * @returns their ids in Autotask and QuickBooks
 */
export async function addVendors(
  { autotask, quickbooks, store }: World,
  { purchases }: Accounts,
  firstId: number,
): Promise<(readonly [number, string])[]> {
  const [company] = (await autotask.list('Companies')).filter((row) => row['id'] === 301);
  const [resource] = (await autotask.list('Resources')).filter((row) => row['id'] === 21);
  const ids: (readonly [number, string])[] = [];
  for (const [index, { name, isEmployee }] of purchases.vendors.entries()) {
    const id = firstId + index;
    // The name must be free in a world that played the same sequence before.
    const unique = `${name} ${id}`;
    if (isEmployee) await autotask.put('Resources', id, { ...resource, id, firstName: `${id}`, lastName: name });
    else await autotask.put('Companies', id, { ...company, id, companyName: unique, companyNumber: '' });
    const made = idOfMade(await quickbooks.add('Vendor', { DisplayName: unique }));
    ids.push([id, made]);
    await store.saveMappings([mapping(isEmployee ? 'Employee' : 'Vendor', String(id), made)]);
  }
  return ids;
}
