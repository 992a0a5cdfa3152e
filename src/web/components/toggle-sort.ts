import type { Sorting } from './table.tsx';

/** A second click on the same header reverses the order; another header starts with ascending order. */
export const toggleSort = (now: Sorting | undefined, by: string): Sorting => ({
  by,
  descending: now?.by === by ? !now.descending : false,
});
