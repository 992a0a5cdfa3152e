/** The ends of an axis, and its labels. */
export interface Axis {
  readonly min: number;
  readonly max: number;
  readonly labels: readonly [number, number, number] | readonly [number, number];
}

/** Steps that people read easily, times a power of ten. */
const steps = [1, 2, 3, 4, 5, 6, 8, 10];

/**
 * Returns an axis that holds all values and zero, with at most three labels.
 *
 * @param values amounts as numbers, because they are only drawn
 */
export function axisOf(values: readonly number[]): Axis {
  const max = roundedUp(Math.max(0, ...values));
  const min = 0 - roundedUp(-Math.min(0, ...values));
  if (max === 0 && min === 0) return { min: 0, max: 1, labels: [0, 1] };
  if (min === 0) return { min, max, labels: [0, max / 2, max] };
  return max === 0 ? { min, max: 0, labels: [min, min / 2, 0] } : { min, max, labels: [min, 0, max] };
}

function roundedUp(value: number): number {
  if (value <= 0) return 0;
  const power = 10 ** Math.floor(Math.log10(value));
  return (steps.find((step) => step * power >= value) ?? 10) * power;
}
