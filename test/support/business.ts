import type { JsonObject } from '#core/values/json.ts';
import { picklistNumber } from '@tallybridge/sandbox';
import { centsOf } from './cents.ts';
import type { World } from './world.ts';

/** A kind of billing item in both services. */
interface Article {
  readonly name: string;
  readonly type: string;
  readonly subType: string;
  readonly billingCode: number;
  readonly business: number | null;
  readonly fields?: JsonObject;
  /** The revenue account, according to the settings of the test. */
  readonly account: string;
}

const articles = {
  support: {
    name: 'Server check',
    type: 'Labor',
    subType: 'Labor',
    billingCode: 29,
    business: 1,
    account: 'Service Income',
    fields: { roleID: 11 },
  },
  onsite: {
    name: 'Visit',
    type: 'Labor',
    subType: 'Labor',
    billingCode: 30,
    business: 1,
    account: 'Service Income',
    fields: { roleID: 12 },
  },
  workstation: {
    name: 'Managed Workstation',
    type: 'Recurring Services',
    subType: 'Recurring Services',
    billingCode: 61,
    business: 1,
    account: 'Service Income',
    fields: { serviceID: 901 },
  },
  // New services have no item in QuickBooks yet. Created items get the account from the settings.
  firewall: {
    name: 'Managed Firewall',
    type: 'Recurring Services',
    subType: 'Recurring Services',
    billingCode: 62,
    business: 1,
    account: 'Hardware Income',
  },
  hardware: {
    name: 'Docking station',
    type: 'Ticket Cost',
    subType: 'Ticket Cost',
    billingCode: 51,
    business: 2,
    account: 'Hardware Income',
    fields: { taxCategoryID: 1 },
  },
  software: {
    name: 'Office licence',
    type: 'Ticket Cost',
    subType: 'Ticket Cost',
    billingCode: 52,
    business: 2,
    account: 'Hardware Income',
    fields: { taxCategoryID: 2 },
  },
  milestone: {
    name: 'Network plan',
    type: 'Milestone',
    subType: 'Milestones',
    billingCode: 71,
    business: 3,
    account: 'Project Income',
  },
} as const satisfies Readonly<Record<string, Article>>;

export type ArticleName = keyof typeof articles;

/** Returns the account for a billing code in Autotask. */
export const revenueAccountOf = (billingCode: unknown): string =>
  Object.values(articles).find((article) => article.billingCode === billingCode)?.account ?? 'nowhere';

export interface BilledLine {
  readonly article: ArticleName;
  readonly name?: string;
  readonly quantity: number;
  readonly rate: number;
  /** The charge; quantity × rate when absent. */
  readonly charged?: number;
  readonly group?: string;
  /** Other members of the billing item, for example its contract. */
  readonly psa?: JsonObject;
}

export interface Billing {
  /** Date of the invoice; default: today. */
  readonly on?: string;
  /** Creation time; default: now. */
  readonly createdAt?: string;
  readonly number?: string;
  readonly term?: number;
}

/** 8.25 % sales tax of Travis County, which both services have. */
const taxPerTenThousand = 825;

/** Returns the tax of an amount in cents, rounded half away from zero. */
const taxOf = (cents: number): number => Math.sign(cents) * Math.round((Math.abs(cents) * taxPerTenThousand) / 10_000);

/** Maple Clinic pays in Canadian dollars, at the rate of the sample data. */
const canadian = { companyId: 177, rate: 0.7402 } as const;

/** An invoice in Autotask and an amount in cents. */
type Part = readonly [invoiceId: number, cents: number];
type Documents = ReadonlyMap<string, readonly JsonObject[]>;

