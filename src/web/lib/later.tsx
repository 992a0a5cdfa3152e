import { type ComponentType, lazy, Suspense, useEffect, useState } from 'react';
import { queryClient } from './queries.ts';

/** A browser that never rests, and a screen that never stops asking, load what is left after this. */
const longestWaitMs = 4_000;
const askAgainMs = 200;

/**
 * Calls once the browser has nothing else to do and the screen has what it asked the server for: on a slow line the rest
 * would take that its way.
 *
 * @returns the way to call it off.
 */
export function whenIdle(act: () => void): () => void {
  const startedMs = performance.now();
  // Safari has no idle callbacks.
  const hasIdle = 'requestIdleCallback' in window;
  let callOff = (): void => undefined;
  const wait = (): void => {
    const handle = hasIdle ? requestIdleCallback(look, { timeout: longestWaitMs }) : window.setTimeout(look, 1_000);
    callOff = () => (hasIdle ? cancelIdleCallback(handle) : clearTimeout(handle));
  };
  const look = (): void => {
    if (queryClient.isFetching() === 0 || performance.now() - startedMs > longestWaitMs) {
      act();
      return;
    }
    const timer = setTimeout(wait, askAgainMs);
    callOff = () => clearTimeout(timer);
  };
  wait();
  return () => callOff();
}

/**
 * A part of a screen that is drawn only under some circumstances, e.g. for one role: its code comes when it is drawn for
 * the first time. Until then nothing stands in its place.
 */
export function comesWhenDrawn<Props extends object>(load: () => Promise<ComponentType<Props>>): ComponentType<Props> {
  const Part = lazy(async () => ({ default: await load() }));
  return (props: Props) => (
    <Suspense>
      <Part {...props} />
    </Suspense>
  );
}

/**
 * A dialog that is drawn with its screen, open or not: its code comes when the browser is idle, or when it is opened
 * before. Once it was open it stays, so that it can close with grace.
 *
 * @param isOpen whether these properties show the dialog.
 */
export function comesWhenOpened<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
  isOpen: (props: Props) => boolean,
): ComponentType<Props> {
  const Part = comesWhenDrawn(load);
  return (props: Props) => {
    const [wasOpen, setWasOpen] = useState(false);
    if (!wasOpen && isOpen(props)) setWasOpen(true);
    useEffect(() => whenIdle(() => void load().catch(() => undefined)), []);
    return wasOpen ? <Part {...props} /> : null;
  };
}
