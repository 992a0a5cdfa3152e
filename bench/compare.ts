/**
 * The two-sample Kolmogorov-Smirnov test: the probability that two samples of one distribution differ this much.
 *
 * @returns `distance`, the largest gap between the two distributions (0 to 1), and `p`; a small `p` means that they
 * differ.
 */
export function kolmogorovSmirnov(
  one: readonly number[],
  other: readonly number[],
): { readonly distance: number; readonly p: number } {
  const [a, b] = [one.toSorted((x, y) => x - y), other.toSorted((x, y) => x - y)];
  let [i, j, distance] = [0, 0, 0];
  while (i < a.length && j < b.length) {
    const value = Math.min(a[i] ?? Infinity, b[j] ?? Infinity);
    while (i < a.length && a[i] === value) i += 1;
    while (j < b.length && b[j] === value) j += 1;
    distance = Math.max(distance, Math.abs(i / a.length - j / b.length));
  }
  const root = Math.sqrt((a.length * b.length) / (a.length + b.length));
  const lambda = (root + 0.12 + 0.11 / root) * distance;
  let p = 0;
  for (let k = 1; k <= 100; k += 1) p += (k % 2 === 1 ? 2 : -2) * Math.exp(-2 * k * k * lambda * lambda);
  return { distance, p: lambda < 0.2 ? 1 : Math.min(1, Math.max(0, p)) };
}

/** Returns the quantile of a sample: the value below which the given share of it lies. */
export function quantile(sample: readonly number[], share: number): number {
  const sorted = sample.toSorted((x, y) => x - y);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN;
}
