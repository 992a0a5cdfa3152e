import type { Company } from '#core/documents/party.ts';
import { inParallel } from '#core/in-parallel.ts';
import type { Logger } from '#core/ports/logger.ts';
import type { Psa } from '#core/ports/psa.ts';
import type { Instant } from '#core/values/dates.ts';
import type { RateLimits } from '../rate-limiter.ts';
import { createSharedCache } from '../shared-cache.ts';
import type { AutotaskApi } from './api.ts';
import { isRecord, wrongShape } from './errors.ts';
import { queryAll, queryIn } from './query.ts';
import { orEmpty } from './reference-data.ts';
import { toCompany, toResource } from './translate.ts';
import { atCompany, atNamedCompany, atContact, atCountry, atResource, readRows, type AtContact } from './wire.ts';

interface Sources {
  readonly api: AutotaskApi;
  readonly logger: Logger;
  readonly rateLimits: RateLimits;
  readonly now: () => Instant;
}

/** ISO codes of countries by id, per PSA database. */
const countryCache = createSharedCache<ReadonlyMap<number, string>>(24 * 3_600);

/** Returns the company and the database of the API user. */
export async function identify(api: AutotaskApi) {
  const operation = 'read the own company';
  // Company 0 is the tenant's own company (autotask reference section 7).
  const answer = await api.call({ operation, method: 'GET', path: 'Companies/0' });
  if (!isRecord(answer.item)) throw wrongShape(operation, 'no company');
  const [company] = readRows(operation, atCompany, [answer.item]);
  return {
    companyId: company?.id ?? 0,
    companyName: company?.companyName ?? '',
    databaseId: await api.databaseId(),
  };
}

/** Returns the active user with exactly this name and email address. */
export async function findResource(
  api: AutotaskApi,
  { firstName, lastName, email }: Parameters<Psa['findResource']>[0],
) {
  const operation = 'find the resource';
  const rows = await queryAll(api, 'Resources', {
    operation,
    filter: [
      // Some people have no first name in Autotask, and a query for empty text finds nothing.
      ...(firstName === '' ? [] : [{ op: 'eq', field: 'firstName', value: firstName }]),
      { op: 'eq', field: 'lastName', value: lastName },
      { op: 'eq', field: 'email', value: email },
      { op: 'eq', field: 'isActive', value: true },
    ],
    fields: ['id', 'firstName', 'lastName', 'email'],
  });
  const people = readRows(operation, atResource, rows).map(toResource);
  return people.find((one) => (firstName === '') === (one.firstName === '')) ?? null;
}

async function countryCodes(sources: Sources): Promise<ReadonlyMap<number, string>> {
  const { api, rateLimits, now } = sources;
  return countryCache.get(rateLimits, await api.databaseId(), now, async () => {
    const operation = 'read countries';
    const rows = await orEmpty(sources, 'Countries', () => queryAll(api, 'Countries', { operation, filter: [] }));
    return new Map(
      readRows(operation, atCountry, rows).flatMap(({ id, countryCode }) =>
        countryCode === null ? [] : [[id, countryCode]],
      ),
    );
  });
}

/** Returns the names and currencies of companies. */
export async function readCompanyNames(api: AutotaskApi, ids: readonly number[]) {
  if (ids.length === 0) return [];
  const operation = 'read company names';
  const fields = ['id', 'companyName', 'currencyID'];
  const rows = await queryIn(api, 'Companies', 'id', ids, { operation, filter: [], fields });
  return readRows(operation, atNamedCompany, rows).map(({ id, companyName, currencyID }) => ({
    id,
    name: companyName ?? '',
    currencyId: currencyID,
  }));
}

/** Returns companies with the email address of their primary contact. */
export async function readCompanies(sources: Sources, ids: readonly number[]): Promise<Company[]> {
  if (ids.length === 0) return [];
  const { api } = sources;
  const operation = 'read companies';
  const [companies, contacts, countries] = await inParallel([
    queryIn(api, 'Companies', 'id', ids, { operation, filter: [] }),
    orEmpty(sources, 'Contacts', () =>
      queryIn(api, 'Contacts', 'companyID', ids, {
        operation: 'read contacts',
        // Only Contacts uses an integer here (autotask reference section 4).
        filter: [
          { op: 'eq', field: 'isActive', value: 1 },
          { op: 'eq', field: 'primaryContact', value: true },
        ],
        fields: ['id', 'companyID', 'emailAddress', 'firstName', 'lastName'],
      }),
    ),
    countryCodes(sources),
  ]);
  const byCompany = new Map<number, AtContact>();
  for (const contact of readRows('read contacts', atContact, contacts))
    if (contact.emailAddress !== null && !byCompany.has(contact.companyID)) byCompany.set(contact.companyID, contact);
  return readRows(operation, atCompany, companies).map((one) =>
    toCompany(one, byCompany.get(one.id) ?? null, countries),
  );
}
