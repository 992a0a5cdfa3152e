import { type ComponentType, lazy, Suspense, useEffect, useState } from 'react';
import { queryClient } from './queries.ts';

/** Maximum wait, for browsers that are never idle and screens that never stop loading. */
const maxWaitMs = 4_000;
const retryDelayMs = 200;

/**
 * Calls `act` when the browser is idle and the screen has loaded its data, so that it does not slow down a slow
 * connection.
 *
 * @returns a function that cancels the call.
 */
export function whenIdle(act: () => void): () => void {
  const startedMs = performance.now();
  // Safari has no idle callbacks.
  const hasIdle = 'requestIdleCallback' in window;
  let callOff = (): void => undefined;
  const wait = (): void => {
    const handle = hasIdle ? requestIdleCallback(look, { timeout: maxWaitMs }) : window.setTimeout(look, 1_000);
    callOff = () => (hasIdle ? cancelIdleCallback(handle) : clearTimeout(handle));
  };
  const look = (): void => {
    if (queryClient.isFetching() === 0 || performance.now() - startedMs > maxWaitMs) {
      act();
      return;
    }
    const timer = setTimeout(wait, retryDelayMs);
    callOff = () => clearTimeout(timer);
  };
  wait();
  return () => callOff();
}

/**
 * Loads the code of a rarely used part of a screen, e.g. for one role, when it is first rendered. Renders nothing until
 * then.
 */
export function lazyComponent<Props extends object>(load: () => Promise<ComponentType<Props>>): ComponentType<Props> {
  const Part = lazy(async () => ({ default: await load() }));
  return (props: Props) => (
    <Suspense>
      <Part {...props} />
    </Suspense>
  );
}

/**
 * Loads the code of a dialog when the browser is idle or when the dialog opens. After the first opening the dialog
 * stays mounted, so that its closing is animated.
 *
 * @param isOpen returns whether these properties show the dialog.
 */
export function lazyDialog<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
  isOpen: (props: Props) => boolean,
): ComponentType<Props> {
  const Part = lazyComponent(load);
  return (props: Props) => {
    const [wasOpen, setWasOpen] = useState(false);
    if (!wasOpen && isOpen(props)) setWasOpen(true);
    useEffect(() => whenIdle(() => void load().catch(() => undefined)), []);
    return wasOpen ? <Part {...props} /> : null;
  };
}
