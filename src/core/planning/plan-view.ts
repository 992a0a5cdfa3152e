import type { AccountingLists, Item } from '../documents/reference-data.ts';
import { dayText, isCalendarDate, type CalendarDate } from '../values/dates.ts';
import { plus, sum, zero, type Decimal } from '../values/decimal.ts';
import {
  billsOf,
  type Command,
  coveredBy,
  documentCommand,
  lastCommand,
  type Plan,
  type PurchaseForm,
  type Reference,
  type SalesDocument,
  sharedRecordOf,
  type SourceView,
} from './plan.ts';
import type { FieldChange } from './update-merge.ts';
import { ofType } from '../reconciliation/signed.ts';
import { indexAccounting, type AccountingIndex } from './reference-index.ts';

/** A document as it will be in QuickBooks, with names instead of ids, for review before it is posted. */
export interface DocumentView {
  readonly form: 'invoice' | 'credit_memo' | 'purchase_order' | 'bill' | 'payment' | 'void';
  readonly party: string;
  /** Null: QuickBooks assigns the number. */
  readonly number: string | null;
  readonly datedOn: CalendarDate | null;
  readonly dueOn: CalendarDate | null;
  readonly terms: string | null;
  readonly currency: string | null;
  readonly lines: readonly ViewLine[];
  readonly subtotal: Decimal;
  readonly tax: Decimal;
  /** False if only QuickBooks knows the tax; the tax is then the amount that the PSA billed. */
  readonly isTaxKnown: boolean;
  readonly total: Decimal;
  /** The document as the PSA shows it; absent in views of earlier versions. */
  readonly source?: SourceView | null;
  /** Records that are created before the document. */
  readonly newRecords: readonly NewRecord[];
  /** Fields of the posted document that an update replaces; absent for a new document, and in earlier versions. */
  readonly replaces?: readonly FieldChange[];
}

export interface ViewLine {
  readonly description: string;
  readonly item: string | null;
  readonly account: string | null;
  readonly className: string | null;
  readonly tax: string | null;
  /** Customer that the purchase is for. */
  readonly customer: string | null;
  readonly quantity: Decimal | null;
  readonly unitPrice: Decimal | null;
  readonly amount: Decimal;
}

export interface NewRecord {
  readonly list: 'customer' | 'vendor' | 'item';
  readonly name: string;
  /** Account that an item is booked to. */
  readonly account: string | null;
}

/** Facts of a document that its plan does not include: a void has only an id. */
export interface ViewedDocument {
  readonly party: string | null;
  readonly number: string | null;
  readonly on: CalendarDate | null;
  readonly amount: Decimal | null;
  readonly currency: string | null;
}

/** Returns a planned document with names instead of ids. */
export function viewOf(plan: Plan, accounting: AccountingLists, about: ViewedDocument): DocumentView {
  const view = { ...documentOf(plan, accounting, about), source: plan.source ?? null };
  const command = lastCommand(plan);
  if (command.do !== 'update') return view;
  // Lines and discounts that were entered in QuickBooks stay.
  const total = plus(view.total, command.keptAmount ?? zero);
  return { ...view, total, ...(command.replaces !== undefined && { replaces: command.replaces }) };
}

function documentOf(plan: Plan, accounting: AccountingLists, about: ViewedDocument): DocumentView {
  const names = createNames(plan, accounting);
  const command = documentCommand(plan);
  const newRecords = plan.commands.flatMap((one): NewRecord[] => {
    const record = sharedRecordOf(one);
    if (record === null) return [];
    const item = one.do === 'create_item' ? one.item : null;
    return [
      { ...record, account: item === null ? null : names.account(item.incomeAccountId ?? item.expenseAccountId) },
    ];
  });
  switch (command.do) {
    case 'create_invoice':
    case 'create_credit_memo':
      return {
        ...viewOfSale(command.document, plan, names),
        form: command.do === 'create_invoice' ? 'invoice' : 'credit_memo',
        newRecords,
      };
    case 'create_purchase_order':
      return { ...viewOfPurchase(command.order, names), form: 'purchase_order', newRecords };
    case 'create_bill':
      return { ...viewOfBills(command.bill, billsOf(plan), names), form: 'bill', newRecords };
    case 'apply_payment':
    case 'create_payment':
      return { ...viewOfPayment(plan, command, about, names), form: 'payment', newRecords };
    default:
      return {
        form: 'void',
        party: about.party ?? '',
        number: about.number,
        datedOn: about.on,
        dueOn: null,
        terms: null,
        currency: about.currency,
        lines: [],
        subtotal: about.amount ?? zero,
        tax: zero,
        isTaxKnown: true,
        total: about.amount ?? zero,
        newRecords,
      };
  }
}

