import type { AccountingDocument } from '../documents/accounting-document.ts';
import type { ExpenseReport } from '../documents/expense-report.ts';
import type { Invoice, InvoiceLine } from '../documents/invoice.ts';
import type { Address } from '../documents/party.ts';
import type { PurchaseOrder, PurchaseOrderLine } from '../documents/purchase-order.ts';
import type { PartyNamespace } from '../mapping/mapping.ts';
import type { Problem, ProblemDocument } from '../problems.ts';
import type { Note } from '../transcript.ts';
import { assert } from '../values/assert.ts';
import type { CalendarDate } from '../values/dates.ts';
import { type Decimal, format, isZero, negate, round2, sum, times, zero } from '../values/decimal.ts';
import type { JsonObject } from '../values/json.ts';
import { textOrNull } from '../values/text.ts';
import type { FieldChange, MergeBase } from './update-merge.ts';

/** A document as the PSA shows it, for comparison with the QuickBooks document. */
export interface SourceView {
  /** The customer, vendor or employee, by its name in the PSA. */
  readonly party: string | null;
  readonly number: string | null;
  readonly datedOn: CalendarDate | null;
  readonly dueOn: CalendarDate | null;
  readonly lines: readonly SourceLine[];
  readonly tax: Decimal;
  /** Includes tax. A credit memo is negative, as in the PSA. */
  readonly total: Decimal;
}

interface SourceLine {
  readonly description: string;
  readonly quantity: Decimal | null;
  readonly unitPrice: Decimal | null;
  readonly amount: Decimal;
}

const headOf = ({ party, number, on }: ProblemDocument) => ({ party, number, datedOn: on });

/**
 * Returns an invoice as the PSA prints it.
 *
 * @param amountOf returns the charge of a line without tax, in the currency that is sent; `rateOf` returns its unit
 * price before a discount, in the same currency
 */
export const sourceOfInvoice = (
  invoice: Invoice,
  about: ProblemDocument,
  amountOf: (line: InvoiceLine) => Decimal,
  rateOf: (line: InvoiceLine) => Decimal,
): SourceView => ({
  ...headOf(about),
  dueOn: invoice.dueOn,
  lines: invoice.lines.map((line) => ({
    description:
      textOrNull(line.fullDescription) ??
      [line.itemName, line.description].filter((part) => textOrNull(part) !== null).join(': '),
    quantity: line.quantity,
    unitPrice: rateOf(line),
    amount: amountOf(line),
  })),
  tax: invoice.tax,
  total: invoice.total,
});

/**
 * Returns an order as the PSA shows it.
 *
 * @param costOfOne unit cost of a line, in the currency that is sent; `freight` is in the same currency
 */
export const sourceOfOrder = (
  order: PurchaseOrder,
  about: ProblemDocument,
  costOfOne: (line: PurchaseOrderLine) => Decimal,
  freight: Decimal,
): SourceView => ({
  ...headOf(about),
  dueOn: null,
  lines: [
    ...order.lines.map((line) => ({
      description: line.memo ?? '',
      quantity: line.quantity,
      unitPrice: costOfOne(line),
      amount: round2(times(line.quantity, costOfOne(line))),
    })),
    ...(isZero(freight) ? [] : [{ description: 'Freight', quantity: null, unitPrice: null, amount: freight }]),
  ],
  tax: zero,
  total: about.amount ?? zero,
});

/** Returns a report as the PSA shows it, including items that are not reimbursed, less the cash advance. */
export const sourceOfReport = (report: ExpenseReport, about: ProblemDocument): SourceView => {
  const advance = round2(report.cashAdvance);
  const lines = [
    ...report.items.map((item) => {
      const { categoryName, description } = item;
      const name = [categoryName, description].filter((part) => textOrNull(part) !== null).join(': ');
      const reason = whyNotReimbursed(item);
      return {
        description: reason === null ? name : `${name} (${format(round2(item.amount))}, ${reason})`,
        quantity: null,
        unitPrice: null,
        amount: reason === null ? round2(item.amount) : zero,
      };
    }),
    ...(isZero(advance)
      ? []
      : [{ description: 'Cash advance', quantity: null, unitPrice: null, amount: negate(advance) }]),
  ];
  return {
    ...headOf(about),
    dueOn: null,
    lines,
    tax: zero,
    total: sum(lines.map(({ amount }) => amount)),
  };
};

