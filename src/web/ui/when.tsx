import { useSyncExternalStore } from 'react';
import { sayWhen, setExactTime } from '../lib/format.ts';

const tickMs = 20_000;

/** An instant in everyday words that keep up with the time; the exact one is in the tooltip. */
export function When({ at }: { at: string }) {
  const nowMs = useSyncExternalStore(subscribe, lastTick);
  return (
    <time dateTime={at} title={setExactTime(at)}>
      {sayWhen(at, nowMs)}
    </time>
  );
}

const lastTick = (): number => Math.floor(Date.now() / tickMs) * tickMs;

function subscribe(listener: () => void): () => void {
  const timer = setInterval(listener, tickMs);
  return () => clearInterval(timer);
}
