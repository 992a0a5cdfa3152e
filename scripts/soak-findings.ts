/** One minute of a soak: the process, its database, and its work. */
export interface Sample {
  /** Resident memory of the product's process, in MiB. */
  readonly memoryMb: number;
  /** Memory of live objects in MiB, as last measured after a garbage collection. */
  readonly aliveMb: number;
  /** Open files and sockets of the process. */
  readonly handles: number;
  /** Open connections of its database. */
  readonly connections: number;
  /** Median lag of the event loop, in milliseconds. */
  readonly lagMs: number;
  /** Seconds from submitting the minute's invoices to the end of their job. */
  readonly jobSeconds: number;
  /** Groups that wait for a person. */
  readonly unfinished: number;
  /** Unhandled promise rejections since the start. */
  readonly unhandled: number;
}

const figures = ['memoryMb', 'aliveMb', 'handles', 'connections', 'lagMs', 'jobSeconds', 'unfinished'] as const;
type Figure = (typeof figures)[number];

/** How far a figure may exceed its earlier median: a share of it, and an amount below which it is ignored. */
const allowed: Readonly<Record<Figure, readonly [share: number, amount: number]>> = {
  memoryMb: [0.2, 30],
  aliveMb: [0.2, 10],
  handles: [0.1, 8],
  connections: [0.1, 4],
  lagMs: [1, 20],
  jobSeconds: [0.5, 3],
  unfinished: [0, 2],
};

const median = (numbers: readonly number[]): number => {
  const sorted = numbers.toSorted((one, other) => one - other);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
};

/**
 * Returns the medians of the second and the last quarter: caches are full by the second, and a leak continues to grow.
 */
export function medians(
  samples: readonly Sample[],
): Readonly<Record<Figure, { readonly early: number; readonly late: number }>> {
  const quarter = Math.ceil(samples.length / 4);
  const [early, late] = [samples.slice(quarter, 2 * quarter), samples.slice(-quarter)];
  const entries = figures.map((figure) => [
    figure,
    { early: median(early.map((one) => one[figure])), late: median(late.map((one) => one[figure])) },
  ]);
  return Object.fromEntries(entries) as ReturnType<typeof medians>;
}

/**
 * Finds figures that grow with time, and unhandled rejections.
 *
 * @returns a sentence for each; empty when all is flat. Fewer than eight samples are not checked for growth.
 */
export function findingsOf(samples: readonly Sample[]): readonly string[] {
  const unhandled = samples.at(-1)?.unhandled ?? 0;
  const rejected = unhandled > 0 ? [`${unhandled} unhandled promise rejections`] : [];
  if (samples.length < 8) return rejected;
  const both = medians(samples);
  return [
    ...rejected,
    ...figures.flatMap((figure) => {
      const { early, late } = both[figure];
      const [share, amount] = allowed[figure];
      return late > early * (1 + share) && late - early > amount ? [`${figure} grows: ${early}, later ${late}`] : [];
    }),
  ];
}
