/**
 * Money of the tests' own ledgers: whole cents, counted apart from the product's decimals.
 *
 * @param amount a JSON number of either service, with at most seven decimals
 * @returns cents, half a cent rounded away from zero, as both services round
 */
export function centsOf(amount: unknown): number {
  if (typeof amount !== 'number') throw new TypeError(`no amount: ${JSON.stringify(amount)}`);
  const [whole = '0', parts = ''] = Math.abs(amount).toFixed(7).split('.');
  const exact = BigInt(whole + parts);
  const rounded = Number((exact + 50_000n) / 100_000n);
  return amount < 0 && rounded !== 0 ? -rounded : rounded;
}

/** `1234.50` */
export const shownCents = (cents: number): string =>
  `${cents < 0 ? '-' : ''}${Math.floor(Math.abs(cents) / 100)}.${String(Math.abs(cents) % 100).padStart(2, '0')}`;

/** Sums of cents by name. */
export class Sums {
  readonly #sums = new Map<string, number>();

  add(name: string, cents: number): void {
    this.#sums.set(name, (this.#sums.get(name) ?? 0) + cents);
  }

  /** Sorted by name, without those that came to nothing. */
  shown(): Record<string, string> {
    const found = [...this.#sums].filter(([, cents]) => cents !== 0).sort(([a], [b]) => (a < b ? -1 : 1));
    return Object.fromEntries(found.map(([name, cents]) => [name, shownCents(cents)]));
  }
}