const whyNotReimbursed = ({ isRejected, isReimbursable }: ExpenseReport['items'][number]): string | null =>
  isRejected ? 'rejected' : isReimbursable ? null : 'paid by the company';

/** A QuickBooks record: an existing one, or the result of an earlier command of the same plan (counted from 0). */
export type Reference = { readonly id: string; readonly name?: string } | { readonly fromCommand: number };

/**
 * One change in QuickBooks, in domain terms. A connector converts it to exactly one request. The conversion is pure, so
 * test mode shows the same document that live mode would send.
 */
export type Command =
  | { readonly do: 'create_customer'; readonly customer: NewCustomer }
  | { readonly do: 'create_item'; readonly item: NewItem }
  | { readonly do: 'create_invoice'; readonly document: SalesDocument }
  | { readonly do: 'create_credit_memo'; readonly document: SalesDocument }
  | { readonly do: 'create_vendor'; readonly vendor: NewVendor }
  | { readonly do: 'create_purchase_order'; readonly order: PurchaseForm }
  | { readonly do: 'create_bill'; readonly bill: PurchaseForm }
  | { readonly do: 'create_payment'; readonly payment: NewPayment }
  /**
   * Applies a payment that exists in QuickBooks to further documents. It posts nothing. A later change makes the token
   * stale, as for a void.
   */
  | { readonly do: 'apply_payment'; readonly applied: ExistingPayment }
  /**
   * Voids a sales document in the state that was read. A later change makes the token stale, and QuickBooks rejects the
   * void.
   */
  | { readonly do: 'void'; readonly type: string; readonly id: string; readonly syncToken: string }
  | UpdateOfDocument;

/** Command that creates a document in QuickBooks. An existing document can also be updated to it. */
export type DocumentCommand = Extract<
  Command,
  { readonly do: 'create_invoice' | 'create_credit_memo' | 'create_purchase_order' | 'create_bill' }
>;

/** Updates a posted document to its current plan. A later change makes the token stale, as for a void. */
interface UpdateOfDocument {
  readonly do: 'update';
  readonly id: string;
  readonly syncToken: string;
  readonly to: DocumentCommand;
  /** Total before the change. */
  readonly was: Decimal;
  /** Email status to send again, because a full update clears fields that are not sent. */
  readonly emailStatus: string | null;
  /** The document that the new state is merged into; absent in plans of earlier versions, which replace all of it. */
  readonly merge?: MergeBase;
  /** Fields that the update replaces; absent in plans of earlier versions. */
  readonly replaces?: readonly FieldChange[];
  /** Amount of lines and discounts that were entered in QuickBooks and stay, before tax. Undefined if there is none. */
  readonly keptAmount?: Decimal;
}

/** Longest payment reference in QuickBooks (quickbooks reference 5.5). */
export const maxReferenceLength = 21;

/** A customer's payment of one invoice and its difference documents. */
export interface NewPayment {
  readonly customerId: string;
  readonly invoiceId: string;
  /** Documents that it is applied to. Undefined if the whole amount goes to the invoice. */
  readonly covers?: readonly CoveredDocument[];
  readonly amount: Decimal;
  readonly paidOn: CalendarDate;
  /** Null: undeposited funds. */
  readonly depositAccountId: string | null;
  /** Reference of at most 21 characters. */
  readonly reference: string;
  /** Unique to the invoice and the day, so a search finds the payment if the response was lost. */
  readonly privateNote: string;
  readonly currency: string | null;
  /** Home units per unit of the currency; absent for the home currency. */
  readonly exchangeRate?: Decimal;
  /** Other money of the customer that stays unapplied, because a user decided so. Undefined if there is none. */
  readonly beside?: readonly CoveredDocument[];
}

