import { type PersonState, personStates } from '#core/person.ts';
import type { UsersFilter } from '../../lib/screen-queries.ts';

export const pageSize = 20;

/** The filter in the address: search, state and page. A value that makes no sense counts as absent. */
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

/** The address with one part changed. Any other search begins on its first page. */
export function changed(query: URLSearchParams, name: 'q' | 'state' | 'page', value: string): URLSearchParams {
  const next = new URLSearchParams(query);
  if (value === '' || (name === 'page' && value === '1')) next.delete(name);
  else next.set(name, value);
  if (name !== 'page') next.delete('page');
  return next;
}

export const stateWords: Readonly<Record<PersonState, string>> = {
  active: 'Active',
  invited: 'Invited',
  deactivated: 'Deactivated',
};
