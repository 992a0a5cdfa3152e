/** A supplier of the MSP, or an employee who is reimbursed. */
export interface Vendor {
  readonly name: string;
  readonly isEmployee: boolean;
}

/** Accounts of the categories of expenses, in their order. */
export const expenseAccounts = ['Billable Travel', 'Meals', 'Auto'] as const;
/** The account that a user chooses instead. */
export const otherExpenseAccount = 'Cost of Goods – Hardware';

/** A line of an order or report: a product or category from 0 to 2, and cents. */
export interface PurchaseLine {
  readonly what: 0 | 1 | 2;
  readonly cents: number;
}

/** One change of a person to purchases in one of the services. Documents have names, for example “order 3”. */
export type PurchaseStep =
  | {
      readonly do: 'order' | 'report';
      readonly purchase: string;
      readonly vendor: number;
      readonly lines: readonly PurchaseLine[];
    }
  | { readonly do: 'edit_purchase_in_psa'; readonly purchase: string; readonly cents: number }
  | { readonly do: 'withdraw'; readonly purchase: string }
  | { readonly do: 'withdraw_no_more'; readonly purchase: string }
  | { readonly do: 'edit_purchase_in_accounting'; readonly purchase: string; readonly cents: number }
  | { readonly do: 'recode'; readonly purchase: string }
  | { readonly do: 'reclass'; readonly purchase: string }
  | { readonly do: 'give_to_other_vendor'; readonly purchase: string; readonly vendor: number }
  | { readonly do: 'redate_purchase'; readonly purchase: string; readonly on: 'another day' | 'another month' }
  | { readonly do: 'delete_purchase'; readonly purchase: string }
  | { readonly do: 'close_order' | 'reopen_order'; readonly purchase: string }
  | { readonly do: 'type_purchase_again'; readonly purchase: string; readonly copyOf: string }
  | {
      readonly do: 'type_bill' | 'type_vendor_credit';
      readonly purchase: string;
      readonly vendor: number;
      readonly cents: number;
    }
  | { readonly do: 'pay_bill'; readonly purchase: string; readonly cents: number };

/** Describes a step as a person would say it. */
export function purchaseInWords(
  step: PurchaseStep,
  vendors: readonly Vendor[],
  shown: (cents: number) => string,
): string {
  const named = (vendor: number) => vendors[vendor]?.name ?? 'unknown';
  const { purchase } = step;
  switch (step.do) {
    case 'order':
    case 'report': {
      const lines = step.lines.map(({ what, cents }) => `${shown(cents)} of kind ${what + 1}`).join(', ');
      return `Autotask has ${purchase} of ${named(step.vendor)}: ${lines}.`;
    }
    case 'edit_purchase_in_psa':
      return `A user changes ${purchase} in Autotask by ${shown(step.cents)}.`;
    case 'withdraw':
      return `A user cancels or rejects ${purchase} in Autotask.`;
    case 'withdraw_no_more':
      return `A user submits or approves ${purchase} in Autotask again.`;
    case 'edit_purchase_in_accounting':
      return `A user changes ${purchase} in QuickBooks by ${shown(step.cents)}.`;
    case 'recode':
      return `A user gives the first line of ${purchase} another item or account in QuickBooks.`;
    case 'reclass':
      return `A user gives the first line of ${purchase} a class in QuickBooks.`;
    case 'give_to_other_vendor':
      return `A user gives ${purchase} to ${named(step.vendor)} in QuickBooks.`;
    case 'redate_purchase':
      return `A user moves ${purchase} to ${step.on} in QuickBooks.`;
    case 'delete_purchase':
      return `A user deletes ${purchase} in QuickBooks.`;
    case 'close_order':
    case 'reopen_order':
      return `A user ${step.do === 'close_order' ? 'closes' : 'reopens'} ${purchase} in QuickBooks.`;
    case 'type_purchase_again':
      return `A user types ${step.copyOf} into QuickBooks again, as ${purchase}.`;
    case 'pay_bill':
      return `A user pays ${shown(step.cents)} of ${purchase} in QuickBooks.`;
    default: {
      const what = step.do === 'type_bill' ? 'a bill' : 'a vendor credit';
      return `A user types ${what} of ${named(step.vendor)} over ${shown(step.cents)} into QuickBooks, as ${purchase}.`;
    }
  }
}
