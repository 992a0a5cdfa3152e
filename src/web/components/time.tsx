import { formatRelativeTime, formatDateTime, formatExactTime } from '../data/format.ts';
import { useNow } from '../data/use-now.ts';
import { useTimeZone } from '../data/use-time-zone.ts';

/** A relative time that updates; the exact time is in the tooltip. */
export function RelativeTime({ at }: { at: string }) {
  const nowMs = useNow();
  const timeZone = useTimeZone();
  return (
    <time dateTime={at} title={formatExactTime(at, timeZone)}>
      {formatRelativeTime(at, nowMs, timeZone)}
    </time>
  );
}

/** Date and time; with seconds and zone in the tooltip. */
export function DateTime({ at }: { at: string }) {
  const timeZone = useTimeZone();
  return (
    <time dateTime={at} title={formatExactTime(at, timeZone)}>
      {formatDateTime(at, timeZone)}
    </time>
  );
}