/** An unapplied payment in QuickBooks that is applied to an invoice. */
export interface ExistingPayment {
  readonly id: string;
  readonly syncToken: string;
  /** Its reference or number. */
  readonly number: string | null;
  readonly datedOn: CalendarDate | null;
  readonly customerId: string;
  readonly currency: string | null;
  /** The payment as it was read, in the form of the connector: what it already pays stays. */
  readonly found: JsonObject;
  readonly covers: readonly CoveredDocument[];
}

/** A document that a payment is applied to. It pays an invoice or uses up a credit memo. */
export interface CoveredDocument {
  readonly type: string;
  readonly id: string;
  readonly number: string | null;
  readonly amount: Decimal;
}

/**
 * Returns the documents that a payment is applied to.
 *
 * @param number number of the invoice, for a payment that names no documents
 */
export const coveredBy = (
  { covers, invoiceId, amount }: NewPayment,
  number: string | null = null,
): readonly CoveredDocument[] => covers ?? [{ type: 'Invoice', id: invoiceId, number, amount }];

export interface NewCustomer {
  /** The PSA company that the customer is created for. Its mapping is saved when the command succeeds. */
  readonly companyId: number;
  /** The parent of a sub-customer, which is billed with it. Null or undefined if there is no parent. */
  readonly parent?: Reference | null;
  readonly displayName: string;
  /** Null if it is longer than QuickBooks allows. The display name, cut to the limit, still identifies the customer. */
  readonly companyName: string | null;
  readonly billingAddress: Address | null;
  readonly shippingAddress: Address | null;
  readonly phone: string | null;
  readonly email: string | null;
  readonly isTaxable: boolean;
  readonly resaleNumber: string | null;
  readonly termId: string | null;
  /** ISO 4217 code, only if both sides use several currencies. */
  readonly currency: string | null;
}

export interface NewVendor {
  /** The PSA company that the vendor is created for; its mapping is saved. Null for an employee. */
  readonly companyId: number | null;
  /** The employee that the vendor is created for; absent for a company, and in plans of earlier versions. */
  readonly employee?: { readonly id: number; readonly name: string };
  readonly displayName: string;
  readonly companyName: string | null;
  /** Given name of an employee. */
  readonly givenName: string | null;
  readonly familyName: string | null;
  readonly address: Address | null;
  readonly phone: string | null;
  readonly email: string | null;
  /** ISO 4217 code, only if both sides use several currencies. */
  readonly currency: string | null;
}

export interface NewItem {
  readonly name: string;
  readonly sku: string | null;
  readonly incomeAccountId: string | null;
  readonly expenseAccountId: string | null;
  readonly isTaxable: boolean;
  /** Cost of one unit; only for items created for a purchase order. */
  readonly purchaseCost?: Decimal;
}

/** An invoice or a credit memo. Amounts of a credit memo already have its sign. */
export interface SalesDocument {
  readonly customer: Reference;
  /** Null: QuickBooks assigns the number. */
  readonly number: string | null;
  readonly datedOn: CalendarDate;
  readonly termId: string | null;
  readonly dueOn: CalendarDate | null;
  readonly billingAddress: Address | null;
  readonly shippingAddress: Address | null;
  readonly customerMessage: string | null;
  /** Unique to the attempt, so a search finds the document if the response was lost. */
  readonly privateNote: string;
  readonly email: { readonly address: string | null; readonly send: boolean } | null;
  readonly onlinePayment: { readonly card: boolean; readonly bank: boolean } | null;
  readonly currency: string | null;
  /** Home units per unit of the currency; absent for the home currency. */
  readonly exchangeRate?: Decimal;
  readonly classId: string | null;
  /** Undefined if there is none. */
  readonly locationId?: string;
  readonly customFields: readonly { readonly definitionId: string; readonly name: string; readonly value: string }[];
  /** US: the tax code of the whole document. */
  readonly taxCodeId: string | null;
  /** Tax that QuickBooks must use instead of computing it; absent in plans of earlier versions. */
  readonly taxOverride?: Decimal | null;
  /** Outside the US: amounts exclude tax. */
  readonly taxExcluded: boolean;
  readonly lines: readonly SalesLine[];
}

