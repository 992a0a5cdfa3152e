import { purchaseInWords, type PurchaseStep, type Vendor } from './purchase-steps.ts';

/** A customer of the MSP. All amounts of a customer are whole cents of its currency. */
export interface Customer {
  readonly name: string;
  readonly currency: 'USD' | 'CAD';
}

/** What is sold. `block` is a sale of prepaid hours, `covered` is work that they pay. */
export type Article = 'support' | 'milestone' | 'firewall' | 'hardware' | 'block' | 'covered';

/** A line of an invoice: hundredths of an hour or piece, and cents for each. */
export interface Line {
  readonly article: Article;
  readonly quantity: number;
  readonly rate: number;
}

/** A document and the cents of it that a payment takes. */
export type Part = readonly [sale: string, cents: number];

/** One change of a person in one of the services, or a sync of the product. Documents have names, for example “invoice 3”. */
export type Step = SalesStep | PurchaseStep;

/** A step about customers, or a sync. */
export type SalesStep =
  | {
      readonly do: 'bill';
      readonly sale: string;
      readonly customer: number;
      readonly lines: readonly Line[];
      readonly on: 'its day' | 'last month';
    }
  | { readonly do: 'edit_in_psa'; readonly sale: string; readonly cents: number }
  | { readonly do: 'void_in_psa'; readonly sale: string }
  | { readonly do: 'mark_paid'; readonly sale: string }
  | { readonly do: 'unmark_paid'; readonly sale: string }
  | {
      readonly do: 'pay';
      readonly money: string;
      readonly customer: number;
      readonly total: number;
      readonly parts: readonly Part[];
      readonly credits: readonly Part[];
      readonly on: 'its day' | 'next month';
    }
  | { readonly do: 'apply'; readonly money: string; readonly parts: readonly Part[] }
  | { readonly do: 'unapply'; readonly money: string }
  | { readonly do: 'delete_money'; readonly money: string }
  | { readonly do: 'deposit'; readonly money: string }
  | { readonly do: 'type_sale'; readonly sale: string; readonly customer: number; readonly cents: number }
  | { readonly do: 'type_again'; readonly sale: string; readonly copyOf: string }
  | { readonly do: 'receipt'; readonly money: string; readonly customer: number; readonly cents: number }
  | { readonly do: 'journal'; readonly money: string; readonly customer: number; readonly cents: number }
  | { readonly do: 'edit_in_accounting'; readonly sale: string; readonly cents: number }
  | { readonly do: 'redate_in_accounting'; readonly sale: string; readonly on: 'another day' | 'another month' }
  | { readonly do: 'void_in_accounting'; readonly sale: string }
  | { readonly do: 'delete_in_accounting'; readonly sale: string }
  | { readonly do: 'end_block'; readonly customer: number }
  | { readonly do: 'move_item'; readonly to: 'Project Income' | 'Hardware Income' }
  | { readonly do: 'choose'; readonly sale: string; readonly choice: 'apply' | 'create' }
  | { readonly do: 'sync' };

/** What happens, in order, to the accounts of some customers. */
export interface Sequence {
  readonly seed: number;
  readonly customers: readonly Customer[];
  readonly vendors: readonly Vendor[];
  /** Whether a paid date in the PSA creates a payment in QuickBooks. */
  readonly direction: 'both' | 'qbo_to_psa';
  readonly steps: readonly Step[];
}

/** Formats cents, for example `1,234.50`. */
export const shown = (cents: number): string =>
  (cents / 100).toLocaleString('en-US', { minimumFractionDigits: 2, maximumFractionDigits: 2 });

const listed = (parts: readonly Part[]): string =>
  parts.map(([sale, cents]) => `${shown(cents)} to ${sale}`).join(', ');

type Named = (customer: number) => string;

