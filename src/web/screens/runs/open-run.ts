import { type Location, useLocation, useNavigate } from 'react-router';

/** The URL parameter with the ids of the reviewed tests, one per kind: `/my?review=…&review=…`. */
export const reviewKey = 'review';

/** The URL parameter with the ids of the other runs that a user started together with a run. */
export const togetherKey = 'with';

/** Returns the path of the run of jobs that a user started together: the page of the first one, which links to the others. */
export const runPath = ([first = '', ...others]: readonly string[]): string =>
  others.length === 0 ? `/runs/${first}` : `/runs/${first}?${others.map((id) => `${togetherKey}=${id}`).join('&')}`;

/** Returns the path of the review of tests. */
export const reviewPath = (jobIds: readonly string[]): string =>
  `/my?${jobIds.map((id) => `${reviewKey}=${id}`).join('&')}`;

/** Stored with the entry of a run or a review in the history: the screen on which the user started it. */
interface StartedFrom {
  readonly from: string;
  /** A message to show on arrival. */
  readonly notice?: string;
}

/** Returns the screen on which the user started a run or a review, from its entry in the history; null if unknown. */
export const startedFrom = (state: unknown): string | null =>
  typeof state === 'object' && state !== null && 'from' in state && typeof state.from === 'string' ? state.from : null;

/** Stored with the entry of a screen that the user returned to from a run: the button that had the focus is gone. */
export const backFromRun = { isBackFromRun: true } as const;

/** Returns whether the user returned from a run, from the state of an entry in the history. */
export const isBackFromRun = (state: unknown): boolean =>
  typeof state === 'object' && state !== null && 'isBackFromRun' in state && state.isBackFromRun === true;

/** Returns the screen to return to from a run that starts here: without its review, or the screen that opened the review. */
export function startOf({ pathname, search, state }: Pick<Location<unknown>, 'pathname' | 'search' | 'state'>): string {
  const query = new URLSearchParams(search);
  const opener = query.has(reviewKey) ? startedFrom(state) : null;
  if (opener !== null) return opener;
  query.delete(reviewKey);
  return query.size === 0 ? pathname : `${pathname}?${query.toString()}`;
}

interface OpenOptions {
  /** Replaces the entry of the history if the screen cannot be shown again, for example a posted review. */
  readonly isReplaced?: boolean;
  /** A message to show beside the run. */
  readonly notice?: string | undefined;
}

/** Returns a function that opens the run of jobs the user just started. The run links back to the screen. */
export function useOpenRun(): (jobIds: readonly string[], options?: OpenOptions) => void {
  const navigate = useNavigate();
  const from = startOf(useLocation());
  return (jobIds, { isReplaced = false, notice } = {}) =>
    void navigate(runPath(jobIds), {
      replace: isReplaced,
      state: { from, ...(notice !== undefined && { notice }) } satisfies StartedFrom,
    });
}

/** Returns a function that opens the review of tests on the Overview. Cancel returns to the screen. */
export function useOpenReview(): (jobIds: readonly string[]) => void {
  const navigate = useNavigate();
  const from = startOf(useLocation());
  return (jobIds) => void navigate(reviewPath(jobIds), { state: { from } satisfies StartedFrom });
}
