import { sayWhen, setExactTime } from '../lib/format.ts';
import { useNow } from '../lib/now.ts';

/** An instant in everyday words that keep up with the time; the exact one is in the tooltip. */
export function When({ at }: { at: string }) {
  const nowMs = useNow();
  return (
    <time dateTime={at} title={setExactTime(at)}>
      {sayWhen(at, nowMs)}
    </time>
  );
}
