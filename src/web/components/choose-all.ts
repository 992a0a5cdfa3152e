/**
 * Returns the selection after a click on the checkbox of a list's header. It changes only the listed rows: rows that a
 * tab or search hides keep their state.
 *
 * @param listed keys of the rows in the list, on all of its pages.
 */
export function toggleAll(chosen: ReadonlySet<string>, listed: readonly string[]): ReadonlySet<string> {
  return stateOfAll(chosen, listed) === 'all' ? chosen.difference(new Set(listed)) : chosen.union(new Set(listed));
}

/** Returns how many of the listed rows are selected. */
export function stateOfAll(chosen: ReadonlySet<string>, listed: readonly string[]): 'none' | 'some' | 'all' {
  const count = listed.filter((key) => chosen.has(key)).length;
  return count === 0 ? 'none' : count === listed.length ? 'all' : 'some';
}
