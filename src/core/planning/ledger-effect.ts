import type { AccountingLists } from '../documents/reference-data.ts';
import {
  absolute,
  equals,
  isPositive,
  isZero,
  minus,
  negate,
  plus,
  sum,
  zero,
  type Decimal,
} from '../values/decimal.ts';
import { billsOf, lastCommand, type Plan, type PurchaseForm, type SalesDocument } from './plan.ts';
import { amountsOf, createNames, type Names, type ViewedDocument } from './plan-view.ts';
import { forecastTax, taxRegimeOf } from './tax.ts';

/** One ledger entry of a document. Exactly one of the two amounts is set, and it is positive. */
export interface LedgerEntry {
  readonly account: string;
  readonly className: string | null;
  /**
   * Payee of the tax, shown as the tax code, which is all that QuickBooks provides. Null for an entry that is not tax.
   */
  readonly taxAgency: string | null;
  readonly debit: Decimal | null;
  readonly credit: Decimal | null;
}

/** Ledger entries of a document, in its own currency. Debits equal credits. */
export interface LedgerEffect {
  readonly entries: readonly LedgerEntry[];
  /** False if only QuickBooks knows the tax; the tax entry then shows the amount that the PSA billed. */
  readonly isTaxKnown: boolean;
}

/** An amount and the account that it is booked on; positive is a debit. */
type Booking = Pick<LedgerEntry, 'account' | 'className' | 'taxAgency'> & { readonly amount: Decimal };

/**
 * Returns the ledger entries that a posted plan creates. A purchase order creates none.
 *
 * @param about amount of the document, which the plan of a void does not include
 */
export function ledgerEffect(plan: Plan, accounting: AccountingLists, about: ViewedDocument): LedgerEffect {
  const names = createNames(plan, accounting);
  const command = lastCommand(plan);
  switch (command.do) {
    case 'create_invoice':
      return effectOfSale(command.document, plan, accounting, names, (amount) => amount);
    case 'create_credit_memo':
      return effectOfSale(command.document, plan, accounting, names, negate);
    case 'create_bill':
      return {
        entries: entriesOf(billsOf(plan).flatMap((bill) => bookingsOfBill(bill, accounting, names))),
        isTaxKnown: true,
      };
    case 'create_payment': {
      const { amount, depositAccountId } = command.payment;
      const deposit = depositAccountId === null ? 'Undeposited Funds' : names.account(depositAccountId);
      return {
        entries: entriesOf([booking(deposit, amount), booking(receivable(accounting), negate(amount))]),
        isTaxKnown: true,
      };
    }
    case 'apply_payment':
      return { entries: [], isTaxKnown: true };
    case 'update': {
      // Only QuickBooks knows the posted lines, so the change is shown as the difference in what is owed.
      if (command.to.do === 'create_purchase_order') return { entries: [], isTaxKnown: true };
      const isBill = command.to.do === 'create_bill';
      const subtotal = isBill ? sum(command.to.bill.lines.map(({ amount }) => amount)) : zero;
      const planned = isBill ? subtotal : amountsOf(command.to.document, plan).total;
      const now = plus(planned, command.keptAmount ?? zero);
      const more = minus(now, command.was);
      const owed = command.to.do === 'create_invoice' ? more : negate(more);
      const control = isBill ? payable(accounting, command.to.bill, names) : receivable(accounting);
      return {
        entries: entriesOf([
          booking(control, owed),
          booking(isBill ? 'Costs of the document' : 'Income and tax of the document', negate(owed)),
        ]),
        isTaxKnown: true,
      };
    }
    case 'void': {
      // The PSA shows a credit as a negative amount.
      const total = absolute(about.amount ?? zero);
      const owed = command.type === 'CreditMemo' ? total : negate(total);
      // A void reverses the document line by line, and only QuickBooks knows its lines.
      return {
        entries: entriesOf([
          booking(receivable(accounting), owed),
          booking('Income and tax of the document', negate(owed)),
        ]),
        isTaxKnown: true,
      };
    }
    default:
      return { entries: [], isTaxKnown: true };
  }
}

/** Adds effects of one currency, by account, class and tax agency. Entries that cancel out are omitted. */
export const addEffects = (effects: readonly LedgerEffect[]): LedgerEffect => ({
  entries: entriesOf(
    effects.flatMap(({ entries }) =>
      entries.map(({ debit, credit, ...where }) => ({ ...where, amount: minus(debit ?? zero, credit ?? zero) })),
    ),
  ),
  isTaxKnown: effects.every(({ isTaxKnown }) => isTaxKnown),
});

