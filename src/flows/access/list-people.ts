import type { Person } from '#core/records/people.ts';
import type { App, TenantContext } from '../context.ts';

type People = TenantContext['store']['listPeople'];

/** Returns a page of a client's users and invitations. */
export const listPeople = ({ store }: TenantContext, filter: Parameters<People>[0]): ReturnType<People> =>
  store.listPeople(filter);

/** Returns the ids of the people who have a second factor. */
export const listSecured = (app: App, people: readonly Person[]): ReturnType<App['store']['listSecured']> =>
  app.store.listSecured(people.map(({ id }) => id));
