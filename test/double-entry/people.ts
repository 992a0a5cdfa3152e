import type { JsonObject } from '#core/values/json.ts';
import type { Accounts, Line, Part, SalesStep } from '@tallybridge/double-entry';
import { idOfMade, type BilledLine, type Business } from '../support/business.ts';
import type { World } from '../support/world.ts';

/** The day of documents in the month of the proof, and days before and after that month. */
const day = '2025-03-03';
const lastMonth = '2025-02-24';
const nextMonth = '2025-04-02';
/** The item “Project milestone” in QuickBooks. */
const milestoneItem = '27';

/** A document in QuickBooks. */
export interface Booked {
  readonly type: string;
  readonly id: string;
}

/** Contract of prepaid hours of a company. */
const contractOf = (companyId: number): number => 900_000 + companyId;

/** Users who do the steps of a sequence in Autotask and QuickBooks. */
export class People {
  readonly #world: World;
  readonly #business: Business;
  readonly #accounts: Accounts;
  readonly #companies: readonly number[];
  /** Ids of the customers in QuickBooks. */
  readonly customerIds: readonly string[];
  /** Ids of Autotask's invoices by sale. */
  readonly psaIds = new Map<string, number>();
  /** Documents that users typed into QuickBooks, by name. */
  readonly typed = new Map<string, Booked>();

  constructor(business: Business, accounts: Accounts, ids: readonly (readonly [companyId: number, booksId: string])[]) {
    this.#business = business;
    this.#world = business.world;
    this.#accounts = accounts;
    this.#companies = ids.map(([id]) => id);
    this.customerIds = ids.map(([, id]) => id);
  }

  /** Customer of a QuickBooks record that a user typed. */
  customerOf(type: string, id: string): number | undefined {
    const [name = ''] = [...this.typed].find(([, one]) => one.type === type && one.id === id) ?? [];
    return this.#accounts.money.get(name.replace(/^deposit of /, ''))?.customer ?? this.#accounts.sale(name)?.customer;
  }

  /** Returns the id of a sale in Autotask. */
  psaIdOf(sale: string): number {
    const id = this.psaIds.get(sale);
    if (id === undefined) throw new Error(`${sale} is not in Autotask`);
    return id;
  }

  /** Returns the document of a sale, or a payment, in QuickBooks. */
  async booked(name: string): Promise<Booked> {
    const found = await this.find(name);
    if (found === null) throw new Error(`${name} is not in QuickBooks`);
    return found;
  }

  /** Like {@link booked}; null if the product did not post it. */
  async find(name: string): Promise<Booked | null> {
    const typed = this.typed.get(name);
    if (typed !== undefined) return typed;
    const [, of = '', sale = name] = /^(our payment|reversal) of (.*)$/.exec(name) ?? [];
    const kind = of === 'reversal' ? 'void' : of === '' ? 'invoice' : 'payment';
    const posting = await this.#world.store.readPosting(kind, this.psaIdOf(sale));
    const { targetType, targetId } = posting ?? { targetType: null, targetId: null };
    return targetId === null ? null : { type: targetType ?? 'Payment', id: targetId };
  }

  /** Gives the item of milestones the account that every sequence begins with. */
  begin(): Promise<void> {
    return this.do({ do: 'move_item', to: 'Project Income' });
  }