export interface SalesLine {
  readonly amount: Decimal;
  readonly quantity: Decimal;
  /** Price of one unit, up to 5 decimals; `round2(quantity × unitPrice)` equals `amount`. */
  readonly unitPrice: Decimal;
  readonly description: string;
  readonly item: Reference;
  readonly servedOn: CalendarDate | null;
  readonly classId: string | null;
  /** `TAX` or `NON` in the US, the id of a tax code elsewhere. */
  readonly taxCode: string | null;
}

/** Fields that purchase orders and bills share. */
export interface PurchaseForm {
  readonly vendor: Reference;
  /** Null: QuickBooks assigns an order's number. A bill always has a number from Tallybridge. */
  readonly number: string | null;
  readonly datedOn: CalendarDate;
  /** The accounts payable account; null: QuickBooks uses its only one. */
  readonly payableAccountId: string | null;
  readonly termId: string | null;
  /** Delivery address, with the name on its first line. Orders only. */
  readonly shipTo: { readonly name: string | null; readonly address: Address } | null;
  /** Orders only. */
  readonly messageToVendor: string | null;
  /** Unique to the attempt, so a search finds the document if the response was lost. */
  readonly privateNote: string;
  readonly currency: string | null;
  /** Home units per unit of the currency; absent for the home currency. */
  readonly exchangeRate?: Decimal;
  /** Undefined if there is none. */
  readonly locationId?: string;
  /** Outside the US: amounts exclude tax. */
  readonly taxExcluded: boolean;
  readonly lines: readonly PurchaseLine[];
}

/** A line by item has a quantity and a price. A line by account has only an amount, which can be negative on a bill. */
export type PurchaseLine =
  | (PurchaseLineBase & {
      readonly by: 'item';
      readonly item: Reference;
      readonly quantity: Decimal;
      /** Price of one unit, up to 5 decimals; `round2(quantity × unitPrice)` equals `amount`. */
      readonly unitPrice: Decimal;
    })
  | (PurchaseLineBase & {
      readonly by: 'account';
      readonly accountId: string;
    });

interface PurchaseLineBase {
  readonly amount: Decimal;
  readonly description: string;
  /**
   * Customer that the goods or the expense are for. The PSA bills the customer, so the line is not billable in
   * QuickBooks.
   */
  readonly customer: Reference | null;
  readonly classId: string | null;
  /** The id of a tax code; outside the US only. */
  readonly taxCode: string | null;
}

/**
 * A company or employee that was found in QuickBooks by name. The match is saved as a mapping, so it still works after
 * either side renames the record (screens reference 2.2).
 */
export interface PartyMatch {
  readonly as: PartyNamespace;
  /** Id of the company, or of the employee's resource. */
  readonly companyId: number;
  readonly companyName: string;
  readonly targetId: string;
  readonly targetName: string;
}

/** The item that was found for a name. It is saved, so the item is still found after QuickBooks renames it. */
export interface ItemMatch {
  readonly name: string;
  readonly itemId: string;
  readonly itemName: string;
}

/**
 * All commands for one document, decided before anything is sent. The last command creates or updates the document
 * itself.
 */
/** Prepaid money that one document takes. */
export interface PrepaidTaking {
  /** Display name. */
  readonly customer: string;
  /** Negative, in the document's currency. */
  readonly change: Decimal;
  /** Home currency units per unit of the document's currency. */
  readonly rate: Decimal;
}

