/**
 * A line without axes, which shows only the course of a figure. Its values are shown next to it or in the chart.
 *
 * @param values one per day, at least two; as numbers, because they are only drawn
 */
export function Sparkline({ values }: { values: readonly number[] }) {
  const low = Math.min(0, ...values);
  const span = Math.max(...values) - low || 1;
  const points = values.map(
    (value, index) => `${(index / Math.max(1, values.length - 1)) * 100},${23 - ((value - low) / span) * 22}`,
  );
  return (
    <svg width={96} height={24} viewBox="0 0 100 24" preserveAspectRatio="none" aria-hidden="true">
      <polyline
        points={points.join(' ')}
        fill="none"
        stroke="var(--tb-accent)"
        strokeWidth={1.5}
        vectorEffect="non-scaling-stroke"
      />
    </svg>
  );
}