const blank = {
  item: null,
  account: null,
  className: null,
  tax: null,
  customer: null,
  quantity: null,
  unitPrice: null,
} as const;

/** Returns a payment with the existing money that its plan applies. */
function viewOfPayment(
  plan: Plan,
  command: Extract<Command, { do: 'apply_payment' | 'create_payment' }>,
  about: ViewedDocument,
  names: Names,
): Omit<DocumentView, 'form' | 'newRecords'> {
  const applied = linesOfApplied(plan);
  const isNew = command.do === 'create_payment';
  const total = plus(isNew ? command.payment.amount : zero, sum(applied.map(({ amount }) => amount)));
  const form = isNew ? command.payment : command.applied;
  const account = !isNew
    ? null
    : command.payment.depositAccountId === null
      ? 'Undeposited Funds'
      : names.account(command.payment.depositAccountId);
  const covered = isNew ? coveredBy(command.payment, about.number) : [];
  return {
    party: names.customer({ id: form.customerId }),
    number: isNew ? command.payment.reference : command.applied.number,
    datedOn: isNew ? command.payment.paidOn : command.applied.datedOn,
    dueOn: null,
    terms: null,
    currency: form.currency,
    lines: [
      ...applied,
      ...covered.map(({ type, number, amount }) => ({
        ...blank,
        description: `Payment of ${type === 'CreditMemo' ? 'credit memo' : 'invoice'} ${number ?? ''}`.trim(),
        account,
        amount: ofType(type, amount),
      })),
    ],
    subtotal: total,
    tax: zero,
    isTaxKnown: true,
    total,
  };
}

/** Returns the parts of existing payments that a plan applies. They post nothing, so they have no account. */
const linesOfApplied = ({ commands }: Plan): DocumentView['lines'] =>
  commands.flatMap((command) =>
    command.do !== 'apply_payment'
      ? []
      : command.applied.covers.map(({ number, amount }) => ({
          ...blank,
          description:
            `Apply payment ${command.applied.number ?? command.applied.id} to invoice ${number ?? ''}`.trim(),
          amount,
        })),
  );

function viewOfSale(document: SalesDocument, plan: Plan, names: Names): Omit<DocumentView, 'form' | 'newRecords'> {
  const { subtotal, tax, isTaxKnown, total } = amountsOf(document, plan);
  return {
    party: names.customer(document.customer),
    number: document.number,
    datedOn: document.datedOn,
    dueOn: document.dueOn,
    terms: names.term(document.termId),
    currency: document.currency,
    lines: document.lines.map((line) => ({
      ...blank,
      description: line.description,
      item: names.item(line.item),
      account: names.incomeOf(line.item),
      className: names.className(line.classId ?? document.classId),
      tax: names.tax(line.taxCode === 'TAX' ? (document.taxCodeId ?? line.taxCode) : line.taxCode),
      quantity: line.quantity,
      unitPrice: line.unitPrice,
      amount: line.amount,
    })),
    subtotal,
    tax,
    isTaxKnown,
    total,
  };
}

/**
 * Returns the amounts of a sale. The tax is the one that is sent or computed; if only QuickBooks knows it, the one that
 * the PSA billed.
 */
export function amountsOf(
  document: SalesDocument,
  { expected }: Pick<Plan, 'expected'>,
): { readonly subtotal: Decimal; readonly tax: Decimal; readonly isTaxKnown: boolean; readonly total: Decimal } {
  const subtotal = sum(document.lines.map(({ amount }) => amount));
  const known = document.taxOverride ?? expected.accountingTax ?? null;
  const tax = known ?? expected.tax;
  return { subtotal, tax, isTaxKnown: known !== null, total: plus(subtotal, tax) };
}

