/**
 * Converts an amount to cents, without the product's decimal code.
 *
 * @param amount a JSON number from a service, with at most seven decimals.
 * @returns cents; half a cent is rounded away from zero, as in both services.
 */
export function centsOf(amount: unknown): number {
  if (typeof amount !== 'number') throw new TypeError(`not an amount: ${JSON.stringify(amount)}`);
  const [whole = '0', parts = ''] = Math.abs(amount).toFixed(7).split('.');
  const exact = BigInt(whole + parts);
  const rounded = Number((exact + 50_000n) / 100_000n);
  return amount < 0 && rounded !== 0 ? -rounded : rounded;
}

/** Formats cents, for example `1234.50`. */
export const shownCents = (cents: number): string =>
  `${cents < 0 ? '-' : ''}${Math.floor(Math.abs(cents) / 100)}.${String(Math.abs(cents) % 100).padStart(2, '0')}`;

/** Sums of cents by name. */
export class Sums {
  readonly #sums = new Map<string, number>();

  add(name: string, cents: number): void {
    this.#sums.set(name, (this.#sums.get(name) ?? 0) + cents);
  }

  /** Returns nonzero sums, sorted by name. */
  shown(): Record<string, string> {
    const found = [...this.#sums].filter(([, cents]) => cents !== 0).sort(([a], [b]) => (a < b ? -1 : 1));
    return Object.fromEntries(found.map(([name, cents]) => [name, shownCents(cents)]));
  }
}
