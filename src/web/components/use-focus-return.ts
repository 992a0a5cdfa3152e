import { useLayoutEffect, useRef } from 'react';

/** A closing dialog drops its focus after a moment. */
const closingMs = 20;

/**
 * Returns the focus to the control that opened a dialog, whether the dialog is closed by a button, by Escape, or by
 * leaving the page. If that control is gone or disabled, the content of the page gets the focus. If the dialog shows the
 * row of a table, or a document of a list, that row or link gets the focus.
 *
 * @param opened whether the dialog is open.
 */
export function useFocusReturn(opened: boolean): void {
  const row = useRef<HTMLElement>(null);
  useLayoutEffect(() => {
    if (!opened) return undefined;
    const opener = focused();
    return () => {
      const closing = document.activeElement?.closest('[role="dialog"]') ?? null;
      setTimeout(() => returnTo(row.current ?? opener, closing), closingMs);
    };
  }, [opened]);
  useLayoutEffect(() => {
    if (opened)
      row.current = document.querySelector<HTMLElement>(
        'tr[aria-current="true"], a[data-document][aria-current="true"]',
      );
  });
}

/** The focused control; null without one. */
const focused = (): HTMLElement | null =>
  document.activeElement instanceof HTMLElement && document.activeElement !== document.body
    ? document.activeElement
    : null;

/** @param closing the dialog that had the focus when it was closed. */
function returnTo(opener: HTMLElement | null, closing: Element | null): void {
  const now = document.activeElement;
  const isLost = now === null || now === document.body || (closing !== null && closing.contains(now));
  if (!isLost || opener === null) return;
  if (opener.isConnected && !opener.matches(':disabled')) opener.focus({ preventScroll: true });
  else document.querySelector<HTMLElement>('main')?.focus({ preventScroll: true });
}
