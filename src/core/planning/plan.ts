import { assert } from '../values/assert.ts';
import type { Address } from '../documents/party.ts';
import type { PartyNamespace } from '../mapping/mapping.ts';
import type { Problem } from '../problems.ts';
import type { Note } from '../transcript.ts';
import type { CalendarDate } from '../values/dates.ts';
import type { Decimal } from '../values/decimal.ts';
import type { SourceView } from './source-view.ts';

/** A record of the books: one that exists, or the answer to an earlier command of the same plan (counted from 0). */
export type Reference = { readonly id: string; readonly name?: string } | { readonly fromCommand: number };

/**
 * One change of the books, in our words. A connector turns it into exactly one request; doing so is pure, so test mode
 * shows the very document that live mode would send.
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
  /** Voids a sales document as it was read: a later change makes the token stale, and then nothing happens. */
  | { readonly do: 'void'; readonly type: string; readonly id: string; readonly syncToken: string }
  | UpdateOfDocument;

/** Command that makes a document of the books; such a document can also be changed to it. */
export type DocumentCommand = Extract<
  Command,
  { readonly do: 'create_invoice' | 'create_credit_memo' | 'create_purchase_order' | 'create_bill' }
>;

/** Changes a document of ours, whole, to what it would be made as now; a later change makes the token stale, as of a void. */
export interface UpdateOfDocument {
  readonly do: 'update';
  readonly id: string;
  readonly syncToken: string;
  readonly to: DocumentCommand;
  /** Total before the change. */
  readonly was: Decimal;
  /** Whether it was mailed: a full update forgets what it does not say. */
  readonly emailStatus: string | null;
}

/** A customer's payment of one invoice, and of the documents that bill its differences. */
export interface NewPayment {
  readonly customerId: string;
  readonly invoiceId: string;
  /** Documents that it is applied to; absent: the whole amount to the invoice. */
  readonly covers?: readonly CoveredDocument[];
  readonly amount: Decimal;
  readonly paidOn: CalendarDate;
  /** Null: undeposited funds. */
  readonly depositAccountId: string | null;
  /** Reference of at most 21 characters. */
  readonly reference: string;
  /** Unique to the invoice and the day: an answer that was lost is found again by it. */
  readonly privateNote: string;
  readonly currency: string | null;
  /** Home units per unit of the currency; absent in the home currency. */
  readonly exchangeRate?: Decimal;
}

/** A document that a payment is applied to: an invoice is paid, a credit memo is used up. */
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
  /** The PSA company that the customer is made for; its mapping is saved with the answer. */
  readonly companyId: number;
  /** The customer that it becomes a sub-customer of, billed with it; null or absent: it stands by itself. */
  readonly parent?: Reference | null;
  readonly displayName: string;
  /** Null when it is longer than the books keep: the display name, cut to what they keep, tells it. */
  readonly companyName: string | null;
  readonly billingAddress: Address | null;
  readonly shippingAddress: Address | null;
  readonly phone: string | null;
  readonly email: string | null;
  readonly isTaxable: boolean;
  readonly resaleNumber: string | null;
  readonly termId: string | null;
  /** ISO 4217, only when multi-currency is active on both sides. */
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
  /** ISO 4217, only when multi-currency is active on both sides. */
  readonly currency: string | null;
}

export interface NewItem {
  readonly name: string;
  readonly sku: string | null;
  readonly incomeAccountId: string | null;
  readonly expenseAccountId: string | null;
  readonly isTaxable: boolean;
  /** Cost of one piece; only of items that are made for an order. */
  readonly purchaseCost?: Decimal;
}

/** An invoice or a credit memo; amounts of a credit memo are already turned to its sign. */
export interface SalesDocument {
  readonly customer: Reference;
  /** Null: QuickBooks numbers the document. */
  readonly number: string | null;
  readonly datedOn: CalendarDate;
  readonly termId: string | null;
  readonly dueOn: CalendarDate | null;
  readonly billingAddress: Address | null;
  readonly shippingAddress: Address | null;
  readonly customerMessage: string | null;
  /** Unique to the attempt: an answer that was lost is found again by it. */
  readonly privateNote: string;
  readonly email: { readonly address: string | null; readonly send: boolean } | null;
  readonly onlinePayment: { readonly card: boolean; readonly bank: boolean } | null;
  readonly currency: string | null;
  /** Home units per unit of the currency; absent in the home currency. */
  readonly exchangeRate?: Decimal;
  readonly classId: string | null;
  /** Absent: none. */
  readonly locationId?: string;
  readonly customFields: readonly { readonly definitionId: string; readonly name: string; readonly value: string }[];
  /** US: the tax code of the whole document. */
  readonly taxCodeId: string | null;
  /** Tax that the books are to take over instead of computing it; absent in plans of earlier versions. */
  readonly taxOverride?: Decimal | null;
  /** Outside the US: amounts exclude tax. */
  readonly taxExcluded: boolean;
  readonly lines: readonly SalesLine[];
}

export interface SalesLine {
  readonly amount: Decimal;
  readonly quantity: Decimal;
  /** Price of one piece, up to 5 decimals; `round2(quantity × unitPrice)` equals `amount`. */
  readonly unitPrice: Decimal;
  readonly description: string;
  readonly item: Reference;
  readonly servedOn: CalendarDate | null;
  readonly classId: string | null;
  /** `TAX` or `NON` in the US, the id of a tax code elsewhere. */
  readonly taxCode: string | null;
}

