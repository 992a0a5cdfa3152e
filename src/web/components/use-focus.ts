import { useEffect, useState } from 'react';

/**
 * Focuses a field of a form. Fields are disabled while a call runs; such a field gets the focus when the form is shown
 * after the call.
 *
 * @param prefix of the ids of the form's fields.
 * @returns a function that focuses the field with a key.
 */
export function useFocus(prefix: string): (key: string) => void {
  const [focused, setFocused] = useState<string | null>(null);
  useEffect(() => {
    if (focused === null) return;
    const field = document.getElementById(`${prefix}-${focused}`);
    if (field?.matches(':disabled') === true) return;
    field?.scrollIntoView({ block: 'center' });
    field?.focus({ preventScroll: true });
    setFocused(null);
  });
  return setFocused;
}
