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

/** Quantity and unit price of a line, such that `round2(quantity × unitPrice)` is its amount. */
export interface Price {
  readonly quantity: Decimal;
  readonly unitPrice: Decimal;
  /** Goes before the description: tells quantity and rate where the line itself cannot. Mostly empty. */
  readonly prefix: string;
}

const one = decimal(1);
/** Digits after the point that the books keep (domain reference 6.5, 18 point 6). */
export const pricePlaces = 5;
/** Digits that PSA prices carry. */
const exactPlaces = 7;

/**
 * Finds the price that makes an amount (domain reference 5.6). The rate that the client knows is printed wherever it
 * makes the amount; the books refuse a line whose amount is not quantity × price after rounding, so otherwise another
 * price is found, and an amount that no price of 5 digits yields becomes 1 × itself.
 *
 * Invariant: `round2(quantity × unitPrice)` equals the amount.
 *
 * @param amount rounded to cents already
 * @param rate the PSA's own price of one
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
 * Finds the amount of a cost and the price to send with it: the cost itself wherever it yields the amount, so that the
 * books show what the vendor asks for one (domain reference 9.3).
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
