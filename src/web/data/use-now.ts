import { useSyncExternalStore } from 'react';

const tickMs = 20_000;

/** Returns the current time in milliseconds since 1970 for components; updates every 20 seconds. */
export const useNow = (): number => useSyncExternalStore(subscribe, lastTick);

const lastTick = (): number => Math.floor(Date.now() / tickMs) * tickMs;

function subscribe(listener: () => void): () => void {
  const timer = setInterval(listener, tickMs);
  return () => clearInterval(timer);
}
