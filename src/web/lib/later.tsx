import { type ComponentType, lazy, Suspense, useEffect, useState } from 'react';

/** A browser that never rests loads what is left after this. */
const longestWaitMs = 4_000;

/**
 * Calls once the browser has nothing else to do and the page has loaded what it needs, and at once where that is unknown.
 *
 * @returns the way to call it off.
 */
export function whenIdle(act: () => void): () => void {
  // Safari has no idle callbacks.
  const isKnown = 'requestIdleCallback' in window;
  const handle = isKnown ? requestIdleCallback(act, { timeout: longestWaitMs }) : window.setTimeout(act, 1_000);
  return () => (isKnown ? cancelIdleCallback(handle) : clearTimeout(handle));
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
