import { type RefObject, useEffect, useRef } from 'react';

/** The difference that the user just left. */
export interface LeftDifference {
  readonly key: string;
  /** If false, the focus returns to this difference. */
  readonly isSettled: boolean;
}

/**
 * Moves the focus to the next open difference after the user leaves one, or to the heading if none is open.
 *
 * @param left null before the user leaves a difference, and until the list shows the result
 * @returns ref for the element around the heading and rows. Rows need `data-difference` with their key; open rows also
 *   need `data-open`.
 */
export function useNextDifference(left: LeftDifference | null): RefObject<HTMLDivElement | null> {
  const area = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (area.current !== null && left !== null) nextControl(area.current, left)?.focus();
  }, [left]);
  return area;
}

function nextControl(area: HTMLElement, { key, isSettled }: LeftDifference): HTMLElement | null {
  const rows = [...area.querySelectorAll<HTMLElement>('[data-difference]')];
  const index = rows.findIndex((row) => row.dataset['difference'] === key);
  const [before, after] = [rows.slice(0, Math.max(0, index)), rows.slice(index + 1)];
  const candidates = isSettled ? [...after, ...before] : rows.slice(Math.max(0, index));
  const open = candidates.find((row) => row.dataset['open'] === 'true');
  const control = open?.querySelector<HTMLElement>('button:not(:disabled), a[href]');
  if (control !== undefined && control !== null) return control;
  const heading = area.querySelector('h2');
  if (heading !== null) heading.tabIndex = -1;
  return heading;
}