/** @param turn the sign of an invoice's receivable for this document */
function effectOfSale(
  document: SalesDocument,
  plan: Plan,
  accounting: AccountingLists,
  names: Names,
  turn: (amount: Decimal) => Decimal,
): LedgerEffect {
  const { tax, total, isTaxKnown } = amountsOf(document, plan);
  const income = document.lines.map((line): Booking => ({
    account: names.incomeOf(line.item),
    className: names.className(line.classId ?? document.classId),
    taxAgency: null,
    amount: turn(negate(line.amount)),
  }));
  const taxes = taxesOf(document, tax, accounting, names).map(({ agency, amount }): Booking => ({
    account: 'Sales tax payable',
    className: null,
    taxAgency: agency,
    amount: turn(negate(amount)),
  }));
  return { entries: entriesOf([booking(receivable(accounting), turn(total)), ...income, ...taxes]), isTaxKnown };
}

/** Returns the tax of a sale by code, or as one amount if the tax by code does not add up to it. */
function taxesOf(
  document: SalesDocument,
  tax: Decimal,
  accounting: AccountingLists,
  names: Names,
): readonly { readonly agency: string; readonly amount: Decimal }[] {
  const regime = taxRegimeOf(accounting);
  if (isZero(tax)) return [];
  const whole = [{ agency: names.tax(document.taxCodeId) ?? 'QuickBooks decides', amount: tax }];
  if (regime !== 'elsewhere') return whole;
  const parts = [...Map.groupBy(document.lines, ({ taxCode }) => taxCode)].map(([code, lines]) => ({
    agency: names.tax(code) ?? 'No tax code',
    amount: forecastTax({ lines, regime, documentCode: null, on: document.datedOn, accounting }) ?? zero,
  }));
  const all = sum(parts.map(({ amount }) => amount));
  return equals(all, tax) ? parts.filter(({ amount }) => !isZero(amount)) : [{ agency: 'All tax codes', amount: tax }];
}

function bookingsOfBill(bill: PurchaseForm, accounting: AccountingLists, names: Names): readonly Booking[] {
  const costs = bill.lines.map((line): Booking => ({
    account: line.by === 'item' ? names.expenseOf(line.item) : names.account(line.accountId),
    className: names.className(line.classId),
    taxAgency: null,
    amount: line.amount,
  }));
  return [...costs, booking(payable(accounting, bill, names), negate(sum(bill.lines.map(({ amount }) => amount))))];
}

const booking = (account: string, amount: Decimal): Booking => ({ account, className: null, taxAgency: null, amount });

const payable = (accounting: AccountingLists, { payableAccountId }: PurchaseForm, names: Names): string =>
  payableAccountId === null
    ? onlyAccount(accounting, 'AccountsPayable', 'Accounts Payable')
    : names.account(payableAccountId);

const receivable = (accounting: AccountingLists): string =>
  onlyAccount(accounting, 'AccountsReceivable', 'Accounts Receivable');

/** Returns the account that QuickBooks uses automatically for this subtype. */
function onlyAccount({ accounts }: AccountingLists, subType: string, otherwise: string): string {
  const [only, ...others] = accounts.filter((account) => account.subType === subType && account.isActive);
  return only === undefined || others.length > 0 ? otherwise : only.fullyQualifiedName;
}

/** Returns one entry per account, class and tax agency: debits first, then by name. */
function entriesOf(bookings: readonly Booking[]): readonly LedgerEntry[] {
  const groups = Map.groupBy(bookings, ({ account, className, taxAgency }) =>
    JSON.stringify([account, className, taxAgency]),
  );
  return [...groups.values()]
    .flatMap((group): LedgerEntry[] => {
      const [first] = group;
      const amount = group.reduce((total, one) => plus(total, one.amount), zero);
      if (first === undefined || isZero(amount)) return [];
      const { account, className, taxAgency } = first;
      const isDebit = isPositive(amount);
      return [
        { account, className, taxAgency, debit: isDebit ? amount : null, credit: isDebit ? null : absolute(amount) },
      ];
    })
    .toSorted(
      (a, b) => Number(a.debit === null) - Number(b.debit === null) || a.account.localeCompare(b.account, 'en'),
    );
}
