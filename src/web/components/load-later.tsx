import { type ComponentType, lazy, type ReactNode, Suspense, useState } from 'react';

/** How long the first screen and its data have the connection for themselves. */
const delayMs = 2_000;

/**
 * Returns a component whose code loads shortly after the page, so that it also opens offline, or when it is first shown.
 *
 * @param load imports the component.
 */
export function loadLater<P extends object>(load: () => Promise<ComponentType<P>>) {
  // A failed attempt is repeated when the component is shown.
  setTimeout(() => void load().catch(() => undefined), delayMs);
  return lazy(async () => ({ default: await load() }));
}

/** Mounts lazily loaded parts when they are first needed, and keeps them, so that they can close with a transition. */
export function OnDemand({ isNeeded, children }: { isNeeded: boolean; children: ReactNode }) {
  const [wasNeeded, setWasNeeded] = useState(isNeeded);
  if (isNeeded && !wasNeeded) setWasNeeded(true);
  return wasNeeded ? <Suspense>{children}</Suspense> : null;
}
