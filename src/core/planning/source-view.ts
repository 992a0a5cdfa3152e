import type { ExpenseReport } from '../documents/expense-report.ts';
import type { Invoice, InvoiceLine } from '../documents/invoice.ts';
import type { PurchaseOrder, PurchaseOrderLine } from '../documents/purchase-order.ts';
import type { ProblemDocument } from '../problems.ts';
import type { CalendarDate } from '../values/dates.ts';
import { format, isZero, negate, round2, sum, times, zero, type Decimal } from '../values/decimal.ts';
import { textOrNull } from '../values/text.ts';

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

export interface SourceLine {
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