function viewOfPurchase(form: PurchaseForm, names: Names): Omit<DocumentView, 'form' | 'newRecords'> {
  const total = sum(form.lines.map(({ amount }) => amount));
  return {
    party: names.vendor(form.vendor),
    number: form.number,
    datedOn: form.datedOn,
    dueOn: null,
    terms: names.term(form.termId),
    currency: form.currency,
    lines: form.lines.map((line) => ({
      ...blank,
      description: line.description,
      item: line.by === 'item' ? names.item(line.item) : null,
      account: line.by === 'item' ? names.expenseOf(line.item) : names.account(line.accountId),
      className: names.className(line.classId),
      tax: names.tax(line.taxCode),
      customer: line.customer === null ? null : names.customer(line.customer),
      quantity: line.by === 'item' ? line.quantity : null,
      unitPrice: line.by === 'item' ? line.unitPrice : null,
      amount: line.amount,
    })),
    subtotal: total,
    tax: zero,
    isTaxKnown: true,
    total,
  };
}

/**
 * Returns several bills as one document, because they are reviewed, approved and counted together. Each line includes
 * the date of its bill.
 *
 * @param own the bill that represents the document
 */
function viewOfBills(
  own: PurchaseForm,
  bills: readonly PurchaseForm[],
  names: Names,
): Omit<DocumentView, 'form' | 'newRecords'> {
  const view = viewOfPurchase(own, names);
  if (bills.length === 1) return view;
  const lines = bills.flatMap((bill) =>
    viewOfPurchase(bill, names).lines.map((line) => ({
      ...line,
      description: `Bill ${bill.number ?? ''} of ${dayText(bill.datedOn)}: ${line.description}`,
    })),
  );
  const total = sum(lines.map(({ amount }) => amount));
  return { ...view, lines, subtotal: total, total };
}

/** Returns the names of all records that a plan refers to, including those that its commands create. */
export interface Names {
  customer(of: Reference): string;
  vendor(of: Reference): string;
  item(of: Reference): string;
  /** Income account that a sale of the item is booked to. */
  incomeOf(item: Reference): string;
  /** Expense account that a purchase of the item is booked to. */
  expenseOf(item: Reference): string;
  account(id: string | null): string;
  className(id: string | null): string | null;
  term(id: string | null): string | null;
  tax(code: string | null): string | null;
}

/** @param plan its commands may create some of the records */
export function createNames(plan: Pick<Plan, 'commands'>, accounting: AccountingLists): Names {
  const index = indexAccounting(accounting);
  const made = (of: Reference): string | null => {
    if (!('fromCommand' in of)) return of.name ?? null;
    const command = plan.commands[of.fromCommand];
    return command === undefined ? null : (sharedRecordOf(command)?.name ?? null);
  };
  const party = (list: 'customersById' | 'vendorsById', what: string) => (of: Reference) =>
    ('id' in of ? index[list].get(of.id)?.displayName : undefined) ?? made(of) ?? what;
  const account = (id: string | null): string => accountName(index, id) ?? 'An account that QuickBooks chooses';
  const item = (of: Reference): string =>
    ('id' in of ? index.itemsById.get(of.id)?.fullyQualifiedName : undefined) ?? made(of) ?? 'An item';
  const booked = (field: keyof Pick<Item, 'incomeAccountId' | 'expenseAccountId'>) => (of: Reference) => {
    const command = 'fromCommand' in of ? plan.commands[of.fromCommand] : undefined;
    const created = command?.do === 'create_item' ? command.item[field] : null;
    const id = 'id' in of ? (index.itemsById.get(of.id)?.[field] ?? null) : created;
    return accountName(index, id) ?? `Account of ${item(of)}`;
  };
  const classes = new Map(accounting.classes.map((one) => [one.id, one.fullyQualifiedName]));
  const terms = new Map(accounting.terms.map((term) => [term.id, term.name]));
  const codes = new Map(accounting.taxCodes.map((taxCode) => [taxCode.id, taxCode.name]));
  return {
    customer: party('customersById', 'A customer'),
    vendor: party('vendorsById', 'A vendor'),
    item,
    incomeOf: booked('incomeAccountId'),
    expenseOf: booked('expenseAccountId'),
    account,
    className: (id) => (id === null ? null : (classes.get(id) ?? 'A class')),
    term: (id) => (id === null ? null : (terms.get(id) ?? 'Other terms')),
    tax: (code) => (code === null ? null : (taxLabels[code] ?? codes.get(code) ?? 'A tax code')),
  };
}

