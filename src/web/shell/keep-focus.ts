/** Returns the focus to a control that was disabled while its action ran, unless the user has moved on. */
export function keepFocus(): void {
  let last: EventTarget | null = null;
  const isDisabled = (target: EventTarget | null) => target instanceof HTMLElement && target.matches(':disabled');
  document.addEventListener('focusin', ({ target }) => (last = target));
  document.addEventListener('focusout', ({ target }) => {
    if (!isDisabled(target)) last = null;
  });
  // While no control has the focus, a click elsewhere causes no other event.
  document.addEventListener('pointerdown', () => {
    if (document.activeElement === document.body) last = null;
  });
  new MutationObserver(() => {
    if (document.activeElement === document.body && last instanceof HTMLElement && !isDisabled(last))
      last.focus({ preventScroll: true });
  }).observe(document, { subtree: true, attributes: true, attributeFilter: ['disabled'] });
}
