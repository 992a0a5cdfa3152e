import { useLayoutEffect } from 'react';

/** A dialog that closes takes its focus along a moment later. */
const closingMs = 20;

/**
 * Returns the focus to the control that opened a dialog, however the dialog closes: by a button, by Escape, or by leaving
 * the page with it. Where that control is gone or disabled by then, the content of the page takes the focus.
 *
 * @param opened whether the dialog is open.
 */
export function useReturnedFocus(opened: boolean): void {
  useLayoutEffect(() => {
    if (!opened) return undefined;
    const opener = focused();
    return () => {
      const closing = document.activeElement?.closest('[role="dialog"]') ?? null;
      setTimeout(() => returnTo(opener, closing), closingMs);
    };
  }, [opened]);
}

/** The control that has the focus; null where none has it. */
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
