import type { BooksReferenceData } from '../documents/reference-data.ts';
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
import { forecastTax } from './tax-forecast.ts';
import { taxRegimeOf } from './tax.ts';

/** One side of what a document books. Exactly one of the two amounts is there, and it is positive. */
export interface LedgerEntry {
  readonly account: string;
  readonly className: string | null;
  /** Payee of the tax, as far as the books tell us: the tax code. Null for an entry that is no tax. */
  readonly taxAgency: string | null;
  readonly debit: Decimal | null;
  readonly credit: Decimal | null;
}

/** Effect of a document on the ledger of the books, in its own currency. Debits and credits come to the same. */
export interface LedgerEffect {
  readonly entries: readonly LedgerEntry[];
  /** False where only the books know the tax: the entry of tax is then what the PSA billed. */
  readonly isTaxKnown: boolean;
}

/** An amount by what it is booked on: positive on the debit side. */
type Booking = Pick<LedgerEntry, 'account' | 'className' | 'taxAgency'> & { readonly amount: Decimal };

/**
 * Works out the ledger entries that a plan books once it is posted. A purchase order books nothing.
 *
 * @param about what the plan of a void does not say: what the document came to
 */
export function ledgerEffect(plan: Plan, books: BooksReferenceData, about: ViewedDocument): LedgerEffect {
  const names = createNames(plan, books);
  const command = lastCommand(plan);
  switch (command.do) {
    case 'create_invoice':
      return effectOfSale(command.document, plan, books, names, (amount) => amount);
    case 'create_credit_memo':
      return effectOfSale(command.document, plan, books, names, negate);
    case 'create_bill':
      return {
        entries: entriesOf(billsOf(plan).flatMap((bill) => bookingsOfBill(bill, books, names))),
        isTaxKnown: true,
      };
    case 'create_payment': {
      const { amount, depositAccountId } = command.payment;
      const deposit = depositAccountId === null ? 'Undeposited Funds' : names.account(depositAccountId);
      return {
        entries: entriesOf([booking(deposit, amount), booking(receivable(books), negate(amount))]),
        isTaxKnown: true,
      };
    }
    case 'update': {
      // Only the books know the lines of what stands, so the change is shown as what is owed more or less.
      if (command.to.do === 'create_purchase_order') return { entries: [], isTaxKnown: true };
      const isBill = command.to.do === 'create_bill';
      const subtotal = isBill ? sum(command.to.bill.lines.map(({ amount }) => amount)) : zero;
      const now = isBill ? subtotal : amountsOf(command.to.document, plan).total;
      const more = minus(now, command.was);
      const owed = command.to.do === 'create_invoice' ? more : negate(more);
      const control = isBill ? payable(books, command.to.bill, names) : receivable(books);
      return {
        entries: entriesOf([
          booking(control, owed),
          booking(isBill ? 'Costs of the document' : 'Income and tax of the document', negate(owed)),
        ]),
        isTaxKnown: true,
      };
    }
    case 'void': {
      // The PSA says of a credit that it is below zero.
      const total = absolute(about.amount ?? zero);
      const owed = command.type === 'CreditMemo' ? total : negate(total);
      // A void takes back the document line by line, and only the books know its lines.
      return {
        entries: entriesOf([booking(receivable(books), owed), booking('Income and tax of the document', negate(owed))]),
        isTaxKnown: true,
      };
    }
    default:
      return { entries: [], isTaxKnown: true };
  }
}

/** Several effects of one currency as one, by account, class and tax agency; what cancels out is left out. */
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
  books: BooksReferenceData,
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
  const taxes = taxesOf(document, tax, books, names).map(({ agency, amount }): Booking => ({
    account: 'Sales tax payable',
    className: null,
    taxAgency: agency,
    amount: turn(negate(amount)),
  }));
  return { entries: entriesOf([booking(receivable(books), turn(total)), ...income, ...taxes]), isTaxKnown };
}

/** The tax of a sale by code; as one amount where the codes do not come to it. */
function taxesOf(
  document: SalesDocument,
  tax: Decimal,
  books: BooksReferenceData,
  names: Names,
): readonly { readonly agency: string; readonly amount: Decimal }[] {
  const regime = taxRegimeOf(books);
  if (isZero(tax)) return [];
  const whole = [{ agency: names.tax(document.taxCodeId) ?? 'QuickBooks decides', amount: tax }];
  if (regime !== 'elsewhere') return whole;
  const parts = [...Map.groupBy(document.lines, ({ taxCode }) => taxCode)].map(([code, lines]) => ({
    agency: names.tax(code) ?? 'No tax code',
    amount: forecastTax(lines, regime, null, books) ?? zero,
  }));
  const all = sum(parts.map(({ amount }) => amount));
  return equals(all, tax) ? parts.filter(({ amount }) => !isZero(amount)) : [{ agency: 'All tax codes', amount: tax }];
}

function bookingsOfBill(bill: PurchaseForm, books: BooksReferenceData, names: Names): readonly Booking[] {
  const costs = bill.lines.map((line): Booking => ({
    account: line.by === 'item' ? names.expenseOf(line.item) : names.account(line.accountId),
    className: names.className(line.classId),
    taxAgency: null,
    amount: line.amount,
  }));
  return [...costs, booking(payable(books, bill, names), negate(sum(bill.lines.map(({ amount }) => amount))))];
}

const booking = (account: string, amount: Decimal): Booking => ({ account, className: null, taxAgency: null, amount });

const payable = (books: BooksReferenceData, { payableAccountId }: PurchaseForm, names: Names): string =>
  payableAccountId === null
    ? onlyAccount(books, 'AccountsPayable', 'Accounts Payable')
    : names.account(payableAccountId);

const receivable = (books: BooksReferenceData): string =>
  onlyAccount(books, 'AccountsReceivable', 'Accounts Receivable');

/** The account of a kind that the books take by themselves. */
function onlyAccount({ accounts }: BooksReferenceData, subType: string, otherwise: string): string {
  const [only, ...others] = accounts.filter((one) => one.subType === subType && one.isActive);
  return only === undefined || others.length > 0 ? otherwise : only.fullyQualifiedName;
}

/** Debits first, each by name; one entry for what is booked on the same place. */
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
