import { type RefObject, useEffect, useRef } from 'react';

/** The difference that a user has just left. */
export interface LeftDifference {
  readonly key: string;
  /** Whether the user is done with it; otherwise it takes the focus again. */
  readonly isSettled: boolean;
}

/**
 * Moves the focus to the next open difference once a user has left one, or to the heading when none is open.
 *
 * @param left null while no difference was left, or the list does not show the outcome yet
 * @returns the element around the heading and the rows; each row has `data-difference` with its key, and an open one
 *   `data-open`
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
  const place = rows.findIndex((row) => row.dataset['difference'] === key);
  const [before, after] = [rows.slice(0, Math.max(0, place)), rows.slice(place + 1)];
  const wanted = isSettled ? [...after, ...before] : rows.slice(Math.max(0, place));
  const open = wanted.find((row) => row.dataset['open'] === 'true');
  const control = open?.querySelector<HTMLElement>('button:not(:disabled), a[href]');
  if (control !== undefined && control !== null) return control;
  const heading = area.querySelector('h2');
  if (heading !== null) heading.tabIndex = -1;
  return heading;
}