/** A fictional MSP and the actions of its staff in Autotask, QuickBooks and the bank. */
export class Business {
  readonly world: World;
  /** Ids of QuickBooks records that existed before the first day, by entity. */
  readonly before = new Map<string, ReadonlySet<unknown>>();
  /** Cents received at the bank, by Autotask company. Bounced payments are deducted. */
  readonly received = new Map<number, number>();
  /** Autotask companies that pay in Canadian dollars. */
  readonly canadians = new Set<number>([canadian.companyId]);
  /** Customer names in QuickBooks by Autotask company. */
  readonly customers = new Map<number, string>();
  /** Names of customers that a user entered in QuickBooks, by id. */
  readonly namesInAccounting = new Map<string, string>();
  /** Cents of each invoice, as calculated by Autotask. */
  readonly #totals = new Map<number, number>();
  #invoiceId = 200_000;
  #itemId = 30_000_000;
  #orderId = 70_000;
  #reportId = 80_000;

  constructor(world: World) {
    this.world = world;
  }

  /** The product's date in UTC. */
  get today(): string {
    return this.world.clock.now().slice(0, 10);
  }

  /** Moves all clocks to a later time without working. */
  async goTo(date: string, time = '15:00:00'): Promise<void> {
    await this.world.advance((Date.parse(`${date}T${time}Z`) - Date.parse(this.world.clock.now())) / 1_000);
  }

  /** Runs the scheduled cycle at a time. */
  async syncOn(date: string, time?: string): Promise<void> {
    await this.goTo(date, time);
    await this.world.work();
  }

  /** Adds a customer in Autotask, and with the same name in QuickBooks unless it is new there. */
  async addCustomer(id: number, name: string, more: { readonly isNew?: boolean; readonly psa?: JsonObject } = {}) {
    const like = (await this.world.autotask.list('Companies')).find((row) => row['id'] === 176);
    await this.world.autotask.put('Companies', id, {
      ...withoutNulls(like),
      companyName: name,
      companyNumber: '',
      ...more.psa,
    });
    this.customers.set(id, name);
    if (more.isNew === true) return;
    const made = await this.world.quickbooks.add('Customer', { DisplayName: name, CompanyName: name });
    this.namesInAccounting.set(idOfMade(made), name);
  }

