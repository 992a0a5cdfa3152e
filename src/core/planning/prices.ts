import {
  decimal,
  divide,
  equals,
  format,
  isZero,
  round,
  round2,
  times,
  zero,
  type Decimal,
} from '../values/decimal.ts';

/** Quantity and unit price of a line; `round2(quantity × unitPrice)` equals its amount. */
export interface Price {
  readonly quantity: Decimal;
  readonly unitPrice: Decimal;
  /** Text before the description: quantity and rate, if the line itself cannot show them. Usually empty. */
  readonly prefix: string;
}

const one = decimal(1);
/** Decimals that QuickBooks stores (domain reference 6.5, 18 point 6). */
export const pricePlaces = 5;
/** Decimals of PSA prices. */
const exactPlaces = 7;

/**
 * Finds the price that yields an amount (domain reference 5.6).
 *
 * The PSA's rate is printed if it yields the amount. QuickBooks rejects a line whose amount is not quantity × price
 * after rounding, so otherwise another price is computed. If no price with 5 decimals yields the amount, the line
 * becomes 1 × the amount.
 *
 * Invariant: `round2(quantity × unitPrice)` equals the amount.
 *
 * @param amount already rounded to cents
 * @param rate the unit price in the PSA
 */
export function priceOf(quantity: Decimal, amount: Decimal, rate: Decimal): Price {
  const sent = round(quantity, pricePlaces);
  const printed = round(rate, pricePlaces);
  if (!isZero(sent) && !isZero(printed) && equals(round2(times(sent, printed)), amount))
    return { quantity: sent, unitPrice: printed, prefix: '' };
  if (isZero(sent)) return isZero(amount) ? { quantity: zero, unitPrice: zero, prefix: '' } : single(amount, '');
  const unitPrice = divide(amount, sent, pricePlaces);
  if (equals(round2(times(sent, unitPrice)), amount)) return { quantity: sent, unitPrice, prefix: '' };
  return single(amount, `${format(quantity, 0)} × ${format(divide(amount, quantity, exactPlaces))} – `);
}

/**
 * Returns the amount of a cost and the price to send. The price is the unit cost if it yields the amount, so QuickBooks
 * shows the vendor's price (domain reference 9.3).
 *
 * Invariant: `round2(quantity × unitPrice)` equals the amount.
 */
export function costOf(quantity: Decimal, unitCost: Decimal): Price & { readonly amount: Decimal } {
  const amount = round2(times(quantity, unitCost));
  const [sent, unitPrice] = [round(quantity, pricePlaces), round(unitCost, pricePlaces)];
  return equals(round2(times(sent, unitPrice)), amount)
    ? { amount, quantity: sent, unitPrice, prefix: '' }
    : { amount, ...priceOf(quantity, amount, unitCost) };
}

const single = (amount: Decimal, prefix: string): Price => ({ quantity: one, unitPrice: amount, prefix });
