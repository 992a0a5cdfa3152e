import { Decimal as Big } from 'decimal.js';

declare const brand: unique symbol;

/**
 * An exact decimal number as canonical text: no exponent, no leading `+`, no trailing zeros, `-0` is `0`.
 * Plain text survives JSON and databases unchanged, so amounts never pass through binary floating point.
 */
export type Decimal = string & { readonly [brand]: 'Decimal' };

const Exact = Big.clone({ precision: 60, rounding: Big.ROUND_HALF_UP, toExpNeg: -1_000, toExpPos: 1_000 });

const shape = /^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d{1,3})?$/i;

/** Matches text that is already canonical, as nearly all input is. */
const canonicalShape = /^(0|-?([1-9]\d*|(0|[1-9]\d*)\.\d*[1-9]))$/;

const canonical = (value: Big): Decimal => (value.isZero() ? '0' : value.toFixed()) as Decimal;

/**
 * Reads a decimal from text (`"12.50"`, `"1e-7"`) or from a whole JavaScript number.
 *
 * @throws RangeError when the text is no decimal number, or the number is not a safe integer: fractions must come as
 *   text, because a float has already lost digits.
 */
export function decimal(value: string | number): Decimal {
  if (typeof value === 'number') {
    if (!Number.isSafeInteger(value)) throw new RangeError(`Not an exact whole number: ${value}`);
    // Zero has no sign as text either.
    return String(value) as Decimal;
  }
  if (canonicalShape.test(value)) return value as Decimal;
  if (!shape.test(value)) throw new RangeError(`Not a decimal number: ${JSON.stringify(value)}`);
  return canonical(new Exact(value));
}

/** True when {@link decimal} would accept the text. */
export const isDecimal = (text: string): boolean => shape.test(text);

export const zero: Decimal = '0' as Decimal;

export const plus = (a: Decimal, b: Decimal): Decimal => canonical(new Exact(a).plus(b));
export const minus = (a: Decimal, b: Decimal): Decimal => canonical(new Exact(a).minus(b));
export const times = (a: Decimal, b: Decimal): Decimal => canonical(new Exact(a).times(b));
export const absolute = (a: Decimal): Decimal => decimal(a.startsWith('-') ? a.slice(1) : a);
export const negate = (a: Decimal): Decimal => (isPositive(a) ? decimal(`-${a}`) : absolute(a));

/** Adds up any number of decimals; the sum of none is 0. */
export const sum = (values: Iterable<Decimal>): Decimal => {
  let total = new Exact(0);
  for (const value of values) total = total.plus(value);
  return canonical(total);
};

/** Digits behind the point. */
const placesOf = (a: Decimal): number => (a.includes('.') ? a.length - a.indexOf('.') - 1 : 0);

/** Rounds half up, away from zero for negatives, to the given number of decimal places (domain reference, conventions). */
export const round = (a: Decimal, places: number): Decimal =>
  placesOf(a) <= places ? decimal(a) : canonical(new Exact(a).toDecimalPlaces(places, Big.ROUND_HALF_UP));

/** Rounds an amount of money to cents: the only rounding of amounts, done once per line. */
export const round2 = (a: Decimal): Decimal => round(a, 2);

/**
 * Divides and rounds half up to the given number of decimal places.
 *
 * @throws RangeError when the divisor is 0.
 */
export function divide(a: Decimal, b: Decimal, places: number): Decimal {
  if (isZero(b)) throw new RangeError('Division by zero');
  return canonical(new Exact(a).dividedBy(b).toDecimalPlaces(places, Big.ROUND_HALF_UP));
}

/** Negative, zero or positive as `a` is less than, equal to or greater than `b`. */
export const compare = (a: Decimal, b: Decimal): number => new Exact(a).comparedTo(b);
export const equals = (a: Decimal, b: Decimal): boolean => compare(a, b) === 0;
/** The smaller of two decimals. */
export const smaller = (a: Decimal, b: Decimal): Decimal => canonical(Exact.min(a, b));
export const isZero = (a: Decimal): boolean => !/[1-9]/.test(a);
export const isNegative = (a: Decimal): boolean => a.startsWith('-') && !isZero(a);
export const isPositive = (a: Decimal): boolean => !a.startsWith('-') && !isZero(a);

/** Amount with its sign and two digits: `+1.88`, `-0.03`. */
export const signed = (a: Decimal): string => `${isPositive(a) ? '+' : ''}${format(a)}`;

/** Whole cents for a table or a program, e.g. `1966.25` and `200.00`. */
export const fixed = (a: Decimal): string => new Exact(round2(a)).toFixed(2);

const grouping = new Intl.NumberFormat('en-US');

/**
 * Formats a decimal: thousands separators and at least `places` decimals, e.g. `1,966.25`.
 *
 * @param places minimum number of decimals; more digits are shown if the value has them.
 */
export function format(a: Decimal, places = 2): string {
  const [whole = '0', fraction = ''] = absolute(a).split('.');
  const grouped = grouping.format(BigInt(whole));
  const decimals = fraction.padEnd(places, '0');
  return `${isNegative(a) ? '-' : ''}${grouped}${decimals === '' ? '' : `.${decimals}`}`;
}