  /** Creates an invoice in Autotask and returns its id. Only hardware is taxed. */
  async bill(companyId: number, lines: readonly BilledLine[], how: Billing = {}): Promise<number> {
    const id = (this.#invoiceId += 1);
    const day = how.on ?? this.today;
    let total = 0;
    let tax = 0;
    for (const [index, { article, quantity, rate, charged, group = '', psa, ...line }] of lines.entries()) {
      const { type, subType, billingCode, business, ...more } = articles[article];
      const name = line.name ?? more.name;
      const amount = charged ?? Number((quantity * rate).toFixed(5));
      const onLine = article === 'hardware' ? taxOf(centsOf(amount)) : 0;
      total += centsOf(amount) + onLine;
      tax += onLine;
      const extended = Number((quantity * rate).toFixed(5));
      const homeRate = this.canadians.has(companyId) ? canadian.rate : 1;
      const inHome = (value: number) => Number((value * homeRate).toFixed(5));
      await this.world.autotask.put('BillingItems', (this.#itemId += 1), {
        invoiceID: id,
        companyID: companyId,
        sortOrderID: index + 1,
        billingItemType: picklistNumber('BillingItems', 'billingItemType', type),
        subType: picklistNumber('BillingItems', 'subType', subType),
        billingCodeID: billingCode,
        organizationalLevelAssociationID: business,
        itemName: name,
        description: '',
        lineItemFullDescription: name,
        lineItemGroupDescription: group,
        itemDate: `${day}T00:00:00Z`,
        quantity,
        rate,
        extendedPrice: extended,
        totalAmount: amount,
        taxDollars: onLine / 100,
        internalCurrencyRate: inHome(rate),
        internalCurrencyExtendedPrice: inHome(extended),
        internalCurrencyTotalAmount: inHome(amount),
        internalCurrencyTaxDollars: inHome(onLine / 100),
        ...('fields' in more ? more.fields : {}),
        ...psa,
      });
    }
    this.#totals.set(id, total);
    await this.world.autotask.put('Invoices', id, {
      batchID: id,
      companyID: companyId,
      createDateTime: how.createdAt ?? this.world.clock.now(),
      dueDate: `${day}T00:00:00Z`,
      invoiceDateTime: `${day}T00:00:00Z`,
      invoiceNumber: how.number ?? '',
      invoiceTotal: total / 100,
      totalTaxValue: tax / 100,
      paymentTerm: how.term ?? 1,
      isVoided: false,
      taxRegionName: 'Travis County',
      orderNumber: '',
      comments: '',
    });
    return id;
  }

  /** The newest invoice id in Autotask. */
  get lastInvoiceId(): number {
    return this.#invoiceId;
  }

  /** Restores Autotask's id counter, so that later ids are reused. */
  giveOutAgain(lastInvoiceId: number): void {
    this.#invoiceId = lastInvoiceId;
  }

  /** Voids an invoice in Autotask. */
  async cancel(invoiceId: number): Promise<void> {
    await this.world.autotask.put('Invoices', invoiceId, { isVoided: true, voidedDate: this.world.clock.now() });
  }

  /** Sets the paid date in Autotask only, after the money arrived at the bank. */
  async notePaid(companyId: number, invoiceId: number, on: string): Promise<void> {
    await this.world.autotask.put('Invoices', invoiceId, { paidDate: `${on}T00:00:00Z` });
    this.#receive(companyId, this.totalOf(invoiceId));
  }

  /**
   * Enters a customer's payment in QuickBooks.
   *
   * @param how `credits` are applied credit memos, `extra` is an overpayment.
   * @returns the payment's id in QuickBooks.
   */
  async enterPayment(
    companyId: number,
    on: string,
    parts: readonly Part[],
    how: { readonly credits?: readonly Part[]; readonly documents?: Documents; readonly extra?: number } = {},
  ): Promise<string> {
    const { credits = [], documents, extra = 0 } = how;
    const known = documents ?? (await this.documents());
    const total = sumOf(parts) - sumOf(credits) + extra;
    const linked = (type: string, list: readonly Part[]) =>
      list.map(([id, cents]) => ({
        Amount: cents / 100,
        LinkedTxn: [{ TxnId: only(known, id)['Id'] ?? '', TxnType: type }],
      }));
    const { CustomerRef = null, CurrencyRef = null } = only(known, parts[0]?.[0] ?? 0);
    const made = await this.world.quickbooks.add('Payment', {
      CustomerRef,
      CurrencyRef,
      TxnDate: on,
      TotalAmt: total / 100,
      Line: [...linked('Invoice', parts), ...linked('CreditMemo', credits)],
    });
    this.#receive(companyId, total);
    return idOfMade(made);
  }

  /** Deletes a payment because its check bounced. */
  async bounce(companyId: number, paymentId: string, cents: number): Promise<void> {
    await this.world.quickbooks.remove('Payment', paymentId);
    this.#receive(companyId, -cents);
  }

  /** Total of an invoice in cents. */
  totalOf(invoiceId: number): number {
    const total = this.#totals.get(invoiceId);
    if (total === undefined) throw new Error(`invoice ${invoiceId} not found`);
    return total;
  }

  /** Returns QuickBooks' sales documents with an amount, by the source in their notes. */
  async documents(): Promise<Documents> {
    const lists = await Promise.all(['Invoice', 'CreditMemo'].map((type) => this.world.quickbooks.list(type)));
    return Map.groupBy(
      lists.flat().filter((row) => row['TotalAmt'] !== 0),
      (row) => sourceOf(row) ?? '',
    );
  }

  /** Returns the only document with an amount for an invoice. */
  documentOf = async (invoiceId: number): Promise<JsonObject> => only(await this.documents(), invoiceId);

  /** Creates a purchase order and returns its id. */
  async order(
    vendorId: number,
    lines: readonly { readonly product: number; readonly quantity: number; readonly cost: number }[],
    more: JsonObject = {},
  ): Promise<number> {
    const id = (this.#orderId += 1);
    for (const { product, quantity, cost } of lines)
      await this.world.autotask.put('PurchaseOrderItems', (this.#itemId += 1), {
        orderID: id,
        productID: product,
        quantity,
        unitCost: cost,
        internalCurrencyUnitCost: cost,
        memo: '',
      });
    await this.world.autotask.put('PurchaseOrders', id, {
      purchaseOrderNumber: `PO-${id}`,
      externalPONumber: '',
      vendorID: vendorId,
      status: picklistNumber('PurchaseOrders', 'status', 'Submitted'),
      createDateTime: this.world.clock.now(),
      submitDateTime: this.world.clock.now(),
      freight: 0,
      internalCurrencyFreight: 0,
      generalMemo: '',
      paymentTerm: 1,
      ...more,
    });
    return id;
  }

  /** Creates an approved expense report and returns its id. */
  async report(
    submitterId: number,
    expenses: readonly {
      readonly category: number;
      readonly amount: number;
      readonly company?: number;
      readonly isByCard?: boolean;
    }[],
    advance = 0,
  ): Promise<number> {
    const id = (this.#reportId += 1);
    const day = this.today;
    let due = -centsOf(advance);
    for (const { category, amount, company, isByCard = false } of expenses) {
      if (!isByCard) due += centsOf(amount);
      await this.world.autotask.put('ExpenseItems', (this.#itemId += 1), {
        expenseReportID: id,
        expenseCategory: category,
        description: 'On the road',
        expenseDate: `${day}T00:00:00Z`,
        companyID: company ?? 0,
        isBillableToCompany: company !== undefined,
        isReimbursable: !isByCard,
        isRejected: false,
        internalCurrencyExpenseAmount: amount,
        internalCurrencyReimbursementAmount: isByCard ? 0 : amount,
      });
    }
    await this.world.autotask.put('ExpenseReports', id, {
      name: `Week to ${day}`,
      submitterID: submitterId,
      status: picklistNumber('ExpenseReports', 'status', 'Approved for Payment'),
      weekEnding: `${day}T00:00:00Z`,
      submitDate: this.world.clock.now(),
      approvedDate: this.world.clock.now(),
      departmentNumber: 'SVC',
      quickBooksReferenceNumber: '',
      internalCurrencyCashAdvanceAmount: advance,
      amountDue: due / 100,
    });
    return id;
  }

  /** Sets the closing date in QuickBooks. */
  async closeAccounting(through: string): Promise<void> {
    await this.world.quickbooks.put('Preferences', '1', { AccountingInfoPrefs: { BookCloseDate: through } });
  }

  #receive(companyId: number, cents: number): void {
    this.received.set(companyId, (this.received.get(companyId) ?? 0) + cents);
  }
}

/** Returns the id of a record created through the control API. */
export const idOfMade = (made: JsonObject): string =>
  String((made['item'] as JsonObject | undefined)?.['Id'] ?? made['Id']);

/** Returns the source of a QuickBooks document, for example `invoice 200001`, or null. */
export function sourceOf(row: JsonObject): string | null {
  const note = row['PrivateNote'];
  const found = typeof note === 'string' ? /Autotask ((?:invoice|purchase order|expense report) \d+)/.exec(note) : null;
  return found?.[1] ?? null;
}

/** Returns whether a document bills the difference of a changed invoice. */
export const isDifference = ({ PrivateNote: note }: JsonObject): boolean =>
  typeof note === 'string' && /^(Voided - )?Difference \d+ of /.test(note);

function only(documents: Documents, invoiceId: number): JsonObject {
  const made = documents.get(`invoice ${invoiceId}`) ?? [];
  const [one, ...others] = made.filter((row) => !isDifference(row));
  if (one === undefined || others.length > 0)
    throw new Error(`invoice ${invoiceId} exists ${one === undefined ? 0 : others.length + 1} times in QuickBooks`);
  return one;
}

const sumOf = (parts: readonly Part[]): number => parts.reduce((sum, [, cents]) => sum + cents, 0);

const withoutNulls = (row: JsonObject | undefined): JsonObject =>
  Object.fromEntries(Object.entries(row ?? {}).filter(([name, value]) => value !== null && name !== 'id'));
