import { sayWhen, setDateTimeIn, setTimeIn } from '../lib/format.ts';
import { useNow } from '../lib/now.ts';
import { useTimeZone } from '../lib/use-time-zone.ts';

/** A relative time that updates; the exact time is in the tooltip. */
export function When({ at }: { at: string }) {
  const nowMs = useNow();
  const timeZone = useTimeZone();
  return (
    <time dateTime={at} title={setTimeIn(at, timeZone)}>
      {sayWhen(at, nowMs, timeZone)}
    </time>
  );
}

/** Date and time; with seconds and zone in the tooltip. */
export function DateTime({ at }: { at: string }) {
  const timeZone = useTimeZone();
  return (
    <time dateTime={at} title={setTimeIn(at, timeZone)}>
      {setDateTimeIn(at, timeZone)}
    </time>
  );
}
