import { type PersonState, personStates } from '#core/person.ts';
import type { UsersFilter } from '../../data/screen-queries.ts';

export const pageSize = 20;

/** Reads search, state and page from the URL; ignores invalid values. */
export function readFilter(query: URLSearchParams): UsersFilter {
  const text = (query.get('q') ?? '').trim().slice(0, 200);
  const state = personStates.find((one) => one === query.get('state'));
  const page = Number(query.get('page') ?? '1');
  return {
    page_size: pageSize,
    page: Number.isInteger(page) && page >= 1 && page <= 1_000_000 ? page : 1,
    ...(text === '' ? {} : { q: text }),
    ...(state === undefined ? {} : { state }),
  };
}

/** Returns the URL query with one change; a new search starts on the first page. */
export function withChange(query: URLSearchParams, name: 'q' | 'state' | 'page', value: string): URLSearchParams {
  const next = new URLSearchParams(query);
  if (value === '' || (name === 'page' && value === '1')) next.delete(name);
  else next.set(name, value);
  if (name !== 'page') next.delete('page');
  return next;
}

export const stateLabels: Readonly<Record<PersonState, string>> = {
  active: 'Active',
  invited: 'Invited',
  deactivated: 'Deactivated',
};
