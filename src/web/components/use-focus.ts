import { useCallback, useEffect, useReducer, useRef } from 'react';

/**
 * Focuses a field of a form. Fields are disabled while a call runs; such a field gets the focus when the form is shown
 * after the call.
 *
 * @param prefix of the ids of the form's fields.
 * @returns a function that focuses the field with a key.
 */
export function useFocus(prefix: string): (key: string) => void {
  const wanted = useRef<string | null>(null);
  const [, render] = useReducer((count: number) => count + 1, 0);
  useEffect(() => {
    if (wanted.current === null) return;
    const field = document.getElementById(`${prefix}-${wanted.current}`);
    if (field?.matches(':disabled') === true) return;
    wanted.current = null;
    field?.scrollIntoView({ block: 'center' });
    field?.focus({ preventScroll: true });
  });
  return useCallback((key) => {
    wanted.current = key;
    render();
  }, []);
}
