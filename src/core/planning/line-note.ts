import { format, type Decimal } from '../values/decimal.ts';

/** Column of the transcript where the amounts of a line begin. */
const amountsColumn = 72;

export interface LineAmounts {
  readonly amount: Decimal;
  /** Absent on lines by account, which have only an amount. */
  readonly quantity?: Decimal;
  readonly unitPrice?: Decimal;
}

/**
 * `Line 1  Hardware (charge) -> item 30 Hardware (name)    2 x 250.00 =   500.00 TAX`: aligns the amounts in columns.
 */
export function withAmounts(subject: string, { amount, quantity, unitPrice }: LineAmounts, after = ''): string {
  const product = quantity === undefined || unitPrice === undefined ? '' : `${quantity} x ${format(unitPrice)} = `;
  return `${subject.padEnd(amountsColumn - 2)}  ${product}${format(amount).padStart(8)} ${after}`.trimEnd();
}
