import { formatRelativeTime, formatDateTime, formatExactTime } from '../data/format.ts';
import { useNow } from '../data/use-now.ts';
import { useTimeZone } from '../data/use-time-zone.ts';

/**
 * A relative time that updates; the exact time is in the tooltip.
 *
 * @param zone another time zone than that of the screens
 */
export function RelativeTime({ at, zone }: { at: string; zone?: string }) {
  const nowMs = useNow();
  const ownZone = useTimeZone();
  const timeZone = zone ?? ownZone;
  return (
    <time dateTime={at} title={formatExactTime(at, timeZone)}>
      {formatRelativeTime(at, nowMs, timeZone)}
    </time>
  );
}

/**
 * Date and time; with seconds and zone in the tooltip.
 *
 * @param zone another time zone than that of the screens
 */
export function DateTime({ at, zone }: { at: string; zone?: string }) {
  const ownZone = useTimeZone();
  const timeZone = zone ?? ownZone;
  return (
    <time dateTime={at} title={formatExactTime(at, timeZone)}>
      {formatDateTime(at, timeZone)}
    </time>
  );
}