const accountName = (index: AccountingIndex, id: string | null): string | null =>
  id === null ? null : (index.accountNames.get(id) ?? 'An account that is not listed');

const taxLabels: Readonly<Record<string, string>> = { TAX: 'Taxable', NON: 'Not taxable' };

/** One difference between two views of a document. */
export interface ViewChange {
  readonly what: string;
  readonly was: string;
  readonly is: string;
}

/** Returns the visible differences between two views of one document; empty if only hidden values differ. */
export function changesOfView(was: DocumentView, is: DocumentView): readonly ViewChange[] {
  const fields = [
    ['Customer or vendor', 'party'],
    ['Number', 'number'],
    ['Date', 'datedOn'],
    ['Due date', 'dueOn'],
    ['Terms', 'terms'],
    ['Currency', 'currency'],
    ['Tax', 'tax'],
    ['Total', 'total'],
  ] as const;
  const heads = fields.flatMap(([what, key]): ViewChange[] =>
    was[key] === is[key] ? [] : [{ what, was: fieldText(was[key]), is: fieldText(is[key]) }],
  );
  const count = Math.max(was.lines.length, is.lines.length);
  const lines = Array.from({ length: count }, (_, place): ViewChange[] => {
    const [before, after] = [was.lines[place], is.lines[place]];
    if (JSON.stringify(before) === JSON.stringify(after)) return [];
    return [{ what: `Line ${place + 1}`, was: lineText(before), is: lineText(after) }];
  });
  return [...heads, ...lines.flat()];
}

const fieldText = (value: string | null): string =>
  value === null ? 'none' : isCalendarDate(value) ? dayText(value) : value;

function lineText(line: ViewLine | undefined): string {
  if (line === undefined) return 'none';
  const price =
    line.quantity === null || line.unitPrice === null
      ? line.amount
      : `${line.quantity} × ${line.unitPrice} = ${line.amount}`;
  return [line.description, line.item, line.account, line.className, line.tax, line.customer, price]
    .filter((part) => part !== null && part !== '')
    .join(' · ');
}

/** Returns a list of all QuickBooks records that the plan's document refers to: `customer "Acme", item "Labor"`. */
export function recordsUsed(plan: Plan, accounting: AccountingLists): string {
  const names = createNames(plan, accounting);
  const command = documentCommand(plan);
  const location = (id: string | undefined) =>
    id === undefined ? null : (indexAccounting(accounting).locationNames.get(id) ?? 'a location');
  const used: (readonly [string, string | null])[] = [];
  if ('document' in command) {
    const { customer, lines, classId, termId, taxCodeId, locationId } = command.document;
    used.push(['customer', names.customer(customer)], ...lines.map(({ item }) => ['item', names.item(item)] as const));
    used.push(...[classId, ...lines.map((line) => line.classId)].map((id) => ['class', names.className(id)] as const));
    used.push(['term', names.term(termId)], ['tax code', names.tax(taxCodeId)], ['location', location(locationId)]);
  } else if ('order' in command || 'bill' in command) {
    for (const form of 'order' in command ? [command.order] : billsOf(plan)) {
      used.push(['vendor', names.vendor(form.vendor)], ['term', names.term(form.termId)]);
      for (const line of form.lines) {
        used.push(line.by === 'item' ? ['item', names.item(line.item)] : ['account', names.account(line.accountId)]);
        used.push(['customer', line.customer === null ? null : names.customer(line.customer)]);
        used.push(['class', names.className(line.classId)]);
      }
      used.push(['location', location(form.locationId)]);
    }
  }
  return [...new Set(used.flatMap(([what, name]) => (name === null ? [] : [`${what} “${name}”`])))].join(', ');
}
