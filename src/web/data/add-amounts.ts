import { withoutTrailing } from '#core/values/text.ts';

const shape = /^([+-]?)(\d+)(?:\.(\d+))?$/;

/** Returns true for decimal text without an exponent, the format of amounts in the API. */
export const isPlainAmount = (text: string): boolean => shape.test(text);

/**
 * Adds two exact amounts in decimal text without loading the arithmetic of the core.
 *
 * @returns canonical text: no trailing zeros, no sign before 0.
 * @throws RangeError when one of them is not a {@link isPlainAmount plain amount}.
 */
export function addAmounts(one: string, other: string): string {
  const places = Math.max(placesOf(one), placesOf(other));
  const total = scaled(one, places) + scaled(other, places);
  const digits = String(total < 0n ? -total : total).padStart(places + 1, '0');
  const fraction = withoutTrailing(digits.slice(digits.length - places), '0');
  const whole = digits.slice(0, digits.length - places);
  return `${total < 0n ? '-' : ''}${whole}${places === 0 || fraction === '' ? '' : `.${fraction}`}`;
}

const placesOf = (amount: string): number => shape.exec(amount)?.[3]?.length ?? 0;

function scaled(amount: string, places: number): bigint {
  const [, sign, whole, fraction = ''] = shape.exec(amount) ?? [];
  if (whole === undefined) throw new RangeError(`Not a plain amount: ${JSON.stringify(amount)}`);
  const value = BigInt(`${whole}${fraction.padEnd(places, '0')}`);
  return sign === '-' ? -value : value;
}