/** Describes a step as a person would say it. */
export function inWords(step: Step, { customers, vendors }: Pick<Sequence, 'customers' | 'vendors'>): string {
  if ('purchase' in step) return purchaseInWords(step, vendors, shown);
  const named: Named = (customer) => {
    const { name, currency } = customers[customer] ?? { name: 'unknown', currency: 'USD' };
    return currency === 'USD' ? name : `${name} (${currency})`;
  };
  switch (step.do) {
    case 'bill': {
      const lines = step.lines.map(({ article, quantity, rate }) => `${quantity / 100} ${article} at ${shown(rate)}`);
      const on = step.on === 'last month' ? ', dated last month' : '';
      return `Autotask bills ${step.sale} to ${named(step.customer)}${on}: ${lines.join(', ')}.`;
    }
    case 'edit_in_psa':
      return `A user changes ${step.sale} in Autotask by ${shown(step.cents)}.`;
    case 'void_in_psa':
      return `A user voids ${step.sale} in Autotask.`;
    case 'mark_paid':
      return `A user marks ${step.sale} as paid in Autotask.`;
    case 'unmark_paid':
      return `A user removes the paid date of ${step.sale} in Autotask.`;
    case 'choose':
      return `A user decides about the open money for ${step.sale}: ${step.choice === 'apply' ? 'apply what is there' : 'create a new payment'}.`;
    case 'end_block':
      return `A user ends the block of hours of ${named(step.customer)} in Autotask.`;
    case 'move_item':
      return `A user gives the item of milestones the account ${step.to} in QuickBooks, for new sales.`;
    case 'sync':
      return 'The product syncs.';
    case 'pay':
    case 'apply':
    case 'unapply':
    case 'delete_money':
    case 'deposit':
    case 'receipt':
    case 'journal':
      return ofMoney(step, named);
    default:
      return `A user ${ofDocument(step, named)}.`;
  }
}

type MoneyStep = Extract<SalesStep, { readonly money: string }>;

function ofMoney(step: MoneyStep, named: Named): string {
  switch (step.do) {
    case 'pay': {
      const credits = step.credits.map(([sale, cents]) => `${shown(cents)} of ${sale}`);
      const parts = step.parts.length === 0 ? 'applied to nothing' : listed(step.parts);
      const on = step.on === 'next month' ? ', dated next month' : '';
      const used = credits.length === 0 ? '' : `, with ${credits.join(', ')}`;
      return `QuickBooks receives ${step.money} of ${named(step.customer)} over ${shown(step.total)}${on}: ${parts}${used}.`;
    }
    case 'apply':
      return `A user applies ${step.money} in QuickBooks: ${listed(step.parts)}.`;
    case 'unapply':
      return `A user unapplies ${step.money} in QuickBooks.`;
    case 'delete_money':
      return `A user deletes ${step.money} in QuickBooks.`;
    case 'deposit':
      return `A user deposits ${step.money} at the bank in QuickBooks.`;
    default: {
      const { money, customer, cents } = step;
      const receipt = cents > 0 ? 'a sales receipt over' : 'a refund receipt over';
      const journal = `a journal entry that ${cents > 0 ? 'credits' : 'debits'} receivables with`;
      const what = step.do === 'receipt' ? receipt : journal;
      return `A user types ${money} of ${named(customer)} into QuickBooks: ${what} ${shown(Math.abs(cents))}.`;
    }
  }
}

type AccountingStep = Extract<SalesStep, { readonly do: `${string}_in_accounting` | 'type_sale' | 'type_again' }>;

function ofDocument(step: AccountingStep, named: Named): string {
  switch (step.do) {
    case 'type_sale':
      return `types ${step.sale} of ${named(step.customer)} over ${shown(step.cents)} into QuickBooks`;
    case 'type_again':
      return `types ${step.copyOf} into QuickBooks again, as ${step.sale}`;
    case 'edit_in_accounting':
      return `changes ${step.sale} in QuickBooks by ${shown(step.cents)}`;
    case 'redate_in_accounting':
      return `moves ${step.sale} to ${step.on} in QuickBooks`;
    case 'void_in_accounting':
      return `voids ${step.sale} in QuickBooks`;
    default:
      return `deletes ${step.sale} in QuickBooks`;
  }
}
