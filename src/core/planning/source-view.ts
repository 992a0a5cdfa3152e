import type { ExpenseReport } from '../documents/expense-report.ts';
import type { Invoice, InvoiceLine } from '../documents/invoice.ts';
import type { PurchaseOrder, PurchaseOrderLine } from '../documents/purchase-order.ts';
import type { ProblemDocument } from '../problems.ts';
import type { CalendarDate } from '../values/dates.ts';
import { isZero, negate, round2, times, zero, type Decimal } from '../values/decimal.ts';
import { presence } from '../values/text.ts';

/** A document as the PSA says it: what a person compares with the document that the books get. */
export interface SourceView {
  /** The customer, the vendor or the employee, by the PSA's name. */
  readonly party: string | null;
  readonly number: string | null;
  readonly datedOn: CalendarDate | null;
  readonly dueOn: CalendarDate | null;
  readonly lines: readonly SourceLine[];
  readonly tax: Decimal;
  /** Tax included; a credit memo is negative, as in the PSA. */
  readonly total: Decimal;
}

export interface SourceLine {
  readonly description: string;
  readonly quantity: Decimal | null;
  readonly unitPrice: Decimal | null;
  readonly amount: Decimal;
}

const headOf = ({ party, number, on }: ProblemDocument) => ({ party, number, datedOn: on });

/**
 * An invoice as the PSA prints it.
 *
 * @param amountOf what a line is charged, without tax; `rateOf` the price of one before a discount, both in the currency
 * that is sent
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
      presence(line.fullDescription) ??
      [line.itemName, line.description].filter((part) => presence(part) !== null).join(': '),
    quantity: line.quantity,
    unitPrice: rateOf(line),
    amount: amountOf(line),
  })),
  tax: invoice.tax,
  total: invoice.total,
});

/** An order as the PSA shows it. @param costOfOne, `freight` in the currency that is sent */
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

/** A report as the PSA shows it, what is not reimbursed among it, and the cash advance taken off. */
export const sourceOfReport = (report: ExpenseReport, about: ProblemDocument): SourceView => {
  const advance = round2(report.cashAdvance);
  return {
    ...headOf(about),
    dueOn: null,
    lines: [
      ...report.items.map(({ categoryName, description, amount }) => ({
        description: [categoryName, description].filter((part) => presence(part) !== null).join(': '),
        quantity: null,
        unitPrice: null,
        amount: round2(amount),
      })),
      ...(isZero(advance)
        ? []
        : [{ description: 'Cash advance', quantity: null, unitPrice: null, amount: negate(advance) }]),
    ],
    tax: zero,
    total: about.amount ?? zero,
  };
};