/** Fields that a purchase order and a bill have in common. */
export interface PurchaseForm {
  readonly vendor: Reference;
  /** Null: QuickBooks numbers an order; a bill always carries ours. */
  readonly number: string | null;
  readonly datedOn: CalendarDate;
  /** The accounts payable account; null lets QuickBooks take its only one. */
  readonly payableAccountId: string | null;
  readonly termId: string | null;
  /** Delivery address; the name stands above it. Orders only. */
  readonly shipTo: { readonly name: string | null; readonly address: Address } | null;
  /** Orders only. */
  readonly messageToVendor: string | null;
  /** Unique to the attempt: an answer that was lost is found again by it. */
  readonly privateNote: string;
  readonly currency: string | null;
  /** Home units per unit of the currency; absent in the home currency. */
  readonly exchangeRate?: Decimal;
  /** Absent: none. */
  readonly locationId?: string;
  /** Outside the US: amounts exclude tax. */
  readonly taxExcluded: boolean;
  readonly lines: readonly PurchaseLine[];
}

/** A line by item has a quantity and a price, a line by account is an amount alone, which may be negative on a bill. */
export type PurchaseLine =
  | (PurchaseLineBase & {
      readonly by: 'item';
      readonly item: Reference;
      readonly quantity: Decimal;
      /** Price of one piece, up to 5 decimals; `round2(quantity × unitPrice)` equals `amount`. */
      readonly unitPrice: Decimal;
    })
  | (PurchaseLineBase & {
      readonly by: 'account';
      readonly accountId: string;
    });

interface PurchaseLineBase {
  readonly amount: Decimal;
  readonly description: string;
  /** Customer that the goods or the expense are for. The PSA bills them, so the books never do. */
  readonly customer: Reference | null;
  readonly classId: string | null;
  /** The id of a tax code, outside the US only. */
  readonly taxCode: string | null;
}

/**
 * A company or employee that was found in the books by its name. The match is stored as a mapping, so that it stays found
 * after either side renames it (screens reference 2.2).
 */
export interface PartyMatch {
  readonly as: PartyNamespace;
  /** Id of the company, or of the employee's resource. */
  readonly companyId: number;
  readonly companyName: string;
  readonly targetId: string;
  readonly targetName: string;
}

/** The item that a name was found as. It is stored, so that the item stays found after QuickBooks renames it. */
export interface ItemMatch {
  readonly name: string;
  readonly itemId: string;
  readonly itemName: string;
}

/**
 * A plan: everything that one document needs, decided before anything is sent. The last command makes the document
 * itself.
 */
export interface Plan {
  readonly commands: readonly Command[];
  /** Notes of the decisions for the transcript, in order. */
  readonly notes: readonly Note[];
  readonly warnings: readonly Problem[];
  /** Parties that were found by name; absent in plans of earlier versions. */
  readonly matches?: readonly PartyMatch[];
  /** Items that were found by name or number and are not stored yet; absent in plans of earlier versions. */
  readonly itemMatches?: readonly ItemMatch[];
  /** The document as the PSA says it; absent where it is not made of one, and in plans of earlier versions. */
  readonly source?: SourceView;
  /** Amounts that the answer is compared with (domain reference 6.13). */
  readonly expected: {
    readonly subtotal: Decimal;
    /** Tax as the PSA billed it. */
    readonly tax: Decimal;
    readonly dueOn: CalendarDate | null;
    /** Tax as the books will compute it; null or absent where only they know. */
    readonly booksTax?: Decimal | null;
    /** Difference of tax above which the document is not mailed, and its success says so; absent: never. */
    readonly taxHoldOver?: Decimal;
    /** Difference of tax up to which the PSA rounds the tax of each line and the books that of the document; absent: none. */
    readonly taxRounding?: Decimal;
    /** Number of the invoice that a credit memo takes back with its tax; absent: it takes none back. */
    readonly takesBack?: string;
  };
}

/** The command of a plan that makes or changes the document itself: its last. */
export function lastCommand(plan: Plan): Command {
  const command = plan.commands.at(-1);
  assert(command !== undefined, 'a plan makes at least one document');
  return command;
}

/** Command that makes the plan's document; of a change, the command that it is changed to. */
export function documentCommand(plan: Plan): Exclude<Command, UpdateOfDocument> {
  const command = lastCommand(plan);
  return command.do === 'update' ? command.to : command;
}

/** The bills that a plan makes or changes to: an expense report may become one for each month. Empty for other documents. */
export const billsOf = (plan: Plan): readonly PurchaseForm[] => {
  const last = documentCommand(plan);
  if (last.do !== 'create_bill') return [];
  const earlier = plan.commands.slice(0, -1).flatMap((one) => (one.do === 'create_bill' ? [one.bill] : []));
  return [...earlier, last.bill];
};

/** Name of what a command makes, for people: `credit memo`, `customer Birch Legal`. */
export function nameOf(command: Command): string {
  if (command.do === 'update') return `change of ${nameOf(command.to)}`;
  const what = command.do.replace('create_', '').replaceAll('_', ' ');
  const record = sharedRecordOf(command);
  return record === null ? what : `${what} ${record.name}`;
}

/**
 * The record of a list that a command creates: documents refer to it, and several documents may need the same one. Null
 * for a command that makes or changes a document.
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
