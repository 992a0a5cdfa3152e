import { useLocation, useNavigate } from 'react-router';

/** Parameters of the address of a review. Back returns to the screen without its review. */
const reviewKeys = ['review', 'difference', 'by'];

/** The URL parameter with the ids of the other runs that a user started together with a run. */
export const togetherKey = 'with';

/** Returns the path of the run of jobs that a user started together: the page of the first one, which links to the others. */
export const runPath = ([first = '', ...others]: readonly string[]): string =>
  others.length === 0 ? `/runs/${first}` : `/runs/${first}?${others.map((id) => `${togetherKey}=${id}`).join('&')}`;

/** Stored with the entry of a run in the history: the screen on which the user started it. */
interface StartedFrom {
  readonly from: string;
}

/**
 * Returns a function that opens the run of jobs the user just started. The run links back to the screen.
 *
 * @returns replaces the entry of the history if the screen cannot be shown again, for example a posted review
 */
export function useOpenRun(): (jobIds: readonly string[], isReplaced?: boolean) => void {
  const navigate = useNavigate();
  const { pathname, search } = useLocation();
  const query = new URLSearchParams(search);
  for (const name of reviewKeys) query.delete(name);
  const from = query.size === 0 ? pathname : `${pathname}?${query.toString()}`;
  return (jobIds, isReplaced = false) =>
    void navigate(runPath(jobIds), { replace: isReplaced, state: { from } satisfies StartedFrom });
}

/** Returns the screen on which the user started a run, from the state of its entry in the history; null if unknown. */
export const startedFrom = (state: unknown): string | null =>
  typeof state === 'object' && state !== null && 'from' in state && typeof state.from === 'string' ? state.from : null;

/** Stored with the entry of a screen that the user returned to from a run: the button that had the focus is gone. */
export const backFromRun = { isBackFromRun: true } as const;

/** Returns whether the user returned from a run, from the state of an entry in the history. */
export const isBackFromRun = (state: unknown): boolean =>
  typeof state === 'object' && state !== null && 'isBackFromRun' in state && state.isBackFromRun === true;