  /** Does a step that is neither a sync nor a decision. */
  async do(step: Exclude<SalesStep, { do: 'sync' | 'choose' }>): Promise<void> {
    const { autotask } = this.#world;
    switch (step.do) {
      case 'bill':
        return this.#bill(step);
      case 'edit_in_psa':
        return this.#editInPsa(this.psaIdOf(step.sale), step.cents / 100);
      case 'void_in_psa':
        return this.#business.cancel(this.psaIdOf(step.sale));
      case 'mark_paid':
      case 'unmark_paid':
        return autotask.put('Invoices', this.psaIdOf(step.sale), {
          paidDate: step.do === 'mark_paid' ? `${day}T00:00:00Z` : null,
        });
      case 'end_block':
        return autotask.put('ContractBlocks', contractOf(this.#companies[step.customer] ?? 0), {
          endDate: '2025-03-02T00:00:00Z',
        });
      case 'move_item':
        return this.#world.quickbooks.put('Item', milestoneItem, {
          IncomeAccountRef: { value: step.to === 'Project Income' ? '3' : '2' },
        });
      case 'pay':
      case 'apply':
      case 'unapply':
      case 'delete_money':
      case 'deposit':
      case 'receipt':
      case 'journal':
        return this.#money(step);
      case 'type_sale':
        return this.#add(step.sale, step.cents > 0 ? 'Invoice' : 'CreditMemo', {
          ...this.#head(step.customer),
          Line: [this.#line(Math.abs(step.cents))],
        });
      default:
        return this.#change(step);
    }
  }

  async #bill({ sale, customer, lines, on }: Extract<SalesStep, { do: 'bill' }>): Promise<void> {
    const companyId = this.#companies[customer] ?? 0;
    if (lines.some(({ article }) => article === 'block')) await this.#addContract(companyId, lines);
    const id = await this.#business.bill(
      companyId,
      lines.map((line) => billed(line, companyId)),
      { on: on === 'last month' ? lastMonth : day },
    );
    // The terms of the invoice are 30 days.
    await this.#world.autotask.put('Invoices', id, { dueDate: '2025-04-02T00:00:00Z' });
    this.psaIds.set(sale, id);
  }

  async #addContract(companyId: number, lines: readonly Line[]): Promise<void> {
    const { autotask } = this.#world;
    const id = contractOf(companyId);
    const [like] = (await autotask.list('Contracts')).filter((row) => row['id'] === 2_002);
    const block = lines.find(({ article }) => article === 'block');
    await autotask.put('Contracts', id, { ...like, id, companyID: companyId, contractName: `Hours of ${companyId}` });
    const [sample] = (await autotask.list('ContractBlocks')).filter((row) => row['id'] === 1);
    await autotask.put('ContractBlocks', id, {
      ...sample,
      id,
      contractID: id,
      hours: (block?.quantity ?? 0) / 100,
      hoursApproved: 0,
      hourlyRate: (block?.rate ?? 0) / 100,
      startDate: '2025-01-01T00:00:00Z',
      endDate: '2025-12-31T00:00:00Z',
    });
  }

  async #editInPsa(psaId: number, amount: number): Promise<void> {
    const { autotask } = this.#world;
    const items = (await autotask.list('BillingItems')).filter((row) => row['invoiceID'] === psaId);
    const [item] = items.toSorted((a, b) => Number(a['sortOrderID']) - Number(b['sortOrderID']));
    // Autotask has parts of a cent on a line.
    const raised = (row: JsonObject | undefined, member: string) => Number((Number(row?.[member]) + amount).toFixed(5));
    const before = Number(item?.['totalAmount']);
    const rate = before === 0 ? 1 : Number(item?.['internalCurrencyTotalAmount']) / before;
    await autotask.put('BillingItems', Number(item?.['id']), {
      totalAmount: raised(item, 'totalAmount'),
      internalCurrencyTotalAmount: Number((raised(item, 'totalAmount') * rate).toFixed(5)),
    });
    const invoice = await this.#world.psaInvoice(psaId);
    await autotask.put('Invoices', psaId, { invoiceTotal: raised(invoice, 'invoiceTotal') });
  }

  async #money(
    step: Extract<SalesStep, { do: 'pay' | 'apply' | 'unapply' | 'delete_money' | 'deposit' | 'receipt' | 'journal' }>,
  ): Promise<void> {
    const { quickbooks } = this.#world;
    switch (step.do) {
      case 'pay': {
        const Line = [
          ...(await this.#links('Invoice', step.parts)),
          ...(await this.#links('CreditMemo', step.credits)),
        ];
        const TxnDate = step.on === 'next month' ? nextMonth : day;
        return this.#add(step.money, 'Payment', {
          ...this.#head(step.customer),
          TxnDate,
          TotalAmt: step.total / 100,
          Line,
        });
      }
      case 'delete_money':
        return quickbooks.remove('Payment', (await this.booked(step.money)).id);
      case 'apply':
      case 'unapply': {
        const { id } = await this.booked(step.money);
        const was = await quickbooks.item('Payment', id);
        const { SyncToken, CustomerRef, CurrencyRef, TxnDate, TotalAmt, PrivateNote, PaymentRefNum } = was;
        const same = { SyncToken, CustomerRef, CurrencyRef, TxnDate, TotalAmt, PrivateNote, PaymentRefNum };
        const before = step.do === 'apply' ? ((was['Line'] ?? []) as JsonObject[]) : [];
        const added = step.do === 'apply' ? await this.#links('Invoice', step.parts) : [];
        await quickbooks.add('Payment', { ...defined(same), Id: id, Line: merged([...before, ...added]) });
        return;
      }
      case 'deposit': {
        const { id } = await this.booked(step.money);
        const { TotalAmt, CurrencyRef } = await quickbooks.item('Payment', id);
        const link = { Amount: TotalAmt ?? 0, LinkedTxn: [{ TxnId: id, TxnType: 'Payment', TxnLineId: '0' }] };
        return this.#add(`deposit of ${step.money}`, 'Deposit', {
          TxnDate: day,
          ...defined({ CurrencyRef }),
          DepositToAccountRef: { value: await this.#account('Bank') },
          Line: [link],
        });
      }
      case 'receipt':
        return this.#add(step.money, step.cents > 0 ? 'SalesReceipt' : 'RefundReceipt', {
          ...this.#head(step.customer),
          DepositToAccountRef: { value: await this.#account('Bank') },
          Line: [this.#line(Math.abs(step.cents))],
        });
      default:
        return this.#journal(step);
    }
  }

  async #journal({ money, customer, cents }: Extract<SalesStep, { do: 'journal' }>): Promise<void> {
    const line = (PostingType: string, AccountRef: JsonObject, more: JsonObject) => ({
      Amount: Math.abs(cents) / 100,
      DetailType: 'JournalEntryLineDetail',
      JournalEntryLineDetail: { PostingType, AccountRef, ...more },
    });
    const Entity = { Type: 'Customer', EntityRef: { value: this.customerIds[customer] ?? '' } };
    const { CurrencyRef } = this.#head(customer);
    await this.#add(money, 'JournalEntry', {
      TxnDate: day,
      ...defined({ CurrencyRef }),
      Line: [
        line(cents > 0 ? 'Debit' : 'Credit', { value: await this.#account('Bank') }, {}),
        line(
          cents > 0 ? 'Credit' : 'Debit',
          { value: await this.#account('Accounts Receivable', customer) },
          { Entity },
        ),
      ],
    });
  }

  async #change(
    step: Extract<
      SalesStep,
      {
        do:
          | 'type_again'
          | 'edit_in_accounting'
          | 'redate_in_accounting'
          | 'void_in_accounting'
          | 'delete_in_accounting';
      }
    >,
  ): Promise<void> {
    const { quickbooks } = this.#world;
    const { type, id } = await this.booked(step.do === 'type_again' ? step.copyOf : step.sale);
    switch (step.do) {
      case 'delete_in_accounting':
        this.#seen.set(`${type} ${id}`, await quickbooks.item(type, id));
        return quickbooks.remove(type, id);
      case 'redate_in_accounting':
        return quickbooks.put(type, id, { TxnDate: step.on === 'another day' ? '2025-03-05' : nextMonth });
      case 'void_in_accounting': {
        const was = await quickbooks.item(type, id);
        this.#seen.set(`${type} ${id}`, was);
        const lines = salesLines(was).map((line) => ({ ...line, Amount: 0 }));
        const zero = { TotalAmt: 0, Balance: 0, HomeTotalAmt: 0, ...(type === 'CreditMemo' && { RemainingCredit: 0 }) };
        return quickbooks.put(type, id, {
          ...zero,
          Line: lines,
          TxnTaxDetail: null,
          PrivateNote: `Voided - ${String(was['PrivateNote'] ?? '')}`,
        });
      }
      case 'edit_in_accounting':
        return this.#editInBooks(type, id, step.cents / 100);
      default: {
        const was = this.#seen.get(`${type} ${id}`) ?? (await quickbooks.item(type, id));
        const { CustomerRef, CurrencyRef, TxnTaxDetail } = was;
        const same = defined({ CustomerRef, CurrencyRef, TxnTaxDetail });
        return this.#add(step.sale, type, { ...same, TxnDate: day, Line: salesLines(was) });
      }
    }
  }

  /** Documents as they were before they were voided or deleted. */
  readonly #seen = new Map<string, JsonObject>();

  async #editInBooks(type: string, id: string, amount: number): Promise<void> {
    const { quickbooks } = this.#world;
    const was = await quickbooks.item(type, id);
    const [first = {}, ...others] = salesLines(was);
    // The amounts of a credit memo are above zero.
    const sum = Number((Number(first['Amount']) + (type === 'CreditMemo' ? -amount : amount)).toFixed(2));
    const detail = first['SalesItemLineDetail'] as JsonObject;
    const edited = { ...first, Amount: sum, SalesItemLineDetail: { ...detail, Qty: 1, UnitPrice: sum } };
    const { SyncToken, CustomerRef, CurrencyRef, TxnDate, DocNumber, DueDate, PrivateNote, TxnTaxDetail } = was;
    const same = { SyncToken, CustomerRef, CurrencyRef, TxnDate, DocNumber, DueDate, PrivateNote, TxnTaxDetail };
    await quickbooks.add(type, { ...defined(same), sparse: true, Id: id, Line: [edited, ...others] });
  }

  async #links(type: string, parts: readonly Part[]): Promise<JsonObject[]> {
    const links: JsonObject[] = [];
    for (const [sale, cents] of parts) {
      const { id } = await this.booked(sale);
      links.push({ Amount: cents / 100, LinkedTxn: [{ TxnId: id, TxnType: type }] });
    }
    return links;
  }

  #head(customer: number): JsonObject {
    return {
      CustomerRef: { value: this.customerIds[customer] ?? '' },
      CurrencyRef: { value: this.#accounts.customers[customer]?.currency ?? 'USD' },
      TxnDate: day,
    };
  }

  #line(cents: number): JsonObject {
    // Item 21 is a service with the account “Service Income”.
    return {
      Amount: cents / 100,
      DetailType: 'SalesItemLineDetail',
      SalesItemLineDetail: { ItemRef: { value: '21' }, Qty: 1, UnitPrice: cents / 100, TaxCodeRef: { value: 'NON' } },
    };
  }

  async #account(type: string, customer?: number): Promise<string> {
    const currency = customer === undefined ? 'USD' : (this.#accounts.customers[customer]?.currency ?? 'USD');
    const found = (await this.#world.quickbooks.list('Account')).find(
      (row) =>
        row['AccountType'] === type &&
        ((row['CurrencyRef'] as JsonObject | undefined)?.['value'] ?? 'USD') === currency,
    );
    return String(found?.['Id']);
  }

  async #add(name: string, type: string, record: JsonObject): Promise<void> {
    this.typed.set(name, { type, id: idOfMade(await this.#world.quickbooks.add(type, record)) });
  }
}

/** Returns a line for Autotask. */
function billed({ article, quantity, rate }: Line, companyId: number): BilledLine {
  const line = { quantity: quantity / 100, rate: rate / 100 };
  const contractID = contractOf(companyId);
  if (article === 'covered')
    return { ...line, article: 'support', name: 'Covered work', charged: 0, psa: { contractID } };
  if (article !== 'block') return { ...line, article };
  const ofBlock = { billingItemType: 12, subType: 17, billingCodeID: null, roleID: null, contractID };
  return { ...line, article: 'milestone', name: 'Block of hours', psa: { ...ofBlock, contractBlockID: contractID } };
}

/** Returns the lines of a payment with one line for each document. */
function merged(lines: readonly JsonObject[]): JsonObject[] {
  const byDocument = Map.groupBy(lines, ({ LinkedTxn }) => {
    const [link] = LinkedTxn as JsonObject[];
    return `${String(link?.['TxnType'])} ${String(link?.['TxnId'])}`;
  });
  return [...byDocument.values()].map((same) => ({
    Amount: same.reduce((sum, { Amount }) => sum + Math.round(Number(Amount) * 100), 0) / 100,
    LinkedTxn: same[0]?.['LinkedTxn'] ?? [],
  }));
}

const salesLines = (document: JsonObject): JsonObject[] =>
  ((document['Line'] ?? []) as unknown as JsonObject[]).filter((line) => line['SalesItemLineDetail'] !== undefined);

const defined = (members: Readonly<Record<string, JsonObject[string] | undefined>>): JsonObject =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));
