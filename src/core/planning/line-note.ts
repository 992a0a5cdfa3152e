import { format, type Decimal } from '../values/decimal.ts';

/** Column of the transcript where the figures of a line begin. */
const figuresColumn = 72;

export interface Figures {
  readonly amount: Decimal;
  /** Absent on lines by account, which have only an amount. */
  readonly quantity?: Decimal;
  readonly unitPrice?: Decimal;
}

/**
 * `Line 1  Hardware (charge) -> item 30 Hardware (name)    2 x 250.00 =   500.00 TAX`: aligns the figures in columns.
 */
export function withFigures(subject: string, { amount, quantity, unitPrice }: Figures, after = ''): string {
  const product = quantity === undefined || unitPrice === undefined ? '' : `${quantity} x ${format(unitPrice)} = `;
  return `${subject.padEnd(figuresColumn - 2)}  ${product}${format(amount).padStart(8)} ${after}`.trimEnd();
}
