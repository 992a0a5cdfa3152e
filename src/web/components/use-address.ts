import { useCallback } from 'react';
import { useSearchParams } from 'react-router';

const maxPage = 1_000_000;

/** The state of a list in the address, so that a link or a saved view opens the same list. */
export function useAddress() {
  const [query, setQuery] = useSearchParams();
  const change = useCallback(
    (changes: Readonly<Record<string, string>>) =>
      setQuery((now) => withChanges(now, changes), { replace: true, preventScrollReset: true }),
    [setQuery],
  );
  return { query, page: pageOf(query), change };
}

/** Returns the address with changes: an empty value removes a parameter, and any change opens the first page. */
export function withChanges(query: URLSearchParams, changes: Readonly<Record<string, string>>): URLSearchParams {
  const next = new URLSearchParams(query);
  const { page = '', ...others } = changes;
  for (const [key, value] of Object.entries({ ...others, page: page === '1' ? '' : page }))
    if (value === '') next.delete(key);
    else next.set(key, value);
  return next;
}

/** Returns the page in an address, counted from 1; the first one instead of an invalid page. */
export function pageOf(query: URLSearchParams): number {
  const page = Number(query.get('page') ?? '1');
  return Number.isInteger(page) && page >= 1 && page <= maxPage ? page : 1;
}

/** Returns the trimmed text of a parameter, at most 200 characters. */
export const textOf = (query: URLSearchParams, name: string): string => query.get(name)?.trim().slice(0, 200) ?? '';

/** Returns the value of a parameter if it is one of the known ones. */
export const oneOf = <Value extends string>(
  query: URLSearchParams,
  name: string,
  known: readonly Value[],
): Value | undefined => known.find((one) => one === query.get(name));
