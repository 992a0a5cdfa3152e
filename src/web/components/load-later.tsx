import { type ComponentType, lazy, type ReactNode, Suspense, useState } from 'react';
import { queryClient } from '../data/queries.ts';

/** How long the connection must be free before other code is loaded. */
const delayMs = 2_000;

/** Loads code when the first screen has its data, so that it has the connection and the processor for itself. */
function loadWhenIdle(load: () => Promise<unknown>): void {
  setTimeout(() => {
    if (queryClient.isFetching() > 0) loadWhenIdle(load);
    else void load().catch(() => undefined);
  }, delayMs);
}

/**
 * Returns a component whose code loads shortly after the page, so that it also opens offline, or when it is first shown.
 *
 * @param load imports the component.
 */
export function loadLater<P extends object>(load: () => Promise<ComponentType<P>>) {
  // A failed attempt is repeated when the component is shown.
  loadWhenIdle(load);
  return lazy(async () => ({ default: await load() }));
}

/** Mounts lazily loaded parts when they are first needed, and keeps them, so that they can close with a transition. */
export function OnDemand({ isNeeded, children }: { isNeeded: boolean; children: ReactNode }) {
  const [wasNeeded, setWasNeeded] = useState(isNeeded);
  if (isNeeded && !wasNeeded) setWasNeeded(true);
  return wasNeeded ? <Suspense>{children}</Suspense> : null;
}