export interface Plan {
  readonly commands: readonly Command[];
  /** Notes on the decisions, in order, for the transcript. */
  readonly notes: readonly Note[];
  readonly warnings: readonly Problem[];
  /** Customers and vendors that were found by name; absent in plans of earlier versions. */
  readonly matches?: readonly PartyMatch[];
  /** Items that were found by name or number and are not saved yet; absent in plans of earlier versions. */
  readonly itemMatches?: readonly ItemMatch[];
  /** The document as the PSA shows it; absent if it has none in the PSA, and in plans of earlier versions. */
  readonly source?: SourceView;
  /** Prepaid money that the document takes. Undefined if there is none, and in plans of earlier versions. */
  readonly prepaid?: PrepaidTaking;
  /**
   * Set if the document takes money of a purchase that has ended, which may have become income: what the customer's other
   * purchases need, in the document's currency.
   */
  readonly prepaidReserved?: Decimal;
  /** Amounts to compare with the response (domain reference 6.13). */
  readonly expected: {
    readonly subtotal: Decimal;
    /** Tax as the PSA billed it. */
    readonly tax: Decimal;
    readonly dueOn: CalendarDate | null;
    /** Tax that QuickBooks is expected to compute. Null or undefined if only QuickBooks knows. */
    readonly accountingTax?: Decimal | null;
    /** Tax difference above which the document is not emailed and needs attention. Undefined means no limit. */
    readonly taxHoldOver?: Decimal;
    /** Largest tax difference from rounding: the PSA rounds per line, QuickBooks per document. Undefined if there is none. */
    readonly taxRounding?: Decimal;
    /**
     * Home units per unit of the document's currency, by the PSA's own amounts or by the invoice that a payment pays;
     * Undefined if unknown, or the home currency.
     */
    readonly worth?: { readonly rate: Decimal; readonly by: 'psa' | 'invoice' };
    /** Number of the invoice that a credit memo reverses, including its tax. Undefined if there is none. */
    readonly takesBack?: string;
    /** Tax by rate of that invoice, if only QuickBooks knows the rates of today. Undefined if it is not compared. */
    readonly taxes?: NonNullable<AccountingDocument['taxes']>;
  };
}

/** Returns the last command of a plan, which creates or updates the document itself. */
export function lastCommand(plan: Plan): Command {
  const command = plan.commands.at(-1);
  assert(command !== undefined, 'a plan makes at least one document');
  return command;
}

/** Returns the command that creates the plan's document; for an update, the command with its new state. */
export function documentCommand(plan: Plan): Exclude<Command, UpdateOfDocument> {
  const command = lastCommand(plan);
  return command.do === 'update' ? command.to : command;
}

/**
 * Returns the bills that a plan creates or updates; an expense report may have one per month. Empty for other
 * documents.
 */
export const billsOf = (plan: Plan): readonly PurchaseForm[] => {
  const last = documentCommand(plan);
  if (last.do !== 'create_bill') return [];
  const earlier = plan.commands.slice(0, -1).flatMap((command) => (command.do === 'create_bill' ? [command.bill] : []));
  return [...earlier, last.bill];
};

/** Returns a name for what a command creates: `credit memo`, `customer Birch Legal`. */
export function nameOf(command: Command): string {
  if (command.do === 'update') return `change of ${nameOf(command.to)}`;
  const what = command.do.replace('create_', '').replaceAll('_', ' ');
  const record = sharedRecordOf(command);
  return record === null ? what : `${what} ${record.name}`;
}

/**
 * Returns the list record that a command creates. Several documents may need the same record. Null for a command that
 * creates or updates a document.
 */
export function sharedRecordOf(
  command: Command,
): { readonly list: 'customer' | 'vendor' | 'item'; readonly name: string } | null {
  switch (command.do) {
    case 'create_customer':
      return { list: 'customer', name: command.customer.displayName };
    case 'create_vendor':
      return { list: 'vendor', name: command.vendor.displayName };
    case 'create_item':
      return { list: 'item', name: command.item.name };
    default:
      return null;
  }
}
