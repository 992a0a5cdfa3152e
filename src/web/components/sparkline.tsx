const height = 20;
const barWidth = 5;
const gap = 2;

/**
 * A row of small bars, one per day.
 *
 * @param label says what the bars show, for screen readers.
 */
export function Sparkline({ values, label }: { values: readonly number[]; label: string }) {
  const max = Math.max(1, ...values);
  return (
    <svg role="img" aria-label={label} width={values.length * (barWidth + gap) - gap} height={height}>
      <title>{label}</title>
      {values.map((value, index) => {
        // A day with documents is always visible.
        const size = value === 0 ? 1 : Math.max(3, Math.round((value / max) * height));
        return (
          <rect
            key={index}
            x={index * (barWidth + gap)}
            y={height - size}
            width={barWidth}
            height={size}
            rx={1}
            fill={value === 0 ? 'var(--tb-border-strong)' : 'var(--tb-accent)'}
          />
        );
      })}
    </svg>
  );
}
